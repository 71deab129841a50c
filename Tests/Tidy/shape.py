"""Sizes: lines, files, and the pages that must stay short."""
import collections
import os
import re

from rule import rule

RULES = []

COLUMNS_MAX = 120
FILE_LINES_MAX = 400
FOLDER_FILES_MAX = 15
# Reads in one piece, as one contract.
LONG_FILES = {"Include/tappet.h"}
SOURCE_FOLDERS = ("Sources/", "Tests/", "tools/", "board/", "Include/")
CODE = {"swift", "c", "python", "shell", "make"}


@rule("long-line", f"no line of code has more than {COLUMNS_MAX} columns", into=RULES)
def _long_lines(tree):
    for file in tree.files.values():
        if file.language in CODE and not file.path.endswith((".go", ".rs")):
            for number, line in enumerate(file.lines, 1):
                if len(line) > COLUMNS_MAX:
                    yield file.path, number, f"{len(line)} columns; break it at {COLUMNS_MAX}"


@rule("conflict", "no file contains an unresolved merge", into=RULES)
def _conflicts(tree):
    for file in tree.files.values():
        for number, line in enumerate(file.lines, 1):
            if line.startswith(("<<<<<<< ", ">>>>>>> ")):
                yield file.path, number, "a marker of a merge; keep one of the sides"


@rule("long-file", f"no source file has more than {FILE_LINES_MAX} lines", into=RULES)
def _long_files(tree):
    for file in tree.under(*SOURCE_FOLDERS, languages=CODE):
        if len(file.lines) > FILE_LINES_MAX and file.path not in LONG_FILES:
            sentence = f"{len(file.lines)} lines; find the second subject in it, and give it a file"
            yield file.path, FILE_LINES_MAX + 1, sentence


@rule("large-folder", f"no folder of Swift has more than {FOLDER_FILES_MAX} files beside its own folders", into=RULES)
def _large_folders(tree):
    folders = collections.defaultdict(list)
    for file in tree.under("Sources/"):
        folders[os.path.dirname(file.path)].append(file.path)
    for file in tree.under("Tests/", languages={"swift"}):
        folders[os.path.dirname(file.path)].append(file.path)
    for folder, paths in sorted(folders.items()):
        if len(paths) > FOLDER_FILES_MAX:
            sentence = f"{len(paths)} files in {folder}; give those of one subject a folder"
            yield sorted(paths)[FOLDER_FILES_MAX], 1, sentence


def _size_rule(name, path, limit, unit, measure, instead):
    @rule(name, f"{path} has at most {limit:,} {unit}", into=RULES)
    def _size(tree):
        file = tree.get(path)
        size = measure(file.text) if file else 0
        if size > limit:
            yield path, 1, f"{size:,} {unit}, not at most {limit:,}; {instead}"


@rule("module-size", "no module has more lines than its row of docs/architecture.md allows", into=RULES)
def _module_sizes(tree):
    """The rows have some room, and change at a release, so that an addition does not touch the page."""
    page = tree.get("docs/architecture.md")
    rows = re.finditer(r"^\| (\w+) \| .* \| ([\d,]+) \|$", page.text, re.MULTILINE) if page else ()
    for row in rows:
        size = sum(len(file.lines) for file in tree.under(f"Sources/{row[1]}/", languages={"swift"}))
        if size > int(row[2].replace(",", "")):
            line = page.line_at(row.start())
            yield page.path, line, f"{row[1]} has {size:,} lines; make it smaller, or decide that it may grow"


def _section(text, title):
    """The lines below the heading that matches `title`, to the next heading of its level or above."""
    match = re.search(rf"^(#+) (?:{title})[^\n]*\n", text, re.MULTILINE)
    if match is None:
        return []
    end = re.search(rf"^#{{1,{len(match[1])}}} ", text[match.end():], re.MULTILINE)
    return text[match.end():match.end() + end.start() if end else len(text)].strip().splitlines()


def _terms(text):
    """Terms of the glossary: rows of its table below the heading, or items of its list."""
    rows = [line for line in _section(text, "Glossary") if re.match(r"\||[-*] ", line)]
    return len([row for row in rows if not re.match(r"\|[ :|-]+\|?$", row)]) - any(row.startswith("|") for row in rows)


_size_rule("readme", "README.md", 8192, "bytes", lambda text: len(text.encode()), "move the rest to docs/")
_size_rule("package", "Package.swift", 110, "lines", lambda text: len(text.splitlines()), "derive what repeats itself")
_size_rule("changelog", "CHANGELOG.md", 60, "lines in 0.1.0", lambda text: len(_section(text, r"\[?0\.1\.0")),
           "keep what a user notices")
_size_rule("glossary", "docs/architecture.md", 40, "terms", _terms, "leave out the field's own words")


@rule("fault-row", "a row of docs/faults has at most 300 characters", into=RULES)
def _fault_rows(tree):
    for file in tree.under("docs/faults/", languages={"markdown"}):
        for line, text in enumerate(file.lines, 1):
            if text.startswith("| ") and len(text) > 300:
                yield file.path, line, f"{len(text)} characters; leave the explanation to the page of its subject"
