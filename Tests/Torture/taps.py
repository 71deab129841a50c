"""A crowd in front of the kiosk."""
import time

import shelf
from parts import CARDS


class Taps:
    """Holds tags of all kinds to the reader and presses the button, as fast as a crowd would."""

    KINDS = {"good": 0.4, "forged": 0.15, "card": 0.25, "Ann": 0.1, "Sue": 0.1}

    def __init__(self, world, random, pause=(0.02, 0.15)):
        self.world, self.random, self.pause = world, random, pause
        self.kinds = self.KINDS | ({"shelf": 0.4} if world.kiosk.has_shelf else {})
        self.good = self.placed = 0
        # The kind of the tag on the reader, and the tags that follow it at once.
        self.tag, self.following = None, []
        self.due = 0.0

    def turn(self):
        now = time.monotonic()
        if now < self.due:
            return
        self.due = now + self.random.uniform(*self.pause)
        tell = self.world.simulator.tell
        if not self.following and self.random.random() < 0.6:
            self.good += 1
            tell("press bell")
            time.sleep(0.03)  # Longer than the debounce: a press that counts.
            tell("release bell")
        elif self.tag:
            self.take()
            self.due = now + (0.2 if self.following else 0.5)  # The reader has to notice.
        else:
            drawn = self.random.choices(list(self.kinds), list(self.kinds.values()))[0]
            self.place("shelf" if self.following else drawn)

    def place(self, kind):
        """Holds a tag to the reader, if it is plugged in."""
        self.placed += 1
        if kind == "card":
            words = f"classic uid={self.random.choice(CARDS)}"
        elif kind == "shelf":
            self.following = self.following or shelf.pair(self.random, self.placed)
            words = self.following.pop()
        else:
            url = self.world.kiosk.url(kind == "forged", kind if kind in ("Ann", "Sue") else None)
            words = f"ntag213 uid=04{self.placed:012x} url={url}"
        if self.world.simulator.tell("place " + words).startswith("ok"):
            self.tag = kind
            self.count()

    def count(self):
        """Counts the messages that the tag on the reader may make; a start of the kiosk may read it once more."""
        self.good += {"good": 1, "Ann": 1, "card": 2}.get(self.tag, 0)

    def take(self):
        """Takes the tag away."""
        if self.tag:
            self.world.simulator.tell("take")
        self.tag = None
