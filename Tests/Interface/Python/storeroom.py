"""The inventory from Python, in the folder that storeroom.c has filled.

Usage: storeroom.py STATE-FOLDER
"""
import sys

import tappet
from tappet.inventory import BOX, BUILDING, ITEM, NONE, ROOM, SPOT, Inventory


def refusal(call, *arguments, **values):
    try:
        call(*arguments, **values)
    except tappet.Error as error:
        return error.code, str(error)
    raise SystemExit(f"{call.__name__}{arguments} was not refused")


with Inventory(sys.argv[1]) as inventory:
    screws = inventory.get_by_code("K-17")
    assert screws and screws.location == "House → Cellar → Shelf" and inventory.get_by_code("B-1") is None
    assert [entry.name for entry in inventory.list(screws.id)] == ["Größe M4", "M5"]
    yard = inventory.add(BUILDING, None, "Yard", "Ann")
    assert yard.container_id is None and yard.location == ""
    shed = inventory.add(ROOM, yard.id, "Shed", "Ann")
    hook = inventory.add(SPOT, shed.id, "Hook", "Ann")
    tools = inventory.add(BOX, hook.id, "Tools", "Ann", code="B-20")
    saw = inventory.add(ITEM, tools.id, "Säge", "Ann", notes="sharp", quantity=1, minimum=2)
    assert saw.location == "Yard → Shed → Hook → Tools" and saw.is_low and inventory.list_low() == [saw]
    assert inventory.find("sage") == [saw] and inventory.find("b-2", limit=1) == [tools]
    assert inventory.edit(saw.id, "Ben", minimum=NONE).minimum is None and not inventory.list_low()
    assert inventory.move(tools.id, screws.container_id, "Ben").location == screws.location
    assert inventory.undo("Ann") and inventory.get(tools.id) == tools
    inventory.remove(yard.id, "Ann")
    assert inventory.get(saw.id) is None and inventory.undo("Ann") and inventory.get(saw.id) is not None
    assert refusal(inventory.add, BOX, hook.id, " ", "Ann") == (-1, "Box label cannot be empty")
    assert refusal(inventory.edit, tools.id, "Ann", code="K-17")[1].startswith("another box has the QR code K-17")
    assert "no entry with id" in refusal(inventory.move, yard.id[:-4] + "0000", hook.id, "Ann")[1]
    assert refusal(inventory.list, "yard")[0] == -1
assert refusal(inventory.list)[0] == -4
assert refusal(Inventory, "/proc/none/such")[0] == -41
print("storeroom.py: the same in Python")
