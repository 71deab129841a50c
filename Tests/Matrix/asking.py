"""The steps in which a tap asks a room, and in which its message reports what became of it."""
from kiosk import wait_for
from world import Person

ROOM = "#door:localhost"
QUESTION = "Test: Open the door? React to this message with \u2705 or \u274c within 60 s."
LATE = "Open the hatch?"


def levels(world):
    """The levels that the output has had since the last question."""
    return world.levels("latch")


async def asked(world, ann, start, touch):
    """Taps or presses, and waits for the question; its event."""
    before = ann.said_by(world.user, world.room, start)
    world.tell("levels", "clear")
    touch()
    await ann.hears(lambda _: len(ann.said_by(world.user, world.room, start)) > len(before))
    return ann.said_by(world.user, world.room, start)[-1]


async def is_settled(world, ann):
    """Waits until the kiosk has judged everything in the room so far."""
    line = await ann.says(world.room, "!status")
    await ann.hears(lambda _: line in ann.answers)


def reply_time(ann, event):
    """The time of the reply to an event, in milliseconds since 1970."""
    return next(each["origin_server_ts"] for each in ann.raw.values()
                if each["content"].get("m.relates_to", {}).get("m.in_reply_to", {}).get("event_id") == event)


def push(world, line):
    def touch():
        world.touch("press", line)
        world.touch("release", line)
    return touch


async def asks(world, ann):
    """A tap asks the room: a stranger's reaction does nothing, that of an allowed user drives the output, once."""
    world.end("kiosk")
    world.write_configuration(
        f"matrix: {{session: matrix.session}}\ncommands: [{{room: '{ROOM}', users: ['@ann:localhost']}}]\nactions:\n"
        f"  - {{name: hatch, title: Open the hatch, output: {{latch: pulse}}, confirm: 5 s, confirm_in: '{ROOM}'}}\n"
        f"  - {{name: door, title: Open the door, output: {{latch: pulse}}, confirm: 60 s, confirm_in: '{ROOM}'}}\n",
        "  outputs: [{name: latch, line: GPIO20, pulse: 300 ms}]\n  buttons: [{line: GPIO5, press: hatch}]\n")
    world.share_secret()
    ready = world.listens()
    world.run_kiosk()
    ready()
    world.await_looks()
    ben = await Person.arrive(world, "ben")
    try:
        world.tappet("matrix", "invite", ROOM, "@ben:localhost")
        await ben.client.join(world.room)
        question = await asked(world, ann, "Test: Open the door?", world.tap)
        assert ann.raw[question]["content"]["body"] == QUESTION, ann.raw[question]
        world.take()
        await ben.react(world.room, question, "\u2705")
        await ann.react(world.room, question, "\U0001f44d")
        await is_settled(world, ann)
        assert levels(world) == [] and ann.answers[question] == ["\u2705", "\U0001f44d"], (
            levels(world), ann.answers[question])
    finally:
        await ben.client.close()
    reacted_at = await ann.react(world.room, question, "\u2705")
    wait_for("the pulse", lambda: levels(world) == [True, False])
    await ann.hears(lambda _: "\u2705 confirmed by @ann:localhost." in ann.answers[question])
    assert 0 <= reply_time(ann, question) - reacted_at < 60_000, ann.raw
    await is_settled(world, ann)
    assert levels(world) == [True, False], levels(world)


async def closes_questions(world, ann):
    """A question that nobody answers says so, as does a refused one; a reaction that comes later does nothing."""
    late = await asked(world, ann, LATE, push(world, "GPIO5"))
    await ann.hears(lambda _: ann.answers.get(late) == ["\u274c no response in time."])
    await ann.react(world.room, late, "\u2705")
    await is_settled(world, ann)
    refused = await asked(world, ann, "Test: Open the door?", world.tap)
    world.take()
    await ann.react(world.room, refused, "\u274c")
    await ann.hears(lambda _: ann.answers.get(refused) == ["\u274c", "\u274c refused by @ann:localhost."])
    await ann.react(world.room, refused, "\u2705")
    lost = await asked(world, ann, "Test: Open the door?", world.tap)
    world.take()
    world.strike("listener")
    await ann.react(world.room, lost, "\u2705")
    await is_settled(world, ann)
    assert levels(world) == [], levels(world)
    assert "event=not-confirmed code=panel-closed" in world.text("kiosk.log")


def edits(world, ann):
    """The texts that have replaced those of messages of the kiosk, by message."""
    found = {}
    for event in ann.raw.values():
        relation = event.get("content", {}).get("m.relates_to", {})
        if event["sender"] == world.user and relation.get("rel_type") == "m.replace":
            found.setdefault(relation["event_id"], []).append(event["content"]["m.new_content"]["body"])
    return found


async def reports_outcomes(world, ann):
    """A message is edited to the outcome of its tap, once, also when the kiosk is killed, and rings nobody again."""
    world.end("kiosk")
    world.configure_rooms({"bell": ROOM}, keys=", topic: home/bell, report: true, notify: true")
    before = set(world.accepted())
    world.run_kiosk()

    def messages():
        return {entry: said[0] for entry in world.accepted() if entry not in before
                for said in [ann.said_by(world.user, world.room, "bell " + entry)] if said}

    async def are_edited():
        await ann.hears(lambda _: set(world.accepted()) - before == set(messages()) and all(
            event in edits(world, ann) for event in messages().values()), 120)
    for kills in (False, True, True):
        world.press()
        if kills:
            world.press()
            world.kill("kiosk")
            world.run_kiosk()
        await are_edited()
    # A message that is edited twice is edited before the next one.
    world.press()
    await are_edited()
    for entry, event in messages().items():
        found = edits(world, ann).get(event, [])
        assert found == [f"bell {entry}\n\u2705 delivered"], (entry, found)
        assert len(ann.said_by(world.user, world.room, "bell " + entry)) == 1, entry
    rung = ann.notified(world.room)
    assert not [text for text in rung if "delivered" in text], rung
    assert {"bell " + entry for entry in messages()} <= set(rung), rung


STEPS = [asks, closes_questions, reports_outcomes]
