"""Collects tests, runs each board's one after the other, and prints a line for each."""
import json
import sys
import time
import traceback

TESTS = []  # (board, name, function)
MEASUREMENTS = []  # The same, of what judges time: a busy machine fails them, so they run for `make bench` alone.
FIGURES = []  # Rows of docs/benchmarks.md, as Tests/Benchmarks/rows.py records them.


def test(board, name):
    """Marks a function as a test of that board. It is called with the board's world, and fails by an exception."""
    return lambda function: register(TESTS, board, name, function)


def measurement(board, name):
    """Marks a function as a measurement on that board. It is called as a test is."""
    return lambda function: register(MEASUREMENTS, board, name, function)


def register(where, board, name, function):
    where.append((board, name, function))
    return function


def figure(what, ours, theirs="", ratio="", wanted="", is_met=None):
    """Records a measured figure, that of the program it is compared with, their ratio, and what is required of it."""
    FIGURES.append({"what": what, "ours": ours, "theirs": theirs, "ratio": ratio, "wanted": wanted, "is_met": is_met})


def write_figures(path):
    title = {"title": "The virtual board", "explanation": "The arm64 programs on QEMU, with Debian's kernel and real "
             "kernel GPIO chips ([Tests/VirtualBoard](../Tests/VirtualBoard))."}
    with open(path, "a") as file:
        for row in [title, *FIGURES]:
            file.write(json.dumps(row) + "\n")


class Skip(Exception):
    """This test cannot run here. The reason is printed, and the test counted as skipped."""


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
    """Runs all tests of one board in one world. They all fail when the board does not boot."""
    world = None
    began = time.monotonic()
    for name, function in tests:
        try:
            if world is None:
                world = make_world()
            verdict, say = attempt(world, function)
            fault = world.kernel_failed() if verdict == "FAILED" else ""
            if fault:
                # A failure of the kernel that our program causes happens again; any other is not our finding.
                print(f"          the kernel itself failed and the board is rebooted: {fault.strip()}", flush=True)
                world.reboot()
                verdict, say = attempt(world, function)
            if verdict == "FAILED":
                world.repair()
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            verdict, say = "FAILED", f"{type(error).__name__}: {error}"
        tally.count(verdict)
        remark = f"\n          {say}" if say else ""
        print(f"  {verdict}  {board}: {name}, {time.monotonic() - began:.1f} s{remark}", flush=True)
        began = time.monotonic()
    if world:
        world.end()


def attempt(world, function):
    """Runs a test. Returns its verdict, and a remark to print."""
    try:
        return "passed", function(world)
    except Skip as reason:
        return "skipped", str(reason)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        world.tell_more()
        return "FAILED", f"{type(error).__name__}: {error}"
