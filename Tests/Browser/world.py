"""The world around a browser: a broker, a witness, a simulated reader, the kiosk and its page."""
import os
import shutil
import socket
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 20
TITLE = "<img src=x onerror=alert(1)> Alarm"


def wait(what, condition, limit=PATIENCE):
    """Waits for a condition; how long it took, in seconds."""
    start = time.monotonic()
    while True:
        value = condition()
        if value:
            return time.monotonic() - start
        if time.monotonic() - start > limit:
            raise AssertionError(f"waited in vain: {what}")
        time.sleep(0.01)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class World:
    """The broker, the kiosk and tappet-web."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.running = programs, folder, []
        self.broker_port, self.port = free_port(), free_port()
        os.mkdir(self.path("web-state"))
        self.write("mosquitto.conf", f"listener {self.broker_port} 127.0.0.1\nallow_anonymous true\n")
        self.write("kiosk.yaml", f"""
broker: {{url: 'mqtt://127.0.0.1:{self.broker_port}', client_id: kiosk}}
reader: {{device: 'pn532_uart:{self.path("reader")}'}}
clock: trust
state: state
actions:
  - {{name: light, title: Hall light, topic: home/light, message: 'on', cooldown: 0 s}}
  - {{name: alarm, title: "{TITLE}", topic: home/alarm, message: armed, confirm: 20 s}}
inventory: {{}}
panel: {{simulator: panel, outputs: [{{name: lamp, line: LA}}, {{name: latch, line: LB, kind: lock, pulse: 3 s}}],
  inputs: [{{name: front, line: LC, of: latch}}]}}
web: {{name: Front door, outputs: [lamp, latch], open: look, socket: web, publish: true}}
""")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def program(self, name):
        found = [os.path.join(self.programs, place, name) for place in ("", "../libexec/tappet")]
        return next(path for path in found if os.access(path, os.X_OK))

    def start(self, *words):
        log = open(self.path(os.path.basename(words[0]) + ".log"), "ab")
        process = subprocess.Popen(words, stdout=log, stderr=log, cwd=self.folder)
        self.running.append(process)
        return process

    def start_broker(self):
        self.start(shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), "-c", self.path("mosquitto.conf"))
        wait("the broker", lambda: "running" in self.text("mosquitto.log"))
        self.start("mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.broker_port), "-t", "home/#", "-v", "-q", "1")

    def start_simulator(self, *options):
        self.start(self.program("tappet-sim"), "--link", self.path("reader"), "--control", self.path("sim"),
                   "--pace", "off", *options)
        wait("the simulator", lambda: "ready " in self.text("tappet-sim.log"))

    def tell(self, *words):
        return subprocess.run([self.program("tappet-sim"), "ctl", self.path("sim"), *words], timeout=PATIENCE,
                              check=True, capture_output=True, text=True).stdout

    def take(self):
        """Takes the tag away, and waits until the kiosk has looked for it in vain."""
        self.tell("take")
        before = self.looks()
        wait("the reader", lambda: self.looks() >= before + 4)

    def looks(self):
        lines = [line.split() for line in self.tell("counters").splitlines()]
        return sum(int(words[-1]) for words in lines if words[0] == "command-4a")

    def start_kiosk(self):
        self.kiosk = self.start(
            self.program("tappet"), "run", "--plain", "--config", self.path("kiosk.yaml"))

    def start_web(self):
        self.web = self.start(
            self.program("tappet-web"), "--kiosk", self.path("web"), "--state", self.path("web-state"),
            "--listen", f"127.0.0.1:{self.port}", "--pages", os.path.join(ROOT, "board/web"))
        wait("tappet-web", lambda: "serving the page" in self.text("tappet-web.log"))

    def tappet(self, *words, text=""):
        done = subprocess.run(
            [self.program("tappet"), *words, "--config", self.path("kiosk.yaml")], capture_output=True, text=True,
            timeout=PATIENCE, check=True, input=text)
        return done.stdout.strip()

    def received(self, topic):
        return sum(line.startswith(topic + " ") for line in self.text("mosquitto_sub.log").splitlines())

    def stop(self):
        for process in reversed(self.running):
            process.kill()
            process.wait()
