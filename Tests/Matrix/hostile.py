"""The steps in encrypted rooms with a stranger who floods the kiosk, kills in the worst moment, and an old copy."""
import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import time

from kiosk import wait_for
from world import PASSWORD, Visitor

# How many messages a stranger sends, and how often the kiosk is killed with a command under way.
FLOOD = int(os.environ.get("FLOOD", "300"))
KILLS = int(os.environ.get("KILLS", "8"))
# The kiosk keeps 64 commands that have no response yet.
BURST = 32
# In seconds, for a command during a flood.
RESPONSE_MAX = 5
# In KB; a build for debugging has more from the start.
MEMORY_MAX, GROWTH_MAX = 24 * 1024, 4 * 1024


class Stranger(Visitor):
    """Somebody who shares no room with the kiosk, and invents devices that nobody has."""

    @classmethod
    async def arrive(cls, world):
        from nio import AsyncClient, AsyncClientConfig
        world.register("mallory")
        client = AsyncClient(world.url, "@mallory:localhost", config=AsyncClientConfig(encryption_enabled=False))
        await client.login(PASSWORD)
        return cls(client)

    def keys_of(self, user):
        """The id, the Curve25519 key and the Ed25519 key of a user's newest device."""
        devices = self.request("keys/query", {"device_keys": {user: []}})["device_keys"][user]
        device, keys = next((name, each["keys"]) for name, each in devices.items() if each["keys"])
        return device, keys["curve25519:" + device], keys["ed25519:" + device]

    def claim(self, user, device):
        answer = self.request("keys/claim", {"one_time_keys": {user: {device: "signed_curve25519"}}})
        return next(iter(answer["one_time_keys"][user][device].values()))["key"]

    def floods(self, user, room, count):
        """Sends the key of a session in the room, each time from another invented device."""
        from vodozemac import Account, Curve25519PublicKey, GroupSession
        device, curve25519, ed25519 = self.keys_of(user)
        one_time_key = Curve25519PublicKey.from_base64(self.claim(user, device))
        for _ in range(count):
            account, group = Account(), GroupSession()
            olm = account.create_outbound_session(Curve25519PublicKey.from_base64(curve25519), one_time_key)
            payload = {
                "type": "m.room_key", "sender": self.client.user_id, "recipient": user,
                "recipient_keys": {"ed25519": ed25519}, "keys": {"ed25519": account.ed25519_key.to_base64()},
                "content": {"algorithm": "m.megolm.v1.aes-sha2", "room_id": room, "session_id": group.session_id,
                            "session_key": group.session_key.to_base64()}}
            kind, body = olm.encrypt(json.dumps(payload).encode()).to_parts()
            message = {"algorithm": "m.olm.v1.curve25519-aes-sha2",
                       "sender_key": account.curve25519_key.to_base64(),
                       "ciphertext": {curve25519: {"type": kind, "body": urlsafe(body)}}}
            path = f"sendToDevice/m.room.encrypted/{random.getrandbits(64):x}"
            self.request(path, {"messages": {user: {device: message}}}, "PUT")


def urlsafe(body):
    """Base64 without its padding, of what vodozemac returns."""
    import base64
    return body if isinstance(body, str) else base64.b64encode(bytes(body)).decode().rstrip("=")


def rows(world, kind):
    """The number of rows of a kind in a copy of matrix.db, which the kiosk has open alone."""
    for end in ("", "-wal"):
        if os.path.exists(world.path("state/matrix.db" + end)):
            shutil.copyfile(world.path("state/matrix.db" + end), world.path("rows.db" + end))
    with sqlite3.connect(world.path("rows.db")) as database:
        return database.execute("SELECT count(*) FROM row WHERE kind = ?", (kind,)).fetchone()[0]


def memory(world):
    """The memory of tappet-matrix, in KB."""
    with open(f"/proc/{world.listener()}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


async def ignores_strangers(world, _):
    """A stranger floods the kiosk with keys: they leave nothing, and commands take effect during it and afterwards."""
    ben = world.ben
    line = await ben.says(world.secret_room, "!bell")
    await ben.hears(lambda: ben.answers.get(line) == ["\u23f3", "\u2705"])
    before = rows(world, 2), rows(world, 3), world.listener()
    limit = max(MEMORY_MAX, memory(world) + GROWTH_MAX)
    mallory = await Stranger.arrive(world)
    try:
        for _ in range(3):
            mallory.floods(world.user, world.secret_room, FLOOD // 3)
            begin = time.monotonic()
            line = await ben.says(world.secret_room, "!bell")
            await ben.hears(lambda: ben.answers.get(line) == ["\u23f3", "\u2705"], RESPONSE_MAX)
            print(f"  a command's response after {FLOOD // 3} keys of strangers: {time.monotonic() - begin:.1f} s")
        assert memory(world) < limit, (memory(world), limit)
        assert (rows(world, 2), rows(world, 3), world.listener()) == before, (rows(world, 2), rows(world, 3), before)
    finally:
        await mallory.client.close()


async def responds_after_kills(world, _):
    """A command that is under way when the kiosk is killed takes effect at most once, and gets a response."""
    ben = world.ben
    lines, before, outbox = [], len(ben.said(world.secret_room)), world.tappet("outbox", "list")
    for number in range(1, KILLS + 1):
        os.kill(world.processes["kiosk"].pid, signal.SIGSTOP)
        written = os.stat(world.path("state/matrix.db-wal")).st_mtime_ns
        lines.append(await ben.says(world.secret_room, "!bell"))
        # tappet-matrix does not read it if it waits for the kiosk, which stands still.
        with contextlib.suppress(AssertionError):
            wait_for("the line", lambda: os.stat(world.path("state/matrix.db-wal")).st_mtime_ns > written, 1)
        ready = world.listens()
        world.kill("kiosk")
        world.run_kiosk()
        ready()
        if number % BURST == 0 or number == KILLS:
            await ben.hears(lambda: all(ben.is_answered(line) for line in lines), 240)
    acted = [line for line in lines if ben.answers[line].count("\u2705") > 1 or len(ben.answers[line]) > 2]
    assert not acted, [ben.answers[line] for line in acted]
    # A kiosk that is killed may have no time to log what it has accepted.
    wait_for("the end of its queue", lambda: world.tappet("outbox", "list") == outbox, 240)
    await ben.hears(lambda: set(ben.said(world.secret_room)) >= set(world.accepted()[world.before:]), 240)
    said = ben.said(world.secret_room)
    assert len(said) == len(set(said)) and len(said) - before <= KILLS, said
    world.before = len(world.accepted())
    ben.heard.clear()


async def notices_an_old_copy(world, _):
    """An old copy of the state is noticed at the first message, and the next login is understood."""
    ben = world.ben
    world.press()
    await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:])
    world.end("kiosk")
    shutil.copytree(world.path("state"), world.path("copy"))
    ready = world.listens()
    world.run_kiosk()
    ready()
    world.press()
    await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:])
    world.end("kiosk")
    shutil.rmtree(world.path("state"))
    shutil.copytree(world.path("copy"), world.path("state"))
    before = world.text("kiosk.log").count("code=room-token-refused")
    world.run_kiosk()
    world.press()
    wait_for("the end of the session", lambda: world.text("kiosk.log").count("code=room-token-refused") > before, 60)
    world.log_in()
    await ben.hears_all_once(world.secret_room, lambda: world.accepted()[world.before:], 120)
    assert not [each for each in ben.unread if each[2] == world.user], ben.unread


STEPS = [ignores_strangers, responds_after_kills, notices_an_old_copy]
