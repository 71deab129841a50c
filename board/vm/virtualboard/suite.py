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

    def count(self, verdict):
        self.passed += verdict == "passed"
        self.failed += verdict == "FAILED"
        self.skipped += verdict == "skipped"

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
            verdict, say = attempt(world, function)
            fault = world.kernel_failed() if verdict == "FAILED" else ""
            if fault:
                # What the kernel does to every program is no finding; what our program makes it do comes again.
                print(f"          the kernel itself failed, the board is booted anew: {fault.strip()}", flush=True)
                world.reboot()
                verdict, say = attempt(world, function)
            if verdict == "FAILED":
                world.repair()
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            verdict, say = "FAILED", f"{type(error).__name__}: {error}"
        tally.count(verdict)
        print(f"  {verdict}  {board}: {name}, {time.monotonic() - began:.1f} s" + (f"\n          {say}" if say else ""), flush=True)
        began = time.monotonic()
    if world:
        world.end()


def attempt(world, function):
    """Runs a test: (verdict, what is to be said of it)."""
    try:
        return "passed", function(world)
    except Skip as reason:
        return "skipped", str(reason)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        world.tell_more()
        return "FAILED", f"{type(error).__name__}: {error}"
