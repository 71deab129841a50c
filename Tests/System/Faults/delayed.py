"""Delayed messages (MSC4140), as Synapse has them. {"delay_max": milliseconds} in the lines is the longest delay."""

pending = {}
count = 0


def capabilities(lines):
    most = next((line["delay_max"] for line in reversed(lines) if "delay_max" in line), 86_400_000)
    return {"capabilities": {"org.matrix.msc4140.delayed_events": {"max_delay_ms": most, "max_scheduled": 100}}}


def schedule(room, content, delay):
    """The new message, and what is printed about it."""
    global count
    count += 1
    name = f"delay{count}"
    pending[name] = {"delay_id": name, "room_id": room, "type": "m.room.message", "delay": delay, "content": content}
    return {"delayed": name, "room": room, "delay": delay, "content": content}


def change(name, action):
    """Whether there is such a message."""
    if name not in pending:
        return False
    if action == "cancel":
        del pending[name]
    return True
