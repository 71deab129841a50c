"""The life of a kiosk on one release of Debian, from `apt install` to purge. Each step continues from the last."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time

from guest import require, wait_for

WAITING = 10_000
SCORE_MAX = 1.5
STEPS = []


def step(function):
    STEPS.append(function)
    return function


def _seconds(since):
    return f"{time.monotonic() - since:.1f} s"


def _status(guest, *words):
    """The answer of a running kiosk; it ends with 1 where something is wrong."""
    answer = guest.attempt("tappet", "status", "--json", *words)
    data = json.loads(answer.stdout or "{}").get("data")
    require(data, f"tappet status: {answer.stderr}")
    return data


def _is_connected(guest):
    state = _status(guest)
    return all(state[part]["good"] for part in ("broker", "reader", "panel"))


def _simulate(guest, *words):
    return guest.run("tappet-sim", "ctl", "/run/sim/control", *words)


def _install(guest, *packages):
    return guest.run("apt-get", "install", "-y", "-q", "--no-install-recommends", *packages, seconds=300)


def _tap(world):
    """Holds the tag to the reader, and waits for its light and its message."""
    guest, broker = world.guest, world.broker
    before = sum(broker.payloads("home/light/set").values())
    _simulate(guest, "lights", "clear")
    _simulate(guest, "back")
    _simulate(guest, "lights", "wait", "delivered-by-tag", "10000")
    wait_for("the message", lambda: sum(broker.payloads("home/light/set").values()) == before + 1)
    _simulate(guest, "take")


@step
def installs_by_apt_from_the_signed_repository(world):
    guest, began = world.guest, time.monotonic()
    world.add_repository()
    require(world.repository.requested("/by-hash/"), "apt did not fetch the index by its hash")
    printed = _install(guest, f"tappet={world.version}", "tappet-sim")
    require("tappet init" in printed, "the package does not say how to go on")
    return _seconds(began)


@step
def an_unconfigured_service_is_skipped_and_has_not_failed(world):
    guest = world.guest
    guest.run("systemctl", "start", "tappet")
    unit = guest.show("tappet", "ConditionResult", "ActiveState", "UnitFileState")
    wanted = {"ConditionResult": "no", "ActiveState": "inactive", "UnitFileState": "enabled"}
    require(unit == wanted, f"the service is {unit}")
    require(guest.run("stat", "-c", "%U:%G %a", "/var/lib/tappet").strip() == "tappet:tappet 700", "the state's folder")
    for group in ("gpio", "i2c", "spi"):
        guest.run("getent", "group", group)
    require("pn533_usb" in open(guest.path("/etc/modprobe.d/blacklist-libnfc.conf")).read(),
            "the kernel's own driver takes USB readers")


@step
def init_sets_it_up_and_writes_a_tag(world):
    guest, broker = world.guest, world.broker
    guest.run("systemd-run", "--quiet", "--unit=sim", "-p", "User=tappet", "-p", "RuntimeDirectory=sim", "tappet-sim",
              "--link", "/run/sim/reader", "--control", "/run/sim/control", "--panel", "/run/sim/panel")
    wait_for("the simulator", lambda: guest.attempt(
        "tappet-sim", "ctl", "/run/sim/control", "panel").returncode == 0)
    for name in ("ca.pem", "client.pem", "client.key"):
        shutil.copy(f"{broker.pki}/{name}", guest.path("/var/tmp/" + name))
    _simulate(guest, "place", "ntag213", "empty")
    guest.run("tappet", "init", "--yes", "--preset", "mosquitto", "--url", f"mqtts://localhost:{broker.port}",
              "--ca", "/var/tmp/ca.pem", "--certificate", "/var/tmp/client.pem", "--private-key", "/var/tmp/client.key",
              "--reader", "pn532_uart:/run/sim/reader", "--panel-simulator", "/run/sim/panel", "--action", "light",
              "--topic", "home/light/set", "--message", "%I %T", "--timestamp-key", "new", "--write-tag")
    _simulate(guest, "take")


@step
def it_starts_and_is_ready_at_once(world):
    guest = world.guest
    guest.run("systemctl", "start", "tappet")
    unit = guest.show("tappet", "ActiveState", "ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    require(unit["ActiveState"] == "active", f"the service is {unit['ActiveState']}")
    times = [int(unit[name + "TimestampMonotonic"]) for name in ("ActiveEnter", "ExecMainStart")]
    ready = (times[0] - times[1]) / 1000
    wait_for("broker, reader and panel", lambda: _is_connected(guest))
    wait_for("its text", lambda: "ready" in guest.show("tappet", "StatusText")["StatusText"])
    return f"READY after {ready:.0f} ms"


@step
def the_clock_is_good_once_timesyncd_has_set_it(world):
    guest = world.guest
    require(not _status(guest)["clock"]["good"], "nobody has set the clock, and the kiosk trusts it")
    guest.run("systemd-run", "--quiet", "--wait", "install", "-D", "/dev/null", "/run/systemd/timesync/synchronized")
    wait_for("the clock", lambda: _status(guest)["clock"]["good"], 70)


@step
def a_tap_is_delivered_and_shown_and_logged(world):
    began = time.monotonic()
    _tap(world)
    log = world.guest.journal("-u", "tappet")
    require("event=tap-accepted" in log and "event=delivered" in log, f"the journal has\n{log[-1500:]}")
    require(not re.search(r"[0-9a-f]{64}", log), "a key is in the journal")
    return _seconds(began)


@step
def its_sandbox_holds(world):
    guest = world.guest
    printed = guest.run("systemd-analyze", "security", "tappet.service")
    score = float(re.search(r"Overall exposure level for tappet\S*: ([\d.]+)", printed)[1])
    require(score <= SCORE_MAX, f"systemd-analyze says {score}")
    pid = guest.show("tappet", "MainPID")["MainPID"]
    inside = ["nsenter", "--target", pid, "--mount", "sh", "-c"]
    writable = guest.run(*inside, "for f in / /sys/devices /proc/sys /var/lib/tappet /etc; do "
                         "printf '%s ' $f; findmnt -no VFS-OPTIONS --target $f | tail -n 1 | cut -d , -f 1; done")
    wanted = {"/": "ro", "/sys/devices": "rw", "/proc/sys": "ro", "/var/lib/tappet": "rw", "/etc": "ro"}
    found = dict(line.split() for line in writable.splitlines())
    require(found == wanted, f"in the service's view: {found}")
    return f"exposure {score}"


@step
def check_finds_nothing_wrong(world):
    guest = world.guest
    done = guest.attempt("tappet", "check", "--running")
    require(done.returncode == 0, done.stdout + done.stderr)


@step
def it_comes_back_after_a_restart_and_a_kill(world):
    guest = world.guest
    guest.run("systemctl", "restart", "tappet")
    wait_for("broker, reader and panel", lambda: _is_connected(guest))
    _tap(world)
    guest.run("systemctl", "kill", "--signal=KILL", "tappet")
    wait_for("the restart", lambda: guest.show("tappet", "NRestarts", "ActiveState") == {
        "NRestarts": "1", "ActiveState": "active"})
    wait_for("broker, reader and panel", lambda: _is_connected(guest))
    _tap(world)


def _fill(database, count):
    """Fills the outbox as a long time without a broker does."""
    database = sqlite3.connect(database)
    (boot,) = database.execute("SELECT max(number) FROM boots").fetchone()
    far = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + 86_400 * 10**9
    now = int(time.time() * 1000)
    entries = ((os.urandom(16), now, boot, far + number) for number in range(count))
    with database:
        database.executemany(
            "INSERT INTO outbox SELECT 0, last + 1, ?, 'light', 'home/queue', x'2549', 0, 2, 0, ?, ?, ?, 0"
            " FROM outbox_totals WHERE destination = 0", entries)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


@step
def an_upgrade_loses_no_entry_that_waits_and_sends_none_twice(world):
    guest, broker = world.guest, world.broker
    broker.stop()
    guest.run("systemctl", "stop", "tappet")
    _fill(guest.path("/var/lib/tappet/tappet.db"), WAITING)
    guest.run("chown", "-R", "tappet:tappet", "/var/lib/tappet")
    guest.run("systemctl", "start", "tappet")
    require(_status(guest)["outbox"] == WAITING, f"{_status(guest)['outbox']} entries wait")
    before = guest.show("tappet", "MainPID")
    began = time.monotonic()
    _install(guest, "tappet")
    took = _seconds(began)
    require(guest.run("dpkg-query", "-W", "-f", "${Version}", "tappet") == world.newer, "apt did not upgrade it")
    wait_for("the restart", lambda: guest.show("tappet", "ActiveState")["ActiveState"] == "active")
    require(guest.show("tappet", "MainPID") != before, "the old program still runs")
    require(_status(guest)["outbox"] == WAITING, "an entry was lost by the upgrade")
    broker.start()
    # Stopped in the middle of the delivery, too.
    wait_for("the first entries", lambda: len(broker.payloads("home/queue")) > WAITING // 10, 90)
    guest.run("systemctl", "restart", "tappet")
    wait_for("all entries", lambda: len(broker.payloads("home/queue")) == WAITING, 90)
    wait_for("an empty outbox", lambda: _status(guest)["outbox"] == 0)
    twice = sum(count - 1 for count in broker.payloads("home/queue").values())
    require(twice == 0, f"{twice} entries arrived twice")
    # A panel that does not read as fast as entries are delivered is lost for a second.
    wait_for("broker, reader and panel", lambda: _is_connected(guest))
    _tap(world)
    return f"upgrade {took}"


@step
def a_downgrade_is_refused_with_a_sentence(world):
    guest = world.guest
    done = guest.attempt("apt-get", "install", "-y", "-q", "--allow-downgrades", f"tappet={world.version}")
    require(done.returncode != 0 and "may not be able to read its database" in done.stdout + done.stderr,
            f"it was accepted:\n{done.stdout[-800:]}{done.stderr[-800:]}")
    state = guest.run("dpkg-query", "-W", "-f", "${Version} ${Status}", "tappet")
    require(state == f"{world.newer} install ok installed", f"the newer package is {state}")
    wait_for("the service", lambda: guest.show("tappet", "ActiveState")["ActiveState"] == "active")


@step
def several_kiosks_run_side_by_side(world):
    guest = world.guest
    text = open(guest.path("/etc/tappet/kiosk.yaml")).read()
    text += "\nstate: /var/lib/tappet-second\n"
    text = re.sub(r"client_id: \S+", "client_id: second", text).replace("pn532_uart:/run/sim/reader", "pn532_uart:/x")
    guest.write("/etc/tappet/second.yaml", re.sub(r"(?m)^panel:.*\n(  .*\n)*", "", text))
    guest.run("systemctl", "start", "tappet@second")
    require(guest.show("tappet@second", "ActiveState")["ActiveState"] == "active", "the second kiosk does not run")
    second = _status(guest, "--config", "/etc/tappet/second.yaml")
    require(second["client_id"] == "second" and _status(guest)["client_id"] != "second", "both are the same kiosk")


@step
def the_python_module_finds_the_library(world):
    guest = world.guest
    _install(guest, "python3-tappet")
    program = ("import tappet; url = tappet.sign_url(0, 1767168000, bytes(31) + b'\\1'); "
               "print(tappet.verify_url(url, [bytes(31) + b'\\1']).key_index)")
    require(guest.run("python3", "-c", program).strip() == "0", "it does not verify what it signed")


@step
def removal_stops_it_and_keeps_what_is_its_owners(world):
    guest = world.guest
    guest.run("apt-get", "remove", "-y", "-q", "tappet")
    left = guest.run("systemctl", "list-units", "--no-legend", "--state=active", "tappet*.service").strip()
    require(not left, f"still running: {left}")
    for name in ("/etc/tappet/kiosk.yaml", "/var/lib/tappet/tappet.db"):
        require(os.path.exists(guest.path(name)), f"{name} is gone")


@step
def purge_leaves_nothing(world):
    guest = world.guest
    guest.run("apt-get", "purge", "-y", "-q", "tappet")
    for name in ("/etc/tappet", "/var/lib/tappet", "/var/lib/tappet-second", "/usr/share/tappet",
                 "/etc/systemd/system/multi-user.target.wants/tappet.service"):
        require(not os.path.lexists(guest.path(name)), f"{name} is still there")


def newer(package, folder, version):
    """A copy of a package with a higher version."""
    tree = os.path.join(folder, "newer")
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = os.path.join(tree, "DEBIAN")
    for name in ("control", "preinst"):
        with open(os.path.join(control, name)) as file:
            text = file.read()
        old = re.search(r"_([^_]+)_", os.path.basename(package))[1]
        with open(os.path.join(control, name), "w") as file:
            file.write(text.replace(old, version))
    made = os.path.join(folder, f"tappet_{version}_amd64.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, made], check=True, capture_output=True)
    return made
