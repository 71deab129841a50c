"""The steps in which nobody is at the kiosk: it accepts invitations by itself, and leaves a last will."""
import json
import urllib.request

from kiosk import wait_for
from world import Person

ROOM = "#door:localhost"
GONE = "The kiosk is not working."


async def is_invited(world, ann):
    """The kiosk joins a room to which a configured user invites it, and none of anybody else."""
    world.end("kiosk")
    ben = await Person.arrive(world, "ben")
    try:
        theirs = await ben.client.room_create(name="Ben's", invite=[world.user])
        before = await ann.client.room_create(name="Before", invite=[world.user])
        world.configure_rooms({"bell": ROOM}, more="accept_invitations_of: ['@ann:localhost']")
        world.run_kiosk()
        after = await ann.client.room_create(name="After", invite=[world.user])
        for room in (before.room_id, after.room_id):
            wait_for("the kiosk in the room", lambda room=room: world.user in members(ann, room), 60)
            world.tappet("matrix", "leave", room)
        assert world.user not in members(ben, theirs.room_id), theirs
        assert theirs.room_id in world.tappet("matrix", "list")
        assert world.text("kiosk.log").count("event=room-joined") == 2, world.text("kiosk.log")[-2000:]
        await ben.client.room_kick(theirs.room_id, world.user)
    finally:
        await ben.client.close()


def members(person, room):
    """The members of a room in which somebody is."""
    return person.request(f"rooms/{room}/joined_members")["joined"]


def scheduled(kiosk):
    """The messages that the homeserver will post for the kiosk's account."""
    request = urllib.request.Request(
        kiosk.client.homeserver + "/_matrix/client/unstable/org.matrix.msc4140/delayed_events",
        headers={"Authorization": "Bearer " + kiosk.client.access_token})
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer = json.load(answer)
    return [each["content"]["body"] for each in answer.get("delayed_events", answer.get("scheduled", []))]


async def leaves_a_will(world, ann):
    """The homeserver posts the last will of a kiosk that is killed, once, and nothing after an orderly stop."""
    world.end("kiosk")
    world.configure_rooms({"bell": ROOM}, more=f"last_will: {{room: '{ROOM}', message: {GONE}, after: 60 s}}")

    def run():
        before = world.text("kiosk.log").count("event=last-will-ready")
        world.run_kiosk()
        wait_for("the last will", lambda: world.text("kiosk.log").count("event=last-will-ready") > before, 60)
    account = await Person.arrive(world, "kiosk")
    try:
        run()
        assert scheduled(account) == [GONE], scheduled(account)
        # The message of a killed kiosk is cancelled by its successor.
        world.kill("kiosk")
        run()
        wait_for("a single last will", lambda: scheduled(account) == [GONE])
        world.kill("kiosk")
        await ann.hears(lambda _: ann.said_by(world.user, world.room, GONE), 120)
        run()
        assert scheduled(account) == [GONE], scheduled(account)
        world.end("kiosk")
        assert scheduled(account) == [], scheduled(account)
        await ann.listen()
        assert len(ann.said_by(world.user, world.room, GONE)) == 1, ann.heard[-5:]
    finally:
        await account.client.close()
        world.run_kiosk()


STEPS = [is_invited, leaves_a_will]
