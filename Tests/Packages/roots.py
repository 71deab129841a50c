"""Roots of Debian that boot in a container: made once in .build-system, copied for each run."""
import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, ".build-system")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# A plain board's packages. Tappet's own dependencies are left to apt.
INCLUDED = "systemd,systemd-sysv,dbus,udev,ca-certificates,sudo"


class Unavailable(Exception):
    """This machine cannot run the test; the text says why."""


def check_tools():
    """Raises Unavailable, with a sentence, where a container cannot be booted."""
    if os.geteuid() != 0:
        raise Unavailable("containers need root")
    checked = subprocess.run([os.path.join(ROOT, "tools/deps"), "check", "system"], capture_output=True, text=True)
    if checked.returncode != 0:
        raise Unavailable("; ".join(checked.stderr.strip().splitlines()))


def own_release():
    """The name of this machine's release."""
    words = ["sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def _mirrors(release):
    """The machine's own mirror and suites, for another release."""
    here = own_release()
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages"]
    lines = set()
    for line in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
        uri, suite, component = line.split()
        if component == "main" and (suite == here or suite.startswith(here + "-")):
            lines.add(f"deb [signed-by={KEYRING}] {uri} {suite.replace(here, release, 1)} main")
    if not lines:
        raise Unavailable("this machine's apt has no Debian mirror")
    return sorted(lines)


def make(release, name=None, included=INCLUDED):
    """Returns the folder of the release's root, which is made if it is missing."""
    root = os.path.join(FOLDER, name or release)
    wanted = f"{included}\n"
    stamp = root + ".made"
    if os.path.exists(stamp) and open(stamp).read() == wanted:
        return root
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(FOLDER, exist_ok=True)
    # The package lists stay, so that later runs need no network.
    words = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={included}", "--skip=cleanup/apt/lists",
             release, root, *_mirrors(release)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        shutil.rmtree(root, ignore_errors=True)
        raise Unavailable(f"mmdebstrap made no root of {release}: {done.stderr.strip().splitlines()[-1]}")
    with open(stamp, "w") as file:
        file.write(wanted)
    return root
