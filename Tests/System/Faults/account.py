"""The rooms of the account, as a homeserver reports them in one answer to /sync, and then their changes.

Lines of the file that are not events change the account: {"counts": [unread, mentions], "room": …},
{"marked": true, "room": …}, {"silenced": true, "room": …}, {"pause": seconds} before the next answer. {"invite": room,
"by": user} is an invitation, which {"repeat": true} puts into each answer; "size" is that of its room's name.
"""

import re
import threading
import time

NAMES = {"!open:h": "Front \u001b\ndoor", "!torn:h": "x" * 200_000, "!flooded:h": "x" * 5_000_000}
CHILDREN = {"!space:h": ["!late:h", "!open:h", "!closed:h", "!inner:h"], "!sealed:h": ["!other:h"]}
COUNTS = {"!open:h": (3, 1, 2000), "!late:h": (2, 0, 3000), "!alone:h": (0, 0, 2500)}
paused = set()
faulted = set()


def sync(wanted, query, joined, written):
    place, until = int(query.get("since", ["0"])[0]), time.monotonic() + int(query["timeout"][0]) / 1000
    is_first = "since" not in query or "full_state" in query
    while not is_first and len(written()) <= place and time.monotonic() < until:
        threading.Event().wait(0.02)
    lines = written()
    for number, line in enumerate(lines):
        if "pause" in line and number not in paused:
            paused.add(number)
            threading.Event().wait(line["pause"])
    rooms = {"join": {}, "leave": {}, "invite": {}}
    if is_first:
        member = {"type": "m.room.member", "sender": "@ann:h", "content": {"membership": "invite"}}
        name = {"type": "m.room.name", "content": {"name": "Back\u001b door"}}
        rooms["invite"]["!invited:h"] = {"invite_state": {"events": [name, member]}}
    gone = {line["room"] for line in lines if line.get("type") == "leave"}
    for room in dict.fromkeys(joined):
        news = [line for line in lines[place:] if line.get("room") == room]
        if room in gone:
            # As Synapse does: a room is left out whose events do not pass the filter.
            if news and "m.room.member" in wanted["room"]["timeline"]["types"]:
                rooms["leave"][room] = {}
        elif is_first or passes(news, wanted["room"]):
            rooms["join"][room] = facts(room, lines, news, is_first, wanted)
    answer = {"next_batch": str(len(lines)), "rooms": rooms}
    if is_first or any("silenced" in line for line in lines[place:]):
        answer["account_data"] = {"events": [rules(lines)]}
    return answer


def session(user, token, device):
    """The answer to a login; for some users, that of another user, or a token that is too long."""
    if user.startswith("@kiosk-long:"):
        token = "t" * 9000
    if user.startswith("@kiosk-other:"):
        user = "@root:h\nLogged in"
    return {"user_id": user, "access_token": token, "device_id": device, "home_server": "h"}


def repeats(lines):
    return any("repeat" in line for line in lines)


def invitations(lines, place, joined, user):
    """The invitations since this place in the lines; as from Synapse, each with its event."""
    found = {}
    for number, line in enumerate(lines):
        if "invite" in line and line["invite"] not in joined and (number >= place or repeats(lines)):
            event = {"type": "m.room.member", "state_key": user, "sender": line["by"], "event_id": f"$invite{number}",
                     "content": {"membership": "invite"}}
            found[line["invite"]] = {"invite_state": {"events": [
                {"type": "m.room.join_rules", "state_key": "", "sender": line["by"], "content": {}},
                {"type": "m.room.name", "state_key": "", "sender": line["by"],
                 "content": {"name": "x" * line.get("size", 1)}}, event]}}
    return found


def fault(lines):
    """How the next answer fails, once for each line about it."""
    for number, line in enumerate(lines):
        if "fault" in line and number not in faulted:
            faulted.add(number)
            return line["fault"]
    return None


def passes(news, wanted):
    """As Synapse does: new counts alone are in no answer, the receipt that caused them is."""
    return any(line.get("type") in wanted["timeline"]["types"] or "marked" in line
               or "counts" in line and "m.receipt" in wanted["ephemeral"]["types"] for line in news)


def facts(room, lines, news, is_first, wanted):
    unread, mentions, stamp = COUNTS.get(room, (0, 0, 0))
    timeline = [line for line in news if line.get("type") in wanted["room"]["timeline"]["types"]]
    if is_first and stamp:
        timeline.insert(0, {"type": "m.room.message", "sender": "@ann:h", "event_id": f"$first/{room}",
                            "origin_server_ts": stamp, "content": {"msgtype": "m.text", "body": f"first in {room}"}})
    mine = [line for line in lines if line.get("room") == room]
    for line in mine:
        unread, mentions = line.get("counts", (unread, mentions))
    marks = [line["marked"] for line in mine if "marked" in line]
    fields = [re.split(r"(?<!\\)\.", field) for field in wanted["event_fields"]]
    return {
        "state": {"events": [only(event, fields) for event in state(room)] if is_first else []},
        "timeline": {"events": [only(event, fields) for event in timeline[-wanted["room"]["timeline"]["limit"]:]]},
        "account_data": {"events": [
            {"type": "m.marked_unread", "content": {"unread": mark}} for mark in marks[-1:]]},
        "unread_notifications": {"notification_count": unread, "highlight_count": mentions}}


def state(room):
    def event(kind, content, key=""):
        return {"type": kind, "state_key": key, "sender": "@ann:h", "event_id": "$s", "content": content}
    events = [event("m.room.create", {"type": "m.space"} if room in CHILDREN else {"room_version": "11"})]
    if room in NAMES:
        events.append(event("m.room.name", {"name": NAMES[room]}))
    if room == "!open:h":
        events.append(event("m.room.canonical_alias", {"alias": "#door:h"}))
    if room == "!hidden:h":
        events.append(event("m.room.encryption", {"algorithm": "m.megolm.v1.aes-sha2"}))
    for child in CHILDREN.get(room, []):
        events.append(event("m.space.child", {"via": ["far.example"]}, child))
    if room in CHILDREN:
        events.append(event("m.space.child", {}, "!removed:h"))
    return events


def rules(lines):
    silenced = [line["room"] for line in lines if line.get("silenced")]
    partly = {"enabled": True, "actions": [], "conditions": [
        {"kind": "event_match", "key": "room_id", "pattern": "!open:h"},
        {"kind": "event_match", "key": "sender", "pattern": "@bot:h"}]}
    return {"type": "m.push_rules", "content": {"global": {"override": [partly] + [
        {"enabled": True, "actions": ["dont_notify"], "conditions": [
            {"kind": "event_match", "key": "room_id", "pattern": room}]} for room in silenced]}}}


def only(event, fields):
    """The members of an event that the filter names."""
    kept = {}
    for path in fields:
        value, place = event, kept
        names = [name.replace("\\.", ".") for name in path]
        for name in names[:-1]:
            value = value.get(name) if isinstance(value, dict) else None
        if not isinstance(value, dict) or names[-1] not in value:
            continue
        for name in names[:-1]:
            place = place.setdefault(name, {})
        place[names[-1]] = value[names[-1]]
    return kept
