"""QEMU's machine protocol: JSON lines over a Unix socket."""
import json
import socket


class Refused(Exception):
    """QEMU answered with an error."""


class QMP:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r")
        self.lines.readline()  # QEMU's greeting.
        self.events = []
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        question = {"execute": command, "arguments": arguments}
        self.socket.sendall(json.dumps(question).encode() + b"\n")
        while True:
            answer = json.loads(self.lines.readline())
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise Refused(f"{command}: {answer['error']['desc']}")
            else:
                return answer["return"]

    def await_event(self, name):
        """Returns the oldest event of that name that was not returned yet; waits for one."""
        while True:
            for event in self.events:
                if event["event"] == name:
                    self.events.remove(event)
                    return event
            self.events.append(json.loads(self.lines.readline()))

    def path_of(self, kind):
        """Path in QEMU's tree of the device of that type, which has no name of its own."""
        for entry in self.ask("qom-list", path="/machine/unattached"):
            if entry["type"] == f"child<{kind}>":
                return "/machine/unattached/" + entry["name"]
        raise Refused(f"there is no {kind}")

    def close(self):
        self.lines.close()
        self.socket.close()
