"""Doors on real lines of a kernel's: a level that lasts over a kill, a chip that vanishes, a request to exit, and what
requires a level."""
import json

from virtualboard.suite import Skip, require
from virtualboard.waiting import until

from .commands import falls, rises
from .panel import now, start, wire
from .taps import on_each

LATCH, GATE, FRONT, EXIT = 20, 21, 22, 23
PULSE_SECONDS = 20
# With a bias of the kiosk's own, a pull from outside has no effect.
PANEL = f"""\
panel:
  profile: raspberry-pi
  outputs:
    - {{name: latch, line: GPIO{LATCH}, pulse: {PULSE_SECONDS} s, requires: {{front: closed}}}}
    - {{name: gate, line: GPIO{GATE}, requires: {{front: closed}}}}
  inputs:
    - {{name: front, line: GPIO{FRONT}, bias: as_is, of: latch, relock: true}}
    - {{name: exit, line: GPIO{EXIT}, kind: exit, bias: as_is, of: latch}}
"""


def doors(world):
    """A kiosk with a closed door, and nobody at the exit."""
    chip = wire(world)
    chip.pull(FRONT, False)
    chip.pull(EXIT, True)
    start(world, PANEL)
    expect(world, "closed", "found")
    return chip


def state(world, name="front"):
    """The state and the cause of an input, as 'tappet status' shows them."""
    inputs = json.loads(world.kiosk.tool("status", "--json")[1])["data"]["inputs"]
    return next((row["state"], row["cause"]) for row in inputs if row["name"] == name)


def expect(world, level, cause):
    until(f"the door to be {level}: {cause}", lambda: state(world) == (level, cause), 40)


@on_each("a door is forced, and its level outlives a kill")
def outlives(world):
    chip = doors(world)
    chip.pull(FRONT, True)
    expect(world, "open", "forced")
    world.machine.agent.sh("kill -9 $(cat /run/kiosk.pid)")
    world.kiosk.stop()
    world.kiosk.start()
    expect(world, "open", "found")
    chip.pull(FRONT, False)
    expect(world, "closed", "changed")
    until("the log", lambda: "front was closed" in world.kiosk.log())


def ask_to_exit(world, chip):
    """Presses the exit until the latch opens; returns when it did, by the guest's clock."""
    since = now(world)
    chip.pull(EXIT, False)
    until("the latch to open", lambda: rises(chip, LATCH, since), pause=0.05)
    chip.pull(EXIT, True)
    return rises(chip, LATCH, since)[0]


@on_each("a request to exit opens the door, which ends the pulse when it opens")
def leaves(world):
    chip = doors(world)
    require(not chip.value(LATCH), "the latch is open before anyone asked")
    opened = ask_to_exit(world, chip)
    since = now(world)
    chip.pull(FRONT, True)
    expect(world, "open", "permitted")
    until("the latch to close", lambda: falls(chip, LATCH, opened), pause=0.05)
    fell = falls(chip, LATCH, opened)[0]
    require(fell - opened < PULSE_SECONDS - 1, f"the pulse took {fell - opened:.1f} s, although the door has opened")
    require("('relock')" in world.kiosk.log(), "the pulse did not end because the door has opened")
    return f"locked {1000 * (fell - since):.0f} ms after the door began to open"


@on_each("an opening that nobody uses is in the log")
def unused(world):
    chip = doors(world)
    ask_to_exit(world, chip)
    world.kiosk.tool("output", "off", "latch")
    until("the log", lambda: "event=input-not-entered" in world.kiosk.log(), pause=0.5)
    status, rows = world.kiosk.tool("history", "--action", "front", "--outcome", "not-entered")
    require(status == 0 and rows.count("not-entered") == 1, f"{status}:\n{rows}")


@on_each("an output that requires a closed door moves only while it is closed, and always returns")
def requires(world):
    chip = doors(world)
    require(world.kiosk.tool("output", "on", "gate")[0] == 0, "the gate did not move, and the door is closed")
    until("the gate's line", lambda: chip.value(GATE))
    chip.pull(FRONT, True)
    expect(world, "open", "forced")
    require(chip.value(GATE), "the gate stopped on its own")
    require(world.kiosk.tool("output", "off", "gate")[0] == 0, "the gate cannot be stopped")
    until("the gate's line", lambda: not chip.value(GATE))
    status, output = world.kiosk.tool("output", "on", "gate")
    require(status != 0 and "requires that front is closed, but it is open" in output, f"{status}:\n{output}")
    require(not chip.value(GATE), "the gate moved, and the door is open")
    require(world.kiosk.tool("output", "pulse", "latch")[0] != 0, "the latch moved, and the door is open")
    ask_to_exit(world, chip)  # Nothing prevents that.


@on_each("the door of a chip that vanishes is unknown until the chip is back")
def vanishes(world):
    """Linux before 6.8 may fail when a chip in use goes: no other test gets this boot."""
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
    chip = doors(world)
    chip.pull(FRONT, True)
    expect(world, "open", "forced")
    chip.unplug()
    expect(world, "unknown", "lost")
    require(world.kiosk.tool("output", "on", "gate")[0] != 0, "the gate moved without a chip")
    since = now(world)
    # All lines of a new chip are low: the door is closed, and the exit is pressed, which is not a request.
    chip.plug()
    expect(world, "closed", "found")
    until("the exit", lambda: state(world, "exit") == ("open", "found"), 40)
    chip.pull(EXIT, True)
    chip.pull(FRONT, True)
    expect(world, "open", "forced")
    require(not rises(chip, LATCH, since), "an exit that was pressed when its line came opened the latch")
