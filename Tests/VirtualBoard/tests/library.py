"""libtappet for arm64 in C programs: its values, its answers to misuse, and a button and its light on real lines."""
from virtualboard.suite import require
from virtualboard.waiting import until

from .panel import FRONT, RESULT, wire
from .taps import on_each


@on_each("libtappet: a C program's values and its mistakes are answered as on any machine")
def answers(world):
    agent = world.machine.agent
    said = []
    for command in ("library-values", "library-misuse /run/misuse.state"):
        status, output = agent.run(command, 120)
        require(status == 0, f"{command} ended with {status}:\n{output}")
        said.append(output.strip().splitlines()[-1])
    return "; ".join(said)


@on_each("libtappet: a C program lights a line while a button is pressed")
def lights(world):
    chip, agent = wire(world), world.machine.agent
    if world.kiosk.is_up():
        world.kiosk.stop()
    agent.sh("library-panel GPIO5 GPIO27 >/run/library-panel 2>&1 & echo $! >/run/library-panel.pid")
    try:
        until("both lines", lambda: "tappet" in agent.sh("gpioinfo | grep -w GPIO27"))
        until("where they are", lambda: agent.sh("cat /run/library-panel").count("GPIO") == 2)
        for line in (f"{chip.chip} {FRONT} GPIO5 by tappet", f"{chip.chip} {RESULT} GPIO27 by tappet"):
            require(f"/dev/{line}" in agent.sh("cat /run/library-panel"), agent.sh("cat /run/library-panel"))
        for _ in range(3):
            chip.pull(FRONT, False)
            until("the light", lambda: chip.value(RESULT), pause=0.02)
            chip.pull(FRONT, True)
            until("the dark", lambda: not chip.value(RESULT), pause=0.02)
    finally:
        agent.sh("kill $(cat /run/library-panel.pid); true")
