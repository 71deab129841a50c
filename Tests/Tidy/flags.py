"""Compiler and linker flags: each has its line in the table of docs/building.md, and each line its flag."""
import re

from rule import rule

RULES = []

BUILDING = "docs/building.md"
TITLE = "Compiler and linker flags"

# The options that only hand the next word on to another program.
_PREFIX = re.compile(r"-Wl,|-X(?:cc|llvm|frontend|linker|clang|swiftc)\b|-mllvm\b")
# Told by its shape from the options of other commands.
_FLAG = re.compile(
    r"(?<![\w-])(?:-O(?:size|[0-3sz])\b|-wmo\b|-W[a-z][\w-]+\b|-f[a-zA-Z][\w-]+(?:=[\w./-]+)?|-(?:lto|flto)=[\w-]+"
    r"|--(?:lto|icf|gc|pack)[\w=-]*|-(?:sil|inline|enable|disable|emit|function|unroll)-[\w-]+(?:=[\w-]+)?"
    r"|-(?:pie|shared|static-libgcc|static|nostdlib|soname)\b|-z [\w-]+"
    r"|--(?:as-needed|whole-archive|no-whole-archive|version-script|build-id|strip-all)\b)"
)


def _plain(text):
    """The text without comments and without the prefixes; every flag stays at its offset."""
    text = re.sub(r"(?m)(?:^|(?<=\s))(?://|#).*$", lambda match: " " * len(match[0]), text)
    text = _PREFIX.sub(lambda match: " " * len(match[0]), text)
    return re.sub(r"[,\"]", " ", text)


def _documented(text):
    """The flags in the first column of the table, and the line of each."""
    found, is_inside = {}, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            is_inside = line.lstrip("# ") == TITLE
        elif is_inside and line.startswith("|"):
            for words in re.findall(r"`([^`]+)`", line.split("|")[1]):
                for flag in re.findall(r"-z [\w-]+|--?\w[^\s]*", _plain(words)):
                    found[flag] = number
    return found


@rule("flag", f"every compiler and linker flag has its line in {BUILDING}, and every line its flag", into=RULES)
def _flags(tree):
    files = [(file, _plain(file.text)) for file in map(tree.get, ("Package.swift", "Makefile")) if file]
    page = tree.get(BUILDING)
    table = _documented(page.text) if page else {}
    seen = set()
    for file, text in files:
        for match in _FLAG.finditer(text):
            if match[0] not in table and match[0] not in seen:
                seen.add(match[0])
                line = file.line_at(match.start())
                yield file.path, line, f"'{match[0]}' has no line in '{TITLE}' of {BUILDING}: say what it does"
    for flag, line in table.items():
        if not any(re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text) for _, text in files):
            yield BUILDING, line, f"'{flag}' is not in use: remove it from the table"
