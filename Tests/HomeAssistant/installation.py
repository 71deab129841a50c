"""A Home Assistant with one owner, one access token and the MQTT integration, set up without a browser."""
import asyncio
import base64
import hashlib
import hmac
import json
import os
import secrets
import subprocess
import time

import aiohttp

from kiosk import free_port

START_MAX = 180
CONFIGURATION = """
http: {{server_host: 127.0.0.1, server_port: {port}}}
api:
websocket_api:
config:
device_automation:
tag:
automation: []
logger: {{default: info}}
"""


class HomeAssistant:
    """One installation, which may be stopped and started again."""

    def __init__(self, venv, folder, world):
        self.venv, self.world, self.port = venv, world, free_port()
        self.folder = os.path.join(folder, "home-assistant")
        self.temporary = os.path.join(folder, "temporary")
        self.log = os.path.join(self.folder, "home-assistant.log")
        os.makedirs(os.path.join(self.folder, ".storage"))
        os.makedirs(self.temporary)
        self.token_id, self.jwt_key = secrets.token_hex(16), secrets.token_hex(64)
        self.process = self.session = self.socket = self.reader = None
        self.number, self.answers, self.events = 0, {}, {}
        self.logs = ""
        self.write()

    # Files

    def write(self):
        with open(os.path.join(self.folder, "configuration.yaml"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(port=self.port))
        self.store("auth", 1, 1, self.users())
        self.store("core.config_entries", 1, 4, {"entries": [self.integration()]})

    def store(self, name, version, minor, data):
        with open(os.path.join(self.folder, ".storage", name), "w", encoding="utf-8") as file:
            json.dump({"version": version, "minor_version": minor, "key": name, "data": data}, file)

    def users(self):
        owner, now = secrets.token_hex(16), "2026-01-01T00:00:00+00:00"
        groups = [("system-admin", "Administrators"), ("system-users", "Users"), ("system-read-only", "Read Only")]
        return {
            "users": [{"id": owner, "group_ids": ["system-admin"], "is_owner": True, "is_active": True, "name": "Test",
                       "system_generated": False, "local_only": False}],
            "groups": [{"id": group, "name": name} for group, name in groups], "credentials": [],
            "refresh_tokens": [{
                "id": self.token_id, "user_id": owner, "client_id": None, "client_name": "test", "client_icon": None,
                "token_type": "long_lived_access_token", "created_at": now, "access_token_expiration": 315360000.0,
                "token": secrets.token_hex(64), "jwt_key": self.jwt_key, "last_used_at": None, "last_used_ip": None,
                "expire_at": None, "credential_id": None, "version": None}]}

    def integration(self):
        def text(name):
            return self.world.text("pki/" + name)

        now = "2026-01-01T00:00:00+00:00"
        return {
            "entry_id": secrets.token_hex(16), "domain": "mqtt", "title": "localhost", "version": 1, "minor_version": 2,
            "data": {"broker": "localhost", "port": self.world.port, "discovery": True,
                     "discovery_prefix": "homeassistant", "certificate": text("ca.pem"),
                     "client_cert": text("second-client.pem"), "client_key": text("second-client.key")},
            "options": {}, "subentries": [], "discovery_keys": {}, "pref_disable_new_entities": False,
            "pref_disable_polling": False, "source": "user", "unique_id": None, "disabled_by": None,
            "created_at": now, "modified_at": now}

    def access_token(self):
        def part(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

        now = int(time.time())
        signed = b".".join([part({"alg": "HS256", "typ": "JWT"}),
                            part({"iss": self.token_id, "iat": now, "exp": now + 86400})])
        seal = hmac.new(self.jwt_key.encode(), signed, hashlib.sha256).digest()
        return (signed + b"." + base64.urlsafe_b64encode(seal).rstrip(b"=")).decode()

    # Life

    async def start(self):
        environment = {**os.environ, "TMPDIR": self.temporary}
        with open(os.path.join(self.folder, "output.log"), "ab") as output:
            self.process = subprocess.Popen(
                [os.path.join(self.venv, "bin/python"), "-m", "homeassistant", "-c", self.folder, "--skip-pip",
                 "--log-no-color"], env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.session = aiohttp.ClientSession()
        headers = {"Authorization": "Bearer " + self.access_token()}

        async def runs():
            assert self.process.poll() is None, "Home Assistant did not start"
            try:
                async with self.session.get(f"http://127.0.0.1:{self.port}/api/config", headers=headers) as answer:
                    return answer.status == 200 and (await answer.json())["state"] == "RUNNING"
            except aiohttp.ClientError:
                return False

        await eventually("Home Assistant's start", runs, START_MAX)
        await self.connect()

    async def stop(self):
        if self.reader:
            self.reader.cancel()
        if self.session:
            await self.session.close()
        self.reader = self.session = None
        if self.process and self.process.poll() is None:
            self.process.terminate()
            await asyncio.to_thread(self.process.wait, 60)
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8", errors="replace") as file:
                self.logs += file.read()
            os.remove(self.log)

    def warnings(self):
        """The lines of its MQTT integration that are a warning or worse."""
        return [line for line in self.logs.splitlines()
                if "homeassistant.components.mqtt" in line and any(word in line for word in (" WARNING ", " ERROR "))]

    # WebSocket

    async def connect(self):
        self.socket = await self.session.ws_connect(f"http://127.0.0.1:{self.port}/api/websocket", max_msg_size=0)
        await self.socket.receive_json()
        await self.socket.send_json({"type": "auth", "access_token": self.access_token()})
        answer = await self.socket.receive_json()
        assert answer["type"] == "auth_ok", answer
        self.answers, self.events = {}, {}
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        async for message in self.socket:
            value = json.loads(message.data)
            if value["type"] == "event":
                self.events.setdefault(value["id"], []).append((time.time(), value["event"]))
            elif value["id"] in self.answers:
                self.answers.pop(value["id"]).set_result(value)

    async def ask(self, kind, **members):
        """Returns the result of a command, and its number."""
        self.number += 1
        number = self.number
        answer = asyncio.get_running_loop().create_future()
        self.answers[number] = answer
        await self.socket.send_json({"id": number, "type": kind, **members})
        value = await asyncio.wait_for(answer, 30)
        assert value["success"], f"{kind}: {value.get('error')}"
        return value["result"], number

    async def call(self, domain, service, entity, **data):
        await self.ask("call_service", domain=domain, service=service, target={"entity_id": entity}, service_data=data)

    async def states(self):
        return {state["entity_id"]: state for state in (await self.ask("get_states"))[0]}

    async def device(self):
        devices = (await self.ask("config/device_registry/list"))[0]
        return next((one for one in devices if ["mqtt", "tappet-kiosk"] in one["identifiers"]), None)

    async def entities(self):
        """The kiosk's entities by their own ids, without the kiosk's."""
        entries = (await self.ask("config/entity_registry/list"))[0]
        return {entry["unique_id"].removeprefix("tappet-kiosk_"): entry["entity_id"]
                for entry in entries if entry["unique_id"].startswith("tappet-kiosk_")}


async def eventually(what, condition, limit=30):
    """Waits for a condition that has to ask, and returns what it returns."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if found := await condition():
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"waited {limit} s in vain for {what}")
