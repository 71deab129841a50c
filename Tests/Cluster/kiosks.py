"""Kiosks as they ship that know all nodes of the cluster, the people in front of them, and the witness."""
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from datetime import datetime

from parts import TAPPET, Simulator, await_, end, read

EVENT = re.compile(r"^(\S+Z) \w+: .*? event=([a-z-]+)(.*)$", re.M)


def let_pass(seconds):
    """Lets a fault, or the calm after it, last for so long."""
    time.sleep(seconds)


def unix_seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Kiosk:
    """A `tappet run` with a simulated reader and button, whose broker is the whole cluster."""

    def __init__(self, folder, number, cluster):
        self.folder, self.process = f"{folder}/k{number}", None
        self.log = f"{self.folder}/log"
        os.mkdir(self.folder)
        self.simulator = Simulator(self.folder)
        urls = ", ".join(f"'mqtts://localhost:{port}'" for port in cluster.ports(number))
        pki = f"{folder}/pki"
        with open(f"{self.folder}/kiosk.yaml", "w") as file:
            file.write(
                f"broker:\n  url: [{urls}]\n  client_id: kiosk-{number}\n  ca: {pki}/ca.pem\n"
                f"  certificate: {pki}/client.pem\n  private_key: {pki}/client.key\n"
                f'reader: {{device: "pn532_uart:{self.folder}/reader"}}\nclock: trust\nstate: state\n'
                f"panel:\n  simulator: {self.folder}/panel\n"
                "  buttons:\n    - {name: bell, line: GPIO5, press: bell}\n"
                f"actions:\n  - {{name: bell, topic: home/bell/{number}, message: '%I'}}\n")

    def start(self):
        with open(self.log, "ab", 0) as output:
            self.process = subprocess.Popen(
                [TAPPET, "run", "--plain", "--config", f"{self.folder}/kiosk.yaml"], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output)

    def events(self, *names):
        """(seconds since 1970, name, fields) of each event of these names."""
        return [
            (unix_seconds(moment), name, dict(re.findall(r"(\w+)=(\S+)", fields)))
            for moment, name, fields in EVENT.findall(read(self.log)) if name in names
        ]

    def is_connected(self):
        lines = self.events("broker-connected", "broker-lost")
        return bool(lines) and lines[-1][1] == "broker-connected"

    def press(self):
        self.simulator.tell("press bell")
        time.sleep(0.03)  # Longer than the debounce: a press that counts.
        self.simulator.tell("release bell")

    def close(self):
        end(self.process, signal.SIGTERM)
        end(self.simulator.process)


class Crowd:
    """People at some of the kiosks, who press each `pause` seconds until they are sent away."""

    def __init__(self, kiosks, pause):
        self.pause, self.is_over = pause, threading.Event()
        self.threads = [threading.Thread(target=self._press, args=(kiosk,)) for kiosk in kiosks]
        for thread in self.threads:
            thread.start()

    def _press(self, kiosk):
        while not self.is_over.wait(self.pause):
            kiosk.press()

    def leave(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


class Witness:
    """A mosquitto_sub with a persistent session. It moves to another node when its own is gone."""

    def __init__(self, folder, cluster):
        self.folder, self.cluster, self.process = folder, cluster, None
        self.log = f"{folder}/witness.log"

    def subscribe(self, node):
        end(self.process)
        known = read(self.log).count("Subscribed (mid")
        words = [
            shutil.which("stdbuf"), "-oL", "mosquitto_sub", "-d", "-h", "localhost", "-p", str(node.mqtt_port), "-q",
            "1", "-c", "-i", "witness", "-t", "home/#", "-F", "got %U %t %p", "--cafile",
            f"{self.folder}/pki/ca.pem", "--cert", f"{self.folder}/pki/second-client.pem", "--key",
            f"{self.folder}/pki/second-client.key",
        ]

        # While a leader is elected, a node refuses at once.
        def subscribed():
            if self.process is None or self.process.poll() is not None:
                with open(self.log, "ab") as output:
                    self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            return read(self.log).count("Subscribed (mid") > known

        await_("mosquitto_sub", subscribed, 40)

    def ids(self):
        return re.findall(r"^got \S+ home/\S+ ([0-9a-f]{32})$", read(self.log), re.M)

    def settle(self):
        """Waits until nothing more has come for two seconds."""
        while True:
            before = len(self.ids())
            let_pass(2)
            if len(self.ids()) == before:
                return

    def close(self):
        end(self.process)
