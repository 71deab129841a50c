"""Senders of commands to a tortured kiosk: proved ones, repeated ones, and ones that must never act.

The output `gate` is asked for in earnest, by signed commands; `pump` by trusted ones with their time. Every command
that must not act asks for `vault`, which therefore never moves.
"""
import collections
import hashlib
import hmac
import json
import os
import subprocess
import time

SIGNED, TIMED, PLAIN, REPLY = "torture/signed", "torture/timed", "torture/plain", "torture/reply"
WINDOW = 1  # Seconds, as `expires` has it.
MAX_ON = 0.7
PULSE = 0.2

CONFIG = f"""\
  outputs:
    - {{name: gate, line: GPIO20, pulse: {PULSE * 1000:.0f} ms, max_on: {MAX_ON * 1000:.0f} ms}}
    - {{name: pump, line: GPIO21, max_on: {MAX_ON * 1000:.0f} ms}}
    - {{name: vault, line: GPIO22, max_on: {MAX_ON * 1000:.0f} ms}}
"""
COMMANDS = f"""\
commands:
  - {{topic: {SIGNED}, trust: signed, key: {{file: signing.key}}, expires: {WINDOW} s, outputs: [gate, vault],
     per_minute: 600, reply: {REPLY}}}
  - {{topic: {TIMED}, trust: trusted, expires: {WINDOW} s, outputs: [pump, vault], per_minute: 600}}
  - {{topic: {PLAIN}, trust: trusted, outputs: [vault]}}
"""


def boot_time():
    """Seconds on the clock of the panel's records."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Commands:
    """Publishes a command every few hundredths of a second."""

    def __init__(self, world, random):
        self.world, self.random = world, random
        self.key = world.kiosk.signing_key
        self.counts = collections.Counter()
        # When each genuine command was sent, by its output, and the names of the signed ones.
        self.genuine = {"gate": [], "pump": []}
        self.names = set()
        self.again = collections.deque()
        self.publishers = {}
        self.due = 0.0
        self._publish_kept()

    def turn(self):
        now = time.monotonic()
        if now < self.due:
            return
        self.due = now + self.random.uniform(0.05, 0.25)
        if self.again and self.again[0][0] <= now:
            self._repeat(self.again.popleft()[1])
            return
        kind = self.random.choice([self.signed, self.signed, self.timed, self.timed, self.unproved, self.garbage])
        kind()

    def end(self):
        for process in self.publishers.values():
            process.kill()
            process.wait()

    # Genuine commands

    def signed(self):
        """A signed command, sent again while it is fresh, and perhaps to another life of the kiosk."""
        name = os.urandom(8).hex()
        payload = self._sealed(name, "gate", "pulse", int(time.time()))
        self.names.add(name)
        self.genuine["gate"].append(boot_time())
        self._send(SIGNED, payload, "signed")
        for pause in (0.1, WINDOW, 3 * WINDOW):
            if self.random.random() < 0.5:
                self.again.append((time.monotonic() + pause, payload))
        self.again = collections.deque(sorted(self.again))

    def timed(self):
        do = self.random.choice(["on", "on", "pulse", "off"])
        self.genuine["pump"].append(boot_time())
        self._send(TIMED, json.dumps({"output": "pump", "do": do, "t": int(time.time())}), "timed")

    def _repeat(self, payload):
        # The first one may have been lost, so this one may be the first to act.
        self.genuine["gate"].append(boot_time())
        self._send(SIGNED, payload, "repeated")

    # Commands that never act

    def unproved(self):
        """Everything right but the proof."""
        now, name = int(time.time()), os.urandom(8).hex()
        stale = self.random.choice([-3600, -WINDOW - 2, WINDOW + 60])
        good = json.loads(self._sealed(name, "gate", "on", now))
        choices = [
            ("stale", SIGNED, self._sealed(name, "vault", "on", now + stale)),
            ("forged", SIGNED, self._sealed(name, "vault", "on", now, key=os.urandom(32))),
            ("changed", SIGNED, json.dumps(good | {"output": "vault"})),
            ("without a signature", SIGNED, json.dumps({"output": "vault", "do": "on", "t": now})),
            ("of 1970", TIMED, json.dumps({"output": "vault", "do": "on", "t": 5})),
            ("stale", TIMED, json.dumps({"output": "vault", "do": "on", "t": now + stale})),
            ("without a time", TIMED, json.dumps({"output": "vault", "do": "on"})),
        ]
        kind, topic, payload = self.random.choice(choices)
        self._send(topic, payload, kind)

    def garbage(self):
        """Anything on one line."""
        choices = [
            lambda: "[" * 2000, lambda: '{"a":' * 400, lambda: "x" * 60_000,
            lambda: "".join(chr(self.random.randrange(32, 0x2FF)) for _ in range(80)),
            lambda: self._sealed("n", "vault", "on", 0)[: self.random.randrange(1, 150)],
        ]
        self._send(self.random.choice([SIGNED, TIMED, PLAIN]), self.random.choice(choices)(), "garbage")

    # Ways

    def _sealed(self, name, output, do, seconds, key=None):
        nonce = os.urandom(8).hex()
        message = "\n".join(["tappet-command-1", SIGNED, str(seconds), nonce, name, "output", output, do])
        code = hmac.new(key or self.key, message.encode(), hashlib.sha256).hexdigest()
        return json.dumps(
            {"id": name, "output": output, "do": do, "t": seconds, "nonce": nonce, "hmac": code})

    def _words(self, topic):
        broker = self.world.broker
        pki = f"{broker.folder}/{broker.certificates}"
        return [
            "mosquitto_pub", "-h", "localhost", "-p", str(broker.port), "-q", "0", "-t", topic, "--cafile",
            f"{pki}/ca.pem", "--cert", f"{pki}/second-client.pem", "--key", f"{pki}/second-client.key",
        ]

    def _publish_kept(self):
        """Commands that the broker keeps: they come with each connection of the kiosk."""
        for topic in (SIGNED, TIMED, PLAIN):
            payload = '{"output":"vault","do":"on"}'
            subprocess.run(self._words(topic) + ["-r", "-m", payload], check=True, capture_output=True)

    def _send(self, topic, payload, kind):
        """Writes a line to a mosquitto_pub; one that has lost its broker is replaced, and the line with it."""
        self.counts[kind] += 1
        process = self.publishers.get(topic)
        if process is None or process.poll() is not None:
            nowhere = subprocess.DEVNULL
            process = self.publishers[topic] = subprocess.Popen(
                self._words(topic) + ["-l"], stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere)
            os.set_blocking(process.stdin.fileno(), False)
        try:
            os.write(process.stdin.fileno(), (payload + "\n").encode())
        except (BrokenPipeError, BlockingIOError):
            process.kill()
            process.wait()


class CommandVerdict:
    """Compares what the lines did with what was asked for."""

    def __init__(self, world, commands, replies):
        self.commands, self.replies = commands, replies
        self.lives = world.kiosk.lives
        self.levels = sorted(world.simulator.levels, key=lambda level: level[2])
        self.edges = collections.defaultdict(list)
        self.longest = 0.0
        self._follow()
        self.done = collections.defaultdict(set)
        for reply in replies:
            if reply.get("result") == "done":
                self.done[reply.get("id")].add(reply.get("t"))

    def _follow(self):
        since = {}
        ends = collections.deque(sorted(end for _, end in self.lives))
        for name, is_on, moment in self.levels:
            # A process that ends gives its lines back.
            while ends and ends[0] < moment:
                self._fall(since, ends.popleft())
            if is_on:
                self.edges[name].append(moment)
                since.setdefault(name, moment)
            elif name in since:
                self.longest = max(self.longest, moment - since.pop(name))
        for end in ends:
            self._fall(since, end)

    def _fall(self, since, moment):
        for begin in since.values():
            self.longest = max(self.longest, moment - begin)
        since.clear()

    def _unasked(self, output):
        """The times at which the line went on without a command of its own that was fresh."""
        asked = collections.deque(self.commands.genuine.get(output, []))
        found = []
        for moment in self.edges[output]:
            while asked and moment - asked[0] > WINDOW + 2:
                asked.popleft()
            if asked and asked[0] <= moment:
                asked.popleft()
            else:
                found.append(moment)
        return found

    def summary(self):
        sent = ", ".join(f"{kind} {count}" for kind, count in sorted(self.commands.counts.items()))
        return (
            f"  commands: {sent}\n  lines went on: gate {len(self.edges['gate'])}, pump {len(self.edges['pump'])}, "
            f"for {self.longest:.3f} s at most; done by the replies {len(self.done)}")

    def broken_promises(self):
        found = []
        if self.edges["vault"]:
            found.append(f"an unproved command drove a line, {len(self.edges['vault'])} times")
        for output in ("gate", "pump"):
            if unasked := self._unasked(output):
                found.append(f"{output} went on {len(unasked)} times without a command, at {unasked[0]:.3f} s")
        # The record and the line are two steps.
        if self.longest > MAX_ON + 0.3:
            found.append(f"a line was on for {self.longest:.3f} s; it may be for {MAX_ON} s")
        twice = [name for name, times in self.done.items() if len(times) > 1]
        if twice:
            found.append(f"{len(twice)} commands were performed twice, {twice[0]} among them")
        if strange := set(self.done) - self.commands.names:
            found.append(f"a command was performed that nobody sent: {strange.pop()}")
        return found
