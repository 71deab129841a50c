"""The world of a kiosk: a broker, a witness of what it passes on, simulated readers, and taps."""
import hashlib
import hmac
import os
import re
import shutil
import socket
import subprocess
import time

from .place import ROOT, read, require, wait_for, write

GARAGE_KEY, STRANGERS_KEY = os.urandom(32).hex(), os.urandom(32).hex()
REFUSAL = "refused: tap refused: the signature matches no secret of"


class World:
    """A broker that requires client certificates, and a client that records its messages. Started when first used."""

    def __init__(self, place):
        self.place, self.processes, self.pki, self.port = place, [], place.file("pki"), None

    def begin(self):
        if self.port is not None:
            return
        self.place.run(os.path.join(ROOT, "tools/demo/make-certificates"), self.pki, "--other-ca")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        settings = self.place.file("mosquitto.conf")
        write(settings, f"user {self.place.run('id', '-un').strip()}\npersistence false\n"
              f"listener {self.port} 127.0.0.1\n"
              f"cafile {self.pki}/ca.pem\ncertfile {self.pki}/server.pem\nkeyfile {self.pki}/server.key\n"
              "require_certificate true\nuse_identity_as_username true\nallow_anonymous false\n")
        broker = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        require(broker, "mosquitto is missing; run: tools/deps install tests")
        self.start([broker, "-c", settings], "broker")
        self.tls = ["--cafile", self.pki + "/ca.pem", "--cert", self.pki + "/client.pem",
                    "--key", self.pki + "/client.key", "-h", "localhost", "-p", str(self.port)]
        wait_for("the broker", lambda: self.publish("probe", "up"))
        self.start(["mosquitto_sub", *self.tls, "-t", "home/#", "-t", "probe", "-F", "%t %p"], "witness")
        wait_for("the witness", lambda: self.publish("probe", "seen") and "probe seen" in self.witnessed())

    @property
    def url(self):
        return f"mqtts://localhost:{self.port}"

    def start(self, words, name):
        """Starts a process that writes to NAME.log."""
        with open(self.place.file(name + ".log"), "w") as log:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       env=self.place.environment)
        self.processes.append(process)
        return process

    def output(self, name):
        return read(self.place.file(name + ".log"))

    def wait_until(self, pattern, process, name):
        """Returns when the output of a process matches; a process that ends before is a failure."""
        wait_for(f"'{pattern}' of {name}", lambda: re.search(pattern, self.output(name)) or process.poll() is not None,
                 output=lambda: self.output(name))
        require(re.search(pattern, self.output(name)),
                f"{name} ended with {process.poll()} before '{pattern}':\n{self.output(name)}")

    def publish(self, topic, message):
        words = ["mosquitto_pub", *self.tls, "-t", topic, "-m", message]
        return subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0

    def witnessed(self):
        return self.output("witness")

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()

    def run_kiosk(self, name, *words, config=True):
        """Runs a kiosk program and taps: a good tag, which it must publish, and a forged one, after which it ends."""
        reader = Reader(self, name)
        topic = f"home/{name}/set" if config else "home/garage/set"
        if config:
            words = [*words, self.write_config(name, topic, reader), GARAGE_KEY]
        else:
            words = [*words, self.url, self.pki, reader.name, self.place.file(name + ".state"), GARAGE_KEY]
        process = self.start(words, name)

        # Without a time service, another light is shown.
        self.wait_until("light (ready|clock-unknown)", process, name)
        reader.tell("place", "ntag213", "uid=04a1b2c3d4e5f6", "url=" + sign(GARAGE_KEY))
        self.wait_until("delivered garage", process, name)
        reader.tell("take")
        wait_for("the witness", lambda: f"{topic} open" in self.witnessed())
        reader.tell("place", "ntag213", "uid=04a1b2c3d4e5f7", "url=" + sign(STRANGERS_KEY))
        self.wait_until(REFUSAL, process, name)
        self.wait_until("counters accepted=1 delivered=1 refused=1", process, name)
        require(process.wait(20) == 0, f"{name} ended with {process.returncode}:\n{self.output(name)}")
        reader.stop()

    def write_config(self, name, topic, reader):
        path = self.place.file(name + ".yaml")
        write(path, f"broker:\n  url: {self.url}\n  client_id: {name}\n  ca: pki/ca.pem\n"
              "  certificate: pki/client.pem\n  private_key: pki/client.key\n"
              f"state: {name}.state\nclock: trust\nreader: {{device: \"{reader.name}\"}}\n"
              f"actions:\n  - {{name: garage, topic: {topic}, message: open}}\n")
        return path


class Reader:
    """A simulated reader, and with `panel` a virtual panel."""

    def __init__(self, world, name, panel=False):
        world.begin()
        self.place, self.control = world.place, world.place.file(name + ".sim")
        self.program = self.place.installed("bin/tappet-sim")
        device = self.place.file(name + ".reader")
        self.name = "pn532_uart:" + device
        log = name + ".simulator"
        words = ["--panel", self.place.file(name + ".panel")] if panel else []
        self.process = world.start([self.program, "--link", device, "--control", self.control, *words], log)
        wait_for("the simulator", lambda: "ready" in world.output(log))

    def tell(self, *words):
        return self.place.run(self.program, "ctl", self.control, *words)

    def stop(self):
        self.process.terminate()


def sign(key):
    """Returns a tag URL for the action 0, signed with a key."""
    signed = f"idx=0&ts={int(time.time())}"
    signature = hmac.new(bytes.fromhex(key), signed.encode(), hashlib.sha256).hexdigest()
    return f"smp://action?{signed}&sig={signature}"
