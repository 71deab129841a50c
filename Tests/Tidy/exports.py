"""Exports: a module shows its importers the interface of a function, and not its body.

In Embedded Swift every body is visible to importers, which then compile it again for themselves. `@export(interface)`
(SE-0497) keeps it in its own module. Small functions stay visible, because a call costs more than they do; functions
with type parameters must, because only their callers know the types. A small one that leads to much is marked too.
"""
import re

from rule import rule

RULES = []

BODY_LINES_MAX = 5
MARK = "@export(interface)"

# A declaration that a brace may open: its attributes and modifiers, its keyword, its name.
_HEAD = re.compile(
    r"^[ \t]*(?P<before>(?:@\w+(?:\([^()]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?[ \t]+)*?)"
    r"(?P<keyword>func|init|var(?=[^\n]*\Z)|struct|class|enum|extension|protocol)\b[ \t]*"
    r"(?P<name>[^\s({<:]*)(?P<more>[^{}]*)\Z",
    re.MULTILINE,
)
_GENERIC_TYPES = re.compile(r"\b(?:struct|class|enum)\s+(\w+)\s*<|\bprotocol\s+(\w+)")
_GENERIC_OF_SWIFT = {"Array", "ArraySlice", "Dictionary", "Set", "Optional", "Result", "Sequence", "Collection",
                     "RandomAccessCollection", "RangeReplaceableCollection", "MutableCollection", "Comparable",
                     "BinaryInteger", "FixedWidthInteger", "UnsignedInteger", "Atomic", "InlineArray", "Span"}
_ACCESSOR = re.compile(r"\s*(?:@\S+\s+)?(?:get|set|willSet|didSet|_read|_modify)\b")
_TYPES = {"struct", "class", "enum", "extension", "protocol"}


def _blocks(code):
    """Each pair of braces, as its head and its two offsets, outer ones first; the head begins after the last brace."""
    opened, found, start = [], [], 0
    for match in re.finditer(r"[{}]", code):
        if match[0] == "{":
            opened.append((code[start:match.start()], start, match.start(), len(opened)))
        elif opened:
            found.append(opened.pop() + (match.start(),))
        start = match.end()
    return sorted(found, key=lambda block: block[2])


def _unmarked(file, generic):
    """Each package function or property whose body is long and visible: its offset, its name, the mark's place."""
    around = []
    for head, start, opening, depth, closing in _blocks(file.code):
        around = around[:depth] + [False] * (depth - len(around))
        match = _HEAD.search(head)
        is_generic = any(around)
        if match and match["keyword"] in _TYPES:
            name = match["name"].split(".")[-1]
            is_generic = is_generic or name in generic or match["more"].lstrip().startswith("<")
        around.append(is_generic)
        if not match or match["keyword"] in _TYPES or is_generic:
            continue
        signature = match["name"] + match["more"]
        has_parameters = re.match(r"\s*[^\s(]*\s*<", signature) or re.search(r"\bsome\b", signature)
        lines = file.code.count("\n", opening, closing) - 1
        # The compiler ignores the mark on a property; it has to be at the getter.
        if match["keyword"] == "var" and ("=" in match["more"] or _ACCESSOR.match(file.code, opening + 1)):
            continue
        if has_parameters or lines <= BODY_LINES_MAX or not re.search(r"\bpackage\b", match["before"]):
            continue
        if not re.search(r"@export\(|@inline\(__always\)|@_cdecl\(", match["before"]):
            where = "at its 'get'" if match["keyword"] == "var" else "above it"
            yield start + match.start("before"), match["name"] or match["keyword"], where


@rule("export", f"a package function or property of more than {BODY_LINES_MAX} lines shows its interface, not its body",
      into=RULES)
def _exports(tree):
    sources = list(tree.under("Sources/", languages={"swift"}))
    generic = set(_GENERIC_OF_SWIFT)
    for file in sources:
        generic.update(name for pair in _GENERIC_TYPES.findall(file.code) for name in pair if name)
    for file in sources:
        for offset, name, where in _unmarked(file, generic):
            yield file.path, file.line_at(offset), f"'{name}': write {MARK} {where}, or make it small"
