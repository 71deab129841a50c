"""The real parts around a tortured kiosk: certificates, mosquitto, an independent subscriber, a web server, the
simulated reader and panel, and the kiosk itself as it ships. Every process is started here and ended by its own id.
"""
import hashlib
import hmac
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import commands
import shelf
from proxy import Proxy
from web import Web

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TAPPET_BUILD", os.path.join(ROOT, "build"))
TAPPET = os.path.join(BUILD, "bin/tappet")
PATH = os.environ["PATH"] + ":/usr/sbin"
# The cards of others that the kiosk knows. A topic names the card, and which of its arrivals it was.
CARDS = [f"01{number:06x}" for number in range(20)]
PEOPLE = (
    "  - {name: members, index: 20, topic: 'home/members/%{person}', message: '%I', cooldown: 10 ms}\n"
    "  - {name: card, topic: 'home/card/in/%{uid}/%{count}', message: '%I', cooldown: 10 ms,\n"
    "     on_remove: {topic: 'home/card/out/%{uid}/%{count}', message: '%I'}}\n"
    "tags:\n" + "".join(f"  - {{uid: '{uid}', action: card, trust: uid}}\n" for uid in CARDS)
)
# The topic of the witness's own messages.
FENCE = "witness/fence"
# The line that separates the kiosk's lives in its log.
START = "--- start"


class Failure(Exception):
    pass


def await_(what, condition, seconds=20, pause=0.01):
    """Waits until `condition` holds and returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"timed out after {seconds} s waiting for {what}")
        time.sleep(pause)


def end(process, number=signal.SIGKILL):
    if process and process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Broker:
    """A mosquitto that requires client certificates; its sessions outlive it, so that the subscriber misses nothing."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        for name in ("first", "second"):
            words = [os.path.join(ROOT, "tools/demo/make-certificates"), f"{folder}/{name}", "--second-client"]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.certificates = None
        self.use("first")
        with open(f"{folder}/mosquitto.conf", "w") as file:
            file.write(
                f"user {os.popen('id -un').read()}persistence true\npersistence_location {folder}/\n"
                f"max_queued_messages 0\nmax_inflight_messages 1000\nset_tcp_nodelay true\nlog_dest none\n"
                f"listener {self.port} 127.0.0.1\ncafile {folder}/broker/broker-ca.pem\n"
                f"certfile {folder}/broker/server.pem\nkeyfile {folder}/broker/server.key\n"
                "require_certificate true\nuse_identity_as_username true\nallow_anonymous false\n"
            )

    def use(self, name):
        """Gives the broker the files of this authority, for its next start."""
        shutil.rmtree(f"{self.folder}/broker", ignore_errors=True)
        shutil.copytree(f"{self.folder}/{name}", f"{self.folder}/broker")
        self.certificates = name

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def start(self):
        program = shutil.which("mosquitto", path=PATH)
        if not program:
            raise Failure("mosquitto is not installed; 'make deps-verify' names its package")
        words = [program, "-c", f"{self.folder}/mosquitto.conf"]
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        await_("mosquitto", self.listens)


class Witness:
    """A mosquitto_sub with a persistent session, connected past the proxy. It knows what really arrived, and when."""

    def __init__(self, broker):
        self.broker = broker
        self.process, self.fences = None, 0
        self.path = f"{broker.folder}/witnessed"
        self.log = f"{broker.folder}/witness.log"

    def start(self):
        self.stop()
        known = read(self.log).count("Subscribed (mid")
        words = [
            "stdbuf", "-oL", "mosquitto_sub", "-d", "-h", "localhost", "-p", str(self.broker.port), "-q", "1", "-c",
            "-i", "witness", "-t", "home/#", "-t", commands.REPLY, "-t", shelf.TOPIC, "-t", FENCE,
            "-F", "got %U %t %p", *self._identity(),
        ]
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        await_("mosquitto_sub", lambda: read(self.log).count("Subscribed (mid") > known)

    def _identity(self):
        pki = f"{self.broker.folder}/{self.broker.certificates}"
        return ["--cafile", f"{pki}/ca.pem", "--cert", f"{pki}/second-client.pem", "--key", f"{pki}/second-client.key"]

    def stop(self):
        end(self.process, signal.SIGTERM)

    def settle(self):
        """Sends a message and waits for it: all that the broker acknowledged before has come then, too."""
        self.fences += 1
        words = ["mosquitto_pub", "-h", "localhost", "-p", str(self.broker.port), "-q", "1", "-t", FENCE, "-m",
                 str(self.fences), *self._identity()]

        def is_sent():
            return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0

        await_("the broker to take the witness's own message", is_sent, 60, 0.1)
        await_("the witness's own message", lambda: f" {FENCE} {self.fences}\n" in read(self.log), 60)

    def arrivals(self):
        """(seconds since 1970, id) of each message of an action."""
        found = re.findall(r"^got (\d+\.\d+) home/\S+ (\S*)$", read(self.log), re.M)
        return [(float(moment), name) for moment, name in found]

    def cards(self):
        """The ids of the messages of each arrival of a card, as (uid, number): the sets of its arrival and removal."""
        arrivals = {}
        for way, uid, number, name in re.findall(
                r"^got \S+ home/card/(in|out)/(\w+)/(\d+) ([0-9a-f]{32})$", read(self.log), re.M):
            arrivals.setdefault((uid, number), (set(), set()))[way == "out"].add(name)
        return arrivals

    def await_removals(self):
        """Waits until each card's removal has come; the verdict names those that never do."""
        try:
            await_("the removal of each card", lambda: all(map(all, self.cards().values())), 30)
        except Failure:
            pass

    def moves(self):
        """The moves that the inventory's feed has named: the box by the number of the change."""
        found = re.findall(r"^got \S+ tappet/tortured/inventory/change/moved (.*)$", read(self.log), re.M)
        return {change["change"]: change["id"] for change in map(json.loads, found)}

    def await_moves(self, kiosk):
        """Waits until the feed has named all moves; the verdict counts those that never come."""
        try:
            await_("the feed of the inventory", lambda: len(self.moves()) >= len(shelf.moves(kiosk)), 30)
        except Failure:
            pass

    def replies(self):
        """The replies to commands, in JSON."""
        found = re.findall(rf"^got \S+ {commands.REPLY} (.*)$", read(self.log), re.M)
        return [json.loads(text) for text in found]


class Simulator:
    """The simulated chip of the reader, with its tags, and the simulated panel."""

    def __init__(self, folder):
        self.folder = folder
        words = [
            os.path.join(BUILD, "bin/tappet-sim"), "--link", f"{folder}/reader", "--control", f"{folder}/sim",
            "--panel", f"{folder}/panel", "--pace", "off",
        ]
        with open(f"{folder}/sim.log", "wb") as output:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        await_("the simulator", lambda: "ready" in read(f"{folder}/sim.log"))
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(f"{folder}/sim")
        self.replies = self.connection.makefile("r")
        self.levels = set()

    def tell(self, command):
        self.connection.sendall((command + "\n").encode())
        return self.replies.readline().strip()

    def read_levels(self):
        """Learns what the outputs did, before the simulator forgets it: (name, is on, seconds since the boot)."""
        self.connection.sendall(b"levels\n")
        for line in iter(lambda: self.replies.readline().strip(), "."):
            name, is_on, _, sent = line.split()
            self.levels.add((name, is_on == "1", int(sent) / 1e9))


class Kiosk:
    """A `tappet run` that can be killed and started again."""

    def __init__(self, folder, port, web_port=None, takes_commands=False, has_shelf=False):
        self.folder, self.process, self.has_shelf = folder, None, has_shelf
        hook = f", webhook: {{url: 'http://127.0.0.1:{web_port}/bell', timeout: 2 s}}" if web_port else ""
        self.key, self.signing_key = os.urandom(32), os.urandom(32)
        self.people = {"Ann": os.urandom(32), "Sue": os.urandom(32)}
        # When each of its processes was started, and when it was gone.
        self.lives = []
        self.config, self.log, self.lights = f"{folder}/kiosk.yaml", f"{folder}/kiosk.log", f"{folder}/lights"
        self.use("first")
        with open(self.config, "w") as file:
            file.write(
                f"broker:\n  url: mqtts://localhost:{port}\n  client_id: tortured\n"
                "  ca: kiosk/ca.pem\n  certificate: kiosk/client.pem\n  private_key: kiosk/client.key\n"
                f'reader: {{device: "pn532_uart:{folder}/reader"}}\nclock: trust\nstate: state\n'
                f"panel:\n  simulator: {folder}/panel\n  buttons:\n    - {{name: bell, line: GPIO5, press: bell}}\n"
                + (commands.CONFIG if takes_commands else "") + (shelf.CONFIG if has_shelf else "")
                + "actions:\n  - {name: light, topic: home/light, message: '%I', cooldown: 10 ms}\n"
                f"  - {{name: bell, topic: home/bell, message: '%I'{hook}}}\n"
                + PEOPLE + (commands.COMMANDS if takes_commands else "")
            )
        with open(os.open(f"{folder}/signing.key", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(self.signing_key.hex() + "\n")
        with open(f"{folder}/share", "w") as file:
            file.write(f"smpshare://secret?idx=0&key={self.key.hex()}&label=Torture\n")
        self.ask("secret", "import", "--file", f"{folder}/share")
        for name, key in self.people.items():
            with open(f"{folder}/share", "w") as file:
                file.write(f"smpshare://secret?idx=20&key={key.hex()}&label={name}\n")
            self.ask("secret", "import", "--file", f"{folder}/share")
        self.ask("person", "import", self._people_table())
        if has_shelf:
            shelf.stock(self)

    def _people_table(self):
        """Writes a table of the people with their tags, of whom Sue is suspended; returns its path."""
        path = f"{self.folder}/people.csv"
        secrets = json.loads(self.ask("secret", "list", "--json"))["data"]["secrets"]
        with open(path, "w") as file:
            file.write("name,suspended,tag\n")
            for secret in secrets:
                if secret["label"] in self.people:
                    is_suspended = "yes" if secret["label"] == "Sue" else "no"
                    file.write(f"{secret['label']},{is_suspended},{secret['id']}\n")
        return path

    def use(self, name):
        """Gives the kiosk the files of this authority, for its next connection."""
        shutil.rmtree(f"{self.folder}/kiosk", ignore_errors=True)
        shutil.copytree(f"{self.folder}/{name}", f"{self.folder}/kiosk")

    def ask(self, *words):
        done = subprocess.run([TAPPET, *words, "--config", self.config], capture_output=True, text=True, timeout=30)
        if done.returncode not in (0, 1):
            raise Failure(f"tappet {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def status(self):
        """The kiosk's report on itself; empty while it cannot give one."""
        words = [TAPPET, "status", "--json", "--config", self.config]
        answer = subprocess.run(words, capture_output=True, text=True, timeout=30).stdout
        return (json.loads(answer)["data"] or {}) if answer.startswith("{") else {}

    def has_delivered_all(self):
        """Whether nothing waits, neither for the broker nor for the web server."""
        status = self.status()
        return status.get("outbox") == 0 and (status["webhooks"] or {}).get("waiting", 0) == 0

    def start(self):
        with open(self.log, "ab", 0) as output:
            output.write((START + "\n").encode())
            self.process = subprocess.Popen(
                [TAPPET, "run", "--plain", "--config", self.config, "--light-trace", self.lights],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def child(self, name):
        """The process id of its tappet-reader or another helper, if one is running."""
        children = read(f"/proc/{self.process.pid}/task/{self.process.pid}/children").split()
        return next((int(child) for child in children if read(f"/proc/{child}/comm").strip() == name[:15]), None)

    def url(self, is_forged=False, person=None):
        signed = f"idx={20 if person else 0}&ts={int(time.time())}"
        key = os.urandom(32) if is_forged else self.people[person] if person else self.key
        return f"smp://action?{signed}&sig={hmac.new(key, signed.encode(), hashlib.sha256).hexdigest()}"


class World:
    """All the parts, in a folder that is removed afterwards."""

    def __init__(self, seed, takes_commands=False, has_shelf=False):
        self.folder = tempfile.mkdtemp(prefix="tappet-torture.")
        self.broker = self.witness = self.simulator = self.kiosk = self.web = None
        try:
            self.web = Web()
            self.broker = Broker(self.folder)
            self.broker.start()
            self.witness = Witness(self.broker)
            self.witness.start()
            self.proxy = Proxy(self.broker.port, seed)
            self.simulator = Simulator(self.folder)
            self.kiosk = Kiosk(self.folder, self.proxy.port, self.web.port, takes_commands, has_shelf)
        except BaseException:
            self.close()
            raise

    def close(self):
        for part in (self.kiosk, self.witness, self.simulator, self.broker):
            if part and part.process:
                if part.process.poll() is None:
                    part.process.send_signal(signal.SIGCONT)
                end(part.process)
        if self.web:
            self.web.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
