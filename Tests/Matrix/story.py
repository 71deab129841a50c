"""The steps of the test, each of which relies on those before it."""
import random
import urllib.request

from kiosk import wait_for

ROOM = "#door:localhost"


async def logs_in(world, ann):
    """The kiosk logs in, makes a room, and another person accepts the invitation."""
    world.start_simulator()
    world.configure_rooms({"bell": ROOM})
    world.log_in()
    world.room = world.tappet("room", "create", "Front door", "--alias", "door", "--invite", "@ann:localhost").strip()
    await ann.client.join(world.room)
    assert ROOM in world.tappet("room", "list")
    world.tappet("room", "send", ROOM, "Hello")
    await ann.hears(lambda heard: (world.room, world.user, "m.notice", "Hello") in heard)


def said(world, ann):
    """The ids that were sent, in the order in which they were heard."""
    return [body.split()[-1] for room, _, _, body in ann.heard if room == world.room and body.startswith("bell ")]


async def everything_is_said_once(world, ann, limit=120):
    await ann.hears(lambda heard: set(said(world, ann)) >= set(world.accepted()), limit)
    assert sorted(said(world, ann)) == sorted(world.accepted()), (said(world, ann), world.accepted())


async def says_once(world, ann):
    """A press is sent once, under its id."""
    world.run_kiosk()
    world.press()
    await everything_is_said_once(world, ann)
    assert world.tappet("outbox", "list") == ""


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


async def waits_for_a_login(world, ann):
    """When its session is ended, messages wait for the next login, and are sent once."""
    token = [line.split()[1] for line in world.text("matrix.session").splitlines() if line.startswith("token ")][0]
    request = urllib.request.Request(world.url + "/_matrix/client/v3/logout/all", b"{}", method="POST",
                                     headers={"Authorization": "Bearer " + token})
    urllib.request.urlopen(request).close()
    world.press()
    wait_for("the refusal", lambda: "code=room-token-refused" in world.text("kiosk.log"))
    assert "log in" in world.refused("status") or "room login" in world.refused("status")
    world.log_in()
    await everything_is_said_once(world, ann)


async def refuses_encryption(world, ann):
    """Nothing is sent into an encrypted room."""
    made = await ann.client.room_create(
        name="Hidden", invite=[world.user], initial_state=[
            {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}])
    world.tappet("room", "join", made.room_id)
    assert "encrypted" in world.refused("room", "send", made.room_id, "hello")
    world.end("kiosk")
    world.configure_rooms({"bell": ROOM, "hidden": made.room_id})
    assert "is encrypted, which is not supported" in world.refused("check")
    world.run_kiosk()
    world.press(1)
    wait_for("the refusal", lambda: "code=room-encrypted" in world.text("kiosk.log"))
    await ann.listen()
    assert not [heard for heard in ann.heard if heard[0] == made.room_id]


async def changes_people(world, ann):
    """The kiosk removes somebody, leaves and logs out; what cannot be sent any more is given up."""
    world.tappet("room", "kick", ROOM, "@ann:localhost")
    assert "M_FORBIDDEN" in world.refused("room", "kick", ROOM, "@ann:localhost")
    world.tappet("room", "leave", ROOM)
    world.press()
    wait_for("the refusal", lambda: "code=room-closed" in world.text("kiosk.log"))
    world.tappet("room", "logout")
    assert "there is no session" in world.refused("room", "list")


STEPS = [logs_in, says_once, waits_for_its_turn, survives, waits_for_a_login, refuses_encryption, changes_people]
