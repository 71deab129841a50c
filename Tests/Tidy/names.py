"""Names: none that was given up comes back, and each declaration is used."""
import collections
import re

import lexer
from rule import rule

RULES = []

# As a whole identifier.
WHOLE = {
    "Alarm": "TimerDescriptor", "Allowance": "TokenBucket", "FileSet": "AtomicFiles", "Front": "main",
    "Invocation": "CommandLineOptions", "KioskDraft": "ConfigTemplate", "Line": "LogRecord",
    "LocalSocket": "UnixSocket", "OrderWork": "WriteOperation", "Polling": "PollLoop", "Sentences": "Messages",
    "Setup": "SetupWizard", "StoreLog": "WALPreallocation", "TapMemory": "TapDeduplicator",
    "TapRates": "TapRateLimiter", "Trial": "DeviceProbe", "UnixListener": "UnixSocket",
    "complain": "printError", "converse": "exchange", "farewell": "sendDisconnect", "greet": "handshake",
    "homeless": "memoryOnly", "obey": "execute",
}
# Anywhere in an identifier, from the start of one of its words: `Vault` also forbids `openVault` and `VaultError`.
PARTS = {
    "AskDesk": "handle", "Asker": "requester", "BackupTrouble": "replicaError", "CopyTrouble": "replicaError",
    "Deed": "auditEntry", "Enclosure": "secretPayload", "Errand": "SecretRequest", "HostDescriptor": "FileDescriptor",
    "KeepLogRoom": "WALPreallocation", "LEDClass": "SysfsLED", "PanelTrial": "PanelProbe",
    "RefusalReports": "RefusalLogThrottle", "SecretDesk": "SecretService", "SecretDoor": "SecretClient",
    "SecretThread": "the store thread", "StoreBackup": "SecretsReplica", "TagDesk": "TagJobHost",
    "TagJobRun": "TagJobRunner", "TagJobSession": "TagJobClient", "TagSightings": "TagStream",
    "ThreadSigns": "Heartbeat", "Vault": "SecretStore",
}


def _pattern():
    whole, inside = "|".join(WHOLE), "|".join(PARTS)
    at_start = "|".join(name[0].lower() + name[1:] for name in PARTS)
    return re.compile(rf"\b(?:(?:{whole})\b|(?:(?P<first>{at_start})|\w*?(?P<part>{inside}))s?(?![a-z])\w*)")


def _better(match):
    part = match["part"] or match["first"]
    return PARTS[part[0].upper() + part[1:]] if part else WHOLE[match[0]]


@rule("old-name", "no identifier and no file has a name that was given up", into=RULES)
def _old_names(tree):
    pattern = _pattern()
    for file in tree.under("Sources/", "Tests/", languages={"swift"}):
        for match in pattern.finditer(file.name):
            yield file.path, 1, f"the file's name, '{match[0]}': write '{_better(match)}'"
        for line, match in file.matches(pattern):
            yield file.path, line, f"'{match[0]}': write '{_better(match)}'"


_DECLARATION = re.compile(
    r"\b(?:func|var|let|struct|class|enum|typealias|protocol)\s+`?(?P<name>[A-Za-z_]\w*)"
    r"|^[ \t]*(?:indirect )?case `?(?P<cases>[a-z].*)$", re.MULTILINE)


def _declared(match):
    """The names in a declaration; a case may declare several, with values in parentheses."""
    if match["name"]:
        return [match["name"]]
    cases = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", match["cases"])
    if ":" in cases or re.match(r"(?:let|var|is)\b", cases):
        return []
    return re.findall(r"(?:^|,\s*)`?([a-z]\w*)", cases)


@rule("unused", "the name of each declaration of Sources occurs a second time", into=RULES)
def _unused(tree):
    """A name with several declarations is not checked. A string counts, because it may have interpolations."""
    counts = collections.Counter()
    for file in tree.under("Sources/", "Tests/", "Include/", languages={"swift", "c"}):
        comments = [token for token in file.tokens if token.kind == "comment"]
        counts.update(re.findall(r"\w+", lexer.blanked(file.text, comments)))
    for file in tree.under("Sources/", languages={"swift"}):
        for line, match in file.matches(_DECLARATION):
            for name in _declared(match):
                if counts[name] == 1:
                    yield file.path, line, f"nothing uses '{name}': remove it"
