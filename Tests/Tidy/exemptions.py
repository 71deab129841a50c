"""Places that may break a rule, each with its reason. Every other place may not, and no comment can exempt one."""
import collections

from rule import Finding

# `count` findings of `rule` in the lines of `path` that hold `text`: one more is a finding, and so is one fewer.
Exemption = collections.namedtuple("Exemption", "rule path count text reason")

_POLLS = "polls for a condition with a limit"
_PACE = "the pace of a loop that acts until its end"
_FINGER = "a finger rests on the button for longer than the debounce"

_SLEEPS = [
    ("Tests/Browser/world.py", 1, r"time.sleep(0.01)", _POLLS),
    ("Tests/Cluster/kiosks.py", 1, r"time.sleep(0.03)", _FINGER),
    ("Tests/Cluster/kiosks.py", 1, r"time.sleep(seconds)", "the length of a fault"),
    ("Tests/HomeAssistant/installation.py", 1, r"asyncio.sleep(0.05)", _POLLS),
    ("Tests/HomeAssistant/kiosk.py", 1, r"time.sleep(0.02)", _POLLS),
    ("Tests/Interface/C/sleeper.c", 1, r"sleep(6)", "the time without a dispatch is the fault"),
    ("Tests/Interface/steps/place.py", 1, r"time.sleep(0.02)", _POLLS),
    ("Tests/Packages/guest.py", 1, r"time.sleep(0.02)", _POLLS),
    ("Tests/Platform/MailboxTests.swift", 1, r"usleep(50)", "a full mailbox is tried again until it has room"),
    ("Tests/Support/Waiting.swift", 1, r"usleep(UInt32(seconds", "a measured time, with its reason at each call"),
    ("Tests/Support/Waiting.swift", 1, r"usleep(5000)", _POLLS),
    ("Tests/System/Secrets/SecretLeakTests.swift", 1, r"usleep(2000)", _PACE),
    ("Tests/System/Faults/homeserver.py", 1, r"time.sleep(0.02)", _POLLS),
    ("Tests/System/Faults/faults.c", 1, r"nanosleep(&rest", "the delay is the fault"),
    ("Tests/Torture/hostile", 1, r"time.sleep(0.03)", _FINGER),
    ("Tests/Torture/parts.py", 1, r"time.sleep(pause)", _POLLS),
    ("Tests/Torture/proxy.py", 1, r"asyncio.sleep(self.delay)", "the delay is the fault"),
    ("Tests/Torture/run", 1, r"time.sleep(0.005)", _PACE),
    ("Tests/Torture/soak", 1, r"time.sleep(0.05)", _PACE),
    ("Tests/Torture/supervision", 1, r"time.sleep(seconds)", "nothing may happen in this time"),
    ("Tests/Torture/taps.py", 1, r"time.sleep(0.03)", _FINGER),
    ("Tests/VirtualBoard/virtualboard/waiting.py", 1, r"time.sleep(pause)", _POLLS),
    ("Tests/VirtualBoard/virtualboard/waiting.py", 1, r"time.sleep(seconds)", "the length of a press, a measured time"),
    ("Tests/Benchmarks/parts.py", 1, r"time.sleep(pause)", _POLLS),
    ("Tests/Benchmarks/parts.py", 1, r"time.sleep(seconds)", "the measured time"),
]
_PATHS = [
    ("Tests/Tidy/examples.txt", 1, r"!cd /home/", "a planted mistake"),
    ("Tests/Tidy/examples.txt", 1, r"!cd /work/", "a planted mistake"),
]
_CITED = [
    ("board/profiles/orange-pi-pc.yaml", 1, r"board/orangepi/orangepipc.py", "a file of Adafruit Blinka"),
    ("board/profiles/orange-pi-zero-2.yaml", 1, r"board/orangepi/orangepizero2.py", "a file of Adafruit Blinka"),
    ("board/profiles/rock-5b.yaml", 1, r"board/radxa/rock5.py", "a file of Adafruit Blinka"),
]
EXEMPTIONS = [Exemption(rule, *each) for rule, table in
              (("fixed-sleep", _SLEEPS), ("machine-path", _PATHS), ("cited-file", _CITED)) for each in table]


def without_exempted(findings, rule, tree):
    """The findings of `rule` that no exemption covers, and one for each exemption that does not fit any more."""
    left = list(findings)
    for exemption in EXEMPTIONS:
        if exemption.rule != rule.name:
            continue
        covered = [each for each in left if each.path == exemption.path and exemption.text in _line(tree, each)]
        if len(covered) == exemption.count:
            left = [each for each in left if each not in covered]
        else:
            left.append(Finding(exemption.path, 1, rule.name,
                                f"Tests/Tidy/exemptions.py exempts {exemption.count} of '{exemption.text}', "
                                f"and there are {len(covered)}"))
    return left


def _line(tree, finding):
    lines = tree.files[finding.path].lines
    return lines[finding.line - 1] if finding.line <= len(lines) else ""
