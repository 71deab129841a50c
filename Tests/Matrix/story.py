"""The steps of the test, each of which relies on those before it."""
import json
import os
import random
import signal
import time
import urllib.parse
import urllib.request

import absence
import asking
import encrypted
import listing
import page
from kiosk import wait_for
from nio import RoomPreset
from world import Person

ROOM = "#door:localhost"
# How often kiosk, helper and homeserver are killed while people command.
KILLS = int(os.environ.get("KILLS", "8"))


async def logs_in(world, ann):
    """The kiosk logs in, makes a room, and another person accepts the invitation."""
    world.start_simulator()
    world.configure_rooms({"bell": ROOM})
    world.log_in()
    world.room = world.tappet("matrix", "create", "Front door", "--alias", "door", "--invite", "@ann:localhost").strip()
    await ann.client.join(world.room)
    assert ROOM in world.tappet("matrix", "list")
    world.tappet("matrix", "send", ROOM, "Hello")
    await ann.hears(lambda heard: (world.room, world.user, "m.notice", "Hello") in heard)


def said(world, ann):
    """The ids that were sent, in the order in which they were heard."""
    return [body.split()[-1] for room, _, _, body in ann.heard if room == world.room and body.startswith("bell ")]


async def everything_is_said_once(world, ann, limit=120):
    await ann.hears(lambda heard: set(said(world, ann)) >= set(world.accepted()), limit)
    # A kiosk that is killed may have no time to log what it has accepted.
    ids = said(world, ann)
    assert len(ids) == len(set(ids)), ids


async def says_once(world, ann):
    """A press is sent once, under its id."""
    world.run_kiosk()
    world.press()
    await everything_is_said_once(world, ann)
    wait_for("the empty outbox", lambda: world.tappet("outbox", "list") == "")


async def shares_its_room(world, ann):
    """A room with an administrator is not lost with the kiosk."""
    room = world.tappet("matrix", "create", "Garden", "--admin", "@ann:localhost", "--public").strip()
    await ann.client.join(room)
    answer = await ann.client.room_put_state(room, "m.room.topic", {"topic": "Green"})
    assert hasattr(answer, "event_id"), answer
    rule = ann.request(f"rooms/{urllib.parse.quote(room)}/state/m.room.join_rules")
    assert rule["join_rule"] == "public", rule


async def rings_a_phone(world, ann):
    """The homeserver notifies of a message that is to ring, and highlights one that mentions; not of a notice."""
    assert ann.notified(world.room) == {}, ann.notified(world.room)
    for keys, highlights in ((", notify: true", False), (", mention: ['@ann:localhost']", True)):
        world.end("kiosk")
        world.configure_rooms({"bell": ROOM}, keys=keys)
        world.run_kiosk()
        before = set(ann.notified(world.room))
        world.press()
        await everything_is_said_once(world, ann)
        new = {body: is_highlight for body, is_highlight in ann.notified(world.room).items() if body not in before}
        assert list(new.values()) == [highlights], new
    world.end("kiosk")
    world.configure_rooms({"bell": ROOM})
    world.run_kiosk()


async def waits_for_its_turn(world, ann):
    """More than the homeserver takes at a time is queued, and none is given up."""
    for _ in range(14):
        world.press()
    await everything_is_said_once(world, ann)
    assert "event=webhook-given-up" not in world.text("kiosk.log")


async def survives(world, ann):
    """Kiosk, helper and homeserver are killed at random moments: nothing is lost, nothing said twice."""
    draw = random.Random(7)
    for _ in range(6):
        world.press()
        victim = draw.choice(["kiosk", "homeserver", "kiosk"])
        wait_for("a moment", lambda: draw.random() < 0.2, 5)
        world.kill(victim)
        if victim == "kiosk":
            world.run_kiosk()
        else:
            world.press()
            world.run_homeserver()
    await everything_is_said_once(world, ann, 240)


def as_kiosk(world, path, body=None):
    """Requests something with the kiosk's session."""
    token = [line.split()[1] for line in world.text("matrix.session").splitlines() if line.startswith("token ")][0]
    return urllib.request.urlopen(urllib.request.Request(
        world.url + "/_matrix/client/v3/" + path, body, headers={"Authorization": "Bearer " + token}))


def unread(world):
    """The number of messages that the kiosk's account has not read, as the homeserver counts them."""
    with as_kiosk(world, "sync?timeout=0") as answer:
        return json.load(answer)["rooms"]["join"][world.room]["unread_notifications"]["notification_count"]


async def waits_for_a_login(world, ann):
    """When its session is ended, messages wait for the next login, and are sent once."""
    as_kiosk(world, "logout/all", b"{}").close()
    world.press()
    wait_for("the refusal", lambda: "code=room-token-refused" in world.text("kiosk.log"))
    assert "log in" in world.refused("status") or "matrix login" in world.refused("status")
    world.log_in()
    await everything_is_said_once(world, ann)


async def acts(world, ann, lines, room=None):
    """Says it, and waits until it has acted."""
    lines.append(await ann.says(room or world.room, "!bell"))
    await ann.hears(lambda _: ann.answers.get(lines[-1]) == ["\u23f3", "\u2705"])


async def is_commanded(world, ann):
    """Lines in the room act once, whatever is killed, and all are answered; nothing acts from before the kiosk came."""
    old = await ann.says(world.room, "!bell")
    assert unread(world) > 0
    world.end("kiosk")
    world.configure_rooms(
        {"bell": ROOM}, f"commands: [{{room: '{ROOM}', users: ['@ann:localhost'], actions: [bell], expires: 20 s}}]\n")
    ready = world.listens()
    world.run_kiosk()
    ready()
    lines = []
    await acts(world, ann, lines)
    draw = random.Random(11)
    for number in range(KILLS):
        lines.append(await ann.says(world.room, "!bell"))
        wait_for("a moment", lambda: draw.random() < 0.3, 5)
        world.strike(draw.choice(("listener", "kiosk", "homeserver", "listener", "kiosk")))
    await acts(world, ann, lines)
    await everything_is_said_once(world, ann, 120)
    await ann.hears(lambda _: all(ann.is_answered(line) for line in lines), 120)
    done = sum("\u2705" in ann.answers[line] for line in lines)
    unknown = sum(any("restarted" in answer for answer in ann.answers[line]) for line in lines)
    print(f"    {len(lines)} lines, {KILLS} kills: {done} done, {unknown} of unknown outcome", flush=True)
    assert done >= 2 and done <= world.commands() <= done + unknown, (done, unknown, world.commands())
    assert all(len(set(keys)) == len(keys) for keys in ann.answers.values()) and old not in ann.answers, ann.answers
    status = await ann.says(world.room, "!status")
    await ann.hears(lambda _: any("broker connected" in text for text in ann.answers.get(status, [])))
    wait_for("the receipt", lambda: unread(world) == 0)


async def obeys_powers(world, ann):
    """People with the power level command: creators of version 12, moderators while they are some, and nobody else."""
    ben = await Person.arrive(world, "ben")
    try:
        rooms = []
        for version in ("10", "12"):
            made = await ann.client.room_create(
                name="Hall", room_version=version, invite=[world.user, "@ben:localhost"])
            rooms.append(made.room_id)
            world.tappet("matrix", "join", made.room_id)
            await ben.client.join(made.room_id)
        world.end("kiosk")
        world.configure_rooms({"bell": ROOM}, "commands:\n" + "".join(
            f"  - {{room: '{room}', power_level: 50, actions: [bell], people: true, expires: 2 s}}\n"
            for room in rooms))
        world.tappet("person", "add", "Ben Smith")
        ready = world.listens(2)
        world.run_kiosk()
        ready()
        for room in rooms:
            await acts(world, ann, [], room)
            before = world.commands()
            strange = await ben.says(room, "!bell")
            creators = {} if room == rooms[1] else {"@ann:localhost": 100}
            await ann.sets_powers(room, {**creators, "@ben:localhost": 50})
            await acts(world, ben, [], room)
            await ann.sets_powers(room, creators)
            former = await ben.says(room, "!bell")
            await acts(world, ann, [], room)
            assert world.commands() == before + 2 and not {strange, former} & set(ben.answers), ben.answers
        await everything_is_said_once(world, ann)
        suspended = await ann.says(rooms[0], "!suspend Ben Smith")
        await ann.hears(lambda _: ann.answers.get(suspended) == ["\u2705"])
        world.kill("kiosk")
        assert "suspended" in world.tappet("person", "list")
    finally:
        await ben.client.close()
    world.run_kiosk()


def hall_rang(heard, room):
    return any(place == room and body.startswith("hall ") for place, _, _, body in heard)


async def follows_rooms(world, ann):
    """A room that was upgraded takes no commands, its address leads to the new one, and a ban closes it."""
    alias = "half/50%"
    made = await ann.client.room_create(name="Old", room_version="10", alias=alias, invite=[world.user])
    room = f"#{alias}:localhost"
    world.tappet("matrix", "join", made.room_id)
    world.end("kiosk")
    world.configure_rooms(
        {"bell": ROOM, "hall": room},
        f"commands: [{{room: '{room}', users: ['@ann:localhost'], actions: [hall], expires: 2 s}}]\n")
    ready = world.listens()
    world.run_kiosk()
    ready()
    world.press(1)
    await ann.hears(lambda heard: hall_rang(heard, made.room_id))
    successor = await ann.upgrades(made.room_id, "11")
    world.denied(room, "room-replaced")
    await ann.client.room_invite(successor, world.user)
    world.tappet("matrix", "join", successor)
    world.press(1)
    await ann.hears(lambda heard: hall_rang(heard, successor))
    ready = world.listens()
    os.kill(world.processes["kiosk"].pid, signal.SIGHUP)
    ready()
    await ann.client.room_ban(successor, world.user)
    world.denied(room, "room-closed")
    world.press(1)
    wait_for("the refusal", lambda: "code=room-closed" in world.text("kiosk.log").split("event=webhook-given-up")[-1])


async def refuses_encryption(world, ann):
    """Nothing is sent into an encrypted room."""
    made = await ann.client.room_create(
        name="Hidden", invite=[world.user], initial_state=[
            {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}])
    world.tappet("matrix", "join", made.room_id)
    assert "encrypted" in world.refused("matrix", "send", made.room_id, "hello")
    world.end("kiosk")
    world.configure_rooms({"bell": ROOM, "hidden": made.room_id})
    assert "nothing was sent, because the room is encrypted" in world.refused("check")
    world.run_kiosk()
    world.press(1)
    wait_for("the refusal", lambda: "code=room-encrypted" in world.text("kiosk.log"))
    await ann.listen()
    assert not [heard for heard in ann.heard if heard[0] == made.room_id]


async def changes_people(world, ann):
    """The kiosk removes somebody, leaves and logs out; what cannot be sent any more is given up."""
    world.tappet("matrix", "kick", ROOM, "@ann:localhost")
    assert "M_FORBIDDEN" in world.refused("matrix", "kick", ROOM, "@ann:localhost")
    world.tappet("matrix", "leave", ROOM)
    world.press()
    wait_for("the refusal", lambda: "code=room-closed" in world.text("kiosk.log"))
    world.tappet("matrix", "logout")
    assert "there is no session" in world.refused("matrix", "list")


async def handles_spaces(world, ann):
    """A space of 30 rooms: people are let in and removed, room by room and by the server's own endpoints."""
    walk = world.path("walk")
    for step, count in enumerate((30, 3)):
        if step == 0:
            open(walk, "w", encoding="utf-8").close()
        space = world.tappet("space", "create", "House", "--invite", "@ann:localhost").strip()
        rooms = [world.tappet("matrix", "create", f"Room {number}", "--invite", "@ann:localhost").strip()
                 for number in range(count)]
        for room in rooms:
            world.tappet("space", "add", space, room)
        for room in [space, *rooms[1:]]:
            await ann.client.join(room)
        lines = world.tappet("matrix", "list", "--by-space").splitlines()
        place = next(number for number, line in enumerate(lines) if line.startswith(space))
        inside = [line.split()[0] for line in lines[place + 1:place + 1 + count] if line.startswith("  ")]
        assert sorted(inside) == sorted(rooms), lines
        removed = world.tappet("space", "kick-all", space, "@ann:localhost")
        assert sorted(line.split()[1] for line in removed.splitlines() if line.startswith("removed")) == sorted(
            [space, *rooms]), removed
        answer = await ann.client.joined_rooms()
        assert not set(answer.rooms) & {space, *rooms}, answer
        if step == 0:
            again = world.tappet("space", "kick-all", space, "@ann:localhost")
            assert again.count("absent  ") == count + 1, again
            os.unlink(walk)


async def joins_spaces(world, ann):
    """The kiosk joins all rooms of somebody else's space that are open to it; the closed one is named."""
    made = await ann.client.room_create(name="Club", room_type="m.space", preset=RoomPreset.public_chat)
    rooms = []
    for preset in (RoomPreset.public_chat, RoomPreset.public_chat, RoomPreset.private_chat):
        room = await ann.client.room_create(name="Hall", preset=preset)
        rooms.append(room.room_id)
        await ann.client.room_put_state(made.room_id, "m.space.child", {"via": ["localhost"]}, room.room_id)
    world.tappet("matrix", "join", made.room_id)
    for walks in (True, False):
        if walks:
            open(world.path("walk"), "w", encoding="utf-8").close()
        else:
            os.unlink(world.path("walk"))
        output = world.refused("space", "join-all", made.room_id)
        assert sorted(line.split()[1] for line in output.splitlines() if line.startswith("joined")) == sorted(rooms[:2])
        assert f"failed  {rooms[2]}" in output, output


async def back_to_plain(world, _):
    """Without encryption the kiosk is as before."""
    world.end("kiosk")
    world.configure_rooms({"bell": ROOM})
    world.run_kiosk()


STEPS = [logs_in, shares_its_room, says_once, rings_a_phone, waits_for_its_turn, survives, waits_for_a_login,
         is_commanded, obeys_powers, *asking.STEPS, *absence.STEPS, follows_rooms, refuses_encryption,
         *encrypted.STEPS, handles_spaces, joins_spaces, *listing.STEPS, back_to_plain, changes_people, *page.STEPS]
