"""A rowing club with a kiosk at its front door: members, tags, a store room, and a day of taps."""
import json
import os
import random
import socket
import sqlite3
import subprocess
import time

from world import World, wait

PASSWORD = "correct horse"
# The members, the label of their tag, and the limits of their access.
MEMBERS = {
    "Ada Martin": ("Key ring", []), "Ben Ott": ("Card", []), "Chloe Rossi": ("Wristband", []),
    "Dan Weber": ("Card", ["--until", f"{time.gmtime().tm_year + 1}-03-31"]), "Eva Novak": ("Key ring", []),
    "Day ticket 7": ("Card", ["--uses", "3"]), "Finn Berg": ("Key ring", []),
}
SUSPENDED = "Finn Berg"
# The hours at which something happened before now, with how much.
DAY = {11: 1, 10: 4, 9: 2, 8: 1, 6: 2, 5: 1, 4: 1, 2: 3, 1: 6, 0: 5}
BOXES = """building,room,spot,box,code,item,quantity,minimum
Boathouse,Workshop,Shelf 2,Rigger parts,B-17,Bolts M6 x 40,12,50
Boathouse,Workshop,Shelf 2,Rigger parts,B-17,Spanners 10 mm,6,4
Boathouse,Workshop,Shelf 2,Rigger parts,B-17,Washers,180,100
Boathouse,Workshop,Shelf 2,Bow balls,B-18,Bow balls,3,4
Boathouse,Store,Rack,Life jackets,B-21,Life jacket,14,
Boathouse,Store,Rack,Cox boxes,B-22,Cox box,3,
"""


def usual_port(other):
    """The port of MQTT, which makes each run's pictures the same, or another one if it is taken."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", 1883))
        except OSError:
            return other
    return 1883


class Club(World):
    """The world of the pictures."""

    def __init__(self, programs, folder):
        super().__init__(programs, folder)
        self.broker_port = usual_port(self.broker_port)
        self.write("mosquitto.conf", f"listener {self.broker_port} 127.0.0.1\nallow_anonymous true\n")
        self.write("kiosk.yaml", f"""
broker: {{url: 'mqtt://localhost:{self.broker_port}', client_id: front-door}}
reader: {{device: 'pn532_uart:{self.path("reader")}'}}
clock: trust
state: state
actions:
  - {{name: door, title: Front door, topic: home/door/set, message: open, cooldown: 0 s}}
  - {{name: light, title: Hall light, topic: home/light/set, message: toggle}}
  - {{name: bay, title: Boat bay, topic: home/bay/set, message: open}}
  - {{name: alarm, title: Arm the alarm, topic: home/alarm/set, message: arm, confirm: 20 s}}
inventory: {{}}
panel:
  profile: raspberry-pi
  simulator: panel
  leds: {{status: GPIO17, result: GPIO27}}
  buttons: [{{name: light, line: GPIO5, press: light}}, {{name: bay, line: GPIO6, press: bay}}]
  outputs: [{{name: porch lamp, line: GPIO20}}, {{name: latch, line: GPIO21, kind: lock, pulse: 3 s}}]
web: {{name: Rowing club, panel: [door, light, bay, alarm], open: look, socket: web, publish: true}}
""")

    def open(self):
        """Everything that has happened before the first picture."""
        self.start_broker()
        self.start_simulator("--panel", self.path("panel"))
        self.start_kiosk()
        wait("the kiosk", lambda: self.light() == "ready")
        self.start_web()
        self.tappet("web", "password", text=PASSWORD + "\n")
        self.write("boxes.csv", BOXES)
        self.tappet("inventory", "import", self.path("boxes.csv"))
        self.tappet("item", "lend", "Cox box", "--to", "Ben Ott", "--quantity", "1")
        self.tappet("box", "lend", "B-21", "--to", "Ada Martin")
        for number, (name, (label, limits)) in enumerate(MEMBERS.items()):
            self.join(name, label, limits, f"04a1b2c3d4e5{number:02x}")
        self.kiosk.terminate()
        self.kiosk.wait()
        self.spread()
        self.start_on_terminal()

    def light(self):
        done = subprocess.run([self.program("tappet"), "status", "--json", "--config", self.path("kiosk.yaml")],
                              capture_output=True, text=True)
        return json.loads(done.stdout)["data"]["light"] if done.returncode == 0 else ""

    def join(self, name, label, limits, uid):
        """A member gets a tag, and taps with it."""
        self.tappet("person", "add", name)
        if limits:
            self.tappet("person", "allow", name, *limits)
        writer = self.start(self.program("tappet"), "tag", "write", "door", "--person", name, "--label", label,
                            "--config", self.path("kiosk.yaml"))
        wait("the kiosk", lambda: self.light() == "writing")
        self.tell("place", "ntag213", "uid=" + uid, "empty")
        wait("the tag", lambda: writer.poll() is not None)
        assert writer.returncode == 0, self.text("tappet.log")
        wait("the kiosk", lambda: self.light() == "ready")
        if name == SUSPENDED:
            self.tappet("person", "suspend", name)
        for _ in range(1 if name == SUSPENDED else 4):
            self.tap()
        self.take()

    def taps(self):
        return self.text("tappet.log").count("event=tap-refused") + self.received("home/door/set")

    def tap(self):
        """Holds the last tag to the reader, after it was away long enough for another tap."""
        before = self.taps()
        self.take()
        time.sleep(0.6)
        self.tell("back")
        wait("the tap", lambda: self.taps() > before)

    def spread(self):
        """Moves the taps of the last minute to the hours of a day."""
        database = sqlite3.connect(self.path("state/tappet.db"))
        rows = database.execute("SELECT number, entry FROM history ORDER BY number").fetchall()
        now, chance = int(time.time() * 1000), random.Random(7)
        hours = [hour for hour, count in DAY.items() for _ in range(count)]
        chance.shuffle(hours)
        times = {}
        for number, entry in rows:
            if entry is None or entry not in times:
                hour = hours[len(times) % len(hours)]
                times[entry or number] = now - hour * 3_600_000 - chance.randrange(60_000, 2_000_000)
        for place, (number, entry) in enumerate(rows):
            moved = times[entry or number] + (40 if entry in times else 0)
            database.execute("UPDATE history SET number = ?, unix_ms = ? WHERE number = ?",
                             ((moved << 20) + place, moved, number))
        database.commit()
        database.close()

    def zone(self):
        """A time zone in which it is evening."""
        ahead = 17 - time.gmtime().tm_hour
        ahead = ahead + 24 if ahead < -12 else ahead
        return f"Etc/GMT{-ahead:+d}"

    # ---- The kiosk's terminal

    def terminal(self, *words):
        return subprocess.run(["tmux", "-L", f"tappet-{os.getpid()}", "-f", "/dev/null", *words], capture_output=True,
                              text=True, check=False).stdout

    def start_on_terminal(self):
        command = f"exec env TERM=screen-256color '{self.program('tappet')}' run --config '{self.path('kiosk.yaml')}'"
        self.terminal("new-session", "-d", "-x", "78", "-y", "18", command)
        wait("the kiosk", lambda: self.light() == "ready")

    def screen(self):
        return self.terminal("capture-pane", "-p", "-e")

    def stop_terminal(self):
        self.terminal("kill-server")
        wait("the kiosk's end", lambda: not self.light())

    def publish(self):
        for topic, message in {"temperature": "19.5", "light": "on", "bay/door": '{"open":false}',
                               "water/level": '{"metres":1.42,"trend":"steady"}'}.items():
            subprocess.run(["mosquitto_pub", "-p", str(self.broker_port), "-t", "club/" + topic, "-m", message],
                           check=True)

    def stop(self):
        self.terminal("kill-server")
        super().stop()
