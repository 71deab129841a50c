"""Figures of the service on a booted Debian 12: its start, memory, processor time and idleness. Beside it, with the
same broker and a reader of their own: mosquitto_sub, and mqtt-io (PyPI) with nfcpy, which publishes a tag's UID."""
import glob
import hashlib
import hmac
import os
import shutil
import statistics
import sys
import time

from guest import require, wait_for
from roots import ROOT

sys.path.insert(0, os.path.join(ROOT, "Tests/Benchmarks"))
from parts import measure_for  # noqa: E402
from rows import Rows  # noqa: E402

STARTS, TAPS, IDLE_SECONDS, TAP_SECONDS = 10, 100, 30, 0.5
READY_MILLISECONDS_MAX = 150
SECRET = bytes(31) + b"\1"
# Debian 12's Python.
LIBRARY = os.path.join(ROOT, ".build-python/lib/python3.11/site-packages")
EXPLANATION = (
    "The package's own unit on Debian 12, booted in systemd-nspawn, with mutual TLS to mosquitto and a simulated "
    "reader with realistic transmission times. mqtt-io {} with nfcpy {}, in the same container and environment, only "
    "publishes the UIDs of tags; it does not read, verify or store anything.")
CONFIG = """broker: {{url: "mqtts://localhost:{port}", client_id: figures, ca: pki/ca.pem, certificate: pki/client.pem,
  private_key: pki/client.key}}
reader: {{device: "pn532_uart:/run/sim-tappet/reader"}}
clock: trust
state: /var/lib/tappet
control: /run/tappet/control
actions: [{{name: light, topic: figures/tappet, message: 'toggle %I', cooldown: 0 s}}]
"""
OTHER = """mqtt: {{host: localhost, port: {port}, client_id: mqtt-io, topic_prefix: figures, tls: {{enabled: yes,
  ca_certs: /etc/tappet/pki/ca.pem, certfile: /etc/tappet/pki/client.pem, keyfile: /etc/tappet/pki/client.key}}}}
stream_modules: [{{name: nfc, module: pn532, device: "tty:nfc:pn532", read_interval: 0.2, cleanup: no}}]
"""


def _simulator(guest, name):
    """Starts a reader in the guest; its control socket is in /run/sim-NAME."""
    folder = f"/run/sim-{name}"
    guest.run("systemd-run", "--quiet", f"--unit=sim-{name}", "-p", "User=tappet", "-p", f"RuntimeDirectory=sim-{name}",
              "tappet-sim", "--link", f"{folder}/reader", "--control", f"{folder}/control")
    wait_for("the simulator", lambda: guest.attempt(
        "tappet-sim", "ctl", f"{folder}/control", "panel").returncode == 0)


def _prepare(world):
    guest, broker = world.guest, world.broker
    world.add_repository()
    guest.run("apt-get", "install", "-y", "-q", "--no-install-recommends", f"tappet={world.version}", "tappet-sim",
              "mosquitto-clients", "python3", seconds=300)
    shutil.copytree(broker.pki, guest.path("/etc/tappet/pki"))
    guest.write("/etc/tappet/kiosk.yaml", CONFIG.format(port=broker.port))
    guest.write("/etc/mqtt-io.yaml", OTHER.format(port=broker.port))
    guest.write("/var/tmp/share", f"smpshare://secret?idx=0&key={SECRET.hex()}&label=Figures\n", 0o600)
    guest.run("chown", "-R", "tappet:tappet", "/etc/tappet", "/var/tmp/share")
    guest.run("runuser", "-u", "tappet", "--", "tappet", "secret", "import", "--file", "/var/tmp/share")
    shutil.copytree(LIBRARY, guest.path("/opt/python"))
    for name in ("tappet", "mqtt-io"):
        _simulator(guest, name)
    # nfcpy takes names in /dev only, and wakes a chip with bytes that the simulated one does not take for a wake-up.
    guest.run("sh", "-c", "ln -s /run/sim-mqtt-io/reader /dev/nfc; stty -F /dev/nfc raw -echo; printf UUUU >/dev/nfc")


def _event(guest, unit, text):
    """When the unit's newest start has logged the text, in µs of the guest's monotonic clock; None until it has."""
    invocation = guest.show(unit, "InvocationID")["InvocationID"]
    lines = guest.run("journalctl", "--quiet", "--output=short-monotonic", f"_SYSTEMD_INVOCATION_ID={invocation}")
    found = [line for line in lines.splitlines() if text in line]
    return int(float(found[0].split("]")[0].strip("[ ")) * 1e6) if found else None


def _start_times(guest, unit, command, text):
    """Starts a unit with a command. Returns the ms to its being active, and to the text in its log."""
    guest.run(*command)
    logged = wait_for(f"'{text}' of {unit}", lambda: _event(guest, unit, text))
    began, active = (int(guest.show(unit, name)[name]) for name in (
        "InactiveExitTimestampMonotonic", "ActiveEnterTimestampMonotonic"))
    return (active - began) / 1000, (logged - began) / 1000


def _subscribed(guest, port):
    """The ms that mosquitto_sub takes from its unit's start until the broker has acknowledged the subscription."""
    pki = "/etc/tappet/pki/"
    guest.run("systemd-run", "--quiet", "--unit=subscriber", "--remain-after-exit", "mosquitto_sub", "-h", "localhost",
              "-p", str(port), "--cafile", pki + "ca.pem", "--cert", pki + "client.pem", "--key", pki + "client.key",
              "-i", "subscriber", "-t", "nothing", "-E")
    names = ("InactiveExitTimestampMonotonic", "ExecMainExitTimestampMonotonic")
    wait_for("SUBACK", lambda: guest.show("subscriber", names[1])[names[1]] != "0")
    began, ended = (int(guest.show("subscriber", name)[name]) for name in names)
    guest.run("systemctl", "stop", "subscriber")
    return (ended - began) / 1000


class Contender:
    """One of the two programs, with its reader."""

    def __init__(self, world, unit, name, topic):
        self.world, self.unit, self.name, self.topic, self.taps = world, unit, name, topic, 0
        main = world.guest.show(unit, "MainPID")["MainPID"]
        self.proc = f"/proc/{world.guest.init}/root/proc"
        with open(f"{self.proc}/{main}/task/{main}/children") as file:
            self.pids = [main, *file.read().split()]

    def _sum(self, file, name):
        """The sum of a field of all threads or processes."""
        return sum(int(line.split()[1]) for line in open(file) if line.startswith(name))

    def memory(self):
        """Resident memory of each process, and the proportional memory of all, in KB."""
        resident = [self._sum(f"{self.proc}/{pid}/status", "VmRSS:") for pid in self.pids]
        return resident, sum(self._sum(f"{self.proc}/{pid}/smaps_rollup", "Pss:") for pid in self.pids)

    def switches(self):
        return sum(self._sum(f"{self.proc}/{pid}/task/{task}/status", kind)
                   for pid in self.pids for task in os.listdir(f"{self.proc}/{pid}/task")
                   for kind in ("voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"))

    def processor_seconds(self):
        ticks = 0
        for pid in self.pids:
            with open(f"{self.proc}/{pid}/stat") as file:
                ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def idle_switches(self):
        """Context switches a second of all its threads, while nothing happens."""
        first, began = self.switches(), time.monotonic()
        measure_for(IDLE_SECONDS)
        return (self.switches() - first) / (time.monotonic() - began)

    def tap(self, url):
        """Holds a new tag to its reader until the message arrives."""
        began, guest = time.monotonic(), self.world.guest
        control = f"/run/sim-{self.name}/control"
        seen = sum(self.world.broker.payloads(self.topic).values())
        self.taps += 1
        guest.run("tappet-sim", "ctl", control, "place", "ntag213", f"uid=04b1b2{self.taps:08x}", f"url={url}")
        wait_for("the message", lambda: sum(self.world.broker.payloads(self.topic).values()) > seen)
        guest.run("tappet-sim", "ctl", control, "take")
        measure_for(max(0, began + TAP_SECONDS - time.monotonic()))

    def seconds_for_1000_taps(self, url):
        self.tap(url)
        first = self.processor_seconds()
        for _ in range(TAPS):
            self.tap(url)
        return (self.processor_seconds() - first) * 1000 / TAPS


def measure(world):
    """Measures everything, and returns the exit status."""
    _prepare(world)
    guest, port = world.guest, world.broker.port
    starts = [_start_times(guest, "tappet", ["systemctl", "restart", "tappet"], "event=broker-connected")
              for _ in range(STARTS)]
    subscribed = statistics.median(_subscribed(guest, port) for _ in range(STARTS))
    ready, connected = (statistics.median(times) for times in zip(*starts))
    other = ["systemd-run", "--quiet", "--unit=mqtt-io", "-p", "Environment=PYTHONPATH=/opt/python", "python3", "-m",
             "mqtt_io", "/etc/mqtt-io.yaml"]
    _, connected_other = _start_times(guest, "mqtt-io", other, "Connected to MQTT")
    wait_for("the reader", lambda: guest.attempt("tappet", "check", "--running").returncode == 0)
    signed = f"idx=0&ts={int(time.time())}"
    url = f"smp://action?{signed}&sig={hmac.new(SECRET, signed.encode(), hashlib.sha256).hexdigest()}"
    tappet = Contender(world, "tappet", "tappet", "figures/tappet")
    mqtt_io = Contender(world, "mqtt-io", "mqtt-io", "figures/stream/nfc")
    require(len(tappet.pids) == 2, "tappet-reader does not run")
    seconds = [each.seconds_for_1000_taps(url) for each in (tappet, mqtt_io)]
    switches = [each.idle_switches() for each in (tappet, mqtt_io)]
    ((kiosk, reader), ours), ((python, *_), theirs) = tappet.memory(), mqtt_io.memory()

    versions = (_version("mqtt_io"), _version("nfcpy"))
    rows = Rows("The service in a container", EXPLANATION.format(*versions))
    rows.add(f"from `systemctl start` to READY, median of {STARTS}", f"{ready:.0f} ms",
             wanted=f"at most {READY_MILLISECONDS_MAX} ms", is_met=ready <= READY_MILLISECONDS_MAX)
    rows.add(f"from the start to CONNACK, median of {STARTS}; mosquitto_sub to SUBACK", f"{connected:.0f} ms",
             f"{subscribed:.0f} ms", f"{connected / subscribed:.2f}")
    rows.add("from the start to CONNACK; mqtt-io", f"{connected:.0f} ms", f"{connected_other:.0f} ms",
             f"{connected / connected_other:.2f}")
    rows.add("resident memory, tappet and tappet-reader; mqtt-io", f"{kiosk:,} + {reader:,} KB", f"{python:,} KB",
             f"{(kiosk + reader) / python:.2f}")
    rows.add("proportional memory, tappet and tappet-reader; mqtt-io", f"{ours:,} KB", f"{theirs:,} KB",
             f"{ours / theirs:.2f}")
    rows.add("processor time for 1,000 taps, two a second; mqtt-io", f"{seconds[0]:.1f} s", f"{seconds[1]:.1f} s",
             f"{seconds[0] / seconds[1]:.2f}")
    rows.add("context switches in an idle second, all processes; mqtt-io", f"{switches[0]:.1f}", f"{switches[1]:.1f}",
             f"{switches[0] / switches[1]:.2f}")
    return rows.status()


def _version(package):
    """The version of a Python package there, by the name of its folder."""
    (found,) = glob.glob(os.path.join(LIBRARY, package + "-*.dist-info"))
    return os.path.basename(found).removeprefix(package + "-").removesuffix(".dist-info")


def missing():
    """A sentence about what is missing to measure; None if nothing is."""
    library = os.path.join(LIBRARY, "{}")
    if all(os.path.exists(library.format(name)) for name in ("mqtt_io", "nfc")):
        return None
    return "no mqtt-io and nfcpy in .build-python: run `make deps-test`"
