"""The world outside of the guest: a broker that requires client certificates, a witness, and a server of packages."""
import collections
import functools
import http.server
import os
import shutil
import socket
import subprocess
import threading

from guest import wait_for
from roots import ROOT


class Broker:
    """A mosquitto of our own, with a subscriber that notes what arrives, a line each."""

    def __init__(self, folder):
        self.folder, self.pki = folder, os.path.join(folder, "pki")
        make = os.path.join(ROOT, "tools/demo/make-certificates")
        subprocess.run([make, self.pki], check=True, capture_output=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.settings, self.received = os.path.join(folder, "mosquitto.conf"), os.path.join(folder, "received")
        with open(self.settings, "w") as file:
            file.write(
                f"user root\npersistence true\npersistence_location {folder}/\nlog_dest none\nmax_queued_messages 0\n"
                f"listener {self.port} 127.0.0.1\n"
                f"cafile {self.pki}/ca.pem\ncertfile {self.pki}/server.pem\nkeyfile {self.pki}/server.key\n"
                "require_certificate true\nuse_identity_as_username true\nallow_anonymous false\n")
        self.processes = []

    def start(self):
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        self._start([program, "-c", self.settings], subprocess.DEVNULL)
        tls = ["--cafile", f"{self.pki}/ca.pem", "--cert", f"{self.pki}/client.pem", "--key", f"{self.pki}/client.key",
               "-h", "localhost", "-p", str(self.port)]
        probe = ["mosquitto_pub", *tls, "-i", "probe", "-q", "1", "-t", "probe", "-m", "up"]
        wait_for("the broker", lambda: subprocess.run(probe, capture_output=True).returncode == 0)
        before = self.lines().count("probe up")
        # Its session outlives the broker, so that it misses nothing of a kiosk that is faster than it.
        with open(self.received, "ab") as file:
            self._start(["mosquitto_sub", *tls, "-i", "witness", "-c", "-q", "1", "-t", "#", "-F", "%t %p"], file)
        wait_for("the witness", lambda: subprocess.run(probe, capture_output=True).returncode == 0
                 and self.lines().count("probe up") > before)

    def _start(self, words, output):
        self.processes.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output,
                                               stderr=subprocess.DEVNULL))

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        self.processes = []

    def lines(self):
        with open(self.received, "a+") as file:
            file.seek(0)
            return file.read().splitlines()

    def payloads(self, topic):
        """How many times each payload arrived on a topic."""
        return collections.Counter(line.split(" ", 1)[1] for line in self.lines() if line.startswith(topic + " "))


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        self.server.requested.append(self.path)


class Repository:
    """The apt repository, as any web server would serve it."""

    def __init__(self, folder):
        handler = functools.partial(_Handler, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.requested = []
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def requested(self, word):
        return any(word in path for path in self.server.requested)

    def stop(self):
        self.server.shutdown()
