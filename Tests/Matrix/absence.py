"""The steps in which nobody is at the kiosk: it accepts invitations, leaves a last will, and shows what is unread."""
import json
import urllib.parse
import urllib.request

import listing
from encrypted import put_when_allowed
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


async def shows_unread(world, ann):
    """The light is lit while something is unread in the space, until another client of the kiosk has read it."""
    quote = urllib.parse.quote
    encryption = {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
    made = [await ann.client.room_create(name="Home", space=True, invite=[world.user])]
    for name in ("Kitchen", "Cellar", "Elsewhere"):
        made.append(await ann.client.room_create(
            name=name, invite=[world.user], initial_state=[encryption] if name == "Cellar" else ()))
    home, kitchen, cellar, elsewhere = rooms = [each.room_id for each in made]
    for room in rooms:
        world.tappet("matrix", "join", room)
    # Every 30 s, Synapse sums what is unread of a room without a receipt, and counts the invitation, too.
    for room in (kitchen, cellar):
        event = put_when_allowed(ann, room, "m.room.message", {"msgtype": "m.notice", "body": "zero"})
        listing.as_kiosk(world, "POST", f"rooms/{quote(room)}/receipt/m.read/{quote(event)}", {})

    async def sets_child(room, content):
        answer = await ann.client.room_put_state(home, "m.space.child", content, room)
        assert hasattr(answer, "event_id"), answer

    def shows(messages, rooms=1):
        state = {"expected": (messages, rooms)}

        def is_shown():
            # The reader is not ready at once.
            status = json.loads(world.tappet("status", "--json", expected=(0, 1)))["data"]
            state["found"] = status["rooms"]["unread"], status["rooms"]["unread_rooms"]
            state["light"] = status["light"]
            return state["found"] == state["expected"] and (state["light"] == "unread") == (rooms > 0)
        # A failure prints the last state.
        wait_for(state, is_shown, 60)
    await sets_child(kitchen, {"via": ["localhost"]})
    world.end("kiosk")
    world.configure_rooms({"bell": ROOM}, more=f"unread_of: '{home}'")
    world.run_kiosk()
    shows(0, 0)
    await ann.says(elsewhere, "one")
    event = await ann.says(kitchen, "two")
    shows(1)
    other = await Person.arrive(world, "kiosk")
    try:
        other.request(f"rooms/{quote(kitchen)}/receipt/m.read/{quote(event)}", {"thread_id": "main"}, "POST")
        shows(0, 0)
        # Only the homeserver counts what is encrypted, also of a room that joins the space later.
        ann.put(cellar, "m.room.encrypted", {
            "algorithm": "m.megolm.v1.aes-sha2", "ciphertext": "x", "session_id": "x", "sender_key": "x",
            "device_id": "x"})
        await sets_child(cellar, {"via": ["localhost"]})
        shows(1)
        world.kill("kiosk")
        world.run_kiosk()
        shows(1)
        await sets_child(cellar, {})
        shows(0, 0)
        mark = f"user/{quote(world.user)}/rooms/{quote(kitchen)}/account_data/m.marked_unread"
        for is_marked in (True, False):
            listing.as_kiosk(world, "PUT", mark, {"unread": is_marked})
            shows(0, int(is_marked))
        world.tappet("matrix", "leave", home)
        wait_for("the reason", lambda: "event=unread-failing code=room-closed" in world.text("kiosk.log"), 60)
    finally:
        await other.client.close()
        world.end("kiosk")
        for room in rooms[1:]:
            world.tappet("matrix", "leave", room)
        world.configure_rooms({"bell": ROOM})
        world.run_kiosk()


STEPS = [is_invited, leaves_a_will, shows_unread]
