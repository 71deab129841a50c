"""Tappet on the virtual board: its configuration, process, log and lights."""
import json
import os
import shlex

from .reader import signed_url
from .waiting import until

HOME = "/data/kiosk"
LOG = "/run/kiosk.log"
LIGHTS = "/run/lights"
TIMESTAMP_KEY = "000102030405060708090a0b0c0d0e0f"

CONFIG = """\
broker:
  url: mqtts://broker.board:8883
  client_id: board
  ca: pki/ca.pem
  certificate: pki/client.pem
  private_key: pki/client.key
timestamp_key: {file: timestamp.key}
reader: {device: "pn532_uart:/dev/ttyUSB0"}
clock: trust
state: state
"""

ACTIONS = """\
actions:
  - {name: garage, title: Open the garage, topic: board/garage, message: 'open %I', cooldown: 0 s}
  - {name: light, title: Light, topic: board/light, message: 'light %I', cooldown: 0 s}
"""


class Kiosk:
    def __init__(self, machine, pki):
        self.machine, self.pki = machine, pki
        self.secret = os.urandom(32)
        self.configured = self.running = None  # The configuration's panel and actions.

    def install(self, panel="", actions=ACTIONS):
        """Writes configuration, certificates and keys to the board's disk."""
        agent = self.machine.agent
        for name in ("ca.pem", "client.pem", "client.key"):
            with open(os.path.join(self.pki, name), "rb") as file:
                agent.write(f"{HOME}/pki/{name}", file.read(), "600")
        agent.write(f"{HOME}/timestamp.key", TIMESTAMP_KEY + "\n", "600")
        self.configure(panel, actions)
        agent.write("/run/share", f"smpshare://secret?idx=0&key={self.secret.hex()}&label=Board\n", "600")
        agent.sh(f"tappet secret import --config {HOME}/kiosk.yaml --file /run/share")

    def configure(self, panel="", actions=ACTIONS):
        self.machine.agent.write(f"{HOME}/kiosk.yaml", CONFIG + panel + actions)
        self.configured = panel + actions

    def is_up(self):
        return self.machine.agent.run("test -e /run/kiosk.pid && kill -0 $(cat /run/kiosk.pid)")[0] == 0

    def run_with(self, panel="", actions=ACTIONS, is_fresh=False):
        """Makes sure that a kiosk with that configuration runs; with `is_fresh`, one that was just started."""
        if self.configured is None:
            self.install(panel, actions)
        if self.is_up():
            if self.running == panel + actions and not is_fresh:
                return
            self.stop()
        self.configure(panel, actions)
        self.start()

    def tool(self, *words):
        """Runs a command of the tool in the guest. Returns the exit status and the output."""
        line = " ".join(shlex.quote(word) for word in ("tappet", *words, "--config", f"{HOME}/kiosk.yaml"))
        return self.machine.agent.run(line)

    def start(self, is_traced=True):
        self.running = self.configured
        agent = self.machine.agent
        command = f"tappet run --plain --config {HOME}/kiosk.yaml" + (f" --light-trace {LIGHTS}" if is_traced else "")
        agent.sh(f"rm -f {LIGHTS}; {command} >{LOG} 2>&1 & echo $! >/run/kiosk.pid")
        # Status 0: everything works; 1: something is wrong; 4: no kiosk runs.
        until("the kiosk", lambda: self.tool("status")[0] in (0, 1), pause=0.1)
        agent.sh("sync")  # A power cut must not undo what the test itself wrote.

    def stop(self, number=15):
        self.machine.agent.run(f"kill -{number} $(cat /run/kiosk.pid)")
        until("the kiosk's end", lambda: not self.is_up())

    def log(self):
        return self.machine.agent.run(f"cat {LOG}")[1]

    def shown(self):
        """The lights that were shown since the start: [(time in s, name)]."""
        lines = self.machine.agent.run(f"cat {LIGHTS}")[1].splitlines()
        return [(int(words[0]) / 1e9, words[1]) for words in map(str.split, lines) if len(words) >= 2]

    def await_light(self, name, count=1, seconds=30):
        until(f"the light '{name}'", lambda: sum(found == name for _, found in self.shown()) >= count, seconds, 0.05)

    def status(self):
        status, output = self.tool("status", "--json")
        return json.loads(output)["data"] if status == 0 else {}

    def tag_url(self, index=0):
        return signed_url(self.secret, index)
