"""Waiting for a condition, with a limit: the only way in which these tests wait."""
import time


class Vain(Exception):
    """What was waited for did not come."""


def until(what, condition, seconds=30, pause=0.01):
    """Looks until `condition()` is true and answers its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Vain(f"waited {seconds} s in vain for {what}")
        time.sleep(pause)
