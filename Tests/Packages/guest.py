"""A Debian root that is booted with systemd as PID 1, in a container on this machine's network."""
import os
import shutil
import signal
import subprocess
import time


class Failed(Exception):
    """A check has failed; the text says which."""


def require(condition, sentence):
    if not condition:
        raise Failed(sentence)


def wait_for(what, condition, seconds=30):
    """Waits until `condition` holds, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        require(time.monotonic() < end, f"waited {seconds} s in vain for {what}")
        time.sleep(0.02)
    return value


def _children(pid):
    path = f"/proc/{pid}/task/{pid}/children"
    return open(path).read().split() if os.path.exists(path) else []


def _is_init(pid):
    """Whether the process is PID 1 of a container."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return any(line.startswith("NSpid:") and line.split()[-1] == "1" for line in file)
    except OSError:
        return False


class Guest:
    """Copies a root and boots it; `folder` is the copy. Both are gone after `stop`."""

    def __init__(self, root, folder, archives):
        self.folder = folder
        subprocess.run(["cp", "-a", "--reflink=auto", root, folder], check=True)
        self.write("/etc/hosts", "127.0.0.1 localhost\n")
        os.makedirs(archives, exist_ok=True)
        self.archives = archives
        self.container = self.init = None

    def boot(self):
        # The kernel's files as a board has them: writable, so that what the unit makes read-only shows.
        environment = {**os.environ, "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "yes"}
        words = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--console=pipe",
                 "--directory", self.folder, f"--bind={self.archives}:/var/cache/apt/archives", "--hostname=kiosk"]
        self.log = open(self.folder + ".log", "wb")
        self.container = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                          env=environment, start_new_session=True)
        self.init = wait_for("the container", self._find_init)
        wait_for("systemd", lambda: self.attempt("systemctl", "is-system-running").stdout.strip() in (
            "running", "degraded"), 60)

    def _find_init(self):
        require(self.container.poll() is None, f"the container ended: {open(self.folder + '.log').read()[-600:]}")
        return next((pid for pid in _children(self.container.pid) if _is_init(pid)), None)

    def enter(self):
        """The words before those of a program that runs in the guest."""
        return ["nsenter", "--target", self.init, "--all", "--wd=/", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "SYSTEMD_PAGER=", "HOME=/var/tmp"]

    def attempt(self, *words, seconds=120, **options):
        """Runs a program in the guest, whatever it ends with."""
        return subprocess.run([*self.enter(), *words], capture_output=True, text=True, timeout=seconds, **options)

    def run(self, *words, **options):
        """Runs a program in the guest, and returns what it printed."""
        done = self.attempt(*words, **options)
        printed = (done.stdout + done.stderr)[-1500:]
        require(done.returncode == 0, f"{' '.join(words)} ended with {done.returncode}:\n{printed}")
        return done.stdout

    def path(self, name):
        return self.folder + name

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def show(self, unit, *names):
        """Properties of a unit."""
        lines = self.run("systemctl", "show", unit, "-p", ",".join(names)).splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def journal(self, *words):
        return self.run("journalctl", "--quiet", "--no-pager", "--output=cat", *words)

    def stop(self):
        if self.container and self.container.poll() is None:
            # systemd's signal to power off, so that nothing is mounted any more when the container has ended.
            if self.init:
                os.kill(int(self.init), signal.SIGRTMIN + 4)
            try:
                self.container.wait(20)
            except subprocess.TimeoutExpired:
                self.container.kill()
                self.container.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
