"""The steps that follow docs/rooms.md from its first line, as a reader does who has a kiosk and a new account: every
command is pasted into a shell, and each block of YAML into kiosk.yaml, with other names in place of the page's."""
import os
import re
import subprocess

from kiosk import wait_for
from world import PASSWORD

ACCOUNT, ADDRESS = "@porch:localhost", "#porch:localhost"
LIGHT = "\u2705"


class Page:
    def __init__(self, world):
        with open(os.path.join(world.root, "docs/rooms.md"), encoding="utf-8") as file:
            self.text = file.read()
        self.world = world

    def block(self, language, place):
        """The first block of a language after this text, with the reader's names."""
        start = self.text.index(place)
        text = re.compile(rf"```{language}\n(.*?)```", re.S).search(self.text, start)[1]
        for theirs, ours in (("@kiosk:example.org", f"{ACCOUNT} --homeserver {self.world.url}"),
                             ("--alias door", "--alias porch"), ("#door:example.org", ADDRESS),
                             ("example.org", "localhost")):
            text = text.replace(theirs, ours)
        return text

    def paste(self, lines):
        """Runs lines in one shell, in which `sudo` and `systemctl` are those of the test; what they print."""
        folder = self.world.path("page-bin")
        if not os.path.exists(folder):
            os.mkdir(folder)
            for name, text in (("sudo", 'exec "$@"'),
                               ("systemctl", '[ "$*" = "reload tappet" ] && kill -HUP "$KIOSK"')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{text}\n")
                os.chmod(file.name, 0o755)
        done = subprocess.run(
            ["bash", "-e", "-c", lines], input=PASSWORD + "\n", text=True, capture_output=True, check=False,
            cwd=self.world.folder, env={
                **os.environ, "PATH": f"{folder}:{self.world.bin}:{os.environ['PATH']}",
                "TAPPET_CONFIG": self.world.path("kiosk.yaml"), "KIOSK": str(self.world.processes["kiosk"].pid)})
        assert done.returncode == 0, (lines, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def apply(self, blocks, press, listens):
        """Writes a configuration with these blocks, buttons for an action, and loads it as the page says."""
        world = self.world
        buttons = "".join(f"{{line: GPIO{line}, press: {press}}}, " for line in world.lines(0))
        outputs = "  outputs: [{name: latch, line: GPIO20, pulse: 300 ms}, {name: gate, line: GPIO21, pulse: 300 ms}]\n"
        world.write_configuration("".join(blocks), f"{outputs}  buttons: [{buttons}]\n", "page-state")
        if "kiosk" not in world.processes:
            return world.run_kiosk()
        before, ready = world.text("kiosk.log").count("event=reloaded"), world.listens()
        printed = self.paste(self.block("sh", "Accept the invitation in your client."))
        wait_for("the reload", lambda: world.text("kiosk.log").count("event=reloaded") > before)
        if listens:
            ready()
        return printed


def heard(world, ann, start):
    return ann.said_by(ACCOUNT, world.room, start)


async def starts_from_nothing(world, ann):
    """docs/rooms.md: a new account logs in, makes its room and rings a phone, with the page's commands and keys."""
    page = world.page = Page(world)
    world.register("porch")
    world.end("kiosk")
    matrix = page.matrix = page.block("yaml", "\n## From nothing to the first message\n")
    page.apply([matrix, "actions: [{name: light, topic: home/light, message: toggle}]\n"], "light", False)
    page.paste(page.block("sh", "Log in, and create a room"))
    invited = ann.client.invited_rooms
    await ann.hears(lambda _: any(room.canonical_alias == ADDRESS for room in invited.values()))
    world.room = next(name for name, room in invited.items() if room.canonical_alias == ADDRESS)
    await ann.client.join(world.room)
    await ann.hears(lambda _: heard(world, ann, "Hello, I am the front door."))
    answer = await ann.client.room_put_state(world.room, "m.room.topic", {"topic": "Ann administers it"})
    assert hasattr(answer, "event_id"), answer
    printed = page.apply([matrix, page.block("yaml", "Accept the invitation in your client.")], "bell", False)
    assert f"accepts the session of {ACCOUNT}" in printed and f"bell: {ADDRESS}" in printed, printed
    world.press()
    await ann.hears(lambda _: heard(world, ann, "Somebody rings at the front door ("))
    rung = list(ann.notified(world.room))
    assert len(rung) == 1 and rung[0].startswith("Somebody rings"), rung


async def reports_as_shown(world, ann):
    """docs/rooms.md, Report the outcome: the message ends with a line of the page's table."""
    page = world.page
    before = heard(world, ann, "Somebody rings")
    page.apply([page.matrix, page.block("yaml", "\n## Report the outcome\n")], "bell", False)
    world.press()
    await ann.hears(lambda _: any("m.new_content" in ann.raw[event]["content"]
                                  for event in heard(world, ann, "* Somebody rings")))
    message = [event for event in heard(world, ann, "Somebody rings") if event not in before]
    edit = ann.raw[heard(world, ann, "* Somebody rings")[0]]["content"]
    outcome = edit["m.new_content"]["body"].splitlines()[-1]
    assert edit["m.relates_to"]["event_id"] == message[0] and len(message) == 1, (edit, message)
    assert f"| {outcome} | " in page.text and outcome.startswith("\u2705"), outcome


async def obeys_as_shown(world, ann):
    """docs/rooms.md, Commands from a room: each line of the page's table does what it says there."""
    page = world.page
    page.apply([page.matrix, page.block("yaml", "\n## Commands from a room\n"),
                "actions: [{name: garage, topic: home/garage, message: toggle, cooldown: 0 s}]\n"], "garage", True)
    world.tappet("person", "add", "Ben Smith")
    answers = {
        "!garage": ["\u23f3", "\u2705"], "!gate pulse": ["\u2705"], "!suspend Ben Smith": ["\u2705"],
        "!resume Ben Smith": ["\u2705"]}
    world.tell("levels", "clear")
    table = page.text[page.text.index("| line | effect |"):page.text.index("The kiosk responds to the line itself")]
    for word in ("!garage", "!gate pulse", "!status", "!help", "!history", "!suspend Ben Smith", "!resume Ben Smith"):
        assert f"`{word.replace('Ben Smith', 'NAME')}`" in table, word
        line = await ann.says(world.room, word)
        if word in answers:
            await ann.hears(lambda _: ann.answers.get(line) == answers[word])
        else:
            await ann.hears(lambda _: line in ann.answers)
            assert "garage" in ann.answers[line][0], ann.answers[line]
    wait_for("the pulse", lambda: world.levels("gate") == [True, False])
    assert world.received("home/garage"), world.text("witness.log")


async def asks_as_shown(world, ann):
    """docs/rooms.md, Ask in a room: the question reads as the page says, and a reaction opens the door."""
    page = world.page
    page.apply([page.matrix, page.block("yaml", "\n## Ask in a room\n")], "door", True)
    world.share_secret(0, "Ben")
    world.await_looks()
    world.tell("levels", "clear")
    world.tap(world.tag_url(world.key, 0))
    await ann.hears(lambda _: heard(world, ann, "Ben: Open the door?"))
    question = heard(world, ann, "Ben: Open the door?")[0]
    assert f"`{ann.raw[question]['content']['body']}`" in " ".join(page.text.split()), ann.raw[question]
    await ann.react(world.room, question, LIGHT)
    wait_for("the pulse", lambda: world.levels("latch") == [True, False])
    world.take()


STEPS = [starts_from_nothing, reports_as_shown, obeys_as_shown, asks_as_shown]
