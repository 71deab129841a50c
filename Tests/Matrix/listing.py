"""The steps about the list of rooms, which rely on the more than 38 rooms that the steps before them have made."""
import json
import subprocess
import time
import urllib.parse
import urllib.request

from kiosk import wait_for
from world import Person


def as_kiosk(world, method, path, body):
    """Requests something with the kiosk's session."""
    token = [line.split()[1] for line in world.text("matrix.session").splitlines() if line.startswith("token ")][0]
    urllib.request.urlopen(urllib.request.Request(
        f"{world.url}/_matrix/client/v3/{path}", json.dumps(body).encode(), method=method,
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"})).close()


def listed(world, *words):
    data = json.loads(world.tappet("matrix", "list", "--json", *words))["data"]
    return {room["id"]: room for room in data["rooms"]}


async def is_counted(world, ann):
    """Rooms are listed in a second, with what is unread, marked and muted, and those that the kiosk has not joined."""
    quote = urllib.parse.quote
    made = await ann.client.room_create(name="Club", space=True, invite=[world.user])
    space = made.room_id
    world.tappet("matrix", "join", space)
    rooms = []
    for name in ("Bar", "Court", "Attic"):
        room = (await ann.client.room_create(name=name, invite=[] if name == "Attic" else [world.user])).room_id
        if name != "Attic":
            world.tappet("matrix", "join", room)
        answer = await ann.client.room_put_state(space, "m.space.child", {"via": ["localhost"]}, room)
        assert hasattr(answer, "event_id"), answer
        rooms.append(room)
    bar, court, attic = rooms
    await ann.says(bar, "one")
    await ann.says(bar, "kiosk: two")
    user = quote(world.user)
    as_kiosk(world, "PUT", f"user/{user}/rooms/{quote(court)}/account_data/m.marked_unread", {"unread": True})
    as_kiosk(world, "PUT", f"pushrules/global/override/{quote(court)}", {
        "actions": [], "conditions": [{"kind": "event_match", "key": "room_id", "pattern": court}]})
    found = listed(world, "--by-space")
    assert (found[bar]["unread"], found[bar]["mentions"]) == (2, 1), found[bar]
    assert found[bar]["parent"] == space and found[bar]["name"] == "Bar" and found[bar]["newest_at"], found[bar]
    assert found[court]["marked_unread"] and found[court]["muted"] and found[court]["highlighted"], found[court]
    assert (found[space]["unread"], found[space]["muted"]) == (2, False) and found[space]["marked_unread"], found[space]
    assert not found[attic]["joined"] and found[attic]["parent"] == space, found[attic]
    # A name that changes after the newest message is the name.
    answer = await ann.client.room_put_state(bar, "m.room.name", {"name": "Cellar bar"})
    assert hasattr(answer, "event_id"), answer
    assert listed(world)[bar]["name"] == "Cellar bar"
    times = []
    for _ in range(3):
        began = time.monotonic()
        count = sum(room["joined"] for room in listed(world, "--by-space").values())
        times.append(time.monotonic() - began)
    print(f"    {count} rooms in {min(times):.2f} s", flush=True)
    assert count >= 38 and min(times) < 1, (count, times)


async def is_watched(world, ann):
    """The live view prints the messages of rooms that the kiosk joins in the meantime, also after it leaves one."""
    rooms = [(await ann.client.room_create(name=name, invite=[world.user])).room_id for name in ("Pool", "Gym")]
    world.start("watch", [world.bin + "/tappet", "matrix", "watch", "--config", world.path("kiosk.yaml")])
    wait_for("the list", lambda: "  invited by @ann:localhost" in world.text("watch.log"))
    for room in rooms:
        world.tappet("matrix", "join", room)
    await ann.says(rooms[0], "the water is warm")
    wait_for("the message", lambda: "  Pool  @ann:localhost  the water is warm" in world.text("watch.log"))
    world.tappet("matrix", "leave", rooms[0])
    await ann.says(rooms[1], "the gym is open")
    wait_for("the next message", lambda: "  Gym  @ann:localhost  the gym is open" in world.text("watch.log"))
    assert world.text("watch.log").count("the water is warm") == 1, world.text("watch.log")
    world.end("watch")


async def opens_to_members(world, ann):
    """A room made in a space lets its members in, and nobody else; a message is removed."""
    ben = await Person.arrive(world, "ben")
    try:
        space = world.tappet("space", "create", "Choir", "--invite", "@ann:localhost").strip()
        await ann.client.join(space)
        room = world.tappet("matrix", "create", "Rehearsal", "--space", space).strip()
        assert hasattr(await ann.client.join(room), "room_id")
        assert not hasattr(await ben.client.join(room), "room_id")
        assert listed(world, "--by-space")[room]["parent"] == space
    finally:
        await ben.client.close()
    words = ["matrix", "send", room, "a slip", "--config", world.path("kiosk.yaml")]
    sent = subprocess.run([world.bin + "/tappet", *words], check=True, capture_output=True, text=True).stderr
    event = sent.split("Sent: ")[1].strip().rstrip(".")
    world.tappet("matrix", "redact", room, event, "--reason", "wrong room")
    left = ann.request(f"rooms/{urllib.parse.quote(room)}/event/{urllib.parse.quote(event, safe='')}")
    assert left["content"] == {}, left
    assert left["unsigned"]["redacted_because"]["content"]["reason"] == "wrong room", left


STEPS = [is_counted, is_watched, opens_to_members]
