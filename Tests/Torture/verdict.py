"""Compares the promises of a tortured kiosk with the messages that arrived."""
import collections
import re

import shelf
from parts import START, read


class Life:
    """The life of one outbox entry, in the order of the log."""

    def __init__(self):
        self.connections = 0  # Connections on which it may have been sent.
        self.delivered_in = None


class Verdict:
    """A tap is accepted when the log or a light says so, and has arrived when the subscriber saw its message."""

    def __init__(self, world, good_taps):
        log, lights = read(world.kiosk.log), read(world.kiosk.lights)
        # A webhook that fails is shown as queued, too; a touch of a thing has no message.
        self.promised_lights = len(re.findall(r"^\d+ (?:accepted|queued)$", lights, re.M)) - log.count(
            "event=webhook-waiting") - len(re.findall("event=inventory-(?:shown|moved)", log))
        self.arrivals = collections.Counter(name for _, name in world.witness.arrivals())
        self.good_taps = good_taps
        self.entries, self.twice_delivered, self.hooked = {}, [], set()
        self._follow(log)
        self.lost = [name for name in self.entries if name not in self.arrivals]
        self.posted, self.odd = world.web.taken, world.web.odd
        self.unposted = sorted(self.hooked - set(self.posted))
        self.repeats = sum(self.arrivals.values()) - len(self.arrivals)
        # An entry may be sent once on each connection until its PUBACK comes.
        self.unexcused = [
            name for name, life in self.entries.items() if self.arrivals[name] > max(1, life.connections)
        ]
        self.cards = world.witness.cards()
        self.suspended = len(re.findall(r"^got \S+ home/members/(?!Ann )", read(world.witness.log), re.M))
        self.traps = re.findall(r"^.*(?:Fatal error|Illegal instruction|Segmentation).*$", log, re.M)

    def _follow(self, log):
        run, is_up, waiting = 0, False, {}
        for line in log.splitlines():
            if line == START:
                run, is_up = run + 1, False
            elif "event=broker-connected" in line:
                is_up = True
                for life in waiting.values():
                    # A kill may come between the PUBACK and the removal: the next start sends it again, no later one.
                    if life.delivered_in is None or life.delivered_in == run - 1:
                        life.connections += 1
            elif "event=broker-lost" in line:
                is_up = False
            elif found := re.search(r"event=(?:tap|press)-accepted .*?\bid=([0-9a-f]{32})", line):
                life = self.entries[found[1]] = waiting[found[1]] = Life()
                life.connections = int(is_up)
                if "action=bell " in line:
                    self.hooked.add(found[1])
            elif "destination=webhook" in line:
                continue
            elif (found := re.search(r"event=delivered .*?\bid=([0-9a-f]{32})", line)) and found[1] in self.entries:
                life = self.entries[found[1]]
                if life.delivered_in == run:
                    self.twice_delivered.append(found[1])
                life.delivered_in = run

    def summary(self):
        unexcused = len(self.unexcused) + len(self.twice_delivered)
        return (
            f"arrived {len(self.arrivals)}, lost {len(self.lost)}, repeats {self.repeats}, "
            f"of them without a lost PUBACK {unexcused}; webhooks {len(self.posted)}, lost {len(self.unposted)}, "
            f"repeats {sum(self.posted.values()) - len(self.posted)}; cards that came {len(self.cards)}, and left "
            f"{sum(bool(removals) for _, removals in self.cards.values())}")

    def broken_promises(self):
        """A sentence for each broken promise."""
        found = []
        if self.lost:
            found.append(f"{len(self.lost)} accepted taps never arrived, {self.lost[0]} among them")
        if self.unposted:
            found.append(f"{len(self.unposted)} accepted webhooks were never posted, {self.unposted[0]} among them")
        if self.odd:
            found.append(f"a webhook had the id {self.odd[0][0]} and the body {self.odd[0][1]!r}")
        if len(self.arrivals) < self.promised_lights:
            found.append(f"{self.promised_lights} lights promised a message, {len(self.arrivals)} arrived")
        if len(self.arrivals) > self.good_taps:
            found.append(f"{len(self.arrivals)} messages arrived from {self.good_taps} good taps and presses")
        for (uid, number), (came, left) in self.cards.items():
            if len(came) != 1 or len(left) != 1:
                found.append(f"arrival {number} of the card {uid} has {len(came)} messages, its removal {len(left)}")
        if self.suspended:
            found.append(f"{self.suspended} messages arrived from tags that are not Ann's")
        if self.unexcused:
            found.append(
                f"{len(self.unexcused)} messages arrived twice on one connection, {self.unexcused[0]} among them")
        if self.twice_delivered:
            found.append(f"{self.twice_delivered[0]} was sent again although its PUBACK had come")
        if any(not re.fullmatch(r"[0-9a-f]{32}", name) for name in self.arrivals):
            found.append("a message arrived that is not an id (%I)")
        return found + self.traps[:3]


class ShelfVerdict:
    """A move is promised when the log says so. It is done when the inventory's history has it, and known when the
    broker has it."""

    def __init__(self, world):
        kiosk = world.kiosk
        self.promised = collections.Counter(re.findall(r"event=inventory-moved .*?\bid=(\S+)", read(kiosk.log)))
        self.shown = len(re.findall("event=inventory-shown", read(kiosk.log)))
        history = shelf.moves(kiosk)
        self.moved = collections.Counter(move["id"] for move in history)
        self.places = {move["id"]: move["to"] for move in reversed(history)}
        self.known = collections.Counter(world.witness.moves().values())
        self.boxes = shelf.listed(kiosk, "box", "list")

    def summary(self):
        return f"  shelf: things shown {self.shown}, moves promised {sum(self.promised.values())}, on the disk " \
            f"{sum(self.moved.values())}, known to the broker {sum(self.known.values())}"

    def broken_promises(self):
        found = []
        if missing := self.promised - self.moved:
            found.append(f"{sum(missing.values())} moves were promised and are not on the disk")
        if self.known != self.moved:
            found.append(f"the broker knows {sum(self.known.values())} moves, the disk {sum(self.moved.values())}")
        for box in self.boxes:
            place = self.places.get(box["id"], "House → Cellar → Spot 0")
            if box["location_path"] != place:
                found.append(f"{box['name']} is in {box['location_path']}, its last move was to {place}")
        return found
