"""Constructs that are refused wherever they are: what traps, what dangles, what waits blindly."""
import re

from rule import rule

RULES = []


def _refuse(name, summary, pattern, instead, folders, languages=None):
    @rule(name, summary, into=RULES)
    def _check(tree):
        for file in tree.under(*folders, languages=languages):
            for line, match in file.matches(pattern):
                yield file.path, line, f"'{match[0].strip()}': {instead}"


_refuse("trap", "Sources never trap on what the world does", r"\btry!|\bas!|\bfatalError\(",
        "throw, or state a precondition of our own", ("Sources/",), {"swift"})
_refuse("watch-token", "a watch ends with its token", r"\bunwatch\(", "release the token that `watch` returned",
        ("Sources/",), {"swift"})


@rule("unowned", "unowned(unsafe) is in one file at most", into=RULES)
def _unowned(tree):
    lines = {file.path: [line for line, _ in file.matches(r"\bunowned\(unsafe\)")]
             for file in tree.under("Sources/", languages={"swift"})}
    keeper = max(lines, key=lambda path: len(lines[path]), default=None)
    for path in lines:
        for line in lines[path] if path != keeper else ():
            yield path, line, f"'unowned(unsafe)' is in {keeper} already; hold a token whose deinit unwatches"


@rule("later", "nothing is left for later in the text", into=RULES)
def _later(tree):
    for file in tree.files.values():
        for token in file.tokens:
            for match in re.finditer(r"\b(?:TODO|FIXME|XXX)\b", file.text[token.start:token.end]):
                if token.kind == "comment":
                    yield file.path, file.line_at(token.start + match.start()), f"'{match[0]}': do it, or file an issue"


@rule("machine-path", "no path of one person's machine", into=RULES)
def _machine_paths(tree):
    for file in tree.files.values():
        if file.language is None and not file.path.endswith((".txt", ".json")):
            continue
        for match in re.finditer(r"(?<![\w.$})\]/-])/(?:home|work|root|Users|workspace|mnt)/[\w.-]+", file.text):
            yield file.path, file.line_at(match.start()), f"'{match[0]}': derive it from the file's own place"


_SLEEPS = {
    "swift": r"\bThread\.sleep\(|(?<![\w.])(?:usleep|nanosleep|sleep)\((?!until)|\bTask\.sleep\(",
    "c": r"\b(?:usleep|nanosleep|sleep|thrd_sleep)\(|\btime\.Sleep\(|\bthread::sleep\(",
    "python": r"\b(?:time|asyncio)\.sleep\(",
    "shell": r"(?:^|[;&|(]|\bdo\b|\bthen\b)[ \t]*sleep\b",
}


@rule("fixed-sleep", "a test waits for a condition with a limit, never for a time", into=RULES)
def _sleeps(tree):
    for file in tree.under("Tests/", "board/vm/", languages=set(_SLEEPS)):
        for line, match in file.matches(_SLEEPS[file.language], re.MULTILINE):
            yield file.path, line, f"'{match[0].strip()}': wait for a condition with a limit"
