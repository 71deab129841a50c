"""Whether a process that runs for long grows: descriptors, memory, threads."""
import os
import re

from parts import read

# The arenas of three threads may grow by some pages; a leak of 200 bytes a tap would show within an hour.
GROWTH_MAX_KB = 384
WARM_UP_SECONDS = 300


def look(pid):
    """(descriptors, resident KB, threads) of a process."""
    status = read(f"/proc/{pid}/status")

    def number(name):
        return int(re.search(name + r":\s+(\d+)", status)[1])

    return len(os.listdir(f"/proc/{pid}/fd")), number("VmRSS"), number("Threads")


def growth(looks, memory_max=GROWTH_MAX_KB):
    """A sentence for each thing that grew after the warm-up. A look: (seconds, descriptors, resident KB, threads)."""
    warm = [entry for entry in looks if entry[0] >= min(WARM_UP_SECONDS, looks[-1][0] / 4)]
    first, last = warm[:5], warm[-5:]
    found = []
    # Compares the least of five looks each, since a single look may meet a descriptor that is open for a moment.
    for place, what, limit in ((1, "descriptors", 0), (2, "KB resident", memory_max), (3, "threads", 0)):
        before, after = min(entry[place] for entry in first), min(entry[place] for entry in last)
        print(f"  {what}: {before} -> {after}")
        if after - before > limit:
            found.append(f"{after - before} {what} more than after the warm-up, and at most {limit} are allowed")
    return found
