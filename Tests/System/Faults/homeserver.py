#!/usr/bin/env python3
"""A Matrix homeserver of one user that answers as a room's name says: what a real one does rarely, or never.

  homeserver.py CERTIFICATE KEY LINES

The file LINES has the events that people make, a JSON object a line, with its room; "fault" says how the next /sync
fails, and "mute" whether it accepts no events. Prints its port, then each request and each event as a JSON line. An
event is one per device, room and transaction id.
"""

import http.server
import json
import ssl
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
import account  # noqa: E402
import busy  # noqa: E402
import delayed  # noqa: E402

lock = threading.Lock()
requests = {}
events = {}
joined = ["!open:h", "!hidden:h"]
session = {"token": None, "device": None, "count": 0}
aliases = {"#door:h": "!open:h", "#moved:h": "!moved1:h"}
# A room of version 12: its creators are in no list of levels, and the event about them is in no answer to /sync.
creation = {"type": "m.room.create", "state_key": "", "sender": "@owner:h", "event_id": "$c",
            "content": {"room_version": "12", "additional_creators": ["@second:h"]}}
powers = [
    {"type": "m.room.power_levels", "state_key": "", "sender": "@owner:h", "event_id": "$p",
     "content": {"users": {"@mod:h": 50, "@text:h": "100", "@low:h": 49}, "users_default": 0}}]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size)
        parts = [urllib.parse.unquote(part) for part in self.path.split("?")[0].strip("/").split("/")]
        with lock:
            requests[self.path] = requests.get(self.path, 0) + 1
            self.number = requests[self.path]
            tell({"request": self.command, "path": self.path, "number": self.number,
                  "token": self.headers.get("Authorization", "").removeprefix("Bearer ")})
        self.route(parts, json.loads(body or b"{}"))

    do_PUT = do_GET = do_POST

    def route(self, parts, body):
        if parts == [".well-known", "matrix", "client"]:
            return self.answer(200, {"m.homeserver": {"base_url": f"https://localhost:{port}/"}})
        if parts[-1] == "versions":
            return self.answer(200, {"versions": ["v1.11"]})
        if parts[-1] == "login" and self.command == "GET":
            kinds = ["sso", "token"] if parts[0] == "sso" else ["password", "token"]
            return self.answer(200, {"flows": [{"type": "m.login." + kind} for kind in kinds]})
        if parts[-1] == "login":
            return self.log_in(body)
        if self.headers.get("Authorization") != f"Bearer {session['token']}" or parts[-1] == "logout" and self.end():
            return self.refuse(401, "M_UNKNOWN_TOKEN", soft_logout=True)
        words = parts[3:] if parts[:2] == ["_matrix", "client"] else parts
        if words[0] == "logout":
            return self.answer(200, {})
        if words[:2] == ["directory", "room"]:
            room = aliases.get(words[2])
            return self.answer(200, {"room_id": room}) if room else self.refuse(404, "M_NOT_FOUND")
        if words[0] == "capabilities":
            return self.answer(200, delayed.capabilities(written()))
        if words[0:2] == ["org.matrix.msc4140", "delayed_events"]:
            return self.delay(words[2:], body)
        if words[0] == "account":
            return self.answer(200, {"user_id": f"@kiosk:localhost:{port}"})
        if words[0] == "joined_rooms":
            return self.answer(200, {"joined_rooms": joined})
        if words[0] == "join":
            room = aliases.get(words[1], words[1])
            if room in ("!invited-only:h", "!closed:h"):
                return self.refuse(403, "M_FORBIDDEN")
            joined.append(room)
            return self.answer(200, {"room_id": room})
        if words[0] == "createRoom":
            tell({"created": body})
            return self.answer(200, {"room_id": "!new:h"})
        if parts[:4] == ["_clap", "client", "v1", "spaces"] and parts[4] == "!clap:h":
            done = "joined" if parts[5] == "join-all" else "removed"
            failed = [{"room_id": "!closed:h", "error": "no \u001b right"}]
            return self.answer(200, {done: ["!open:h"], "failed": failed})
        if words[0] == "sync":
            query = urllib.parse.parse_qs(self.path.split("?")[1])
            wanted = json.loads(query["filter"][0])
            # A process that only counts what is unread reads everything, like 'tappet matrix watch'.
            if "not_senders" in wanted["room"].get("timeline", {}) and "event_fields" not in wanted:
                return self.listen(wanted["room"], query)
            answer, fault = account.sync(wanted, query, joined, written), account.fault(written())
            return self.fail_to_listen(fault) if fault else self.answer(200, answer)
        if words[0] == "rooms":
            return self.in_room(words[1], words[2:], body)
        self.refuse(404, "M_UNRECOGNIZED")

    def end(self):
        """The next request with this token is refused."""
        if session["token"] == "ended":
            return True
        session["token"] = "ended"
        return False

    def log_in(self, body):
        if body.get("password") == "MOVEDWORD" and "elsewhere" not in self.path:
            return self.move()
        if body.get("type") == "m.login.token":
            good = body.get("token") == "RIGHTTOKEN"
        else:
            good = body.get("password") == "RIGHTWORD" and body["identifier"]["user"].startswith("@kiosk")
        if body.get("identifier", {}).get("user", "").startswith("@gone:"):
            return self.refuse(403, "M_USER_DEACTIVATED")
        if not good:
            return self.refuse(403, "M_FORBIDDEN")
        with lock:
            session["count"] += 1
            session["device"] = body.get("device_id") or f"DEVICE{session['count']}"
            session["token"] = f"SECRETTOKEN{session['count']}"
        user = body.get("identifier", {}).get("user", f"@kiosk:localhost:{port}")
        self.answer(200, account.session(user, session["token"], session["device"]))

    def listen(self, wanted, query):
        """A long poll; its first answer has all that was ever written, as a room that is joined has."""
        place, until = int(query.get("since", ["0"])[0]), time.monotonic() + int(query["timeout"][0]) / 1000
        is_first = "since" not in query or "full_state" in query
        while not is_first and len(written()) <= place and time.monotonic() < until and not account.repeats(written()):
            time.sleep(0.02)
        lines = written()
        for line in lines[place:]:
            if "fault" in line and ("faulted", len(lines)) not in events:
                events["faulted", len(lines)] = True
                return self.fail_to_listen(line["fault"])
        rooms = {"join": {}, "leave": {}}
        if "rooms" not in wanted:
            rooms["invite"] = account.invitations(lines, place, joined, f"@kiosk:localhost:{port}")
        for room in wanted.get("rooms", wanted["timeline"].get("rooms", [])):
            told = [line for line in lines[place:] if line.get("room") == room]
            state = [{"type": "m.room.encryption", "state_key": "", "content": {}}] if room == "!hidden:h" else []
            if is_first:
                state += [event for event in powers if event["type"] in wanted["state"]["types"]]
            if any(line.get("type") == "leave" for line in told):
                # As Synapse does: a room is left out whose events do not pass the filter.
                if "m.room.member" in wanted["timeline"]["types"]:
                    rooms["leave"][room] = {}
            elif room in joined and (told or is_first):
                told = [line for line in told if line["sender"] not in wanted["timeline"]["not_senders"]]
                told = told[-wanted["timeline"]["limit"]:]
                rooms["join"][room] = {"state": {"events": state}, "timeline": {"events": told}}
        self.answer(200, {"next_batch": str(len(lines)), "rooms": rooms})

    def delay(self, words, body):
        if not words:
            return self.answer(200, {"delayed_events": list(delayed.pending.values())})
        with lock:
            is_known = delayed.change(words[0], body["action"])
            tell({"changed": words[0], "action": body["action"]})
        return self.answer(200, {}) if is_known else self.refuse(404, "M_NOT_FOUND")

    def fail_to_listen(self, fault):
        if fault == "html":
            return self.raw(200, b"<html>Welcome to the hotel's network</html>", "text/html")
        if fault == "token":
            session["token"] = "another"
            return self.refuse(401, "M_UNKNOWN_TOKEN", soft_logout=True)
        if fault == "flood":
            return self.send_flood()
        if fault in ("limit", "bare-limit"):
            return self.refuse(429, "M_LIMIT_EXCEEDED", **({"retry_after_ms": 1100} if fault == "limit" else {}))
        self.raw(502, b"<html>502 Bad Gateway</html>", "text/html")

    def hierarchy(self, space):
        """Answers in two pages; one child is a space, and one may not be seen."""
        if space == "!alone:h":
            return self.answer(200, {"rooms": [{"room_id": space}]})
        if space == "!sealed:h":
            return self.refuse(403, "M_FORBIDDEN")
        if "from=" in self.path:
            inner = {"room_id": "!inner:h", "room_type": "m.space"}
            late = {"room_id": "!late:h", "name": "Late\u001b", "num_joined_members": 3}
            return self.answer(200, {"rooms": [late, inner]})
        children = [{"type": "m.space.child", "state_key": room, "content": {"via": ["far.example"]}}
                    for room in ("!late:h", "!open:h", "!closed:h", "!inner:h")]
        self.answer(200, {"next_batch": "p2", "rooms": [
            {"room_id": space, "room_type": "m.space", "children_state": children}, {"room_id": "!open:h"}]})

    def in_room(self, room, words, body):
        if room.startswith("!busy"):
            return busy.answer(self, room, words, tell)
        if words[0] == "hierarchy":
            return self.hierarchy(room)
        if words[0] == "state" and self.command == "PUT":
            tell({"state": words[1], "room": room, "key": words[2], "content": body})
            is_refused = room in ("!muted:h", "!locked:h")
            return self.refuse(403, "M_FORBIDDEN") if is_refused else self.answer(200, {"event_id": "$s"})
        if words[0] == "state" and words[1] == "m.room.member":
            member = {"@gone:h": "leave", "@ann:h": "join"}.get(words[2])
            return self.answer(200, {"membership": member}) if member else self.refuse(404, "M_NOT_FOUND")
        if words[0] == "state":
            return self.state(room, words[1])
        if words[0] == "redact":
            tell({"redacted": words[1], "room": room, "reason": body.get("reason")})
            return self.refuse(403, "M_FORBIDDEN") if room == "!muted:h" else self.answer(200, {"event_id": "$r"})
        if words[0] == "receipt":
            return self.answer(200, {})
        if words[0] in ("leave", "invite", "kick"):
            tell({"membership": words[0], "room": room, "user": body.get("user_id")})
            if body.get("user_id") == "@absent:h" or room == "!closed:h":
                return self.refuse(403, "M_FORBIDDEN")
            return self.answer(200, {})
        if next((line["mute"] for line in reversed(written()) if "mute" in line), False):
            return self.raw(502, b"<html>502 Bad Gateway</html>", "text/html")
        name = room.strip("!").split(":")[0].rstrip("0123456789").replace("-", "_")
        getattr(self, "send_" + name, self.say)(room, words, body)

    def state(self, room, kind):
        if room == "!closed:h":
            return self.refuse(403, "M_FORBIDDEN")
        if kind == "m.room.encryption" and room == "!hidden:h":
            return self.answer(200, {"algorithm": "m.megolm.v1.aes-sha2"})
        if kind == "m.room.power_levels" and room == "!quiet:h":
            return self.answer(200, {"events_default": 50})
        if kind == "m.room.name" and room == "!torn:h":
            return self.answer(200, {"name": "x" * 200_000})
        if kind == "m.room.name" and room == "!open:h":
            return self.answer(200, {"name": "Front \u001b\ndoor"})
        if kind == "m.room.canonical_alias" and room == "!open:h":
            return self.answer(200, {"alias": "#door:h"})
        if kind == "m.room.create" and "format=event" in self.path:
            return self.answer(200, creation)
        if kind == "m.room.create":
            is_space = room in ("!space:h", "!locked:h")
            return self.answer(200, {"type": "m.space"} if is_space else {"room_version": "11"})
        self.refuse(404, "M_NOT_FOUND")

    # Sending, by the room.

    def say(self, room, words, body):
        if "org.matrix.msc4140.delay=" in self.path:
            with lock:
                facts = delayed.schedule(room, body, int(self.path.split("delay=")[1]))
                tell(facts)
            return self.answer(200, {"delay_id": facts["delayed"]})
        # Without it, '@room' in the text calls everybody.
        if words[:2] == ["send", "m.room.message"] and "m.mentions" not in body:
            return self.refuse(400, "M_BAD_JSON")
        with lock:
            key = (session["device"], room, words[2])
            if key not in events:
                events[key] = f"${len(events)}"
                tell({"event": events[key], "room": room, "transaction": words[2], "content": body})
        self.answer(200, {"event_id": events[key]})

    def send_html(self, *words):
        if self.number > 1:
            return self.say(*words)
        self.raw(200, b"<html>Welcome to the hotel's network</html>", "text/html")

    def send_gateway(self, *words):
        if self.number > 1:
            return self.say(*words)
        self.raw(502, b"<html>502 Bad Gateway</html>", "text/html")

    def send_proxy(self, *words):
        if self.number > 1:
            return self.say(*words)
        self.raw(403, b"<html>Forbidden</html>", "text/html")

    def send_limit(self, *words):
        if self.number > 1:
            return self.say(*words)
        self.refuse(429, "M_LIMIT_EXCEEDED", retry_after_ms=2100)

    def send_bare_limit(self, *words):
        if self.number > 1:
            return self.say(*words)
        self.refuse(429, "M_LIMIT_EXCEEDED")

    def send_lost(self, *words):
        """The event is there, and the answer is lost."""
        if self.number > 1:
            return self.say(*words)
        self.answer = lambda *words: None
        self.say(*words)
        self.close_connection = True
        self.connection.close()

    def send_hang(self, *words):
        if self.number > 1:
            return self.say(*words)
        keep = self.answer
        self.answer = lambda *words: None
        self.say(*words)
        threading.Event().wait(8)
        self.answer = keep

    def send_flood(self, *words):
        if words and self.number > 1:
            return self.say(*words)
        self.send_response(200)
        self.send_header("Content-Length", str(100 << 20))
        self.end_headers()
        self.close_connection = True
        try:
            self.wfile.write(b'{"a":"')
            for _ in range(1600):
                self.wfile.write(b"x" * 65536)
        except OSError:
            pass

    def send_redirect(self, room, words, body):
        if "elsewhere" in self.path:
            return self.say(room, words, body)
        self.move()

    def move(self):
        self.send_response(307)
        self.send_header("Location", self.path + "?elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_limit_edits(self, room, words, body):
        """The first attempt of an edit is limited, for as many seconds as the room's number says."""
        if "m.relates_to" in body and self.number == 1:
            seconds = float(room.split(":")[0].removeprefix("!limit-edits") or 0.5)
            return self.refuse(429, "M_LIMIT_EXCEEDED", retry_after_ms=int(seconds * 1000))
        self.say(room, words, body)

    def send_lost_edits(self, room, words, body):
        """An edit is there, and its first answer is lost."""
        if "m.relates_to" in body:
            return self.send_lost(room, words, body)
        self.say(room, words, body)

    def send_muted(self, *words):
        self.refuse(403, "M_FORBIDDEN")

    def send_long(self, *words):
        self.refuse(413, "M_TOO_LARGE")

    def send_revoked(self, *words):
        if session["count"] > 1:
            return self.say(*words)
        session["token"] = "another"
        self.refuse(401, "M_UNKNOWN_TOKEN", soft_logout=True)

    # Answers.

    def refuse(self, status, code, **more):
        self.answer(status, {"errcode": code, "error": f"the reason of {code}", **more})

    def answer(self, status, value):
        self.raw(status, json.dumps(value).encode(), "application/json")

    def raw(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def written():
    try:
        with open(lines_path) as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


def tell(facts):
    print(json.dumps(facts), flush=True)


def main(certificate, key, lines):
    global port, lines_path
    lines_path = lines
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *words: None
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    port = server.server_port
    print(port, flush=True)
    server.serve_forever()


main(*sys.argv[1:])
