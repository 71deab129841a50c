"""Checks each rule against its examples in examples.txt: mistakes to find, and text to leave alone."""
import os
import re

from tree import Tree

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples.txt")


class Example:
    """A small tree, and the lines in which `rule` must find something: (path, line) each."""

    def __init__(self, rule, line, texts):
        self.rule, self.line = rule, line
        marked = {path: text.splitlines() for path, text in texts.items()}
        self.expected = {(path, number) for path, lines in marked.items()
                         for number, each in enumerate(lines, 1) if each.startswith("!")}
        self.tree = Tree({path: "".join(each.removeprefix("!") + "\n" for each in lines)
                          for path, lines in marked.items()})


def examples():
    """`=== rule` begins a rule's examples, `--- path` a file, `+++` another tree; `!` marks a line with a mistake."""
    with open(EXAMPLES, encoding="utf-8") as file:
        lines = file.read().replace("\n\n===", "\n===").splitlines()
    rule, texts, first, path = None, {}, 0, None
    for number, line in enumerate([*lines, "+++"], 1):
        mark, _, name = line.partition(" ")
        if mark in ("===", "+++"):
            if texts:
                yield Example(rule, first, texts)
            rule, texts, path = name or rule, {}, None
        elif mark == "---":
            path, first = name, first if texts else number
            texts[path] = ""
        elif path is not None:
            texts[path] += _repeated(line) + "\n"


def _repeated(line):
    """`{x×3}` is xxx; `¶` is an empty line, and `↵` ends one."""
    text = re.sub(r"\{(.+?)×(\d+)\}", lambda match: (match[1] * int(match[2])).removesuffix("↵"), line)
    return text.replace("↵", "\n").replace("¶", "\n").removesuffix("\n") if "¶" in text else text.replace("↵", "\n")


def failures(rules):
    """A sentence for each rule that misses a planted mistake, finds one too many, or has no example."""
    all_examples = list(examples())
    unknown = {each.rule for each in all_examples} - {rule.name for rule in rules}
    for name in sorted(unknown):
        yield f"examples.txt has examples for '{name}', which is not a rule"
    for rule in rules:
        own = [each for each in all_examples if each.rule == rule.name]
        if not any(each.expected for each in own):
            yield f"{rule.name} has no planted mistake in examples.txt"
        if not any(len(each.tree.files[path].lines) > len([1 for at, _ in each.expected if at == path])
                   for each in own for path in each.tree.files):
            yield f"{rule.name} has no text in examples.txt that it must leave alone"
        for example in own:
            found = {(each.path, each.line) for each in rule.findings(example.tree)}
            for path, line in sorted(example.expected - found):
                yield f"{rule.name} misses line {line} of {path} in the example at examples.txt:{example.line}"
            for path, line in sorted(found - example.expected):
                yield f"{rule.name} wrongly finds line {line} of {path} in the example at examples.txt:{example.line}"
