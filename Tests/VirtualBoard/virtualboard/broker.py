"""A real mosquitto on 127.0.0.1 that requires client certificates, and an independent witness of its messages."""
import os
import shutil
import socket
import subprocess
import threading
import time

from .waiting import until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Broker:
    """The broker, which the board reaches as broker.board:8883."""

    def __init__(self, folder):
        self.folder = folder
        self.pki = os.path.join(folder, "pki")
        make = os.path.join(ROOT, "tools/demo/make-certificates")
        subprocess.run([make, self.pki, "--server-name", "broker.board"], check=True, stdout=subprocess.DEVNULL)
        self.port = free_port()
        self.process = None
        self.start()

    def start(self):
        settings = os.path.join(self.folder, "mosquitto.conf")
        user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout
        with open(settings, "w") as file:
            file.write(
                f"user {user}persistence false\nlistener {self.port} 127.0.0.1\n"
                f"cafile {self.pki}/ca.pem\ncertfile {self.pki}/server.pem\nkeyfile {self.pki}/server.key\n"
                "require_certificate true\nuse_identity_as_username true\nallow_anonymous false\nset_tcp_nodelay true\n"
            )
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        with open(os.path.join(self.folder, "broker.log"), "ab") as log:
            self.process = subprocess.Popen([program, "-c", settings], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until("the broker", self.listens)

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)

    def client(self):
        """The options with which mosquitto_sub and mosquitto_pub reach it."""
        files = [("--cafile", "ca.pem"), ("--cert", "client.pem"), ("--key", "client.key")]
        words = [word for option, name in files for word in (option, os.path.join(self.pki, name))]
        return words + ["-h", "localhost", "-p", str(self.port)]

    def publish(self, topic, message):
        subprocess.run(["mosquitto_pub", *self.client(), "-q", "1", "-t", topic, "-m", message], check=True)


class Sender:
    """A mosquitto_pub that stays connected, so that a message is on its way at once."""

    def __init__(self, broker, topic):
        words = ["mosquitto_pub", *broker.client(), "-q", "1", "-t", topic, "-l"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE)

    def send(self, message):
        """Returns the time just before, by the host's CLOCK_BOOTTIME in ns."""
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        self.process.stdin.write(message.encode() + b"\n")
        self.process.stdin.flush()
        return now

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)


class Witness:
    """A mosquitto_sub that records every message by topic, with the host's time."""

    def __init__(self, broker):
        self.broker = broker
        self.messages = []  # (host's CLOCK_BOOTTIME in ns, topic, payload)
        self.lock = threading.Lock()
        words = ["mosquitto_sub", *broker.client(), "-q", "1", "-i", "witness", "-c", "-t", "#", "-F", "%t %p"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.listen, daemon=True).start()
        until("the witness", self.is_there)

    def listen(self):
        for line in self.process.stdout:
            now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            topic, _, payload = line.rstrip("\n").partition(" ")
            with self.lock:
                self.messages.append((now, topic, payload))

    def is_there(self):
        self.broker.publish("probe", "up")
        return self.of("probe")

    def of(self, topic):
        with self.lock:
            return [(at, payload) for at, found, payload in self.messages if found == topic]

    def count(self, topic):
        return len(self.of(topic))

    def fence(self):
        """Waits until every message that the broker took before has arrived: a broker keeps the order."""
        seen = self.count("fence")
        self.broker.publish("fence", "up")
        until("the witness to catch up", lambda: self.count("fence") > seen)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)
