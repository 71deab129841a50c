"""Collects the English of a file: comments, strings of several words, test names, pages.

A passage is one paragraph, joined to one line, so that a pattern finds words that a line break separates.
"""
import bisect
import re

SUMMARY, COMMENT, STRING, NAME, PAGE, HEADING = "summary", "comment", "string", "name", "page", "heading"


class Passage:
    """One paragraph of `kind`, made of (line number, text) pieces. A summary opens a doc comment."""

    def __init__(self, kind, pieces):
        self.kind = kind
        self.lines, self.starts, self.text = [], [], ""
        for line, text in pieces:
            self.lines.append(line)
            self.starts.append(len(self.text) + bool(self.text))
            self.text += (" " if self.text else "") + _without_code(text)

    def line_at(self, offset):
        return self.lines[bisect.bisect_right(self.starts, offset) - 1]


def passages(file):
    collect = {"markdown": _of_markdown, "roff": _of_roff}.get(file.language, _of_code)
    for kind, pieces in collect(file):
        passage = Passage(kind, pieces)
        if passage.text:
            yield passage


def _without_code(text):
    """Replaces the letters of quoted code, which is not English, with `x`; every column stays."""
    return re.sub(r"`[^`]*`", lambda match: re.sub(r"\w", "x", match[0]), text)


def _of_code(file):
    block = []  # Line comments that follow each other: (line, indentation with mark, text).
    for token in file.tokens:
        text, line = file.text[token.start:token.end], file.line_at(token.start)
        start_of_line = file.text.rfind("\n", 0, token.start) + 1
        before = file.text[start_of_line:token.start]
        mark = re.match(r"///?!?|#+!?", text) if token.kind == "comment" else None
        if mark is None or before.strip() or (block and block[-1][:2] != (line - 1, before + mark[0])):
            yield from _of_line_comments(block)
            block = []
        if mark and not before.strip():
            block.append((line, before + mark[0], text[mark.end():].strip()))
        elif mark:
            yield COMMENT, [(line, text[mark.end():].strip())]
        elif token.kind == "comment":
            yield from _of_block_comment(line, text)
        else:
            yield from _of_string(file, line, text, before)
    yield from _of_line_comments(block)


def _of_line_comments(block):
    if not block:
        return
    is_doc = block[0][1].lstrip() == "///"
    lines = [(line, re.sub(r"^MARK: (- )?", "", text)) for line, _, text in block]
    yield from _paragraphs(lines, SUMMARY if is_doc else COMMENT)


def _of_block_comment(line, text):
    """A comment of C; its first paragraph is a summary when Doxygen reads it."""
    is_doc = text.startswith("/**") and not re.match(r"/\*\*\s*(?:\*\s*)?@", text)
    inner = re.sub(r"^/\*+<?|\*/$", "", text)
    lines = [(line + index, re.sub(r"^\s*\*+( |$)", "", each).strip()) for index, each in enumerate(inner.split("\n"))]
    yield from _paragraphs(lines, SUMMARY if is_doc else COMMENT)


def _of_string(file, line, text, before):
    if text.startswith("`"):
        yield NAME, [(line, text.strip("`"))]
        return
    if re.match(r"[bfBF]*[rR]|#", text):
        return  # A pattern or data, not a sentence.
    is_docstring = file.language == "python" and '"""' in text and not before.strip()
    fields = r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)" if file.language == "swift" else r"\{[^{}\n]*\}"
    for match in re.finditer(r'(?<=[ (])"(?:[^"\\\n]|\\[^(])*"', text[1:-1]) if file.language == "swift" else ():
        yield STRING, [(line + text.count("\n", 0, match.start()), match[0].strip('"'))]
    text = re.sub(fields, lambda match: re.sub(r"[^\n]", "x", match[0]), text)
    inner = re.sub(r'^[a-zA-Z]*("{3}|\'{3}|.)|("{3}|\'{3}|.)$', "", text)
    lines = [(line + index, each.strip().removesuffix("\\")) for index, each in enumerate(inner.split("\n"))]
    for kind, pieces in _paragraphs(lines, SUMMARY if is_docstring else STRING):
        if any(" " in piece for _, piece in pieces):
            yield (COMMENT if is_docstring and kind == STRING else kind), pieces


def _paragraphs(lines, kind):
    """Splits at empty lines, list items and Doxygen's commands; only the first part keeps a summary's kind."""
    part = []
    for line, text in lines:
        starts_item = re.match(r"[-*•] |@\w+|\d\. ", text)
        if part and (not text or starts_item):
            yield kind, part
            kind, part = (COMMENT if kind == SUMMARY else kind), []
        if starts_item:
            kind = COMMENT if kind == SUMMARY else kind
            text = re.sub(r"^(?:[-*•] |\d\. |@param(?:\[\w+\])? \w+ ?|@\w+ ?)", "", text)
        if text:
            part.append((line, text))
    if part:
        yield kind, part


def _of_markdown(file):
    part, in_fence = [], False
    for number, line in enumerate(file.lines, 1):
        text = line.strip()
        is_fence = text.startswith("```")
        in_fence ^= is_fence
        text = re.sub(r"\]\([^)]*\)", "]", text)
        starts = re.match(r"(?:[-*] |\d+\. |\||#+ |>)", text)
        if part and (not text or starts or is_fence):
            yield PAGE, part
            part = []
        if in_fence or is_fence:
            continue
        if text.startswith("#"):
            yield HEADING, [(number, text.lstrip("# "))]
        elif text.startswith("|"):
            yield from ((PAGE, [(number, cell.strip())]) for cell in text.split("|"))
        elif text:
            part.append((number, re.sub(r"^(?:[-*] |\d+\. |> )", "", text)))
    if part:
        yield PAGE, part


def _of_roff(file):
    part, in_example = [], False
    for number, line in enumerate(file.lines, 1):
        macro = re.match(r"\.(\w+) ?(.*)", line)
        if macro:
            in_example = {"nf": True, "EX": True, "fi": False, "EE": False}.get(macro[1], in_example)
        words = macro[2] if macro and macro[1] in ("B", "I", "BR", "IR", "RB", "RI", "BI") else "" if macro else line
        text = re.sub(r"\\f(?:\[\w*\]|.)|\\&|\\%", "", words).replace("\\-", "-").replace('"', "").strip()
        is_break = not line.strip() or (macro and not text and not macro[1].startswith("\\"))
        if part and is_break:
            yield PAGE, part
            part = []
        if text and not in_example:
            part.append((number, text))
    if part:
        yield PAGE, part
