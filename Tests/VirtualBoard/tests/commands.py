"""Commands over the broker drive relay lines of a real kernel's: the phone app's own message, its token sealed here."""
import os
import subprocess

from virtualboard.kiosk import TIMESTAMP_KEY
from virtualboard.suite import require
from virtualboard.waiting import until

from .panel import now, start
from .taps import on_each

OPEN, STOP, CLOSE, PUMP = 20, 21, 22, 23
PANEL = """\
panel:
  profile: raspberry-pi
  outputs:
    - {name: open, line: GPIO20, interlock: gate, dead_time: 300 ms}
    - {name: stop, line: GPIO21}
    - {name: close, line: GPIO22, interlock: gate}
    - {name: pump, line: GPIO23}
commands:
  - {topic: board/gate, role: esp32, open: open, stop: stop, close: close}
  - {topic: board/pump, trust: trusted, outputs: [pump]}
"""


def token(world):
    """%T as docs/formats.md has it: random, unix seconds, random, checksum; one AES block, of the board's own time."""
    seconds = int(world.machine.agent.sh("date +%s"))
    block = os.urandom(4) + seconds.to_bytes(4, "little") + os.urandom(7)
    block += bytes([sum(block) % 256])
    words = ["openssl", "enc", "-aes-128-ecb", "-nopad", "-K", TIMESTAMP_KEY]
    return subprocess.run(words, input=block, check=True, capture_output=True).stdout.hex()


def command(world, number, sealed=None):
    """The phone app's message for an action with the message {"command":N,"otp-auth":"%T","sender":"phone"}."""
    sealed = sealed or token(world)
    world.broker.publish("board/gate", f'{{"command":{number},"otp-auth":"{sealed}","sender":"phone"}}')
    return sealed


def rises(chip, offset, since):
    return [at for at, is_high in chip.changes(offset, since) if is_high]


def falls(chip, offset, since):
    return [at for at, is_high in chip.changes(offset, since) if not is_high]


def ready(world):
    """A kiosk with the outputs, past the seconds in which a command may have acted before its start."""
    chip = start(world, PANEL)
    until("the subscriptions", lambda: world.kiosk.log().count("event=commands-ready") == 2, pause=0.1)
    since = now(world)

    def acts():
        command(world, 2)
        return rises(chip, STOP, since)

    until("the first command to act", acts, pause=1)
    return chip


@on_each("the phone app's commands drive the relays, and two directions are never on together")
def drive(world):
    chip = ready(world)
    since = now(world)
    sealed = command(world, 1)
    until("the gate to open", lambda: rises(chip, OPEN, since), pause=0.05)
    command(world, 3)
    until("the gate to close", lambda: len(falls(chip, CLOSE, since)) == 1, pause=0.05)
    opened, shut = falls(chip, OPEN, since)[-1], rises(chip, CLOSE, since)[0]
    require(shut - opened >= 0.3, f"closed {1000 * (shut - opened):.0f} ms after the other direction, not 300")
    command(world, 1, sealed)
    until("the repeat to be refused", lambda: "code=command-repeated" in world.kiosk.log(), pause=0.1)
    require(len(rises(chip, OPEN, since)) == 1, "a repeated token drove the gate")
    length = 1000 * (falls(chip, CLOSE, since)[0] - shut)
    # A busy machine sets or clears the line late; how exact it is, tests/numbers.py measures.
    require(length >= 650, f"the pulse took {length:.1f} ms")
    return f"a pulse of {length:.1f} ms; {1000 * (shut - opened):.0f} ms between the directions"


@on_each("a relay's line that another program holds is refused with its reason, and driven once it is free")
def busy(world):
    agent = world.machine.agent
    chip = start(world, PANEL)  # It also makes the chip.
    world.kiosk.stop()
    is_first = "gpiofind" in agent.sh("ls /usr/bin")  # libgpiod 1 has it, 2 does not.
    held = f"gpioset --mode=signal pinctrl-bcm2835 {PUMP}=0" if is_first else f"gpioset -c /dev/{chip.chip} {PUMP}=0"
    agent.sh(f"{held} >/dev/null 2>&1 & echo $! >/run/holder")
    until("the holder", lambda: "gpioset" in agent.sh("gpioinfo"), pause=0.1)
    world.kiosk.start()
    until("the subscriptions", lambda: world.kiosk.log().count("event=commands-ready") == 2, pause=0.1)
    require("in use by 'gpioset'" in world.kiosk.log(), world.kiosk.log())
    world.broker.publish("board/pump", "on")
    until("the refusal", lambda: "code=output-unavailable" in world.kiosk.log(), pause=0.1)
    agent.sh("kill $(cat /run/holder)")
    since = now(world)

    def drives():
        world.broker.publish("board/pump", "on")
        return rises(chip, PUMP, since)

    # The line is taken at the next try after it is free, within 30 s.
    until("the freed line", drives, 40, 1)


@on_each("kill -9 and a power cut leave a relay released, and nothing switches it on again")
def release(world):
    chip = ready(world)
    since = now(world)
    world.broker.publish("board/pump", "on")
    until("the pump", lambda: rises(chip, PUMP, since), pause=0.05)
    world.kiosk.stop(9)
    until("the kernel to release the line", lambda: not chip.value(PUMP), pause=0.05)
    chip = ready(world)
    since = now(world)
    world.broker.publish("board/pump", "on")
    until("the pump", lambda: rises(chip, PUMP, since), pause=0.05)
    world.machine.cut_power()
    world.broker.publish("board/pump", "on")
    world.machine.boot()
    world.chip = None
    chip = start(world, PANEL)
    until("the subscriptions", lambda: world.kiosk.log().count("event=commands-ready") == 2, pause=0.1)
    require(not chip.value(PUMP) and not rises(chip, PUMP, 0), "a command of the outage switched the pump on")
