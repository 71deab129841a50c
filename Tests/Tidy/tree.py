"""The files of the repository, each with its language and its lines. Reads every file once."""
import bisect
import functools
import os
import re
import subprocess

import lexer
import prose

LANGUAGES = {
    ".swift": "swift", ".c": "c", ".h": "c", ".cpp": "c", ".go": "c", ".rs": "c", ".py": "python", ".sh": "shell",
    ".md": "markdown", ".1": "roff", ".3": "roff", ".5": "roff", ".yaml": "hash", ".toml": "hash", ".rules": "hash",
    ".in": "hash", ".cmake": "hash", ".mk": "make",
}
NAMES = {"Makefile": "make", "Doxyfile": "hash"}
INTERPRETERS = {"python3": "python", "sh": "shell", "bash": "shell"}


class File:
    """One file: its path from the root of the repository, and its text."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.name = os.path.basename(path)
        self.language = language(self.name, text)

    @functools.cached_property
    def lines(self):
        return self.text.splitlines()

    @functools.cached_property
    def tokens(self):
        """The comments and strings, as `lexer.Token`s."""
        return list(lexer.tokens(self.text, self.language))

    @functools.cached_property
    def code(self):
        """The text with blanks in place of comments and strings; every line and column stays where it is."""
        return lexer.blanked(self.text, self.tokens)

    @functools.cached_property
    def passages(self):
        """The English in it, as `prose.Passage`s."""
        return list(prose.passages(self))

    @functools.cached_property
    def _line_starts(self):
        return [0] + [match.end() for match in re.finditer("\n", self.text)]

    def line_at(self, offset):
        return bisect.bisect_right(self._line_starts, offset)

    def matches(self, pattern, flags=0):
        """Each match of `pattern` in the code, with its line."""
        for match in re.finditer(pattern, self.code, flags):
            yield self.line_at(match.start()), match


class Tree:
    """All files by their paths, and the folders that they make."""

    def __init__(self, texts):
        self.files = {path: File(path, text) for path, text in texts.items()}
        self.folders = {""}
        for path in self.files:
            while path := os.path.dirname(path):
                self.folders.add(path)

    @classmethod
    def of_repository(cls, root):
        """Files under version control, and new ones that are not ignored."""
        command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        paths = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
        texts = {}
        for path in sorted(set(filter(None, paths))):
            place = os.path.join(root, path)
            if os.path.isfile(place) and not os.path.islink(place):
                with open(place, "rb") as file:
                    content = file.read()
                texts[path] = "" if b"\0" in content else content.decode("utf-8", "replace")
        return cls(texts)

    def under(self, *folders, languages=None):
        """The files in these folders, of these languages."""
        for path, file in self.files.items():
            if path.startswith(folders) and (languages is None or file.language in languages):
                yield file

    def get(self, path):
        return self.files.get(path)

    def has(self, path):
        return path in self.files or path.rstrip("/") in self.folders


def language(name, text):
    """The language of a file, or None for data."""
    known = NAMES.get(name) or LANGUAGES.get(os.path.splitext(name)[1])
    if known or not text.startswith("#!"):
        return known
    words = text[2:].split("\n", 1)[0].split()
    return INTERPRETERS.get(os.path.basename(words[-1])) if words else None
