"""The steps in encrypted rooms, with matrix-nio and its vodozemac, another implementation, as the other person."""
import asyncio
import json
import logging
import os
import random
import urllib.error
import urllib.parse

import hostile
from kiosk import wait_for
from signedjson.key import encode_verify_key_base64, generate_signing_key, get_verify_key
from signedjson.sign import sign_json
from world import PASSWORD, WHOLE_TIMELINE, Visitor

ROOM = "#door:localhost"
ROTATION = 4
# It warns of each message that it cannot read, which is what some steps are about.
logging.getLogger("nio").setLevel(logging.CRITICAL)


class Reader(Visitor):
    """Somebody with a client that encrypts."""

    def __init__(self, client):
        super().__init__(client)
        # Of the decrypted ones, whose (event id, room, sender, text) are `heard`.
        self.sessions = []
        self.unread = []

    @classmethod
    async def arrive(cls, world, name):
        """Logs in as a new device, which nobody has signed."""
        from nio import AsyncClient, AsyncClientConfig
        os.makedirs(world.path("nio-" + name), exist_ok=True)
        client = AsyncClient(world.url, f"@{name}:localhost", store_path=world.path("nio-" + name),
                             config=AsyncClientConfig(encryption_enabled=True))
        await client.login(PASSWORD, device_name="nio")
        reader = cls(client)
        await reader.listen()
        return reader

    async def listen(self):
        from nio import MegolmEvent
        answer = await self.client.sync(timeout=300, full_state=not self.heard, sync_filter=WHOLE_TIMELINE)
        if self.client.should_upload_keys:
            await self.client.keys_upload()
        if self.client.should_query_keys:
            await self.client.keys_query()
        await self.client.send_to_device_messages()
        for room, facts in getattr(answer, "rooms").join.items() if hasattr(answer, "rooms") else ():
            for event in facts.timeline.events:
                self.note(room, event, isinstance(event, MegolmEvent))
        return self.heard

    def note(self, room, event, is_closed):
        source = event.source
        if is_closed:
            return self.unread.append((event.event_id, room, event.sender))
        self.raw[event.event_id] = source
        content = source.get("content", {})
        self.note_answer(content)
        if source.get("type") == "m.room.message" and event.decrypted:
            self.heard.append((event.event_id, room, event.sender, content.get("body")))
            self.sessions.append(event.session_id)

    async def says(self, room, text):
        answer = await self.client.room_send(
            room, "m.room.message", {"msgtype": "m.text", "body": text}, ignore_unverified_devices=True)
        return answer.event_id

    async def hears(self, condition, limit=60):
        end = asyncio.get_running_loop().time() + limit
        while asyncio.get_running_loop().time() < end:
            await self.listen()
            if condition():
                return
        raise AssertionError(f"waited {limit} s in vain; {self.heard[-9:]} {self.answers} unread {self.unread[-9:]}")

    def sign(self):
        """Gives its owner an identity, and has that sign this device."""
        user, device = self.client.user_id, self.client.device_id
        master, own = signing_key(), signing_key()
        keys = {usage: {"user_id": user, "usage": [usage], "keys": {"ed25519:" + key.version: key.version}}
                for usage, key in (("master", master), ("self_signing", own))}
        self.request("keys/device_signing/upload", {
            "master_key": keys["master"], "self_signing_key": sign_json(keys["self_signing"], user, master)})
        signed = self.keys_of(user)["device_keys"][user][device]
        signed.pop("unsigned", None)
        answer = self.request("keys/signatures/upload", {user: {device: sign_json(signed, user, own)}})
        assert answer == {"failures": {}}, answer

    def event(self, room, event):
        return self.request(f"rooms/{urllib.parse.quote(room)}/event/{urllib.parse.quote(event)}")

    def keys_of(self, user):
        return self.request("keys/query", {"device_keys": {user: []}})

    def said(self, room):
        return [text.split()[-1] for _, place, _, text in self.heard if place == room and text.startswith("bell ")]

    async def hears_all_once(self, room, accepted, limit=120):
        await self.hears(lambda: set(self.said(room)) >= set(accepted()), limit)
        assert sorted(self.said(room)) == sorted(accepted()), (self.said(room), accepted())


def signing_key():
    """A key that is named by its public half, as keys of an identity are."""
    key = generate_signing_key("")
    key.version = encode_verify_key_base64(get_verify_key(key))
    return key


def settings(world, more="encryption: {unencrypted: refuse}"):
    """A kiosk that says and hears in the encrypted room alone."""
    world.configure_rooms(
        {"bell": world.secret_room},
        f"commands: [{{room: '{world.secret_room}', users: ['@ben:localhost'], actions: [bell], expires: 20 s}}]\n",
        more)


async def does_without_keys(world, _):
    """A kiosk that does not encrypt listens with one process for its rooms, and has no keys."""
    world.end("kiosk")
    world.configure_rooms(
        {"bell": ROOM}, f"commands: [{{room: '{ROOM}', users: ['@ann:localhost'], actions: [bell]}}]\n")
    ready = world.listens()
    world.run_kiosk()
    ready()
    assert world.programs_with("libolm") == ({"tappet-matrix"}, {"tappet", "tappet-matrix", "tappet-reader"}), (
        world.programs_with("libolm"))
    assert not os.path.exists(world.path("state/matrix.db")), "a database of keys"


async def speaks_encrypted(world, _):
    """In an encrypted room the kiosk is understood, and the homeserver has only ciphertext."""
    ben = world.ben = await Reader.arrive(world, "ben")
    made = await ben.client.room_create(
        name="Secret", invite=[world.user], initial_state=[
            {"type": "m.room.encryption", "state_key": "",
             "content": {"algorithm": "m.megolm.v1.aes-sha2", "rotation_period_msgs": ROTATION}}])
    world.secret_room = made.room_id
    world.tappet("matrix", "join", made.room_id)
    world.end("kiosk")
    world.before = len(world.accepted())
    settings(world)
    ready = world.listens()
    world.run_kiosk()
    ready()
    world.press()
    await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:])
    plain = [event for event in [ben.event(world.secret_room, entry[0]) for entry in ben.heard]
             if event["type"] != "m.room.encrypted" or "bell" in json.dumps(event)]
    assert not plain, plain
    check_identity(ben.keys_of(world.user), world.user)
    assert world.programs_with("libolm")[0] == {"tappet-matrix"}, world.programs_with("libolm")


def check_identity(keys, user):
    """The account has an identity, which has signed its one device."""
    from nio.api import Api
    from vodozemac import Ed25519PublicKey, Ed25519Signature

    def check(signed, key):
        bare = {name: value for name, value in signed.items() if name not in ("signatures", "unsigned")}
        signature = signed["signatures"][user]["ed25519:" + key]
        Ed25519PublicKey.from_base64(key).verify_signature(
            Api.to_canonical_json(bare).encode(), Ed25519Signature.from_base64(signature))

    master = list(keys["master_keys"][user]["keys"].values())[0]
    own = keys["self_signing_keys"][user]
    check(own, master)
    devices = [device for device in keys["device_keys"][user].values() if device["keys"]]
    assert len(devices) == 1, devices
    check(devices[0], list(own["keys"].values())[0])


async def changes_sessions(world, _):
    """After as many messages as the room wants, another session begins."""
    ben = world.ben
    for _ in range(ROTATION + 1):
        world.press()
    await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:])
    counts = [ben.sessions.count(session) for session in set(ben.sessions)]
    assert len(counts) >= 2 and max(counts) <= ROTATION, counts


async def is_commanded_encrypted(world, _):
    """A line acts when it was encrypted by a device of somebody allowed; plain and replayed ones do not."""
    ben = world.ben
    line = await ben.says(world.secret_room, "!bell")
    await ben.hears(lambda: ben.answers.get(line) == ["\u23f3", "\u2705"])
    before = world.commands()
    replayed = ben.put(world.secret_room, "m.room.encrypted", ben.event(world.secret_room, line)["content"])
    plain = ben.put(world.secret_room, "m.room.message", {"msgtype": "m.text", "body": "!bell"})
    status = await ben.says(world.secret_room, "!status")
    await ben.hears(lambda: any("broker connected" in text for text in ben.answers.get(status, [])))
    assert world.commands() == before + 1, (world.commands(), before)  # '!status' is a command, too.
    assert replayed not in ben.answers and plain not in ben.answers, ben.answers


async def survives_encrypted(world, _):
    """Kiosk, tappet-matrix and homeserver are killed: nothing is lost, nothing said or done twice."""
    ben = world.ben
    draw = random.Random(5)
    lines = []
    for victim in ("listener", "kiosk", "homeserver", "listener", "kiosk"):
        world.press()
        lines.append(await ben.says(world.secret_room, "!bell"))
        wait_for("a moment", lambda: draw.random() < 0.2, 5)
        world.strike(victim, world.press)
    await ben.hears(lambda: all(ben.is_answered(line) for line in lines), 240)
    await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:], 240)
    assert not [each for each in ben.unread if each[2] == world.user], ben.unread


def put_when_allowed(person, room, kind, content):
    """Sends an event as it is, as soon as the homeserver's limit on the rate permits it."""
    def is_sent():
        try:
            return person.put(room, kind, content)
        except urllib.error.HTTPError as error:
            assert error.code == 429, error
            return None
    return wait_for("the limit of the homeserver", is_sent, 20)


async def survives_many_values(world, ann):
    """A hundred events of 31,000 values, and others to the device, cost little memory and no command."""
    ben, bomb = world.ben, [0] * 31_000
    for user in (ben, ann):
        for number in range(10):
            ciphertext = {"algorithm": "m.olm.v1.curve25519-aes-sha2", "sender_key": "A" * 43, "ciphertext": bomb}
            user.request(f"sendToDevice/m.room.encrypted/bomb{number}",
                         {"messages": {world.user: {"*": ciphertext}}}, "PUT")
    world.end("kiosk")
    content = {"msgtype": "m.text", "body": "!bell", "algorithm": "m.megolm.v1.aes-sha2", "session_id": "s"}
    for number in range(90):
        kind = ("m.room.message", "m.room.encrypted")[number % 2]
        put_when_allowed(ben, world.secret_room, kind, {**content, "ciphertext": bomb})
    before, first = world.commands(), await ben.says(world.secret_room, "!bell")
    for _ in range(10):
        put_when_allowed(ben, world.secret_room, "m.room.message", {**content, "z": bomb})
    ready = world.listens()
    world.run_kiosk()
    ready()
    wait_for("the command among the events", lambda: world.commands() == before + 1, 5)
    put_when_allowed(ben, world.secret_room, "m.room.message", {**content, "z": bomb})
    second = await ben.says(world.secret_room, "!bell")
    wait_for("the command after them", lambda: world.commands() == before + 2, 5)
    with open(f"/proc/{world.listener()}/status", encoding="ascii") as file:
        peak = next(int(row.split()[1]) for row in file if row.startswith("VmHWM:"))
    assert peak <= 24 * 1024, f"{peak} KB"
    await ben.hears(lambda: ben.is_answered(first) and ben.is_answered(second), 120)


async def reads_keys_when_it_can(world, _):
    """Keys that cannot be read at the start are read later, without a reload."""
    ben, keys = world.ben, world.path("state/matrix.db")
    world.end("kiosk")
    os.rename(keys, keys + ".away")
    os.mkdir(keys)
    ready, before = world.listens(), world.text("kiosk.log").count("event=rooms-failing")
    world.run_kiosk()
    wait_for("the failure", lambda: world.text("kiosk.log").count("event=rooms-failing") > before, 60)
    os.rmdir(keys)
    os.rename(keys + ".away", keys)
    ready()
    line = await ben.says(world.secret_room, "!bell")
    await ben.hears(lambda: ben.answers.get(line) == ["\u23f3", "\u2705"])


async def excludes_unsigned_devices(world, _):
    """With `devices: signed`, a device that nobody has signed gets no key and cannot command; the signed one can."""
    ben = world.ben
    world.end("kiosk")
    ben.sign()
    other = await Reader.arrive(world, "ben")
    settings(world, "encryption: {unencrypted: refuse, devices: signed}")
    ready = world.listens()
    world.run_kiosk()
    ready()
    try:
        world.press()
        await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:])
        newest = ben.heard[-1][0]
        await other.hears(lambda: newest in [event for event, _, _ in other.unread])
        assert newest not in [event for event, _, _, _ in other.heard], other.heard
        before = world.commands()
        refused = await other.says(world.secret_room, "!bell")
        line = await ben.says(world.secret_room, "!bell")
        await ben.hears(lambda: ben.answers.get(line) == ["\u23f3", "\u2705"])
        assert refused not in ben.answers and world.commands() == before + 1, (ben.answers, world.commands(), before)
        # The same device, once its keys are given to all.
        world.end("kiosk")
        settings(world)
        ready = world.listens()
        world.run_kiosk()
        ready()
        world.press()
        await other.hears(lambda: other.said(world.secret_room)[-1:] == world.accepted()[-1:])
    finally:
        await other.client.close()


async def leaves_a_lost_device(world, _):
    """A device whose keys are lost is logged out; the next login has another one, which is understood."""
    ben = world.ben
    world.end("kiosk")
    device = [line for line in world.text("matrix.session").splitlines() if line.startswith("device ")]
    for end in ("", "-wal"):
        if os.path.exists(world.path("state/matrix.db" + end)):
            os.unlink(world.path("state/matrix.db" + end))
    before = world.text("kiosk.log").count("code=room-token-refused")
    world.run_kiosk()
    world.press()
    wait_for("the end of the session", lambda: world.text("kiosk.log").count("code=room-token-refused") > before, 60)
    world.log_in()
    assert device != [line for line in world.text("matrix.session").splitlines() if line.startswith("device ")]
    await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:], 20)
    await ben.client.close()


STEPS = [does_without_keys, speaks_encrypted, changes_sessions, is_commanded_encrypted, survives_encrypted,
         survives_many_values, reads_keys_when_it_can, excludes_unsigned_devices, *hostile.STEPS, leaves_a_lost_device]
