"""A tap on a real kernel: reader on USB, broker over mutual TLS, a disk that loses its power."""
import time

from virtualboard.suite import require, test
from virtualboard.waiting import until

BOARDS = ("Debian 12", "Debian 13")


def on_each(name):
    def register(function):
        for board in BOARDS:
            test(board, name)(function)
        return function

    return register


@on_each("boots Debian's kernel and runs the arm64 programs")
def boots(world):
    agent = world.machine.agent
    kernel = agent.sh("uname -rm").split()
    require(kernel[1] == "aarch64", f"the kernel is for {kernel[1]}")
    version = agent.sh("tappet --version").strip()
    require(version.startswith("tappet "), version)
    require(agent.run("/opt/tappet/libexec/tappet/tappet-reader")[0] != 127, "the reader's helper does not load")
    return f"{version} on Linux {kernel[0]}, {agent.sh('cat /proc/uptime').split()[0]} s after power-on"


@on_each("'tappet check' finds reader, certificates and broker")
def checks(world):
    world.kiosk.install()
    status, output = world.kiosk.tool("check")
    require(status == 0, f"'tappet check' ended with {status}:\n{output}")
    for part in ("/dev/ttyUSB0", "broker.board"):
        require(part in output, f"nothing about {part}:\n{output}")


@on_each("a tap arrives at an independent subscriber")
def taps(world):
    world.kiosk.run_with()
    world.kiosk.await_light("ready")
    tap(world)
    world.witness.fence()
    require(world.witness.count("board/garage") == 1, "one tap, more than one message")


def tap(world, light="delivered-by-tag"):
    """One tap, until the light has shown its result."""
    seen = sum(name == light for _, name in world.kiosk.shown())
    world.reader.hold(world.kiosk.tag_url())
    world.kiosk.await_light(light, seen + 1)
    world.reader.take()


@on_each("the reader comes back after it was unplugged")
def replug(world):
    machine, kiosk = world.machine, world.kiosk
    kiosk.run_with()
    kiosk.await_light("ready")
    machine.unplug_reader()
    kiosk.await_light("reader-lost")
    require("/dev/ttyUSB0" in kiosk.log(), "the log does not name the reader")
    machine.plug_reader()
    began = time.monotonic()
    tap(world)
    return f"a tag was delivered {time.monotonic() - began:.1f} s after the plug"


@on_each("a tap that the light accepted survives a power cut")
def power_cut(world):
    machine, kiosk = world.machine, world.kiosk
    kiosk.run_with()
    kiosk.await_light("ready")
    world.stop_broker()
    kiosk.await_light("offline")
    tap(world, "queued")
    machine.cut_power()
    world.start_broker()
    require(world.witness.count("board/garage") == 0, "a message came from a board without power")
    machine.boot()
    kiosk.start()
    until("the queued tap", lambda: world.witness.count("board/garage") == 1)
    world.witness.fence()
    require(world.witness.count("board/garage") == 1, "the queued tap came twice")
    require("recovery complete" in machine.agent.sh("dmesg"), "ext4 had nothing to recover: was the power cut?")
