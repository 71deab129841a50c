"""The measured rows of a benchmark: printed, and with `--rows FILE` appended to that file for docs/benchmarks.md."""
import json
import sys

_MARKS = {None: "", True: "met", False: "MISSED"}


class Rows:
    def __init__(self, title, explanation):
        self.missed = 0
        self.path = sys.argv[sys.argv.index("--rows") + 1] if "--rows" in sys.argv else None
        print(title, flush=True)
        self._record({"title": title, "explanation": explanation})

    def add(self, what, ours, theirs="", ratio="", wanted="", is_met=None):
        """One row: the figure, that of the program it is compared with, their ratio, and what is required of it."""
        self.missed += is_met is False
        figure = " / ".join(part for part in (ours, theirs) if part) + (f" = {ratio}" if ratio else "")
        print(f"  {what:<58} {figure:>30}  {wanted:<20} {_MARKS[is_met]}".rstrip(), flush=True)
        self._record({"what": what, "ours": ours, "theirs": theirs, "ratio": ratio, "wanted": wanted, "is_met": is_met})

    def _record(self, row):
        if self.path:
            with open(self.path, "a") as file:
                file.write(json.dumps(row) + "\n")

    def status(self):
        """The program's exit status; a missed requirement is 1."""
        if self.missed:
            print(f"  {self.missed} requirements are missed.")
        return 1 if self.missed else 0
