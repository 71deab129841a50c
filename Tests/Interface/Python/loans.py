"""Loans, reservations, barcodes and changes from Python, in the folder that loans.c has filled.

Usage: loans.py STATE-FOLDER
"""
import dataclasses
import datetime
import pickle
import sys

import tappet
from tappet.inventory import ANY, BOX, ITEM, Inventory


def refusal(call, *arguments, **values):
    try:
        call(*arguments, **values)
    except tappet.Error as error:
        return error.code, str(error)
    raise SystemExit(f"{call.__name__}{arguments} was not refused")


def raised(error, call, *arguments, **values):
    try:
        call(*arguments, **values)
    except error:
        return True
    return False


with Inventory(sys.argv[1], by="Eve") as inventory:
    box, drill, screws = inventory.box("B-17"), inventory.item("Drill"), inventory.resolve("4006381333931")
    assert (box.kind, drill.holder, screws.holder, screws.quantity) == (BOX, "Ann", "Ben", 20)
    assert inventory.resolve("Shelf / Tools / M4", ITEM) == screws and inventory.resolve("B-17", ANY) == box
    assert raised(KeyError, inventory.box, "B-18") and raised(KeyError, inventory.item, "Tools")
    assert [(loan.name, loan.person, loan.due, loan.quantity, loan.is_overdue) for loan in inventory.loans()] == [
        ("Drill", "Ann", datetime.date(2020, 2, 29), None, True), ("M4", "Ben", datetime.date(2126, 12, 24), 5, False)]
    # Lent and returned, whole and in pieces.
    assert box.lend("Cy", until=datetime.date(2126, 12, 24)).holder == "Cy" and box.loans()[0].kind == BOX
    assert box.give_back().holder is None and box.loans() == []
    assert screws.lend("Ann", quantity=3, by="Ann").holder == "Ben, Ann"
    assert "specify one of them" in refusal(screws.give_back)[1]
    assert screws.give_back("Ann", quantity=2).holder == "Ben, Ann" and screws.loans()[1].quantity == 1
    assert screws.give_back("Ann").holder == "Ben"
    assert refusal(screws.lend, "Ann", quantity=16)[0] == -1
    assert "2026-12-24" in refusal(drill.lend, "Ben", until="soon")[1]
    assert raised(ValueError, screws.lend, "Ann", quantity=0) and raised(ValueError, screws.adjust, 1 << 63)
    assert screws.adjust(5).quantity == 25 and screws.adjust(-5).quantity == 20
    # Reserved and cancelled.
    drill.reserve("Ben", "2126-12-27", datetime.date(2126, 12, 30))
    screws.reserve("Cy", "2126-12-28", "2126-12-28", quantity=7)
    assert [(each.name, each.person, each.first.day, each.last.day, each.quantity) for each in
            inventory.reservations()] == [("Drill", "Ben", 27, 30, None), ("M4", "Cy", 28, 28, 7)]
    assert "reserved by Ben" in refusal(drill.reserve, "Cy", "2126-12-30", "2126-12-31")[1]
    drill.unreserve("2126-12-27")
    screws.unreserve("2126-12-28", "Cy")
    assert inventory.reservations() == [] and refusal(drill.unreserve, "2126-12-27")[0] == -1
    # Barcodes.
    inventory.add_barcode(drill.id, "INV-9")
    assert inventory.resolve("INV-9") == inventory.get(drill.id) and drill.barcodes() == ["INV-9"]
    assert "already has the code INV-9" in refusal(inventory.add_barcode, screws.id, "INV-9")[1]
    inventory.remove_barcode(drill.id, "INV-9")
    assert drill.barcodes() == [] and inventory.barcodes(screws.id) == ["4006381333931"]
    # Changes by number, and in both directions.
    screws.adjust(1, by="Ann")
    box.lend("Cy", by="Ben")
    lent, adjusted = inventory.changes()[:2]
    assert (lent.verb, lent.kind, lent.by, lent.entry_count, lent.is_undone) == ("lent", BOX, "Ben", 1, False)
    assert (adjusted.verb, adjusted.name, adjusted.by) == ("edited", "M4", "Ann") and adjusted.number < lent.number
    assert inventory.undo(adjusted.number) and not inventory.undo(adjusted.number)
    assert inventory.changes()[1].is_undone and inventory.get(screws.id).quantity == 20
    assert not inventory.redo("Ann") and inventory.redo() and inventory.get(screws.id).quantity == 21
    assert inventory.undo("Ann") and inventory.get(box.id).holder is None
    assert inventory.undo() and inventory.get(screws.id) == screws
    assert raised(ValueError, inventory.undo, 1 << 63)
    # An entry is also a value: it is copied without its inventory.
    assert dataclasses.asdict(screws)["holder"] == "Ben" and pickle.loads(pickle.dumps(screws)) == screws
assert refusal(screws.lend, "Ann")[0] == -4 and refusal(inventory.changes)[0] == -4
print("loans.py: the same in Python")
