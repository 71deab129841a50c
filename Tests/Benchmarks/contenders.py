"""The kiosk as a contender: its process, its reader, its topic, and what each tap costs."""
import os
import random
import re
import subprocess
import sys
import time

from parts import TAPPET, await_, fail, measure_for, start, status

SECRET = os.urandom(32)
IDLE_SECONDS = 5 if "--quick" in sys.argv[1:] else 30
# The reader's heartbeat every 5 s shows that its loop runs; a PINGREQ and its answer come every 60 s.
IDLE_WAKES_MAX = -(-IDLE_SECONDS // 5) + 1 + 2 * -(-IDLE_SECONDS // 60)


class Contender:
    """One of the two programs: its process, its reader, its topic."""

    def __init__(self, name, simulator, witness):
        self.name, self.simulator, self.witness = name, simulator, witness
        self.topic = "bench/" + name
        self.latencies = []
        self.taps = 0

    def tap(self, url, model="ntag213", uid=None):
        """One tap of a new card, or of this one, which no rate limit slows down. Returns its latency in ns and its
        exchanges."""
        self.taps += 1
        seen = self.witness.count(self.topic)
        self.simulator.last_byte_read()
        self.simulator.tell(f"place {model} uid={uid or f'04b1b2{self.taps:08x}'} url={url}")
        await_("the message", lambda: self.witness.count(self.topic) > seen)
        read, exchanges = self.simulator.last_byte_read()
        if read is None:
            fail("the trace shows no FAST_READ")
        self.simulator.tell("take")
        # After two misses the tag has left; with the third the reader looks for a new one.
        self.simulator.await_polls(3)
        self.settle()
        if self.witness.count(self.topic) != seen + 1:
            fail(f"{self.name}: one tap became {self.witness.count(self.topic) - seen} messages")
        return self.witness.arrivals[self.topic][seen] - read, exchanges

    def arrival(self, url):
        """The time from a tag's arrival to the subscriber, in ms."""
        self.taps += 1
        seen = self.witness.count(self.topic)
        placed = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        self.simulator.tell(f"place ntag213 uid=04b1b2{self.taps:08x} url={url}")
        await_("the message", lambda: self.witness.count(self.topic) > seen)
        self.simulator.tell("take")
        # Two misses of up to two looks each, and a look at the empty reader.
        self.simulator.await_polls(6)
        self.settle()
        # The next tag comes at any time between two looks.
        measure_for(random.uniform(0, 0.3))
        return (self.witness.arrivals[self.topic][seen] - placed) / 1e6

    def settle(self):
        """Waits until the tap's work is finished."""

    def switches(self):
        """Context switches of all its threads so far."""
        return sum(voluntary + forced for pid in self.pids() for _, voluntary, forced in switches(pid).values())


class Tappet(Contender):
    def __init__(self, folder, broker, simulator, witness, name="tappet", action_count=1, fill=None):
        """The tags are for the last action. `fill` gets the configuration's path before the kiosk starts."""
        super().__init__(name, simulator, witness)
        self.index = action_count - 1
        others = "".join(f"  - {{name: other-{index}, topic: other, message: '%I'}}\n" for index in range(self.index))
        self.config = os.path.join(folder, "kiosk.yaml")
        with open(self.config, "w") as file:
            file.write(
                f"broker:\n{broker.settings}  client_id: bench-{name}\n"
                f'reader: {{device: "pn532_uart:{simulator.device}"}}\nclock: trust\nstate: state\n'
                f"actions:\n{others}  - {{name: garage, title: Open the garage, topic: {self.topic}, "
                "message: 'open %I', cooldown: 0 s}\n")
        for index in range(action_count):
            key = SECRET if index == self.index else os.urandom(32)
            share = os.path.join(folder, "share")
            with open(share, "w") as file:
                file.write(f"smpshare://secret?idx={index}&key={key.hex()}&label=Bench\n")
            words = [TAPPET, "secret", "import", "--config", self.config, "--file", share]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        if fill:
            fill(self.config)
        self.run(folder)

    def run(self, folder):
        """Starts it, and waits until it is ready."""
        with open(os.path.join(folder, "kiosk.log"), "wb") as output:
            words = [TAPPET, "run", "--plain", "--config", self.config]
            self.process = start("tappet", words, stdout=output, stderr=output)
        await_("the kiosk", lambda: status(self.config).get("light") == "ready")
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            self.reader = int(file.read().split()[0])

    def pids(self):
        return self.process.pid, self.reader

    def settle(self):
        def is_done():
            now = status(self.config)
            return now["outbox"] == 0 and now["counters"]["delivered"] == self.taps

        await_("the kiosk to finish its work", is_done)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def memory(pid):
    """Kilobytes: resident, proportional, and those that are its own and were written to."""
    # The pages of a program that was just built count as dirty until the disk has them.
    os.sync()
    with open(f"/proc/{pid}/smaps_rollup") as file:
        text = file.read()
    return tuple(int(re.search(rf"^{name}:\s+(\d+)", text, re.M).group(1))
                 for name in ("Rss", "Pss", "Private_Dirty"))


def switches(pid):
    """Context switches of each thread: (its name, voluntary, involuntary)."""
    counts = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as file:
            text = file.read()
        numbers = [int(number) for number in re.findall(r"ctxt_switches:\s+(\d+)", text)]
        counts[thread] = (re.search(r"Name:\s+(.*)", text).group(1), *numbers)
    return counts


def processor_seconds(pid):
    """The processor's seconds that the process has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
