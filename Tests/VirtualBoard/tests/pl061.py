"""The same panel on the machine's own GPIO chip, whose lines QEMU itself drives and watches. The kernel is as Debian
ships it, with nothing of ours in it."""
import time

from virtualboard import rhythm
from virtualboard.machine import LED, LED_LINE
from virtualboard.suite import require, test
from virtualboard.waiting import pass_time, until

LABEL = "9030000.pl061"
# Line 0 shares its number with the controller's own interrupt, so it must not be an LED.
PAGE, BUTTON, OTHER, BARE, STORING, STATUS, RESULT = range(7)

PANEL = f"""\
panel:
  chip: {LABEL}
  leds: {{status: {{offset: {STATUS}}}, result: {{offset: {RESULT}}}}}
  buttons:
    - {{name: front, offset: {BUTTON}, press: light}}
    - {{name: other, offset: {OTHER}, hold: {{action: garage, after: 500 ms}}}}
"""


class Lines:
    """The chip's pins, seen from outside the machine."""

    def __init__(self, machine):
        self.qtest = machine.qtest
        self.path = machine.qmp.path_of("pl061")
        self.qtest.watch_outputs(self.path)

    def repair(self):
        """Does nothing: this chip cannot be unplugged."""

    def set(self, line, is_high):
        return self.qtest.set_line(self.path, line, is_high)

    def changes(self, line, since_ns=0):
        """[(time in s of this machine's CLOCK_BOOTTIME, is high)]"""
        return [(at / 1e9, level) for at, found, level in list(self.qtest.reports) if found == line and at >= since_ns]


def start_pl061(world, panel=PANEL):
    if world.chip is None:
        world.chip = Lines(world.machine)
        for line in (PAGE, BUTTON, OTHER, BARE, STORING):
            world.chip.set(line, True)  # It has no pulls: the level must be set before a program requests the line.
    world.kiosk.run_with(panel)
    lines = world.chip
    until("everything to be up", lambda: world.kiosk.tool("status")[0] == 0, pause=0.1)
    return lines


@test("PL061", "nothing of ours is in the kernel")
def is_plain(world):
    require("gpio_sim" not in world.machine.agent.sh("cat /proc/modules"), "gpio-sim is loaded")
    require(world.machine.agent.sh("cat /proc/sys/kernel/tainted").strip() == "0", "the kernel is tainted")
    require(LABEL in world.machine.agent.sh("gpiodetect"), "there is no such chip")


@test("PL061", "a press and a hold become messages")
def presses(world):
    lines = start_pl061(world)
    for line, held, topic in ((BUTTON, 0.06, "board/light"), (OTHER, 2, "board/garage")):
        seen = world.witness.count(topic)
        lines.set(line, False)
        pass_time(held)
        lines.set(line, True)
        until("the message", lambda: world.witness.count(topic) > seen)
        world.witness.fence()
        require(world.witness.count(topic) == seen + 1, "one press, more than one message")


def judge_tag(world, lines, led):
    """Compares a tag's flashes on that line with the drawing in docs/panel.md."""
    began = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    seen = world.witness.count("board/garage")
    world.reader.hold(world.kiosk.tag_url())
    until("the message", lambda: world.witness.count("board/garage") > seen)
    world.reader.take()
    pass_time(2.5)
    return f"{rhythm.find_moment(lines.changes(led, began), 'delivered-by-tag'):.1f} ms off"


@test("PL061", "a tag is answered on the LED in its rhythm")
def plays(world):
    return judge_tag(world, start_pl061(world), RESULT)


@test("PL061", "an LED of a kernel driver is a light, and gets its trigger back at the end")
def has_class(world):
    def trigger():
        return world.machine.agent.sh(f"cat /sys/class/leds/{LED}/trigger")

    require("[heartbeat]" in trigger(), f"the kernel does not blink it: {trigger()}")
    lines = start_pl061(world, PANEL.replace(f"{{offset: {RESULT}}}", f"{{led: '{LED}'}}"))
    require("[none]" in trigger(), f"while it is a light, its trigger is {trigger()}")
    said = judge_tag(world, lines, LED_LINE)
    world.kiosk.stop()
    require("[heartbeat]" in trigger(), f"at the end its trigger is {trigger()}")
    began = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    until("the heartbeat", lambda: len(lines.changes(LED_LINE, began)) >= 4)
    return said


@test("PL061", "the LEDs are dark after the end")
def dark(world):
    lines = start_pl061(world)
    world.kiosk.stop()
    for led in (STATUS, RESULT):
        require(not lines.changes(led)[-1][1], f"line {led} is high")
