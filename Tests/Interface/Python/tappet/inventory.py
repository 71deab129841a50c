"""The inventory of a state folder: what is in which box, and where the box is. It is the one of `tappet box`."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_int64, c_void_p
from dataclasses import dataclass
from typing import Callable, List, Optional

from . import Error, _native

__all__ = ["BOX", "BUILDING", "Entry", "Inventory", "ITEM", "ROOM", "SPOT"]

_library = _native.library

BUILDING, ROOM, SPOT, BOX, ITEM = range(1, 6)
#: As a minimum: there is none.
NONE = -1


@dataclass(frozen=True)
class Entry:
    """A building, room, spot, box or item; `kind` is this module's BUILDING, ROOM …."""

    kind: int
    id: str
    container_id: Optional[str]  #: id of the place that it is in; None for a building
    name: str
    location: str  #: names of the places that it is in, with arrows between them
    code: Optional[str]  #: text of a box's QR code
    notes: Optional[str]  #: an item's notes
    photo: Optional[str]  #: path of an item's photo
    quantity: int  #: number of pieces of an item
    minimum: Optional[int]  #: number of pieces below which an item is low
    is_low: bool
    created_unix_milliseconds: int
    holder: Optional[str]  #: name of the person who has the item


class Inventory:
    """The inventory of a state folder, which one thread uses at a time. Every change is on the disk when it returns."""

    def __init__(self, path: str) -> None:
        self._handle = c_void_p()
        result = _library.tappet_inventory_new(byref(self._handle))
        if result < 0:
            raise Error(result)
        try:
            self._check(_library.tappet_inventory_open(self._handle, path.encode()))
        except BaseException:
            self.close()
            raise

    def add(self, kind: int, container_id: Optional[str], name: str, by: str, *, code: Optional[str] = None,
            notes: Optional[str] = None, quantity: Optional[int] = None, minimum: Optional[int] = None) -> Entry:
        """Adds a thing to a place, or a building to nothing (None). A box without a code gets one."""
        values, found = _values(name, code, notes, quantity, minimum), _native.InventoryEntry()
        self._check(_library.tappet_inventory_add(
            self._handle, kind, _bytes(container_id), byref(values), by.encode(), byref(found)))
        return _entry(found)

    def edit(self, id: str, by: str, *, name: Optional[str] = None, code: Optional[str] = None,
             notes: Optional[str] = None, quantity: Optional[int] = None, minimum: Optional[int] = None) -> Entry:
        """Gives a thing other values; None leaves them, NONE takes a minimum away."""
        values, found = _values(name, code, notes, quantity, minimum), _native.InventoryEntry()
        self._check(_library.tappet_inventory_edit(
            self._handle, id.encode(), byref(values), by.encode(), byref(found)))
        return _entry(found)

    def move(self, id: str, container_id: str, by: str) -> Entry:
        """Moves a thing, with everything in it, to another place."""
        found = _native.InventoryEntry()
        self._check(_library.tappet_inventory_move(
            self._handle, id.encode(), container_id.encode(), by.encode(), byref(found)))
        return _entry(found)

    def remove(self, id: str, by: str) -> None:
        """Removes a thing with everything in it."""
        self._check(_library.tappet_inventory_remove(self._handle, id.encode(), by.encode()))

    def undo(self, by: str) -> bool:
        """Takes the last change back; returns False if there is none."""
        return self._check(_library.tappet_inventory_undo(self._handle, by.encode())) == 1

    def get(self, id: str) -> Optional[Entry]:
        """Returns the thing with this id."""
        found = _native.InventoryEntry()
        return _entry(found) if self._check(
            _library.tappet_inventory_get(self._handle, id.encode(), byref(found))) == 1 else None

    def get_by_code(self, code: str) -> Optional[Entry]:
        """Returns the box whose QR code has exactly this text."""
        found = _native.InventoryEntry()
        return _entry(found) if self._check(
            _library.tappet_inventory_get_by_code(self._handle, code.encode(), byref(found))) == 1 else None

    def find(self, text: str, limit: int = 50) -> List[Entry]:
        """Finds the things that have all words of `text`, and boxes whose code begins with it."""
        if limit < 0:
            raise ValueError("a limit is 0 or more")
        return self._list("find", text.encode(), limit)

    def list(self, container_id: Optional[str] = None) -> List[Entry]:
        """Lists what is directly in a place, oldest first; without a place the buildings."""
        return self._list("list", _bytes(container_id))

    def list_low(self) -> List[Entry]:
        """Lists the items of which there are fewer pieces than their minimum, newest first."""
        return self._list("list_low")

    def close(self) -> None:
        """Closes the inventory, which cannot be used afterwards."""
        _library.tappet_inventory_free(self._handle)

    def __enter__(self) -> Inventory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _list(self, question: str, *arguments: object) -> List[Entry]:
        entries: List[Entry] = []

        def collect(_: Optional[int], pointer: "ctypes._Pointer[_native.InventoryEntry]") -> None:
            entries.append(_entry(pointer.contents))

        ask: Callable[..., int] = getattr(_library, "tappet_inventory_" + question)
        self._check(ask(self._handle, *arguments, _native.InventoryCallback(collect), None))
        return entries

    def _check(self, result: int) -> int:
        if result >= 0:
            return result
        failure = _native.Failure()
        if _library.tappet_inventory_last_error(self._handle, byref(failure)) == 0:
            raise Error(result, failure.sentence.decode())
        raise Error(result)


def _bytes(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else text.encode()


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode()


def _values(name: Optional[str], code: Optional[str], notes: Optional[str], quantity: Optional[int],
            minimum: Optional[int]) -> _native.InventoryValues:
    values = _native.InventoryValues()
    values.name, values.code, values.notes = _bytes(name), _bytes(code), _bytes(notes)
    for member, number in (("quantity", quantity), ("minimum", minimum)):
        if number is not None:
            if not -(1 << 63) <= number < 1 << 63:
                raise ValueError(f"{number} does not fit into 64 bits")
            setattr(values, member, ctypes.pointer(c_int64(number)))
    return values


def _entry(found: _native.InventoryEntry) -> Entry:
    return Entry(found.kind, found.id.decode(), found.container_id.decode() or None, found.name.decode(),
                 found.location.decode(), _text(found.code), _text(found.notes), _text(found.photo), found.quantity,
                 None if found.minimum == NONE else found.minimum, found.is_low, found.created_unix_milliseconds,
                 _text(found.holder))
