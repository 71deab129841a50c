"""Waiting for a condition with a limit, which is the only way in which these tests wait, and letting test time pass."""
import time


class Vain(Exception):
    """The condition did not come true in time."""


def until(what, condition, seconds=30, pause=0.01):
    """Repeats `condition()` until it is true, and returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Vain(f"waited {seconds} s in vain for {what}")
        time.sleep(pause)


def pass_time(seconds):
    """Lets time pass that is part of the test: how long a press or an observation lasts. Never a wait for something."""
    time.sleep(seconds)
