"""The programs that talk to the cluster: kiosks as sessions of one program (sessions.c), and the same work by a plain
client on libmosquitto (plain.c), as a publisher and as the subscriber that sees what arrives."""
import collections
import os
import signal
import subprocess
import time

from parts import BUILD, ROOT, Failure, await_, end

HERE = os.path.dirname(os.path.abspath(__file__))
# Nothing more comes after so long a silence of the broker's.
QUIET_SECONDS = 1.5
# An id, when it was accepted, and when it was pressed.
Press = collections.namedtuple("Press", "id accepted pressed")


def compile_all(folder):
    """Compiles sessions.c, plain.c and clock.c into the folder."""
    library = os.path.join(BUILD, "lib")
    words = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*words, "-shared", "-fPIC", "-o", f"{folder}/clock.so", f"{HERE}/clock.c"], check=True)
    subprocess.run([*words, "-o", f"{folder}/plain", f"{HERE}/plain.c", "-lmosquitto"], check=True)
    subprocess.run([*words, "-I", os.path.join(ROOT, "Include"), "-o", f"{folder}/sessions", f"{HERE}/sessions.c",
                    f"-L{library}", "-ltappet", f"-Wl,-rpath,{library}"], check=True)


def try_for(seconds, condition):
    """Waits until the condition holds or the time is over, and returns whether it holds."""
    try:
        return await_("it", condition, seconds, 0.1)
    except Failure:
        return False


class Program:
    """A process that takes orders from its input and writes a line for each thing that happens."""

    def __init__(self, folder, name, words):
        self.name, self.output = name, f"{folder}/{name}.out"
        self.events, self.offset = [], 0
        with open(self.output, "wb") as output, open(f"{folder}/{name}.err", "ab") as errors:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=output, stderr=errors)

    def order(self, line):
        self.process.stdin.write((line + "\n").encode())
        self.process.stdin.flush()

    def read(self):
        """Returns all events so far: (seconds since 1970, number of the kiosk, word, detail)."""
        with open(self.output, "rb") as file:
            file.seek(self.offset)
            data = file.read()
        whole = data.rfind(b"\n") + 1
        self.offset += whole
        for line in data[:whole].decode(errors="replace").splitlines():
            moment, number, word, *detail = line.split(" ", 3)
            self.events.append((float(moment), int(number), word, detail[0] if detail else ""))
        return self.events

    def of(self, *words):
        return [event for event in self.read() if event[2] in words]

    def presses(self):
        parts = [(moment, *detail.split()) for moment, _, _, detail in self.of("accepted")]
        return [Press(name, moment, float(pressed)) for moment, name, pressed in parts]

    def deliveries(self):
        """When each message was acknowledged first, by its id."""
        found = {}
        for moment, _, _, name in self.of("delivered"):
            found.setdefault(name, moment)
        return found

    def unfinished(self):
        return {press.id for press in self.presses()} - set(self.deliveries())

    def connected(self):
        """The numbers of the kiosks that have a broker."""
        last = {number: word for _, number, word, _ in self.of("connected", "lost")}
        return {number for number, word in last.items() if word == "connected"}

    def close(self):
        """Ends it in an orderly way."""
        if self.process.poll() is None:
            try:
                self.process.stdin.close()
                self.process.wait(20)
            except (BrokenPipeError, subprocess.TimeoutExpired):
                pass
        end(self.process, signal.SIGTERM)


def write_kiosk(folder, pki, name, ports, topic, telemetry=False):
    """Writes the configuration of a kiosk without a reader; returns its path."""
    os.makedirs(f"{folder}/{name}")
    path = f"{folder}/{name}/kiosk.yaml"
    urls = ", ".join(f"'mqtts://localhost:{port}'" for port in ports)
    with open(path, "w") as file:
        file.write(
            f"broker:\n  url: [{urls}]\n  client_id: {name}\n  ca: {pki}/ca.pem\n  certificate: {pki}/client.pem\n"
            f"  private_key: {pki}/client.key\nreader: none\nclock: trust\nstate: state\n"
            + ("telemetry: {state: true}\n" if telemetry else "")
            + f"actions:\n  - {{name: bell, topic: {topic}, message: '%I'}}\n")
    return path


class Sessions(Program):
    """Kiosks of the C library in one process; `ports` has the nodes that each of them knows."""

    def __init__(self, folder, name, ports, topic, client_ids=None, telemetry=False):
        client_ids = client_ids or [f"{name}-{number}" for number in range(len(ports))]
        paths = [
            write_kiosk(f"{folder}/{name}.{number}", f"{folder}/pki", client_id, own, topic, telemetry)
            for number, (own, client_id) in enumerate(zip(ports, client_ids))]
        super().__init__(folder, name, [f"{folder}/sessions", *paths])


class Plain(Program):
    """A client on libmosquitto: `role` is publish or subscribe."""

    def __init__(self, folder, role, name, ports, topic, client_id=None):
        """The ids of its messages begin with its name."""
        certificate = "client" if role == "publish" else "second-client"
        pki = f"{folder}/pki"
        super().__init__(folder, name, [
            f"{folder}/plain", role, client_id or name, name, topic, f"{pki}/ca.pem", f"{pki}/{certificate}.pem",
            f"{pki}/{certificate}.key", *map(str, ports)])


class Subscriber(Plain):
    """Sees what arrives, in a lasting session that outlives this process."""

    def __init__(self, folder, name, ports):
        super().__init__(folder, "subscribe", name, ports, "home/#", "witness")
        await_("the subscriber", lambda: self.of("subscribed"), 60, 0.1)

    def arrivals(self):
        return [(moment, name) for moment, _, _, name in self.of("got")]

    def settle(self, ids, seconds=40):
        """Waits until all these have come, or the time is over; then until nothing more comes."""
        try_for(seconds, lambda: ids <= {name for _, name in self.arrivals()})
        begin = time.time()

        def is_quiet():
            arrivals = self.arrivals()
            return time.time() - max(begin, arrivals[-1][0] if arrivals else 0) > QUIET_SECONDS

        try_for(20, is_quiet)
