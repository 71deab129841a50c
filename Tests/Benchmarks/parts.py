"""The parts of the benchmarks: processes, a private mosquitto that requires client certificates, a simulated reader,
and an independent subscriber. Everything is in one temporary folder and on 127.0.0.1, and gone at the end."""
import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import pty
import select
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "Tests/Benchmarks")
BUILD = os.environ.get("TAPPET_BUILD", os.path.join(ROOT, "build"))
TAPPET = os.path.join(BUILD, "bin/tappet")
STARTS = 7
processes = []


def fail(sentence):
    raise SystemExit(f"bench: {sentence}")


def await_(what, condition, seconds=20, pause=0.002):
    """Waits until `condition` holds, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        for process, name in processes:
            if process.poll() not in (None, 0):
                fail(f"{name} ended with {process.returncode} while the benchmark waited for {what}")
        if time.monotonic() > end:
            fail(f"waited {seconds} s in vain for {what}")
        time.sleep(pause)
    return value


def measure_for(seconds):
    """Lets time pass that is itself measured; never a wait for something."""
    time.sleep(seconds)


def start(name, words, **options):
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, **options)
    processes.append((process, name))
    return process


def stop(process):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    processes[:] = [entry for entry in processes if entry[0] is not process]


@contextlib.contextmanager
def world():
    """A temporary folder. At the end all processes are stopped and the folder is removed; a failure prints the logs."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))
    folder = tempfile.mkdtemp(prefix="tappet-bench.")
    os.environ["XDG_STATE_HOME"] = folder
    try:
        yield folder
    except BaseException:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".log") and os.path.getsize(os.path.join(folder, name)):
                ends = lines(os.path.join(folder, name))[0][-8:]
                print(f"--- end of {name}", *ends, sep="\n", file=sys.stderr)
        raise
    finally:
        for process, _ in reversed(list(processes)):
            stop(process)
        shutil.rmtree(folder, ignore_errors=True)


def lines(path, start=0):
    """The complete lines after byte `start`, and the offset after the last of them."""
    with open(path, "rb") as file:
        file.seek(start)
        data = file.read()
    end = data.rfind(b"\n") + 1
    return data[:end].decode().splitlines(), start + end


def ready(path):
    return lambda: os.path.exists(path) and any(line.startswith("ready") for line in lines(path)[0])


def compile_c(folder, name, *libraries, source=None):
    """A program from NAME.c of this folder, or from the C text `source`."""
    program = os.path.join(folder, name)
    ours = [library for library in libraries if library == "tappet"]
    flags = ["-I", os.path.join(ROOT, "Include"), "-L", os.path.join(BUILD, "lib"), "-ltappet"] if ours else []
    others = [library for library in libraries if library not in ours]
    if others:
        words = ["pkg-config", "--cflags", "--libs", *others]
        flags += subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    place = ["-x", "c", "-", "-x", "none"] if source else [os.path.join(HERE, name + ".c")]
    subprocess.run(["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, *place, *flags],
                   input=source, text=True, check=True)
    return program


def signed_url(secret, extra="", index=0):
    signed = f"idx={index}&ts={int(time.time())}"
    return f"smp://action?{signed}&sig={hmac.new(secret, signed.encode(), hashlib.sha256).hexdigest()}{extra}"


def status(config):
    """The answer to `tappet status --json`; empty until the kiosk answers."""
    words = [TAPPET, "status", "--json", "--config", config]
    answer = subprocess.run(words, capture_output=True, text=True).stdout
    return (json.loads(answer)["data"] or {}) if answer.startswith("{") else {}


def milliseconds_to_ready(folder, path):
    """The time from a kiosk's start to what it tells the service manager, median of some starts."""
    times = []
    for number in range(STARTS):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager, open(f"{folder}/ready.log", "wb") as log:
            name = f"{folder}/notify-{number}"
            manager.bind(name)
            manager.settimeout(20)
            begin = time.monotonic()
            kiosk = start("tappet", [TAPPET, "run", "--plain", "--config", path], stdout=log, stderr=log,
                          env={**os.environ, "NOTIFY_SOCKET": name})
            while b"READY=1" not in manager.recv(4096):
                pass
            times.append((time.monotonic() - begin) * 1000)
            stop(kiosk)
            os.unlink(name)
    return statistics.median(times)


class Broker:
    def __init__(self, folder):
        self.pki = os.path.join(folder, "pki")
        make = os.path.join(ROOT, "tools/demo/make-certificates")
        subprocess.run([make, self.pki, "--second-client"], check=True, capture_output=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        settings = os.path.join(folder, "mosquitto.conf")
        user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()
        with open(settings, "w") as file:
            file.write(
                f"user {user}\npersistence false\nlog_dest none\nmax_queued_messages 0\n"
                f"listener {self.port} 127.0.0.1\n"
                f"cafile {self.pki}/ca.pem\ncertfile {self.pki}/server.pem\nkeyfile {self.pki}/server.key\n"
                "require_certificate true\nuse_identity_as_username true\nallow_anonymous false\n"
                "set_tcp_nodelay true\n")
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        start("mosquitto", [program, "-c", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await_("the broker", self.listens)
        self.client = [f"{self.pki}/{name}" for name in ("ca.pem", "client.pem", "client.key")]
        self.settings = (f"  url: mqtts://localhost:{self.port}\n  ca: {self.pki}/ca.pem\n"
                         f"  certificate: {self.pki}/client.pem\n  private_key: {self.pki}/client.key\n")

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def words(self, program):
        """The command line of a mosquitto client with a certificate of its own."""
        return [program, "-h", "localhost", "-p", str(self.port), "--cafile", f"{self.pki}/ca.pem",
                "--cert", f"{self.pki}/second-client.pem", "--key", f"{self.pki}/second-client.key"]


class Screen:
    """A program on a terminal of 80 by 24, and what it writes there."""

    def __init__(self, words):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm"
            os.execv(words[0], words)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.written = b""

    def shows(self, text, since=0):
        """Reads until `text` has been written after `since` bytes; returns whether it was, within 10 s."""
        end = time.monotonic() + 10
        while text not in self.written[since:] and time.monotonic() < end:
            self.read(0.5)
        return text in self.written[since:]

    def read(self, seconds=0):
        """Takes what has been written, or waits for it this long."""
        while select.select([self.terminal], [], [], seconds)[0]:
            self.written += os.read(self.terminal, 65536)
            seconds = 0

    def answer_time(self, key, text):
        """The seconds between a key and its answer on the screen."""
        self.read()
        since, begin = len(self.written), time.monotonic()
        os.write(self.terminal, key)
        if not self.shows(text, since):
            raise SystemExit(f"bench: no answer to the key {key}")
        return time.monotonic() - begin

    def close(self):
        os.write(self.terminal, b"q")
        os.close(self.terminal)
        os.waitpid(self.process, 0)


class Simulator:
    """A reader with its virtual tags, and the record of what passed over its line."""

    def __init__(self, folder, name, *options):
        """Without the times of transmission, unless `options` say otherwise."""
        self.device = os.path.join(folder, name + ".reader")
        control = os.path.join(folder, name + ".sim")
        self.trace = os.path.join(folder, name + ".trace")
        self.offset = 0
        log = os.path.join(folder, name + ".sim.log")
        words = [os.path.join(BUILD, "bin/tappet-sim"), "--link", self.device, "--control", control]
        words += options or ("--pace", "off")
        with open(log, "wb") as output:
            start("tappet-sim", words + ["--trace", self.trace], stdout=output, stderr=output)
        await_("the simulator", ready(log))
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(control)
        self.replies = self.connection.makefile("r")

    def tell(self, command):
        self.connection.sendall((command + "\n").encode())
        reply = self.replies.readline().strip()
        if not reply.startswith("ok"):
            fail(f"the simulator replied '{reply}' to '{command}'")

    def counters(self):
        self.connection.sendall(b"counters\n")
        counts = {}
        for line in self.replies:
            if line.strip() == ".":
                return counts
            name, count = line.split()
            counts[name] = int(count)

    def polls(self):
        return self.counters().get("command-4a", 0)

    def await_polls(self, count):
        """Waits until the reader has looked for a tag that many more times."""
        first = self.polls()
        await_("the reader's polls", lambda: self.polls() >= first + count)

    def last_byte_read(self):
        """When the chip's answer to the newest FAST_READ reached the host, in ns of CLOCK_BOOTTIME, and the number of
        exchanges with the tag from the last call to that one."""
        found, self.offset = lines(self.trace, self.offset)
        moment, is_asked, exchanges, count = None, False, 0, 0
        for line in found:
            at, direction, digits = line.split()
            # InCommunicateThru (D4 42) of FAST_READ (3A), and its answer (D5 43).
            if direction == ">":
                is_asked = "d4423a" in digits.lower()
                exchanges += "d440" in digits.lower() or "d442" in digits.lower()
            elif is_asked and "d543" in digits.lower():
                moment, is_asked, count = int(at), False, exchanges
        return moment, count


class Witness:
    """The arrival times that the independent subscriber has recorded, by topic."""

    def __init__(self, folder, broker, topics):
        self.path = os.path.join(folder, "witnessed")
        self.offset = 0
        self.arrivals = {topic: [] for topic in topics}
        program = compile_c(folder, "witness", "libmosquitto")
        with open(self.path, "wb") as output:
            start("the witness", [program, str(broker.port)] + broker.client, stdout=output)
        await_("the witness", ready(self.path))

    def count(self, topic):
        found, self.offset = lines(self.path, self.offset)
        for line in found:
            words = line.split()
            if words[0] != "ready":
                self.arrivals[words[1]].append(int(words[0]))
        return len(self.arrivals[topic])
