"""Finds comments and strings in source text: one pattern per language, no parser.

Anything that is neither a comment nor a string is code.
"""
import collections
import re

# `kind` is "comment" or "string"; start and end are offsets of the whole token with its marks.
Token = collections.namedtuple("Token", "kind start end")

_BLOCK = r"/\*.*?\*/"
_SLASHES = r"//[^\n]*"
_TEXT = r'"(?:[^"\\\n]|\\.)*"'


def _swift_string(depth=3):
    """A string whose interpolations hold strings of their own, to the given depth."""
    string, group = _TEXT, r"\([^()\n]*\)"
    for _ in range(depth):
        inner = rf"(?:[^()\"\n]|{group}|{string})*"
        group = rf"\({inner}\)"
        string = rf'"(?:[^"\\\n]|\\\({inner}\)|\\[^(])*"'
    return string


_PATTERNS = {
    "swift": (rf"{_SLASHES}|{_BLOCK}", rf'"""\n.*?"""|#".*?"#|`[^`\n]* [^`\n]*`|{_swift_string()}'),
    "c": (rf"{_SLASHES}|{_BLOCK}", rf"{_TEXT}|'(?:[^'\\\n]|\\.[^']*)'"),
    "python": (r"#[^\n]*", rf"""[rbfRBF]*(?:\"{{3}}.*?\"{{3}}|'{{3}}.*?'{{3}}|{_TEXT}|'(?:[^'\\\n]|\\.)*')"""),
    # A quote may be open at the end of a line: what follows is taken for code.
    "shell": (r"(?:^|(?<=\s))\#[^\n]*", rf"{_TEXT}|'[^'\n]*'"),
    "make": (r"(?:^|(?<=\s))\#[^\n]*", r"(?!)"),
    "hash": (r"(?:^|(?<=\s))\#[^\n]*", r"(?!)"),
}
_COMPILED = {
    name: re.compile(f"(?P<comment>{comment})|(?P<string>{string})", re.DOTALL | re.MULTILINE)
    for name, (comment, string) in _PATTERNS.items()
}


def tokens(text, language):
    """The comments and strings of `text` in their order; none for a language without code."""
    pattern = _COMPILED.get(language)
    for match in pattern.finditer(text) if pattern else ():
        yield Token(match.lastgroup, match.start(), match.end())


def blanked(text, tokens):
    """`text` with each comment and string replaced by blanks; line breaks stay."""
    pieces, end = [], 0
    for token in tokens:
        pieces += text[end:token.start], re.sub(r"[^\n]", " ", text[token.start:token.end])
        end = token.end
    return "".join(pieces) + text[end:]
