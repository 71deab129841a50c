"""The world around Home Assistant: certificates, a broker, a witness, a simulated reader and panel, and the kiosk."""
import hashlib
import hmac
import json
import os
import shutil
import signal
import socket
import subprocess
import time

LIMIT = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, limit=LIMIT):
    """Waits for a condition, and returns what it returns."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {limit} s in vain for {what}")


class World:
    """Everything but Home Assistant, in one folder."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.bin = os.environ.get("TAPPET_BIN", os.path.join(root, "build/bin"))
        self.port = free_port()
        self.key = os.urandom(32)
        self.processes = {}
        self.cards = 0
        subprocess.run([root + "/tools/demo/make-certificates", self.path("pki"), "--all"], check=True,
                       capture_output=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    # Parts

    def start(self, name, words):
        with open(self.path(name + ".log"), "ab") as log:
            self.processes[name] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self, name):
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        process.wait(LIMIT)

    def stop(self):
        for name in list(self.processes)[::-1]:
            self.end(name)

    def client(self, name):
        return ["-h", "localhost", "-p", str(self.port), "--cafile", self.path("pki/ca.pem"),
                "--cert", self.path(f"pki/{name}.pem"), "--key", self.path(f"pki/{name}.key")]

    def start_broker(self):
        with open(self.path("mosquitto.conf"), "w", encoding="utf-8") as file:
            file.write(
                f"user {os.environ.get('USER', 'root')}\npersistence false\nlog_dest none\n"
                f"listener {self.port} 127.0.0.1\ncafile {self.path('pki/broker-ca.pem')}\n"
                f"certfile {self.path('pki/server.pem')}\nkeyfile {self.path('pki/server.key')}\n"
                "require_certificate true\nuse_identity_as_username true\nallow_anonymous false\n")
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        self.start("broker", [program, "-c", self.path("mosquitto.conf")])
        probe = ["mosquitto_pub", *self.client("second-client"), "-q", "1", "-t", "probe", "-m", "up"]
        wait_for("the broker", lambda: subprocess.run(probe, capture_output=True).returncode == 0)
        self.start("witness", ["stdbuf", "-oL", "mosquitto_sub", *self.client("second-client"), "-q", "1", "-t", "#",
                               "-F", "%U %r %t %p"])
        wait_for("the witness", lambda: subprocess.run(probe, capture_output=True).returncode == 0
                 and self.received("probe"))

    def configure(self, title="Ring the bell", name="Lobby", outputs=("pump", "door"), assistant=True, inventory=True):
        lines = {"pump": "{name: pump, line: GPIO20}",
                 "door": "{name: door, line: GPIO21, kind: lock, pulse: 2 s}"}
        later = ", deliver_when: home-assistant" if assistant else ""
        with open(self.path("kiosk.yaml"), "w", encoding="utf-8") as file:
            file.write(
                f"broker:\n  url: mqtts://localhost:{self.port}\n  client_id: kiosk\n  ca: pki/ca.pem\n"
                "  certificate: pki/client.pem\n  private_key: pki/client.key\n"
                f"reader: {{device: \"pn532_uart:{self.path('reader')}\"}}\nclock: trust\nstate: state\n"
                "panel:\n  simulator: panel\n  outputs:\n"
                + "".join(f"    - {lines[output]}\n" for output in outputs)
                + "  inputs:\n    - {name: front, line: GPIO22, of: door, held_open: 1 h}\n"
                "  buttons:\n    - {name: 'Bell 🔔/+#', line: GPIO5, press: bell, hold: patient}\n"
                "    - {name: other, line: GPIO6}\n"
                "  chords:\n    - {buttons: ['Bell 🔔/+#', other], press: light}\n"
                "actions:\n"
                f"  - {{name: bell, title: '{title}', topic: home/bell, message: ring, cooldown: 0 s}}\n"
                "  - {name: light, topic: home/light, message: toggle, cooldown: 0 s}\n"
                + "  - {name: patient, topic: home/patient, message: later" + later + "}\n"
                + ("inventory: {}\nunknown_tags: {mode: inventory, cooldown: 0 s}\n" if inventory else "")
                + (f"home_assistant: {{name: {name}}}\n" if assistant else ""))

    def stock(self):
        """Fills the inventory: 60 items of one piece, the first 55 of them with a minimum of 5."""
        with open(self.path("boxes.csv"), "w", encoding="utf-8") as file:
            file.write("building,room,spot,box,code,item,quantity,minimum\n")
            file.writelines(f"House,Cellar,Shelf,Screws,B-1,Thing {number},1,{5 if number <= 55 else ''}\n"
                            for number in range(1, 61))
        self.tappet("inventory", "import", self.path("boxes.csv"))

    def start_kiosk(self):
        self.start("sim", [self.bin + "/tappet-sim", "--link", self.path("reader"), "--control", self.path("sim"),
                           "--panel", self.path("panel"), "--pace", "off"])
        wait_for("the simulator", lambda: "ready " in self.text("sim.log"))
        self.configure()
        self.share_secret()
        self.start("kiosk", [self.bin + "/tappet", "run", "--plain", "--config", self.path("kiosk.yaml")])
        wait_for("the kiosk", lambda: "event=discovery-sent" in self.text("kiosk.log"))

    def share_secret(self, index=1, label="Test"):
        """Imports the secret of the tags, for the action with this index."""
        share = f"smpshare://secret?idx={index}&key={self.key.hex()}&label={label}\n"
        self.tappet("secret", "import", text=share)

    def tappet(self, *words, text="", expected=(0,)):
        done = subprocess.run([self.bin + "/tappet", *words, "--config", self.path("kiosk.yaml")], input=text,
                              text=True, capture_output=True, check=False)
        assert done.returncode in expected, done.stdout + done.stderr
        return done.stdout

    def reload(self, **changes):
        before = self.text("kiosk.log").count("event=reloaded")
        self.configure(**changes)
        self.processes["kiosk"].send_signal(signal.SIGHUP)
        wait_for("the reload", lambda: self.text("kiosk.log").count("event=reloaded") > before)

    # Taps, and the witness's view

    def tell(self, *words):
        done = subprocess.run([self.bin + "/tappet-sim", "ctl", self.path("sim"), *words], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def exchange(self, *commands):
        """Sends commands to the simulator, without a process for each; returns its answers."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path("sim"))
            connection.sendall("".join(command + "\n" for command in commands).encode())
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile() as answer:
                return answer.read()

    def touch(self, do, *buttons):
        """Presses or releases these buttons at once."""
        self.exchange(*(f"{do} {button}" for button in buttons))

    def tap(self, url=None):
        """Holds a new tag of the action light to the reader; its UID in capitals."""
        self.cards += 1
        uid = f"04a1b2c3{self.cards:06x}"
        self.tell("place", "ntag213", "uid=" + uid, "url=" + (url or self.tag_url(self.key)))
        return uid.upper()

    def take(self):
        self.tell("take")
        self.await_looks()

    def await_looks(self):
        """Waits until the kiosk has seen that there is no tag."""
        before = self.looks()
        wait_for("the reader", lambda: self.looks() >= before + 4)

    def looks(self):
        lines = [line.split() for line in self.tell("counters").splitlines()]
        return sum(int(words[-1]) for words in lines if words[0] == "command-4a")

    @staticmethod
    def tag_url(key, index=1):
        signed = f"idx={index}&ts=1770000000"
        return f"smp://action?{signed}&sig={hmac.new(key, signed.encode(), hashlib.sha256).hexdigest()}"

    def levels(self, output):
        lines = [line.split() for line in self.tell("levels").splitlines()]
        return [words[1] == "1" for words in lines if words[0] == output]

    def received(self, topic):
        """The witness's messages on a topic: time, whether it was kept, payload."""
        found = []
        for line in self.text("witness.log").splitlines():
            words = line.split(" ", 3)
            if len(words) == 4 and words[2] == topic:
                found.append((float(words[0]), words[1] == "1", words[3]))
        return found

    def kept(self):
        """The topics of the kiosk at which the broker keeps something."""
        done = subprocess.run(
            ["mosquitto_sub", *self.client("second-client"), "-i", "looker", "-t", "tappet/#", "-t", "homeassistant/#",
             "-F", "%t", "--retained-only", "-W", "1"], text=True, capture_output=True, check=False)
        return set(done.stdout.split())

    def discovery(self):
        return json.loads(self.received("homeassistant/device/tappet-kiosk/config")[-1][2])
