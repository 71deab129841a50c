"""A rule of the house, and what it finds."""
import collections

# `sentence` says what is wrong and what to write instead.
Finding = collections.namedtuple("Finding", "path line rule sentence")


class Rule:
    """A name, one line that explains it, and a check that takes a tree and yields (path, line, sentence)."""

    def __init__(self, name, summary, check):
        self.name, self.summary, self._check = name, summary, check

    def findings(self, tree):
        return [Finding(path, line, self.name, sentence) for path, line, sentence in self._check(tree)]


def rule(name, summary, into):
    """Decorates a check: makes it a rule and appends it to the list `into`."""
    def add(check):
        into.append(Rule(name, summary, check))
        return check
    return add
