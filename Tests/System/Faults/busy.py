"""A space whose homeserver is under load: the first request about most of its rooms fails, as the room's name says."""

ROOMS = ["!busy-absent:h", "!busy-gateway:h", "!busy-left:h", "!busy-limit:h", "!busy-lost:h", "!busy-proxy:h"]
gone = {"!busy-absent:h"}


def answer(handler, room, words, tell):
    is_first = handler.number == 1
    if words[0] == "hierarchy":
        if is_first:
            return handler.raw(502, b"<html>502 Bad Gateway</html>", "text/html")
        children = [{"type": "m.space.child", "state_key": child, "content": {"via": ["h"]}} for child in ROOMS]
        return handler.answer(200, {"rooms": [
            {"room_id": room, "room_type": "m.space", "children_state": children}]})
    if words[0] == "state":
        return handler.answer(200, {"membership": "leave" if room in gone else "join"})
    if room == "!busy-limit:h" and is_first:
        return handler.refuse(429, "M_LIMIT_EXCEEDED", retry_after_ms=1100)
    if room == "!busy-proxy:h" and is_first:
        return handler.raw(429, b"<html>Too many requests</html>", "text/html")
    if room == "!busy-gateway:h" and is_first:
        return handler.raw(502, b"<html>502 Bad Gateway</html>", "text/html")
    if room in gone:
        return handler.refuse(403, "M_FORBIDDEN")
    gone.add(room)
    tell({"membership": words[0], "room": room, "user": "@ann:h"})
    if room == "!busy-left:h":
        return handler.refuse(403, "M_FORBIDDEN")
    if room == "!busy-lost:h":
        handler.close_connection = True
        return handler.connection.close()
    handler.answer(200, {})
