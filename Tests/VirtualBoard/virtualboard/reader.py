"""A PN532 on a pseudo-terminal with virtual tags (tappet-sim), which the board sees as a USB serial adapter."""
import hashlib
import hmac
import os
import socket
import subprocess
import time

from .broker import ROOT
from .waiting import until

SIMULATOR = os.path.join(ROOT, "build/bin/tappet-sim")


class Reader:
    def __init__(self, folder):
        self.device = os.path.join(folder, "reader")
        control = os.path.join(folder, "reader.control")
        self.log = os.path.join(folder, "reader.log")
        with open(self.log, "wb") as output:
            words = [SIMULATOR, "--link", self.device, "--control", control, "--pace", "on"]
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        until("the simulated reader", lambda: b"ready" in open(self.log, "rb").read())
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(control)
        self.replies = self.connection.makefile("r")
        self.cards = 0

    def tell(self, command):
        self.connection.sendall(command.encode() + b"\n")
        reply = self.replies.readline().strip()
        if not reply.startswith("ok"):
            raise RuntimeError(f"the simulated reader says '{reply}' to '{command}'")

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

    def hold(self, url):
        """Holds a new card to the reader, which counts as a tap even if the last one has not been seen to leave."""
        self.cards += 1
        self.tell(f"place ntag213 uid=04b0a7d0{self.cards:06x} url={url}")

    def take(self):
        """Takes the card away, and waits until the board's reader has seen that it left."""
        self.tell("take")
        first = self.polls()
        until("the reader's polls", lambda: self.polls() >= first + 3)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)


def signed_url(secret, index=0):
    """The URL that the phone writes to a tag: its index and time, signed."""
    signed = f"idx={index}&ts={int(time.time())}"
    return f"smp://action?{signed}&sig={hmac.new(secret, signed.encode(), hashlib.sha256).hexdigest()}"
