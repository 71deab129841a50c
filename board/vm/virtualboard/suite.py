"""Collects tests, runs them one after the other on their boards, and prints a line for each."""
import sys
import time
import traceback

TESTS = []  # (board, name, function)


def test(board, name):
    """Marks a function as a test of that board; it is called with the world of the board, and fails by an exception."""

    def register(function):
        TESTS.append((board, name, function))
        return function

    return register


class Skip(Exception):
    """Cannot be tried here; the reason is said and counted."""


def require(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def line(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def run_board(board, tests, make_world, tally):
    """All tests of one board in one world. A board that does not come up fails each of them."""
    world = None
    began = time.monotonic()
    for name, function in tests:
        try:
            if world is None:
                world = make_world()
            say = function(world)
            tally.passed += 1
            verdict = "passed"
        except Skip as reason:
            tally.skipped += 1
            verdict, say = "skipped", str(reason)
        except KeyboardInterrupt:
            raise
        except Exception as error:
            tally.failed += 1
            verdict, say = "FAILED", f"{type(error).__name__}: {error}"
            traceback.print_exc(file=sys.stderr)
            if world:
                world.tell_more()
                world.repair()
        print(f"  {verdict}  {board}: {name}, {time.monotonic() - began:.1f} s" + (f"\n          {say}" if say else ""), flush=True)
        began = time.monotonic()
    if world:
        world.end()
