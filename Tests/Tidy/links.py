"""Links and cited files: each leads somewhere."""
import os
import re

from prose import COMMENT, PAGE, SUMMARY
from rule import rule

RULES = []

_CITED = re.compile(r"(?<!\]\()(?<![\w./$}@-])((?:Sources|Tests|board|docs|tools|Include)/[\w./*+-]*[\w*+]/?)")
_CITED_NAME = re.compile(r"(?<!\]\()(?<![\w./$}@*+-])(\w[\w+-]*\.(?:md|swift))\b")


def anchors(text):
    """The anchors that GitHub makes of a page's headings."""
    found, seen = set(), {}
    fenced = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#+ +(.*?) *#*$", fenced, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


@rule("dead-link", "every relative link of a page leads somewhere", into=RULES)
def _dead_links(tree):
    for file in tree.files.values():
        if file.language != "markdown":
            continue
        text = re.sub(r"^```.*?^```|`[^`\n]*`", lambda match: re.sub(r"[^\n]", " ", match[0]), file.text,
                      flags=re.DOTALL | re.MULTILINE)
        for match in re.finditer(r"\]\(<?([^)\s>]+)|(?:src|href)=\"([^\"]+)\"|^\[[^\]]+\]: (\S+)", text, re.MULTILINE):
            target = match[1] or match[2] or match[3]
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(file.path), path)) if path else file.path
            line = file.line_at(match.start())
            if not tree.has(place):
                yield file.path, line, f"'{target}' leads nowhere: there is no {place}"
            elif anchor and anchor not in anchors(tree.files[place].text):
                yield file.path, line, f"'{target}' leads nowhere: {place} has no heading for it"


@rule("cited-file", "every file that a comment or page cites exists", into=RULES)
def _cited_files(tree):
    names = {file.name for file in tree.files.values()}
    for file in tree.files.values():
        for line, text in _citing(file):
            for match in _CITED.finditer(text):
                if not _exists(tree, match[1]):
                    yield file.path, line, f"there is no '{match[1]}'; cite the file that has it now"
            for match in _CITED_NAME.finditer(text):
                if match[1] not in names and "NAME" not in match[1]:
                    yield file.path, line, f"there is no file '{match[1]}'; cite the one that has it now"


@rule("cited-test", "every suite of tests that a page cites exists", into=RULES)
def _cited_tests(tree):
    suites = [file.path.removesuffix(".swift") for file in tree.under("Tests/", languages={"swift"})]
    for file in tree.under("", languages={"markdown"}):
        for line, text in enumerate(file.lines, 1):
            for folder, name in re.findall(r"(?<![\w/])(\w+/)?([A-Z]\w+Tests)\b(?!/)", text):
                folders = {f"/{folder}", f"/{folder.removesuffix('Tests/')}/"}  # SwiftPM calls Tests/Core CoreTests.
                if not any(suite.endswith(f"/{name}") and any(each in suite for each in folders) for suite in suites):
                    yield file.path, line, f"there is no suite '{folder}{name}'; cite the one that has it now"


@rule("stale-mutant", "every planted mistake cites text that its file has once", into=RULES)
def _stale_mutants(tree):
    pure = ("Sources/TappetCore", "Sources/TappetRooms")
    for path, folders in (("Tests/Simulation/mutants.txt", pure), ("Tests/Fuzz/mutants.txt", ("Sources",))):
        if table := tree.files.get(path):
            yield from _stale(tree, table, folders)


def _stale(tree, table, folders):
    for line, text in enumerate(table.lines, 1):
        parts = text.split(" | ")
        if text.startswith("#") or len(parts) != 4:
            continue
        name, path, cited, _ = parts
        sources = [tree.files.get(f"{folder}/{path}") for folder in folders]
        count = sum(source.text.count(cited) for source in sources if source)
        if count != 1:
            yield table.path, line, f"'{name}' cites text that {path} has {count} times; cite what it has once"


def _citing(file):
    """The lines of a file that may cite another: its comments, or all of a page."""
    if file.language in ("markdown", "roff"):
        yield from enumerate(file.lines, 1)
    for token in file.tokens:
        if token.kind == "comment":
            first = file.line_at(token.start)
            yield from enumerate(file.text[token.start:token.end].split("\n"), first)


def _exists(tree, path):
    """Whether `path` is there; `*` and NAME may be anything."""
    if tree.has(path):
        return True
    pattern = re.escape(path.rstrip("/")).replace(r"\*", "[^/]*").replace("NAME", "[^/]+")
    return any(re.fullmatch(pattern, each) for each in (*tree.files, *tree.folders))
