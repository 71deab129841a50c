"""Doors on real lines of a kernel's: a level that lasts over a kill, a chip that vanishes, and a request to exit."""
import json

from virtualboard.suite import Skip, require
from virtualboard.waiting import until

from .panel import start, wire
from .taps import on_each

LATCH, FRONT, EXIT = 20, 22, 23
# With a bias of the kiosk's own, a pull from outside has no effect.
PANEL = """\
panel:
  profile: raspberry-pi
  outputs:
    - {name: latch, line: GPIO20, pulse: 20 s}
  inputs:
    - {name: front, line: GPIO22, bias: as_is, of: latch, relock: true}
    - {name: exit, line: GPIO23, kind: exit, bias: as_is, of: latch}
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


@on_each("a request to exit opens the door, which ends the pulse when it opens")
def leaves(world):
    chip = doors(world)
    require(not chip.value(LATCH), "the latch is open before anyone asked")
    chip.pull(EXIT, False)
    until("the latch to open", lambda: chip.value(LATCH))
    chip.pull(EXIT, True)
    chip.pull(FRONT, True)
    expect(world, "open", "permitted")
    until("the latch to close", lambda: not chip.value(LATCH))


@on_each("the door of a chip that vanishes is unknown until the chip is back")
def vanishes(world):
    """Linux before 6.8 may fail when a chip in use goes: no other test gets this boot."""
    try:
        chip = doors(world)
        chip.unplug()
        expect(world, "unknown", "lost")
        chip.plug()
        chip.pull(FRONT, True)
        expect(world, "open", "found")
    except Exception:
        fault = world.kernel_failed()
        if not fault:
            raise
        raise Skip(f"the kernel itself failed when the chip went: {fault.strip()}") from None
    finally:
        world.reboot()
