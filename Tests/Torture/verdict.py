"""What a tortured kiosk promised, held against what arrived."""
import collections, re

from parts import START, read


class Life:
    """One entry's way, by the order of the log."""

    def __init__(self):
        self.connections = 0  # On which it may have been sent.
        self.delivered_in = None


class Verdict:
    """Accepted: said so in the log, or by a light. Arrived: seen by the subscriber."""

    def __init__(self, world, good_taps):
        log, lights = read(world.kiosk.log), read(world.kiosk.lights)
        self.promised_lights = len(re.findall(r"^\d+ (?:accepted|queued)$", lights, re.M))
        self.arrivals = collections.Counter(name for _, name in world.witness.arrivals())
        self.good_taps = good_taps
        self.entries, self.twice_delivered = {}, []
        self._follow(log)
        self.lost = [name for name in self.entries if name not in self.arrivals]
        self.repeats = sum(self.arrivals.values()) - len(self.arrivals)
        # Once on a connection, and on no further one when the PUBACK had come.
        self.unexcused = [
            name for name, life in self.entries.items() if self.arrivals[name] > max(1, life.connections)
        ]
        self.traps = re.findall(r"^.*(?:Fatal error|Illegal instruction|Segmentation).*$", log, re.M)

    def _follow(self, log):
        run, is_up, waiting = 0, False, {}
        for line in log.splitlines():
            if line == START:
                run, is_up = run + 1, False
            elif "event=broker-connected" in line:
                is_up = True
                for life in waiting.values():
                    # A kill may come between a PUBACK and the removal; it is sent again after that start, and then never.
                    if life.delivered_in is None or life.delivered_in == run - 1:
                        life.connections += 1
            elif "event=broker-lost" in line:
                is_up = False
            elif found := re.search(r"event=(?:tap|press)-accepted .*?\bid=([0-9a-f]{32})", line):
                life = self.entries[found[1]] = waiting[found[1]] = Life()
                life.connections = int(is_up)
            elif (found := re.search(r"event=delivered .*?\bid=([0-9a-f]{32})", line)) and found[1] in self.entries:
                life = self.entries[found[1]]
                if life.delivered_in == run:
                    self.twice_delivered.append(found[1])
                life.delivered_in = run

    def faults(self):
        """Sentences; none when every promise was kept."""
        found = []
        if self.lost:
            found.append(f"{len(self.lost)} accepted taps never arrived, {self.lost[0]} among them")
        if len(self.arrivals) < self.promised_lights:
            found.append(f"{self.promised_lights} lights promised a message, {len(self.arrivals)} arrived")
        if len(self.arrivals) > self.good_taps:
            found.append(f"{len(self.arrivals)} messages came of {self.good_taps} good taps and presses")
        if self.unexcused:
            found.append(f"{len(self.unexcused)} messages came twice on one connection, {self.unexcused[0]} among them")
        if self.twice_delivered:
            found.append(f"{self.twice_delivered[0]} was sent again although its PUBACK had come")
        if any(not re.fullmatch(r"[0-9a-f]{32}", name) for name in self.arrivals):
            found.append("a message arrived that is no %I")
        return found + self.traps[:3]
