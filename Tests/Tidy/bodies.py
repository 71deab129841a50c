"""Sizes of functions and types, by their braces."""
import re

from rule import rule

RULES = []

FUNCTION_LINES_MAX = 60
PROPERTIES_MAX = 15
# These may only shrink.
LONG_FUNCTIONS = {
    "Sources/TappetConfig/Parser/ConfigurationParser.swift": 64,
    "Sources/TappetCore/Kiosk/Kiosk.swift": 64,
    "Sources/TappetKiosk/RuntimeParts.swift": 70,
    "Sources/TappetMessages/Sentences/Messages+Configuration.swift": 89,
}
MANY_PROPERTIES = {
    "Action": 20, "BrokerLinkLoop": 17, "BrokerLinkSession": 17, "BrokerObject": 22, "BrokerSettings": 20,
    "ConfigTemplate": 16, "CryptoMachine": 20, "KioskConfiguration": 26, "KioskSettings": 20,
    "KioskView": 31, "Outbox": 20, "PN532Chip": 20, "RuntimePanel": 19, "Store": 16, "Subscriber": 17,
}

_FUNCTION = re.compile(r"\b(?:func\s+[^\s(<]+|init[?!]?|subscript)\s*[(<]|\bdeinit\b|\bvar\s+\w+\s*:[^={\n]*(?={)")
_TYPE = re.compile(r"\b(?:struct|class|actor)\s+(\w+)[^{}\n]*{")
_PROPERTY = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+|(?:package|public|private|fileprivate|final|lazy|weak|unowned|nonisolated)"
    r"(?:\(\w+\))?\s+)*(?:let|var)\s+(\([\w, ]+\)|\w+)(.*)")


def _end(code, start):
    """The place of the brace that closes the one at `start`."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(code)


def _body(code, start):
    """The place of the brace that opens the body of the function whose name ends at `start`; None without a body."""
    depth = 0
    for match in re.compile(r"[()\[\]{}]|\n(?=\s*(?:@|func|init|var|let|case|}|package|private|public))").finditer(
            code, start):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth -= 1
        elif depth == 0:
            return match.start() if match[0] == "{" else None
    return None


@rule("long-function", f"no function has more than {FUNCTION_LINES_MAX} lines", into=RULES)
def _long_functions(tree):
    for file in tree.under("Sources/", languages={"swift"}):
        limit = LONG_FUNCTIONS.get(file.path, FUNCTION_LINES_MAX)
        for line, match in file.matches(_FUNCTION):
            start = match.end() - 1 if match[0][-1] in "(<" else match.end()
            start = _body(file.code, start)
            if start is None:
                continue
            count = file.line_at(_end(file.code, start)) - file.line_at(start) - 1
            if count > limit:
                yield file.path, line, f"{count} lines, not at most {limit}; give a part of it a name"


@rule("many-properties", f"no type has more than {PROPERTIES_MAX} stored properties", into=RULES)
def _many_properties(tree):
    for file in tree.under("Sources/", languages={"swift"}):
        for line, match in file.matches(_TYPE):
            body = file.code[match.end():_end(file.code, match.end() - 1)]
            count = sum(_stored(each) for each in _members(body))
            limit = MANY_PROPERTIES.get(match[1], PROPERTIES_MAX)
            if count > limit:
                sentence = f"{count} stored properties, not at most {limit}; group those that change together"
                yield file.path, line, sentence


def _members(body):
    """The lines of a type that are in none of its functions or inner types."""
    depth = 0
    for line in body.splitlines():
        if depth == 0:
            yield line
        depth += line.count("{") - line.count("}")


def _stored(line):
    match = _PROPERTY.match(line)
    if match is None or re.match(r"[^=]*{", match[2]):
        return 0
    return match[1].count(",") + 1
