"""The world around the rooms: a broker, a simulated panel, the kiosk, a real homeserver and another person."""
import json
import os
import random
import signal
import subprocess
import urllib.parse
import urllib.request

from kiosk import World, free_port, wait_for

PASSWORD = "a-word-of-the-test"
# Number of events that a client gets at a time: enough for all that happens while it does not listen.
TIMELINE = 5000
WHOLE_TIMELINE = {"room": {"timeline": {"limit": TIMELINE}}}


class RoomWorld(World):
    """The kiosk's world with a Synapse."""

    def __init__(self, root, folder, python):
        super().__init__(root, folder)
        self.python = os.path.join(python, "bin/python")
        self.server_port = free_port()
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.user = "@kiosk:localhost"
        self.presses = 0
        self.message_rate = "{per_second: 4, burst_count: 6}"

    # The homeserver

    def start_homeserver(self):
        os.mkdir(self.path("hs"))
        config = self.path("hs/homeserver.yaml")
        subprocess.run([self.python, "-m", "synapse.app.homeserver", "--server-name", "localhost", "--config-path",
                        config, "--generate-config", "--report-stats=no"], check=True, capture_output=True,
                       cwd=self.path("hs"))
        with open(self.path("hs/more.yaml"), "w", encoding="utf-8") as file:
            file.write(
                f"listeners: [{{port: {self.server_port}, bind_addresses: [127.0.0.1], type: http, tls: false, "
                "resources: [{names: [client]}]}]\n"
                "registration_shared_secret: secret-of-the-test\nbcrypt_rounds: 4\ntrusted_key_servers: []\n"
                "rc_login: {address: {per_second: 100, burst_count: 100}, account: {per_second: 100, "
                f"burst_count: 100}}}}\nrc_message: {self.message_rate}\n"
                "rc_invites: {per_room: {per_second: 100, burst_count: 100}, per_user: {per_second: 100, "
                "burst_count: 100}, per_issuer: {per_second: 100, burst_count: 100}}\n"
                "rc_joins: {local: {per_second: 100, burst_count: 100}}\n"
                # By default, a client that asks for more events gets the last hundred.
                f"filter_timeline_limit: {TIMELINE}\n"
                "rc_room_creation: {per_second: 100, burst_count: 100}\n"
                "max_event_delay_duration: 24h\n"
                f"modules: [{{module: clap.Clap, config: {{switch: {self.path('walk')}}}}}]\n")
        self.run_homeserver()
        for name in ("kiosk", "ann", "ben"):
            self.register(name)

    def register(self, name):
        subprocess.run([os.path.join(os.path.dirname(self.python), "register_new_matrix_user"), "-u", name, "-p",
                        PASSWORD, "--no-admin", "-k", "secret-of-the-test", self.url], check=True, capture_output=True)

    def run_homeserver(self):
        words = [self.python, "-m", "synapse.app.homeserver", "-c", self.path("hs/homeserver.yaml"), "-c",
                 self.path("hs/more.yaml")]
        with open(self.path("homeserver.log"), "ab") as log:
            self.processes["homeserver"] = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.path("hs"),
                env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))})
        wait_for("the homeserver", self.is_up, 180)

    def is_up(self):
        try:
            with urllib.request.urlopen(self.url + "/_matrix/client/versions", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def strike(self, victim, meanwhile=lambda: None):
        """Kills it, and starts it again; waits until the kiosk listens, if that was what ended."""
        ready = self.listens()
        if victim == "listener":
            self.kill_listener()
        else:
            self.kill(victim)
        if victim == "homeserver":
            meanwhile()
            return self.run_homeserver()
        if victim == "kiosk":
            self.run_kiosk()
        return ready()

    # The kiosk

    def configure_rooms(self, rooms, commands="", more="", keys=""):
        """A kiosk whose first three buttons send something to the first room, and so on; `keys` are their actions'."""
        actions = "".join(
            f"  - {{name: {name}, message: '{name} %I', room: '{room}', cooldown: 0 s{keys}}}\n"
            for name, room in rooms.items())
        buttons = "".join(
            f"    - {{line: GPIO{line}, press: {name}}}\n"
            for number, name in enumerate(rooms) for line in self.lines(number))
        self.write_configuration(
            f"matrix: {{session: matrix.session{', ' + more if more else ''}}}\n{commands}actions:\n{actions}",
            f"  buttons:\n{buttons}")

    def write_configuration(self, rest, panel, state="state"):
        """A kiosk with a broker, a reader, a panel with these keys, and what else there is."""
        with open(self.path("kiosk.yaml"), "w", encoding="utf-8") as file:
            file.write(
                f"broker:\n  url: mqtts://localhost:{self.port}\n  client_id: kiosk\n  ca: pki/ca.pem\n"
                "  certificate: pki/client.pem\n  private_key: pki/client.key\n"
                f"reader: {{device: \"pn532_uart:{self.path('reader')}\"}}\nclock: trust\nstate: {state}\n"
                f"panel:\n  simulator: panel\n{panel}{rest}")

    def run_kiosk(self):
        before = self.text("kiosk.log").count("event=broker-connected")
        self.start("kiosk", [self.bin + "/tappet", "run", "--plain", "--config", self.path("kiosk.yaml")])
        wait_for("the kiosk", lambda: self.text("kiosk.log").count("event=broker-connected") > before)

    def start_simulator(self):
        self.start("sim", [self.bin + "/tappet-sim", "--link", self.path("reader"), "--control", self.path("sim"),
                           "--panel", self.path("panel"), "--pace", "off"])
        wait_for("the simulator", lambda: "ready " in self.text("sim.log"))

    def log_in(self):
        return self.tappet("matrix", "login", self.user, "--homeserver", self.url, text=PASSWORD + "\n")

    def refused(self, *words):
        done = subprocess.run([self.bin + "/tappet", *words, "--config", self.path("kiosk.yaml")], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 1, done
        return done.stdout + done.stderr

    def press(self, number=0):
        """Presses the buttons of a room in turn: a contact that moves too soon is taken for one that bounces."""
        before = len(self.accepted())
        for _ in range(12):
            self.presses += 1
            line = f"GPIO{self.lines(number)[self.presses % 3]}"
            self.touch("press", line)
            try:
                return wait_for("the press", lambda: len(self.accepted()) > before, 1)
            except AssertionError:
                continue
            finally:
                self.touch("release", line)
        raise AssertionError("the press was not accepted")

    @staticmethod
    def lines(number):
        """The lines of a room's three buttons."""
        return [5 + 3 * number + button for button in range(3)]

    def accepted(self):
        """The ids of all presses and commands so far."""
        lines = [line for line in self.text("kiosk.log").splitlines()
                 if "event=press-accepted" in line or "event=command-accepted" in line]
        return [word[3:] for line in lines for word in line.split() if word.startswith("id=")]

    def commands(self):
        """The number of lines of people that have acted."""
        return sum("event=command-accepted" in line and " user=" in line
                   for line in self.text("kiosk.log").splitlines())

    def listens(self, count=1):
        """Waits until the kiosk takes commands from the room again, or from several."""
        before = self.text("kiosk.log").count("event=room-ready")
        return lambda: wait_for(
            "the room", lambda: self.text("kiosk.log").count("event=room-ready") >= before + count, 60)

    def denied(self, room, code):
        """Waits until the kiosk says why it takes no commands from a room."""
        wait_for(code, lambda: any("event=room-denied code=" + code in line and room in line
                                   for line in self.text("kiosk.log").splitlines()), 60)

    def helpers(self):
        """The processes of the kiosk: (id, words of the command line)."""
        pid = self.processes["kiosk"].pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            for child in file.read().split():
                with open(f"/proc/{child}/cmdline", encoding="utf-8") as words:
                    yield int(child), words.read().split("\0")

    def listener(self):
        """The id of tappet-matrix."""
        return next((pid for pid, words in self.helpers() if "tappet-matrix" in words[0]), None)

    def kill_listener(self):
        if pid := self.listener():
            os.kill(pid, signal.SIGKILL)

    def programs_with(self, library):
        """The programs of the kiosk's processes that have this library in their memory; and all of them."""
        programs = {}
        for pid in [self.processes["kiosk"].pid, *(pid for pid, _ in self.helpers())]:
            with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
                name = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
                programs[name] = programs.get(name, False) or library in file.read()
        return {name for name, has_it in programs.items() if has_it}, set(programs)


class Visitor:
    """Somebody with a client."""

    def __init__(self, client):
        self.client = client
        self.heard = []
        # All events, by id.
        self.raw = {}
        # The keys of the reactions to an event, and the texts of the replies, by its id.
        self.answers = {}

    def is_answered(self, line):
        """Whether a line has a final answer."""
        return any(answer != "\u23f3" for answer in self.answers.get(line, []))

    def note_answer(self, content):
        relation = content.get("m.relates_to", {})
        if relation.get("rel_type") == "m.annotation":
            self.answers.setdefault(relation["event_id"], []).append(relation["key"])
        elif "m.in_reply_to" in relation:
            self.answers.setdefault(relation["m.in_reply_to"]["event_id"], []).append(content["body"])

    def put(self, room, kind, content):
        """Sends an event as it is."""
        path = f"rooms/{urllib.parse.quote(room)}/send/{kind}/{random.getrandbits(64):x}"
        return self.request(path, content, "PUT")["event_id"]

    def request(self, path, content=None, method=None):
        """Sends a request as it is; the answer's JSON."""
        request = urllib.request.Request(
            self.client.homeserver + "/_matrix/client/v3/" + path, content and json.dumps(content).encode(),
            method=method, headers={"Authorization": "Bearer " + self.client.access_token,
                                    "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


class Person(Visitor):
    """Somebody with an ordinary client."""

    @classmethod
    async def arrive(cls, world, name="ann"):
        from nio import AsyncClient, AsyncClientConfig
        config = AsyncClientConfig(encryption_enabled=False)
        person = cls(AsyncClient(world.url, f"@{name}:localhost", config=config))
        await person.client.login(PASSWORD)
        return person

    async def listen(self):
        """All messages so far, as (room, sender, type, text)."""
        answer = await self.client.sync(timeout=500, sync_filter=WHOLE_TIMELINE)
        for room, facts in getattr(answer, "rooms", None).join.items() if hasattr(answer, "rooms") else ():
            for event in facts.timeline.events:
                content = event.source.get("content", {})
                self.raw[event.event_id] = {**event.source, "room_id": room}
                self.note_answer(content)
                if event.source.get("type") == "m.room.message":
                    self.heard.append((room, event.sender, content.get("msgtype"), content.get("body")))
        return self.heard

    async def says(self, room, text):
        answer = await self.client.room_send(room, "m.room.message", {"msgtype": "m.text", "body": text})
        return answer.event_id

    async def react(self, room, event, key):
        """Reacts to an event; returns the time of the reaction, in milliseconds since 1970."""
        own = self.put(room, "m.reaction", {
            "m.relates_to": {"rel_type": "m.annotation", "event_id": event, "key": key}})
        await self.hears(lambda _: own in self.raw)
        return self.raw[own]["origin_server_ts"]

    def said_by(self, user, room, start):
        """The ids of somebody's messages in a room that begin like this, oldest first."""
        return [name for name, event in self.raw.items() if (event["sender"], event["room_id"]) == (user, room)
                and event.get("content", {}).get("body", "").startswith(start)]

    def notified(self, room):
        """The messages in a room of which the homeserver notifies: whether each is highlighted, by its text."""
        return {each["event"]["content"]["body"]: any(
            action.get("set_tweak") == "highlight" and action.get("value", True)
            for action in each["actions"] if isinstance(action, dict))
            for each in self.request("notifications")["notifications"]
            if each["room_id"] == room and each["event"]["type"] == "m.room.message"}

    async def sets_powers(self, room, users):
        content = {"users": users, "users_default": 0}
        answer = await self.client.room_put_state(room, "m.room.power_levels", content)
        assert hasattr(answer, "event_id"), answer

    async def upgrades(self, room, version):
        """Has the homeserver put another room in the place of this one; its id."""
        path = f"rooms/{urllib.parse.quote(room)}/upgrade"
        return self.request(path, {"new_version": version})["replacement_room"]

    async def hears(self, condition, limit=60):
        import asyncio
        end = asyncio.get_running_loop().time() + limit
        while asyncio.get_running_loop().time() < end:
            if condition(await self.listen()):
                return
        raise AssertionError(f"waited {limit} s in vain; heard {self.heard[-20:]}")
