"""The promised figures: idleness, rhythm under load, and the time from an edge to the broker."""
import statistics

from virtualboard import rhythm
from virtualboard.kiosk import CONFIG, HOME
from virtualboard.suite import figure, require, test
from virtualboard.waiting import pass_time, until

from .panel import ACTIONS, FRONT, PANEL, STATUS, now, press, ready, start

IDLE_SECONDS = 15
SWITCHES_MAX = 0.2
LATENCY_RATIO_WANTED = 1.5
LATENCY_RATIO_MAX = 2  # Above this something is broken; below, it also depends on how busy this machine is.
PRESSES = 75


def switches(world):
    """Context switches of all threads of the kiosk; the reader is a process of its own."""
    output = world.machine.agent.sh("cat /proc/$(cat /run/kiosk.pid)/task/*/status")
    return sum(int(line.split()[1]) for line in output.splitlines() if "ctxt_switches" in line)


def switches_each_second(world):
    pass_time(3)  # The work of starting and asking comes to its end.
    first, began = switches(world), now(world)
    pass_time(IDLE_SECONDS)
    return (switches(world) - first) / (now(world) - began)


@test("Debian 12", "an idle panel wakes nobody")
def idles(world):
    world.kiosk.run_with("", ACTIONS, is_fresh=True)
    without = switches_each_second(world)
    ready(world)
    with_panel = switches_each_second(world)
    figure("context switches a second of an idle kiosk with a panel, and without", f"{with_panel:.2f}",
           f"{without:.2f}", wanted=f"at most {SWITCHES_MAX} more", is_met=with_panel - without <= SWITCHES_MAX)
    said = f"{with_panel:.2f} context switches a second, {without:.2f} without a panel"
    require(with_panel - without <= SWITCHES_MAX, said)
    return said


@test("Debian 12", "the rhythm holds while names do not resolve, TLS fails and the disk syncs")
def holds_rhythm(world):
    agent = world.machine.agent
    one, other = "mqtts://broker.board:8883", "mqtts://nowhere.example:8883"
    two = CONFIG.replace(f"url: {one}", f"url: [{one}, {other}]")
    chip = ready(world)
    world.kiosk.stop()
    agent.write(f"{HOME}/kiosk.yaml", two + PANEL + ACTIONS)
    world.kiosk.running = None
    world.stop_broker()
    world.kiosk.start()
    world.kiosk.await_light("offline")
    try:
        # The machine may be busy for a moment; a kiosk that cannot keep the rhythm fails each time.
        for _ in range(2):
            try:
                return measure_rhythm(world, chip)
            except AssertionError:
                pass
        return measure_rhythm(world, chip)
    finally:
        world.start_broker()


def measure_rhythm(world, chip):
    """Presses the button while the disk is busy; returns what the rhythm of the status LED was like."""
    agent = world.machine.agent
    agent.sh("(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do dd if=/dev/zero of=/data/load bs=64k count=16 conv=fsync; "
             "sleep 0.3; done) >/dev/null 2>&1 & probe metronome 14 >/run/late & true")
    since = now(world)
    for _ in range(5):
        pass_time(1.8)
        press(chip, FRONT)
    pass_time(4)
    changes = chip.changes(STATUS, since)
    late = agent.sh("sleep 2; cat /run/late; rm -f /data/load")
    require("nowhere.example" in world.kiosk.log(), "the name was never asked for")
    return rhythm.judge(changes, "offline", 5, late)


def median_and_p99(values):
    return statistics.median(values), sorted(values)[int(len(values) * 0.99) - 1]


def compare(world, ways):
    """Presses in turns: `ways` is {name: (press down, release, topic)}. Returns each one's latencies in ms."""
    found = {name: [] for name in ways}
    for turn in range(PRESSES + 5):
        for name, (down, up, topic) in ways.items():
            seen = world.witness.count(topic)
            pressed = down()
            until(f"{name}'s message", lambda: world.witness.count(topic) > seen, pause=0.001)
            if turn >= 5:
                found[name].append((world.witness.of(topic)[seen][0] - pressed) / 1e6)
            up()
            pass_time(0.05)
    return found


def start_probe(world, name, offset, storage=""):
    """Starts the C program on a line of its own, with the topic board/NAME. `storage`: see programs/probe.c."""
    certificates = " ".join(f"{HOME}/pki/{file}" for file in ("ca.pem", "client.pem", "client.key"))
    agent, words = world.machine.agent, f"/dev/gpiochip0 {offset} 8883 broker.board"
    agent.sh(f"probe press {words} {certificates} board/{name} {storage} >/run/{name} 2>&1 & echo $! >>/run/probes")
    until("the C program", lambda: "ready" in agent.sh(f"cat /run/{name}"), pause=0.1)


@test("PL061", "edge to PUBLISH, against C programs that store it first and one that does not")
def latency(world):
    lines = start_pl061(world)
    world.kiosk.stop()
    world.kiosk.start(is_traced=False)
    start_probe(world, "bare", BARE)
    start_probe(world, "page", PAGE, "page /data/probe.page")
    start_probe(world, "sqlite", STORING, "sqlite /data/probe.db")

    def way(line, topic):
        return (lambda: lines.set(line, False), lambda: lines.set(line, True), f"board/{topic}")

    buttons = {"tappet": (BUTTON, "light"), "sqlite": (STORING, "sqlite"), "page": (PAGE, "page"),
               "bare": (BARE, "bare")}
    found = compare(world, {name: way(*where) for name, where in buttons.items()})
    world.machine.agent.sh("kill $(cat /run/probes)")
    medians = {name: median_and_p99(values)[0] for name, values in found.items()}
    ours, theirs, bare = medians["tappet"], medians["sqlite"], medians["bare"]

    def tell(name):
        median, p99 = median_and_p99(found[name])
        return f"{median:.2f} ms (p99 {p99:.2f})"

    what = "a button's edge to the message at the broker, median; the C program "
    for name, does, *wanted in (
            ("sqlite", "commits it to SQLite first", f"at most {LATENCY_RATIO_MAX}"),
            ("page", "overwrites and syncs a page of a file first, the least that a promise costs"),
            ("bare", "stores nothing")):
        figure(what + does, f"{ours:.2f} ms", f"{medians[name]:.2f} ms", f"{ours / medians[name]:.2f}", *wanted,
               is_met=ours <= LATENCY_RATIO_MAX * theirs if wanted else None)
    said = (f"{tell('tappet')}; a C program that commits to SQLite first {tell('sqlite')}: {ours / theirs:.2f}×; "
            f"one that does not {tell('bare')}: {ours / bare:.2f}×, wanted: {LATENCY_RATIO_WANTED}×; "
            f"one that overwrites and syncs a page first, the least that a promise costs, {tell('page')}: "
            f"{medians['page'] / bare:.2f}×")
    require(ours <= LATENCY_RATIO_MAX * theirs, said)
    return said


from .pl061 import BARE, BUTTON, PAGE, STORING, start_pl061  # noqa: E402
