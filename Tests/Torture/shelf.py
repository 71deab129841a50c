"""The store room of a tortured kiosk: boxes that are moved by two taps."""
import json
import os

# Every box's code is the text of a tag of others; every spot has a tag of its own.
BOXES = [f"B-{number}" for number in range(5)]
SPOTS = {f"Spot {number}": f"02{number:06x}" for number in range(3)}
CONFIG = "inventory: {publish: true, move_within: 10 s}\nunknown_tags: {mode: inventory, cooldown: 10 ms}\n"
TOPIC = "tappet/tortured/inventory/#"


def stock(kiosk):
    """Fills the inventory, and gives each spot its tag."""
    path = os.path.join(kiosk.folder, "boxes.csv")
    with open(path, "w") as file:
        file.write("building,room,spot,box,code\n")
        file.writelines(f"House,Cellar,Spot 0,Box {code},{code}\n" for code in BOXES)
        file.writelines(f"House,Cellar,{spot},,\n" for spot in SPOTS)
    kiosk.ask("inventory", "import", path)
    for spot, uid in SPOTS.items():
        kiosk.ask("spot", "edit", spot, "--tag", uid)


def pair(random, number):
    """The simulator's words for the tags of a box and of a spot, in either order."""
    payload = b"\x02en" + random.choice(BOXES).encode()
    record = bytes([0xD1, 1, len(payload)]) + b"T" + payload
    tags = [f"ntag213 uid=04{number:012x} ndef={record.hex()}", f"classic uid={random.choice(list(SPOTS.values()))}"]
    return random.sample(tags, 2)


def moves(kiosk):
    """The history of moves on the disk, newest first."""
    return listed(kiosk, "inventory", "moves")


def listed(kiosk, *words):
    """The entries that a command lists with --json."""
    return [json.loads(line)["data"] for line in kiosk.ask(*words, "--json").splitlines()]
