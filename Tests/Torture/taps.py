"""A crowd in front of the kiosk."""
import time


class Taps:
    """Holds good and forged tags to the reader and presses the button, as fast as a crowd would."""

    def __init__(self, world, random, pause=(0.02, 0.15)):
        self.world, self.random, self.pause = world, random, pause
        self.good = self.forged = self.cards = 0
        self.has_tag = False
        self.due = 0.0

    def turn(self):
        now = time.monotonic()
        if now < self.due:
            return
        self.due = now + self.random.uniform(*self.pause)
        tell = self.world.simulator.tell
        if self.random.random() < 0.6:
            self.good += 1
            tell("press bell")
            time.sleep(0.03)  # Longer than the debounce: a press that counts.
            tell("release bell")
        elif self.has_tag:
            tell("take")
            self.has_tag = False
            self.due = now + 0.5  # The reader has to notice.
        else:
            is_forged = self.random.random() < 0.2
            self.cards += 1
            # A tag that is on the reader while the kiosk starts is read again: each start may accept it once more.
            url = self.world.kiosk.url(is_forged)
            if tell(f"place ntag213 uid=04{self.cards:012x} url={url}").startswith("ok"):
                self.has_tag = True
                if not is_forged:
                    self.good += 1
