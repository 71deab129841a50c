"""Layers: who may import whom, and what the lower ones never do. The arrows are those of Package.swift."""
import re

from rule import rule

RULES = []

# Modules of the toolchain that every layer may use.
TOOLCHAIN = {"Swift", "Synchronization"}
# C libraries of several modules, each with its reason.
SHARED = {
    "CPlatform": "the C library itself",
    "COpenSSL": "digests and MACs in TappetBase, certificates in TappetTLS",
    "CSeccomp": "the sandboxes of tappet-reader, of tappet-webhook and tappet-matrix, and of tappet-web",
}
IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\(\w+\))? +)*(?:public |package |internal )?import +(?:struct |class |enum |func )?(\w+)",
    re.MULTILINE)


def declared(tree):
    """The direct dependencies of each target of Sources, as Package.swift names them."""
    package = tree.get("Package.swift")
    text = re.sub(r"//[^\n]*", "", package.text if package else "")
    lists = {}
    for name, other, items in re.findall(r"\blet (\w+)[^=\n]*=\s*(?:(\w+) \+ )?\[([^\]]*)\]", text):
        lists[name] = f"{lists.get(other, '')}, {items}"
    targets = {}
    for name, rest in re.findall(r'\((?:\s*name: )?"(Tappet\w*)",\s*([^()]*)\)', text):
        if "targets:" not in rest:  # A product has targets.
            written_out = rest + "".join(lists.get(word, "") for word in re.findall(r"\b[a-z]\w*", rest))
            targets[name] = set(re.findall(r'"(\w+)"', written_out))
    return targets


def reachable(targets, name):
    """The modules that a target may import: its dependencies and theirs."""
    seen, waiting = set(), [name]
    while waiting:
        for each in targets.get(waiting.pop(), ()):
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return seen


def imports(tree):
    """(file, line, its module, imported module) of each import in Sources."""
    for file in tree.under("Sources/", languages={"swift"}):
        for match in IMPORT.finditer(file.code):
            yield file, file.line_at(match.start(1)), file.path.split("/")[1], match[1]


@rule("import", "a module imports only what is below it in Package.swift", into=RULES)
def _imports(tree):
    targets = declared(tree)
    if tree.has("Sources/TappetCore") and not targets:
        yield "Package.swift", 1, "no dependencies of our targets found in it: write them as \"Name\", [\"Dependency\"]"
    below = {name: reachable(targets, name) for name in targets}
    for file, line, module, imported in imports(tree):
        if module in below and imported not in below[module] | TOOLCHAIN | {"Foundation", "Glibc"}:
            yield file.path, line, f"{module} does not depend on {imported} in Package.swift; turn the arrow round"


@rule("picture", "docs/architecture.md shows each module above all that it depends on", into=RULES)
def _picture(tree):
    page, targets = tree.get("docs/architecture.md"), declared(tree)
    match = re.search(r"^```\n((?:\d+  .*\n)+)```$", page.text, re.MULTILINE) if page else None
    if not page or not targets:
        return
    storeys = {name: int(row.split()[0]) for row in (match[1] if match else "").splitlines()
               for name in re.findall(r"\bTappet\w*", row)}
    line = page.line_at(match.start()) if match else 1
    for name, dependencies in targets.items():
        if name not in storeys:
            yield page.path, line, f"the picture does not show {name}"
        for each in dependencies & storeys.keys():
            if storeys[each] >= storeys.get(name, storeys[each] + 1):
                yield page.path, line, f"the picture shows {name} no higher than {each}, on which it depends"


@rule("library", "one module imports a C library", into=RULES)
def _libraries(tree):
    users = {}
    for file, line, module, imported in imports(tree):
        if tree.has(f"Sources/CLibraries/{imported}") and imported not in SHARED:
            users.setdefault(imported, {}).setdefault(module, (file.path, line))
    for library, modules in users.items():
        for path, line in list(modules.values())[1:] if len(modules) > 1 else ():
            yield path, line, f"{library} belongs to {next(iter(modules))}; ask that module"


@rule("platform", "Sources import neither Foundation nor Glibc", into=RULES)
def _platform(tree):
    for file, line, _, imported in imports(tree):
        if imported in ("Foundation", "Glibc"):
            yield file.path, line, f"Embedded Swift has no {imported}; use TappetPlatform or CPlatform"


@rule("errno", "errno is read in TappetPlatform alone", into=RULES)
def _errno(tree):
    for file in tree.under("Sources/", languages={"swift"}):
        if not file.path.startswith("Sources/TappetPlatform/"):
            for line, _ in file.matches(r"\btp_errno\b"):
                yield file.path, line, "'tp_errno': throw TappetPlatform's SystemError"


_DEVICES = (
    r"(?<![\w.`])(?:read|write|open|close|poll|ioctl|socket|connect|send|recv|time|clock_gettime|gettimeofday|nanosleep"
    r"|usleep|sleep|fopen|printf|puts|print|debugPrint|getenv|exit|abort|fork|pthread_\w+|system)\("
)


# The pure modules, and what they may import.
PURE = {
    "TappetBase": {"COpenSSL": "/Crypto/", "CUTF8Proc": "/Bytes/Name.swift"},
    "TappetTag": {"TappetBase": "/"},
    "TappetCore": {"TappetBase": "/", "TappetTag": "/"},
    "TappetRooms": {"TappetCore": "/", "TappetJSON": "/"},
}


@rule("pure", "the storeys of the core and TappetRooms do no I/O and read no clock", into=RULES)
def _pure(tree):
    for module, allowed in PURE.items():
        files = list(tree.under(f"Sources/{module}/", languages={"swift"}))
        own = {match[1] for file in files for _, match in file.matches(r"\b(?:func|case) `?(\w+)")}
        for file in files:
            for match in IMPORT.finditer(file.code):
                if match[1] not in TOOLCHAIN and allowed.get(match[1], "\0") not in file.path:
                    sentence = f"{module} imports {match[1]}, and may only import {_list(allowed)}: take an argument"
                    yield file.path, file.line_at(match.start(1)), sentence
            for line, match in file.matches(_DEVICES):
                if match[0][:-1] not in own:
                    yield file.path, line, f"'{match[0]}…)' does I/O or reads a clock: make it an effect or an argument"


def _list(allowed):
    return " and ".join(name if place == "/" else f"{name} in {place.strip('/')}" for name, place in allowed.items())
