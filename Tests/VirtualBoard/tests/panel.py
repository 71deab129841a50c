"""Buttons and lights on the kernel's GPIO simulator, pulled and watched from outside the program."""
import time

from virtualboard import rhythm
from virtualboard.simchip import SimulatedChip
from virtualboard.suite import Skip, require, test
from virtualboard.waiting import pass_time, until

from .taps import on_each, tap

STATUS, RESULT, FRONT, BELL, SPARE = 17, 27, 5, 6, 26

# One line by its name, one by its pin (13 is GPIO27), one by chip and offset.
PANEL = """\
panel:
  profile: raspberry-pi
  leds: {status: GPIO17, result: {pin: 13}}
  buttons:
    - {name: front, line: GPIO5, press: light}
    - {name: bell, offset: 6, chip: pinctrl-bcm2835, hold: {action: scene, after: 800 ms}, double: bell}
"""
ACTIONS = """\
actions:
  - {name: garage, title: Open the garage, topic: board/garage, message: 'open %I', cooldown: 0 s}
  - {name: light, title: Light, topic: board/light, message: 'light %I', cooldown: 0 s}
  - {name: scene, title: Scene, topic: board/scene, message: 'scene %I', cooldown: 0 s}
  - {name: bell, title: Bell, topic: board/bell, message: 'bell %I', cooldown: 0 s}
"""
UNLOCKING = ACTIONS.replace("message: 'open %I',", "message: 'open %I', unlock: true,")


def wire(world):
    """The chip, made once for each boot, with its buttons released."""
    if world.chip is None:
        world.chip = SimulatedChip(world.machine.agent, world.machine.edges)
    for button in (FRONT, BELL, SPARE):
        world.chip.pull(button, True)
    return world.chip


def start(world, panel=PANEL, actions=ACTIONS, is_fresh=True):
    """Starts a kiosk with that panel."""
    chip = wire(world)
    world.kiosk.run_with(panel, actions, is_fresh)
    return chip


def ready(world):
    """Makes sure that a kiosk with the panel above runs, and that nothing is wrong."""
    chip = start(world, is_fresh=False)
    until("everything to be up", lambda: world.kiosk.tool("status")[0] == 0, pause=0.1)
    return chip


def now(world):
    """The guest's CLOCK_BOOTTIME in s, which is also the tracepoint's."""
    return float(world.machine.agent.sh("cat /proc/uptime").split()[0])


def press(chip, button, held_ms=60):
    """A person's press: down, and up again after `held_ms`."""
    chip.pull(button, False)
    pass_time(held_ms / 1000)
    chip.pull(button, True)


def expect(world, topic, count=1):
    """Waits until `count` messages have come since `mark`."""
    until(f"{count} messages on {topic}", lambda: world.witness.count(topic) >= world.seen[topic] + count)


def mark(world):
    topics = ("board/garage", "board/light", "board/scene", "board/bell")
    world.seen = {topic: world.witness.count(topic) for topic in topics}


def settle(world, **wanted):
    """Requires that exactly these messages came since `mark`, by the last part of their topic."""
    for name, count in wanted.items():
        expect(world, f"board/{name}", count)
    world.witness.fence()
    found = {topic[6:]: world.witness.count(topic) - seen for topic, seen in world.seen.items()}
    require({name: count for name, count in found.items() if count} == wanted, f"{found} instead of {wanted}")


@on_each("'tappet check' takes the panel's lines and draws the header")
def check_draws(world):
    start(world)
    world.kiosk.stop()
    status, output = world.kiosk.tool("check")
    require(status == 0, f"'tappet check' ended with {status}:\n{output}")
    rows = [line for line in output.splitlines() if "GPIO17" in line]
    require(any("status" in line for line in rows) and "front" in output and "bell" in output, f"no header:\n{output}")


# The kiosk's own work, like the next test: one release is enough.
@test("Debian 12", "a label that two chips have is not guessed")
def twins(world):
    start(world)
    world.kiosk.stop()
    twin = SimulatedChip(world.machine.agent, world.machine.edges, lines=8, names={}, name="twin")
    status, output = world.kiosk.tool("check")
    twin.unplug()
    require(status == 1 and "2 GPIO chips are labelled 'pinctrl-bcm2835'" in output, f"{status}:\n{output}")
    status, output = world.kiosk.tool("check")
    require(status == 0, f"without the twin 'tappet check' ended with {status}:\n{output}")


@test("Debian 12", "a user who may not open the chip learns what to do")
def denied(world):
    start(world)
    world.kiosk.stop()
    # The folder belongs to the user; only the chip does not.
    agent = world.machine.agent
    agent.sh("rm -rf /tmp/visitor && cp -r /data/kiosk /tmp/visitor && chown -R nobody /tmp/visitor")
    command = "tappet check --config /tmp/visitor/kiosk.yaml"
    status, output = agent.run(f"su nobody -c '{command}'")
    require(status == 1 and "this user is not allowed to open /dev/gpiochip" in output, f"{status}:\n{output}")
    require("add the user to the group gpio" in output, output)


@on_each("a press becomes a message")
def presses(world):
    chip = ready(world)
    mark(world)
    press(chip, FRONT)
    settle(world, light=1)
    world.kiosk.await_light("delivered-by-button")


@on_each("hold and double press are told apart")
def gestures(world):
    chip = ready(world)
    mark(world)
    press(chip, BELL, 1100)
    settle(world, scene=1)

    def is_quick():
        pass_time(0.5)  # The button rests, as before any press of a person's: no gesture is open.
        mark(world)
        return chip.train(BELL, [False, True, False, True], 60) < 150

    # Two presses that this machine drew apart, beyond the 400 ms, are rightly none.
    until("two presses close together", is_quick)
    settle(world, bell=1)
    mark(world)
    press(chip, BELL)  # A single press is neither.
    press(chip, FRONT)
    settle(world, light=1)


@on_each("the LEDs play their rhythms for a tag and for a button")
def plays(world):
    chip = ready(world)
    told = []
    for name, act in (("delivered-by-tag", lambda: tap(world)), ("delivered-by-button", lambda: press(chip, FRONT))):
        pass_time(2)
        since = now(world)
        act()
        pass_time(3)
        told.append(f"{name} {rhythm.find_moment(chip.changes(RESULT, since), name):.1f} ms off")
    require(chip.value(STATUS), "the status LED is not steady though everything is up")
    return "; ".join(told)


@on_each("broker away: the LED says so, a press waits, and goes when it is back")
def offline(world):
    chip = ready(world)
    mark(world)
    world.stop_broker()
    world.kiosk.await_light("offline")
    since = now(world)
    press(chip, FRONT)
    world.kiosk.await_light("queued")
    pass_time(7)
    queued = rhythm.find_moment(chip.changes(RESULT, since), "queued")
    changes = chip.changes(STATUS, since)
    world.start_broker()
    until("the queued press", lambda: world.witness.count("board/light") == 1, 60)
    _, offs = rhythm.cycles(changes, "offline", 2)
    return f"'offline' {max(map(abs, offs)):.1f} ms off, 'queued' {queued:.1f} ms"


@on_each("locked without use, unlocked by a tag")
def locks(world):
    chip = start(world, PANEL + "  lock_after: 3 s\n", UNLOCKING)
    world.kiosk.await_light("locked")
    mark(world)
    press(chip, FRONT)
    world.kiosk.await_light("refused")
    tap(world)
    press(chip, FRONT)
    settle(world, garage=1, light=1)
    world.kiosk.await_light("locked", 2)
    press(chip, FRONT)
    world.kiosk.await_light("refused", 2)
    settle(world, garage=1, light=1)


@on_each("bad lines are named, and the rest works")
def bad_lines(world):
    wire(world)
    agent, kiosk = world.machine.agent, world.kiosk
    is_first = "gpiofind" in agent.sh("ls /usr/bin")  # libgpiod 1 has it, 2 does not.
    held = "gpioset --mode=signal pinctrl-bcm2835 26=1" if is_first else "gpioset -c /dev/{} 26=1"
    agent.sh(f"{held.format(world.chip.chip)} >/dev/null 2>&1 & echo $! >/run/holder")
    bad = PANEL + """\
    - {name: missing, line: GPIO99, press: light}
    - {name: taken, line: GPIO26, press: light}
    - {name: ground, pin: 6, press: light}
    - {name: beyond, offset: 99, chip: pinctrl-bcm2835, press: light}
    - {name: elsewhere, offset: 1, chip: pinctrl-nowhere, press: light}
"""
    chip = start(world, bad)
    until("the panel's faults", lambda: kiosk.log().count("is unavailable") + kiosk.log().count("no line") >= 2)
    log = kiosk.log()
    for words in ("GPIO99", "in use by 'gpioset'", "is GND", "no line 99", "pinctrl-nowhere"):
        require(words in log, f"nothing about {words} in:\n{log}")
    kiosk.await_light("fault")
    mark(world)
    press(chip, FRONT)
    settle(world, light=1)
    agent.sh("kill $(cat /run/holder)")
    # The line is taken at the next try after it is free, within 30 s.
    mark(world)

    def taken():
        press(chip, SPARE)
        return world.witness.count("board/light") > world.seen["board/light"]

    until("the freed line", taken, 40, 0.5)


@on_each("a chip that vanishes is reported, and taken again when it is back")
def vanishes(world):
    """Linux before 6.8 frees a chip that is in use, and fails at once, later or never: no other test gets this boot."""
    try:
        vanish(world)
    except Exception:
        fault = world.kernel_failed()
        if not fault:
            raise
        raise Skip(f"the kernel itself failed when the chip went: {fault.strip()}") from None
    finally:
        world.reboot()


def vanish(world):
    chip, kiosk = ready(world), world.kiosk
    before = open_files(world)
    chip.unplug()
    until("the sentence", lambda: "chip was removed" in kiosk.log())
    # The guest counts ticks, including those that this machine takes from it. A busy loop would use all of them.
    used = cpu_ms(world)
    pass_time(2)
    used = cpu_ms(world) - used
    require(used < 500, f"{used} ms of CPU in 2 s without the chip")
    chip.plug()
    wire(world)
    mark(world)

    def pressed():
        press(chip, FRONT)
        return world.witness.count("board/light") > world.seen["board/light"]

    until("a press after the chip's return", pressed, 40, 0.3)
    until("the status LED", lambda: chip.value(STATUS))
    later = open_files(world)
    require(later <= before, f"{before} descriptors became {later}")


def open_files(world):
    return int(world.machine.agent.sh("ls /proc/$(cat /run/kiosk.pid)/fd | wc -l"))


def cpu_ms(world):
    """CPU time of the kiosk's process, in ticks of 10 ms."""
    fields = world.machine.agent.sh("cat /proc/$(cat /run/kiosk.pid)/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 10


@on_each("a button that is stuck at the start counts after its release")
def stuck(world):
    # With a bias of the kiosk's own, a pull from outside has no effect.
    chip = start(world, PANEL.replace("line: GPIO5,", "line: GPIO5, bias: as_is,"))
    world.kiosk.stop()
    chip.pull(FRONT, False)
    mark(world)
    world.kiosk.start()
    until("the sentence", lambda: "front" in world.kiosk.log())
    settle(world)
    chip.pull(FRONT, True)
    pass_time(0.3)
    press(chip, FRONT)
    settle(world, light=1)


@on_each("10 kHz bouncing on one button leaves the other one alone")
def bounces(world):
    # A machine that is held up lets the contact rest, and each rest is a press more.
    for _ in range(3):
        count, rests, pressed = bounce(world)
        if not rests:
            break
    said = f"{count / 3:.0f} edges a second, {pressed} presses of them; the machine let the contact rest {rests} times"
    if rests and pressed > 1 + rests:
        raise Skip(f"the machine is too busy: {said}")
    require(pressed <= 1 + rests, said)
    return said


def bounce(world):
    """Returns the edges that a contact made in 3 s, its rests, and the presses that the kiosk took from it."""
    chip = start(world, PANEL + "    - {name: spare, line: GPIO26, press: scene}\n")
    until("everything to be up", lambda: world.kiosk.tool("status")[0] == 0, pause=0.1)
    mark(world)
    place = f"{chip.lines}/sim_gpio{FRONT}/pull"
    world.machine.agent.sh(f"probe bounce {place} 10000 3 >/run/bounced & sleep 0.5")
    press(chip, SPARE)
    expect(world, "board/scene")
    until("the end of it", lambda: world.machine.agent.sh("cat /run/bounced").strip())
    chip.pull(FRONT, True)
    world.bounced_at = time.monotonic()
    count, rests = map(int, world.machine.agent.sh("cat /run/bounced").split())
    if rests and "button front" not in world.kiosk.log():
        raise Skip(f"the machine is too busy: it let the contact rest {rests} times in 3 s")
    until("the sentence", lambda: "button front" in world.kiosk.log())
    world.witness.fence()
    return count, rests, world.witness.count("board/light") - world.seen["board/light"]


@test("Debian 12", "the button that bounced works again")  # The core's own work: one release is enough.
def listened_to(world):
    if not hasattr(world, "bounced_at"):
        bounces(world)
    chip = wire(world)

    def returns():
        seen = world.witness.count("board/light")
        press(chip, FRONT)
        pass_time(0.3)
        return world.witness.count("board/light") > seen

    until("the button's return", returns, 40, 0.5)
    return f"{time.monotonic() - world.bounced_at:.0f} s after the bouncing"


@on_each("the LEDs are dark after the end, and after a kill")
def dark(world):
    for number in (15, 9):
        chip = ready(world)
        for led in (STATUS, RESULT):
            chip.pull(led, False)
        world.kiosk.stop(number)
        require(not chip.value(STATUS) and not chip.value(RESULT), f"an LED is lit after signal {number}")
        lines = world.machine.agent.sh("gpioinfo")
        require("tappet" not in lines, f"a line is still used after signal {number}")
