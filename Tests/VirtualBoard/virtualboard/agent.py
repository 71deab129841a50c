"""Commands to the guest, whose end of the port is guest/agent, and the stream of the GPIO lines' changes."""
import base64
import re
import shlex
import socket
import threading
import time


class Failed(Exception):
    """A command in the guest ended with a status other than 0."""


class Agent:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.buffer = b""

    def run(self, command, seconds=60):
        """Runs one line of shell in the guest. Returns the exit status and the output."""
        assert "\n" not in command
        self.socket.settimeout(seconds)
        self.socket.sendall(command.encode() + b"\n")
        while True:
            found = re.search(rb"\x1e(\d+)\n", self.buffer)
            if found:
                output = self.buffer[: found.start()].decode(errors="replace")
                self.buffer = self.buffer[found.end() :]
                return int(found[1]), output
            data = self.socket.recv(65536)
            if not data:
                raise Failed(f"the board ended during: {command}")
            self.buffer += data

    def sh(self, command, seconds=60):
        """Runs one line of shell that must succeed, and returns its output."""
        status, output = self.run(command, seconds)
        if status != 0:
            raise Failed(f"in the guest, '{command[:200]}' ended with {status}: {output.strip()[-500:]}")
        return output

    def write(self, path, content, mode="644"):
        """Writes a file in pieces, because a line of the guest's shell is limited."""
        data = content if isinstance(content, bytes) else content.encode()
        place = shlex.quote(path)
        self.sh(f"mkdir -p {shlex.quote(path.rpartition('/')[0] or '/')}; rm -f {place}; umask 077; : >{place}")
        for start in range(0, len(data), 1500):
            piece = base64.b64encode(data[start : start + 1500]).decode()
            self.sh(f"echo {piece} | base64 -d >>{place}")
        self.sh(f"chmod {mode} {place}")

    def close(self):
        self.socket.close()


class Edges:
    """The kernel's gpio_value tracepoint: every change of a line, with its time by the guest's CLOCK_BOOTTIME."""

    # "  tappet-107 [000] d..1. 12.345678: gpio_value: 504 set 1"
    FORM = re.compile(r"(\S+)-(\d+)\s+\[\d+\]\s+\S+\s+(\d+)\.(\d+): gpio_value: (\d+) (set|get) ([01])")

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.seen = []  # (time in s, number, is set by a program, is high)
        self.lock = threading.Lock()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            for line in self.socket.makefile("r", errors="replace"):
                found = self.FORM.search(line)
                if found:
                    moment = int(found[3]) + int(found[4].ljust(6, "0")) / 1e6
                    with self.lock:
                        self.seen.append((moment, int(found[5]), found[6] == "set", found[7] == "1"))
        except OSError:
            pass

    def of(self, number, since=0.0):
        """The levels to which programs set this line: [(time in s, is high)]."""
        with self.lock:
            return [(at, level) for at, line, is_set, level in self.seen if line == number and is_set and at >= since]

    def close(self):
        self.socket.close()
