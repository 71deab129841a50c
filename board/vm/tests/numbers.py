"""The numbers that are promised: idleness, rhythm under load, and the way from an edge to the broker."""
import statistics
import time

from virtualboard import rhythm
from virtualboard.kiosk import CONFIG, HOME
from virtualboard.suite import require, test
from virtualboard.waiting import until

from .panel import ACTIONS, FRONT, PANEL, STATUS, now, press, ready, start

IDLE_SECONDS = 15
SWITCHES_MAX = 0.2
LATENCY_RATIO_WANTED = 1.5
LATENCY_RATIO_MAX = 2  # Beyond this something is broken; what is below depends on how busy this machine is, too.
PRESSES = 75


def switches(world):
    """Context switches of all threads of the kiosk so far; the reader is a process of its own."""
    output = world.machine.agent.sh("cat /proc/$(cat /run/kiosk.pid)/task/*/status")
    return sum(int(line.split()[1]) for line in output.splitlines() if "ctxt_switches" in line)


def switches_each_second(world):
    time.sleep(3)  # What starting and asking have set going comes to rest.
    first, began = switches(world), now(world)
    time.sleep(IDLE_SECONDS)
    return (switches(world) - first) / (now(world) - began)


@test("Debian 12", "an idle panel wakes nobody")
def idles(world):
    world.kiosk.run_with("", ACTIONS, is_anew=True)
    without = switches_each_second(world)
    ready(world)
    with_panel = switches_each_second(world)
    said = f"{with_panel:.2f} context switches a second, {without:.2f} without a panel"
    require(with_panel - without <= SWITCHES_MAX, said)
    return said


@test("Debian 12", "the rhythm holds while names do not resolve, TLS fails and the disk syncs")
def holds_rhythm(world):
    agent = world.machine.agent
    two = CONFIG.replace("url: mqtts://broker.board:8883", "url: [mqtts://broker.board:8883, mqtts://nowhere.example:8883]")
    chip = ready(world)
    world.kiosk.stop()
    agent.write(f"{HOME}/kiosk.yaml", two + PANEL + ACTIONS)
    world.kiosk.running = None
    world.stop_broker()
    world.kiosk.start()
    world.kiosk.await_light("offline")
    agent.sh("(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do dd if=/dev/zero of=/data/load bs=64k count=16 conv=fsync; sleep 0.3; done) "
             ">/dev/null 2>&1 & probe metronome 14 >/run/late & true")
    since = now(world)
    for _ in range(5):
        time.sleep(1.8)
        press(chip, FRONT)
    time.sleep(4)
    changes = chip.changes(STATUS, since)
    late = agent.sh("sleep 2; cat /run/late; rm -f /data/load")
    log = world.kiosk.log()
    world.start_broker()
    require("nowhere.example" in log, "the name was never asked for")
    return rhythm.judge(changes, "offline", 5, late)


def median_and_p99(values):
    return statistics.median(values), sorted(values)[int(len(values) * 0.99) - 1]


def compare(world, ways):
    """Presses by turns; `ways`: {name: (press down, let go, topic)}. The latencies in ms of each, both ends by this machine's clock."""
    found = {name: [] for name in ways}
    for turn in range(PRESSES + 5):
        for name, (down, up, topic) in ways.items():
            seen = world.witness.count(topic)
            pressed = down()
            until(f"{name}'s message", lambda: world.witness.count(topic) > seen, pause=0.001)
            if turn >= 5:
                found[name].append((world.witness.of(topic)[seen][0] - pressed) / 1e6)
            up()
            time.sleep(0.05)
    return found


def start_probe(world, name, offset, storage=""):
    """The C program on a line of its own; its messages come on board/NAME. `storage`: see programs/probe.c."""
    certificates = " ".join(f"{HOME}/pki/{file}" for file in ("ca.pem", "client.pem", "client.key"))
    agent, words = world.machine.agent, f"/dev/gpiochip0 {offset} 8883 broker.board"
    agent.sh(f"probe press {words} {certificates} board/{name} {storage} >/run/{name} 2>&1 & echo $! >>/run/probes")
    until("the C program", lambda: "ready" in agent.sh(f"cat /run/{name}"), pause=0.1)


@test("PL061", "edge to PUBLISH, beside C programs that store it first and one that does not")
def latency(world):
    lines = start_pl061(world)
    world.kiosk.stop()
    world.kiosk.start(is_traced=False)
    start_probe(world, "bare", BARE)
    start_probe(world, "page", PAGE, "page /data/probe.page")
    start_probe(world, "sqlite", STORING, "sqlite /data/probe.db")

    def way(line, topic):
        return (lambda: lines.set(line, False), lambda: lines.set(line, True), f"board/{topic}")

    buttons = {"tappet": (BUTTON, "light"), "sqlite": (STORING, "sqlite"), "page": (PAGE, "page"), "bare": (BARE, "bare")}
    found = compare(world, {name: way(*where) for name, where in buttons.items()})
    world.machine.agent.sh("kill $(cat /run/probes)")
    medians = {name: median_and_p99(values)[0] for name, values in found.items()}
    ours, theirs, bare = medians["tappet"], medians["sqlite"], medians["bare"]

    def tell(name):
        median, p99 = median_and_p99(found[name])
        return f"{median:.2f} ms (p99 {p99:.2f})"

    said = (f"{tell('tappet')}; a C program that commits to SQLite first {tell('sqlite')}: {ours / theirs:.2f}×; one that does not {tell('bare')}: "
            f"{ours / bare:.2f}×, wanted: {LATENCY_RATIO_WANTED}×; one that overwrites and syncs a page first, the least that a promise "
            f"costs, {tell('page')}: {medians['page'] / bare:.2f}×")
    require(ours <= LATENCY_RATIO_MAX * theirs, said)
    return said


from .pl061 import BARE, BUTTON, PAGE, STORING, start_pl061  # noqa: E402
