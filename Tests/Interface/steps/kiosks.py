"""Programs with a broker and a reader: a kiosk in every language, and C programs that read and write tags."""
import os
import re
import shutil

from .place import HERE, ROOT, STRICT, needs, read, require, wait_for
from .place import write as write_file
from .world import Reader


def kiosk(place):
    """A kiosk in C, set up with calls."""
    place.world.run_kiosk("c-kiosk", place.compile_c("kiosk"), config=False)


def guest(place):
    """A library's duties to its process: signal handlers, forked children, and memory that is short."""
    place.world.begin()
    print("    " + place.run(place.compile_c("guest"), place.world.url, place.world.pki).strip())


def loop(place):
    """A broker and a reader in one epoll loop."""
    world = place.world
    program = place.compile_c("loop")
    reader = Reader(world, "c-loop")
    process = world.start([program, world.url, world.pki, reader.name], "c-loop")

    world.wait_until("ready", process, "c-loop")
    reader.tell("place", "ntag215", "uid=04a1b2c3d4e5f6", "url=smp://action?hello")
    world.wait_until("received", process, "c-loop")
    reader.tell("take")
    require(process.wait(20) == 0, world.output("c-loop"))
    for line in ["subscribed with QoS 1", "ready", "published tags/04a1b2c3d4e5f6: acknowledged",
                 "received tags/04a1b2c3d4e5f6: smp://action?hello", "disconnected"]:
        require(line in world.output("c-loop").splitlines(), f"'{line}' is not in:\n{world.output('c-loop')}")
    reader.stop()


def write(place):
    """A written tag has the new content; one that is too small keeps its old one. From C and from Python."""
    world = place.world
    program = place.compile_c("write")
    reader = Reader(world, "c-write")
    link = "smp://action?" + 60 * "a"
    for tag, status, line in [("ntag213", 0, "written"), ("type4", 0, "written"),
                              ("ultralight", 1, "requires 80 bytes")]:
        name = "c-write-" + tag
        process = world.start([program, link, reader.name], name)
        wait_for("the reader", lambda: "hold" in world.output(name) or process.poll() is not None,
                 output=lambda: world.output(name))
        reader.tell("place", tag)
        require(process.wait(20) == status and line in world.output(name), world.output(name))
        require((link.encode().hex() in reader.tell("dump")) == (status == 0), reader.tell("dump"))
        reader.tell("take")
    reader.tell("place", "ntag215")
    written = place.run("python3", os.path.join(HERE, "Python/write.py"), reader.name, link + "b", seconds=20)
    require("written to 04" in written and (link + "b").encode().hex() in reader.tell("dump"), written)
    reader.stop()


def provision(place):
    """A kiosk set up by a text, which lists its readers and makes its own tag; the tag then works."""
    world, name = place.world, "c-provision"
    program = place.compile_c("provision")
    reader = Reader(world, name)
    process = world.start([program, world.url, world.pki, reader.name, place.folder], name)

    world.wait_until("another tag is being written", process, name)
    reader.tell("place", "ntag215", "uid=04a1b2c3d4e5f6")
    world.wait_until("written garage, 7 bytes of uid", process, name)
    url = re.search("smp://action[!-~]*", bytes.fromhex("".join(re.findall("[0-9a-f]{8,}", reader.tell("dump"))))
                    .decode("ascii", "replace"))[0]
    reader.tell("take")
    # Another tag with the same URL: the same one would have to stay away until the reader has missed it.
    reader.tell("place", "ntag215", "uid=04a1b2c3d4e5f7", "url=" + url)
    world.wait_until("delivered garage", process, name)
    world.wait_until("delivered", process, name)
    require(process.wait(20) == 0, world.output(name))
    lines = world.output(name).splitlines()
    for line in ["1 readers: " + reader.name, "without room -2", "write before the start -5", "mistakes -44",
                 "ready 0 0"]:
        require(line in lines, f"'{line}' is not in:\n{world.output(name)}")
    reader.stop()


def outputs(place):
    """A command drives an output of a C program's kiosk and of a Python program's; each drives it too, and sees all."""
    world = place.world
    world.begin()
    program = place.compile_c("outputs")
    for name, words in [("c-outputs", [program]),
                        ("python-outputs", ["python3", os.path.join(HERE, "Python/outputs.py")])]:
        drive_outputs(place, name, words)


    killed_outputs(place, "c-safe", [program])


def sleeper(place):
    """A press and a tap while a program did not dispatch its kiosk are refused, and its reader is not restarted."""
    world, name = place.world, "c-sleeper"
    reader = Reader(world, name, panel=True)
    path = world.write_config(name, "home/" + name, reader)
    with open(path, "a") as file:
        file.write(f"panel:\n  simulator: {name}.panel\n  buttons: [{{line: GPIO5, press: garage}}]\n"
                   "tags:\n  - {uid: 04a1b2c3d4e5f6, action: garage, trust: uid}\n")
    process = world.start([place.compile_c("sleeper"), path], name)

    world.wait_until("asleep", process, name)
    reader.tell("play", "60,200", "GPIO5")
    reader.tell("place", "ntag213", "uid=04a1b2c3d4e5f6", "empty")
    world.wait_until("awake", process, name)
    reader.tell("play", "60,200", "GPIO5")
    require(process.wait(20) == 0, world.output(name))
    lines = world.output(name).splitlines()
    require(sorted(lines[1:4]) == ["awake", "refused too-late by 1", "refused too-late by 2"], lines)
    require(lines[4:] == ["accepted garage", "delivered garage"], lines)
    reader.stop()


def start_outputs(place, name, words):
    """Starts a program whose kiosk has two outputs, and returns once a command has made it switch the pump on."""
    world, topic = place.world, f"home/{name}/command"
    reader = Reader(world, name, panel=True)
    path = world.write_config(name, f"home/{name}/set", reader)
    with open(path, "a") as file:
        file.write(f"panel:\n  simulator: {name}.panel\n  outputs:\n"
                   "    - {name: gate, line: GPIO20, pulse: 100 ms}\n    - {name: pump, line: GPIO21}\n"
                   f"commands:\n  - {{topic: {topic}, trust: trusted, outputs: [gate]}}\n")
    process = world.start([*words, path], name)

    world.wait_until("ready " + topic, process, name)
    require(world.publish(topic, "pulse"), "no broker")
    world.wait_until("pump on", process, name)
    return reader, process, topic


def killed_outputs(place, name, words):
    """The outputs of a program that was killed are set to their safe levels by a call, once it is gone."""
    safe = place.compile_c("safe")
    reader, process, _ = start_outputs(place, name, words)
    state = place.file(name + ".state")
    require(place.run(safe, state).strip() == "-5", "a kiosk runs with this folder")
    process.kill()
    process.wait()

    def pump():
        return [line for line in reader.tell("levels").splitlines() if line.startswith("pump")][-1].split()[1]

    require(pump() == "1", reader.tell("levels"))
    for wanted in ["2", "0"]:
        found = place.run(safe, state).strip()
        require(found == wanted, f"{found}, not {wanted}")
    wait_for("the pump", lambda: pump() == "0")
    require(place.run(safe, "").strip() == "-1", "no folder")
    reader.stop()


def drive_outputs(place, name, words):
    world = place.world
    reader, process, topic = start_outputs(place, name, words)
    require(world.publish(topic, "nonsense"), "no broker")
    require(process.wait(20) == 0, world.output(name))
    wanted = ["output gate off there", "output pump off there", "unknown -1", "ready " + topic,
              f"accepted {topic} gate", "gate on by 3", f"done {topic} gate", "gate off by 0", "pulse 0",
              "gate on by 0", "gate off by 0", "toggle 0", "pump on by 0",
              f"refused {topic}: command refused: it is not a command", "pump off by 0"]
    found = [line for line in world.output(name).splitlines() if line]
    require(len(found) == len(wanted) and all(line.startswith(start) for line, start in zip(found, wanted)),
            world.output(name))
    levels = [" ".join(line.split()[:2]) for line in reader.tell("levels").splitlines() if line.startswith("gate")]
    require(levels[-4:] == ["gate 1", "gate 0", "gate 1", "gate 0"], levels)
    reader.stop()


def people(place):
    """The program of a kiosk keeps the people and learns a card, in C and in Python; taps say whose they are."""
    place.world.begin()
    program = place.compile_c("people")
    for name, words in [("c-people", [program]),
                        ("python-people", ["python3", os.path.join(HERE, "Python/people.py")])]:
        keep_people(place, name, words)


def keep_people(place, name, words):
    world = place.world
    reader = Reader(world, name)
    path = world.write_config(name, f"home/{name}", reader)
    # The tags have one secret, and so are one tag to the cooldown.
    write_file(path, read(path).replace("message: open}", "message: open, cooldown: 0 s}"))
    process = world.start([*words, path], name)

    def tap(number, uid, *words):
        reader.tell("take")
        reader.tell("place", "ntag215", "uid=" + uid, *words)
        wait_for(f"tap {number} of {name}", lambda: world.output(name).count("tap by") == number,
                 output=lambda: world.output(name))

    world.wait_until("learn 0", process, name)
    reader.tell("place", "ntag215", "uid=04a1b2c3d4e5f0")
    world.wait_until("list 1", process, name)
    # Other tags with the same URL: the same one would have to stay away until the reader has missed it.
    url = "url=" + re.search("smp://action[!-~]*", bytes.fromhex("".join(
        re.findall("[0-9a-f]{8,}", reader.tell("dump")))).decode("ascii", "replace"))[0]
    for number, text in enumerate(["resume 0", "nobody 0", "remove 0", "the card is next"], 1):
        tap(number, f"04a1b2c3d4e5f{number}", url)
        world.wait_until(text, process, name)
    tap(5, "04c1c2c3c4c5c6")
    world.wait_until("forget 0", process, name)
    tap(6, "04c1c2c3c4c5c7")
    require(process.wait(20) == 0, world.output(name))
    wanted = ["count 60", "add 0", "twice -1", "rename 0", "unknown -1", "no secret -1", "by lot -1", "not learned -1",
              "learn 0", "assign 0", "suspend 0", "list: Ann Lee 1 suspended", "list 1",
              "tap by Ann Lee with round one: person-suspended", "resume 0",
              "tap by Ann Lee with round one: accepted", "nobody 0", "tap by nobody with round one: accepted",
              "again 0", "remove 0", "tap by nobody with no label: action-without-secrets", "the card is next",
              "tap by nobody with blue card: accepted", "forget 0", "tap by nobody with no label: tag-empty",
              "end -5", "after the end -5"]
    found = world.output(name).splitlines()
    require(len(found) == len(wanted) and all(line.startswith(start) for line, start in zip(found, wanted)),
            world.output(name))
    reader.stop()


def shelf(place):
    """A kiosk's program hears of each touch of a box, a spot and an item, and asks the inventory; C and Python."""
    place.world.begin()
    program = place.compile_c("shelf")
    for name, words in [("c-shelf", [program]), ("python-shelf", ["python3", os.path.join(HERE, "Python/shelf.py")])]:
        touch_things(place, name, words)


def touch_things(place, name, words):
    world, table, state = place.world, place.file(name + ".csv"), place.file(name + ".state")
    reader = Reader(world, name)
    config = world.write_config(name, f"home/{name}", reader)
    with open(config, "a") as file:
        file.write("inventory: {}\nunknown_tags: {mode: inventory, cooldown: 0 s}\n")
    write_file(table, "building,room,spot,box,code,item\nHouse,Cellar,Shelf,Screws,B-1,M4\nHouse,Cellar,Rack,,,\n")
    tappet = place.installed("bin/tappet")
    place.run(tappet, "inventory", "import", table, "--config", config)
    rack, item = "04a1b2c3d4e5f1", "04a1b2c3d4e5f2"
    place.run(tappet, "spot", "edit", "Rack", "--tag", rack, "--config", config)
    place.run(tappet, "item", "edit", "M4", "--tag", item, "--config", config)
    process = world.start([*words, config, state], name)

    def tap(line, uid, text):
        reader.tell("place", "ntag213", "uid=" + uid, "ndef=" + text_record(text).hex())
        wait_for(f"'{line}' of {name}", lambda: line in world.output(name) or process.poll() is not None,
                 output=lambda: world.output(name))
        require(line in world.output(name), world.output(name))
        reader.tell("take")

    wait_for("the reader", lambda: "ready" in world.output(name) or process.poll() is not None,
             output=lambda: world.output(name))
    tap("inventory-shown by 1 of 7 bytes: Screws in House → Cellar → Shelf with nobody", "04a1b2c3d4e5f0", "B-1")
    tap("inventory-moved by 1 of 7 bytes: Screws in House → Cellar → Rack with nobody", rack, "rack")
    tap("inventory-shown by 1 of 7 bytes: M4 in House → Cellar → Rack → Screws with nobody", item, "an item")
    tap("refused: thing-unknown", "04a1b2c3d4e5f3", "a stranger")
    require(process.wait(20) == 0, world.output(name))
    reader.stop()


def text_record(text):
    """Returns an NDEF message with one text record in English."""
    payload = b"\x02en" + text.encode()
    return bytes([0xD1, 1, len(payload)]) + b"T" + payload


def cplusplus(place):
    program = place.file("cplusplus")
    place.run("g++", "-std=c++17", *STRICT, "-o", program, os.path.join(HERE, "CPlusPlus/kiosk.cpp"),
              *place.pkg_config("--cflags", "--libs"), "-lpthread")
    place.world.run_kiosk("cplusplus-kiosk", program)


def python(place):
    place.run("python3", "-c", "import doctest, sys, tappet; sys.exit(doctest.testmod(tappet).failed)")
    place.run("python3", os.path.join(HERE, "Python/checks.py"), place.folder)
    place.world.run_kiosk("python-kiosk", "python3", os.path.join(HERE, "Python/kiosk.py"))
    said = place.world.output("python-kiosk")
    require("signature-invalid None" in said, said)


def go(place):
    needs("go", "golang-go")
    program = place.file("go-kiosk")
    place.run("go", "vet", "./...", cwd=os.path.join(HERE, "Go"))
    place.run("go", "build", "-o", program, ".", cwd=os.path.join(HERE, "Go"))
    place.world.run_kiosk("go-kiosk-run", program)


def rust(place):
    needs("cargo", "cargo")
    target = place.file("rust")
    words = ["--offline", "--quiet", "--target-dir", target]
    source = place.file("rust-source")
    # A copy, because cargo writes its lock file next to the sources.
    shutil.copytree(os.path.join(HERE, "Rust"), source)
    place.run("cargo", "test", "--package", "tappet", "--lib", *words, cwd=source)
    place.run("cargo", "build", "--package", "tappet", "--example", "kiosk", *words, cwd=source)
    place.world.run_kiosk("rust-kiosk", os.path.join(target, "debug/examples/kiosk"))


def build_swift_kiosk(place):
    place.run("swift", "build", "--package-path", os.path.join(HERE, "Swift"),
              "--scratch-path", os.path.join(ROOT, ".build-interface"), seconds=1800)


def swift(place):
    needs("swift", "")
    build_swift_kiosk(place)
    place.environment["TAPPET_READER"] = place.installed("libexec/tappet/tappet-reader")
    place.world.run_kiosk("swift-kiosk", os.path.join(ROOT, ".build-interface/debug/kiosk"))


STEPS = [kiosk, guest, loop, write, provision, outputs, sleeper, people, shelf, cplusplus, python, go, rust, swift]
