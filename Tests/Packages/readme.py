"""The README's four lines, exactly as written, typed into a terminal of a clean system by a person who answers."""
import fcntl
import os
import pty
import re
import select
import shutil
import subprocess
import termios
import time

from guest import require, wait_for
from roots import ROOT

SIMULATOR = "/run/sim"


def lines():
    """The commands of the README's section about installing."""
    with open(os.path.join(ROOT, "README.md")) as file:
        section = file.read().split("\n## Install\n")[1].split("\n## ")[0]
    return re.search(r"```sh\n(.*?)```", section, re.S)[1].splitlines()


class Terminal:
    """A command on a terminal in the guest."""

    def __init__(self, guest, line):
        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 500))  # So wide that no question is wrapped.
        self.text, self.seen = "", 0
        self.process = subprocess.Popen(
            [*guest.enter(), "TERM=xterm", "sh", "-c", line], stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)

    def _read(self, seconds):
        """Whether the command may still print."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return True
        try:
            new = os.read(self.ours, 65536)
        except OSError:
            return False
        self.text += new.decode(errors="replace").replace("\r\n", "\n")
        return bool(new)

    def talk(self, answers, seconds):
        """Answers each question by the first pattern that fits it, until the command ends; returns its status.

        An answer is a line to type, or a function to call. Other questions are answered by Enter.
        """
        end = time.monotonic() + seconds
        while self._read(0.1):
            require(time.monotonic() < end, f"waited {seconds} s in vain for its end:\n{self.text[-1500:]}")
            new = self.text[self.seen:]
            known = next((each for each in answers if re.search(each[0], new)), None)
            if known:
                self.seen = len(self.text)
                known[1]() if callable(known[1]) else os.write(self.ours, known[1].encode() + b"\n")
            elif re.search(r"(: |\[[Yy]/[Nn]\]:? ?)$", new) and not self._more():
                self.seen = len(self.text)
                os.write(self.ours, b"\n")
        return self.process.wait(20)

    def _more(self):
        """Whether it prints more: then what looked like a question was none."""
        return bool(select.select([self.ours], [], [], 0.3)[0])

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)


def _type(world, number, answers=(), seconds=120):
    line = lines()[number]
    world.began = getattr(world, "began", time.monotonic())
    terminal = Terminal(world.guest, line)
    try:
        status = terminal.talk(answers, seconds)
    finally:
        terminal.close()
    require(status == 0, f"'{line}' ended with {status}:\n{terminal.text[-2500:]}")
    return terminal.text


def _simulate(world, *words):
    return world.guest.run("tappet-sim", "ctl", SIMULATOR + "/control", *words)


def _tap(world):
    _simulate(world, "take")
    _simulate(world, "back")


def the_repository_is_known(world):
    """The steps of docs/install.md before these lines, and the simulator's program for later."""
    world.add_repository()
    world.guest.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "tappet-sim", seconds=300)
    for name in ("ca.pem", "client.pem", "client.key"):
        shutil.copy(f"{world.broker.pki}/{name}", world.guest.path("/var/tmp/" + name))
    require(len(lines()) == 4, f"the README has {len(lines())} lines to install Tappet")


def the_first_line_installs_it(world):
    """sudo apt install tappet"""
    _type(world, 0, [(r"ontinue\? \[Y/n\]", "y")], 300)


def the_second_line_sets_it_up_to_a_delivered_tap(world):
    """sudo tappet init"""
    guest = world.guest
    guest.run("systemd-run", "--quiet", "--unit=sim", "-p", "User=tappet", "-p", "RuntimeDirectory=sim", "tappet-sim",
              "--link", SIMULATOR + "/reader", "--control", SIMULATOR + "/control", "--panel", SIMULATOR + "/panel")
    wait_for("the simulator", lambda: guest.attempt(
        "tappet-sim", "ctl", SIMULATOR + "/control", "panel").returncode == 0)
    _simulate(world, "place", "ntag213", "empty")
    text = _type(world, 1, [
        (r"Broker type .*: $", "mosquitto"), (r"Host, .*: $", f"localhost:{world.broker.port}"),
        (r"CA certificate .*: $", "/var/tmp/ca.pem"), (r"This kiosk's certificate .*: $", "/var/tmp/client.pem"),
        (r"Private key .*: $", "/var/tmp/client.key"), (r"Device, .*: $", f"pn532_uart:{SIMULATOR}/reader"),
        (r"Profile .*: $", "virtual"), (r"Socket .*: $", SIMULATOR + "/panel"),
        (r"hold it to the reader again \(60 s", lambda: _tap(world))])
    require("delivered: light" in text, f"tappet init saw no tap through:\n{text[-2500:]}")


def the_third_line_finds_nothing_wrong(world):
    """sudo tappet check"""
    _type(world, 2)


def the_fourth_line_starts_it_and_a_tap_is_delivered(world):
    """sudo systemctl start tappet, and a tap"""
    before = sum(world.broker.payloads("home/light/set").values())
    _simulate(world, "take")
    _type(world, 3)
    _simulate(world, "lights", "clear")
    wait_for("the kiosk", lambda: "ready" in world.guest.show("tappet", "StatusText")["StatusText"])
    _simulate(world, "back")
    _simulate(world, "lights", "wait", "delivered-by-tag", "10000")
    wait_for("the message", lambda: sum(world.broker.payloads("home/light/set").values()) == before + 1)
    return f"from the first line to this tap {time.monotonic() - world.began:.1f} s"


STEPS = [
    the_repository_is_known, the_first_line_installs_it, the_second_line_sets_it_up_to_a_delivered_tap,
    the_third_line_finds_nothing_wrong, the_fourth_line_starts_it_and_a_tap_is_delivered]
