"""Names that were given up must not come back."""
import re

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
