"""A barcode scanner at the shelf: a keyboard that the kernel makes (uinput), read through its event device."""
from virtualboard.suite import require
from virtualboard.waiting import until

from .taps import on_each

ACTIONS = """\
actions:
  - {name: garage, title: Open the garage, topic: board/garage, message: 'open %I', cooldown: 0 s}
  - {name: shelf, mode: inventory, topic: board/shelf, message: '%{verb} %{thing}'}
inventory: {scanner: {device: /run/scanner, layout: us}}
"""
BOXES = "building,room,spot,box,code\nHouse,Cellar,Shelf,Box 1,B-1\nHouse,Cellar,Rack,Box 2,B-2\n"


def unplug(world):
    world.machine.agent.run("kill $(cat /run/scanner.pid); rm -f /run/scanner /run/typed")


def plug(world):
    agent = world.machine.agent
    agent.sh("scanner /run/scanner /run/typed >/run/scanner.log 2>&1 & echo $! >/run/scanner.pid")
    until("the scanner", lambda: agent.run("test -p /run/typed")[0] == 0, pause=0.1)


def type_text(world, text):
    world.machine.agent.sh(f"printf '{text}' >/run/typed")


def logged(world, text, count=1):
    until(f"'{text}' in the log", lambda: world.kiosk.log().count(text) >= count, pause=0.1)


@on_each("a barcode scanner shows what is in a box, and half a code is none, even over an unplug")
def scans(world):
    kiosk = world.kiosk
    unplug(world)
    kiosk.run_with("", ACTIONS, is_fresh=True)
    world.machine.agent.write("/run/boxes.csv", BOXES)
    status, output = kiosk.tool("inventory", "import", "/run/boxes.csv")
    require(status == 0, f"'tappet inventory import' ended with {status}:\n{output}")
    logged(world, "event=scanner-lost")
    plug(world)
    logged(world, "event=scanner-good")
    status, output = kiosk.tool("check", "--config-only")
    require(status == 0 and "/run/scanner" in output, f"the scanner is not in 'tappet check':\n{output}")
    type_text(world, "B-1\\n")
    logged(world, "box Box 1 [B-1] is in")
    until("the message", lambda: world.witness.count("board/shelf") >= 1)
    type_text(world, "B-1")
    logged(world, "code=scan-incomplete")
    type_text(world, "B-")
    unplug(world)
    logged(world, "event=scanner-lost", 2)
    plug(world)
    logged(world, "event=scanner-good", 2)
    type_text(world, "1\\nB-2\\n")
    logged(world, "box Box 2 [B-2] is in")
    require("code=thing-unknown" in kiosk.log() and kiosk.log().count("box Box 1 [B-1] is in") == 1, kiosk.log())
    unplug(world)
