"""The inventory of a state folder: what is in which box, and where the box is. It is the one of `tappet box`.

>>> with Inventory("/var/lib/tappet", by="Eve") as inventory:  # doctest: +SKIP
...     inventory.box("B-17").lend("Ann", until="2026-12-24")
...     inventory.item("Cellar / Shelf / Screws / M4").reserve("Ben", "2026-12-27", "2026-12-30", quantity=50)
...     inventory.undo(inventory.changes()[0].number)
"""
from __future__ import annotations

import ctypes
import datetime
import getpass
from ctypes import byref, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Dict, List, Optional, TypeVar, Union

from . import Error, _native
from ._native import int32 as _int32, int64 as _int64, utf8 as _utf8

__all__ = ["ANY", "BOX", "BUILDING", "Change", "Entry", "Inventory", "ITEM", "Loan", "Reservation", "ROOM", "SPOT"]

_library = _native.library

ANY, BUILDING, ROOM, SPOT, BOX, ITEM = range(6)
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
    holder: Optional[str]  #: names of the people who have the item, pieces of it, or the box
    # The inventory, which the methods use. It is not a field, so that it is neither compared nor copied by asdict().
    _inventory: ClassVar[Inventory]

    def __getstate__(self) -> Dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_inventory"}

    def lend(self, person: str, *, until: Optional[Day] = None, quantity: Optional[int] = None,
             by: Optional[str] = None) -> Entry:
        """Lends the item, some of its pieces, or the box to a person; returns the entry as it is then."""
        return self._inventory.lend(self.id, person, by, until=until, quantity=quantity)

    def give_back(self, person: Optional[str] = None, *, quantity: Optional[int] = None,
                  by: Optional[str] = None) -> Entry:
        """Ends the loan, or the one of `person` if several people have pieces; or returns some of the pieces."""
        return self._inventory.give_back(self.id, person, by, quantity=quantity)

    def reserve(self, person: str, first: Day, last: Day, *, quantity: Optional[int] = None,
                by: Optional[str] = None) -> None:
        """Reserves the item, or some of its pieces, for a person."""
        self._inventory.reserve(self.id, person, first, last, by, quantity=quantity)

    def unreserve(self, first: Day, person: Optional[str] = None, *, by: Optional[str] = None) -> None:
        """Cancels the reservation that starts on this day, or the one of `person` if there are several."""
        self._inventory.unreserve(self.id, first, person, by)

    def adjust(self, pieces: int, *, by: Optional[str] = None) -> Entry:
        """Adds pieces to the item, or removes some if the number is negative; returns the item as it is then."""
        return self._inventory.adjust(self.id, pieces, by)

    def move(self, place: str, *, by: Optional[str] = None) -> Entry:
        """Moves the entry to a place, known by its code, id, name or path; returns the entry as it is then."""
        return self._inventory.move(self.id, self._inventory.resolve(place, self.kind - 1).id, by)

    def loans(self) -> List[Loan]:
        """Lists who has the entry, or pieces of it, the longest loan first."""
        return self._inventory.loans(self.id)

    def reservations(self) -> List[Reservation]:
        """Lists the current and future reservations of the item."""
        return self._inventory.reservations(self.id)

    def barcodes(self) -> List[str]:
        """Lists the barcodes of the entry."""
        return self._inventory.barcodes(self.id)


@dataclass(frozen=True)
class Loan:
    """A loan of an item, of some of its pieces, or of a box."""

    kind: int
    id: str  #: id of the entry
    name: str  #: name of the entry
    person: str
    due: Optional[datetime.date]  #: last day of the loan
    is_overdue: bool
    quantity: Optional[int]  #: number of pieces; None if the person has all of the item, or the box
    since_unix_milliseconds: int


@dataclass(frozen=True)
class Reservation:
    """A reservation of an item, or of some of its pieces."""

    id: str  #: id of the item
    name: str  #: name of the item
    person: str
    first: datetime.date
    last: datetime.date
    quantity: Optional[int]  #: number of pieces; None means all of the item


@dataclass(frozen=True)
class Change:
    """A change of the inventory, which can be undone by its number."""

    number: int
    kind: int
    verb: str  #: "added", "edited", "moved", "lent" …
    name: str  #: name of the entry before the change
    by: str
    entry_count: int  #: number of entries that were changed, added or removed
    is_undone: bool
    unix_milliseconds: int


#: A day, also as a text such as "2026-12-24".
Day = Union[datetime.date, str]
_Value = TypeVar("_Value")


class Inventory:
    """The inventory of a state folder, which one thread uses at a time. Every change is on the disk when it returns.

    A change is by the person `by`: of the call, otherwise of the inventory, otherwise the user, as with the commands.
    """

    def __init__(self, path: str, by: Optional[str] = None) -> None:
        self._by = by
        self._handle = c_void_p()
        result = _library.tappet_inventory_new(byref(self._handle))
        if result < 0:
            raise Error(result)
        try:
            self._check(_library.tappet_inventory_open(self._handle, _utf8(path)))
        except BaseException:
            self.close()
            raise

    def add(self, kind: int, container_id: Optional[str], name: str, by: Optional[str] = None, *,
            code: Optional[str] = None, notes: Optional[str] = None, quantity: Optional[int] = None,
            minimum: Optional[int] = None) -> Entry:
        """Adds a thing to a place, or a building to nothing (None). A box without a code gets one."""
        values, found = _values(name, code, notes, quantity, minimum), _native.InventoryEntry()
        self._check(_library.tappet_inventory_add(
            self._handle, _int32(kind), _bytes(container_id), byref(values), self._name(by), byref(found)))
        return self._entry(found)

    def edit(self, id: str, by: Optional[str] = None, *, name: Optional[str] = None, code: Optional[str] = None,
             notes: Optional[str] = None, quantity: Optional[int] = None, minimum: Optional[int] = None) -> Entry:
        """Gives a thing other values; None leaves them, NONE takes a minimum away."""
        values, found = _values(name, code, notes, quantity, minimum), _native.InventoryEntry()
        self._check(_library.tappet_inventory_edit(
            self._handle, _utf8(id), byref(values), self._name(by), byref(found)))
        return self._entry(found)

    def move(self, id: str, container_id: str, by: Optional[str] = None) -> Entry:
        """Moves a thing, with everything in it, to another place."""
        found = _native.InventoryEntry()
        self._check(_library.tappet_inventory_move(
            self._handle, _utf8(id), _utf8(container_id), self._name(by), byref(found)))
        return self._entry(found)

    def remove(self, id: str, by: Optional[str] = None) -> None:
        """Removes a thing with everything in it."""
        self._check(_library.tappet_inventory_remove(self._handle, _utf8(id), self._name(by)))

    def adjust(self, id: str, pieces: int, by: Optional[str] = None) -> Entry:
        """Adds pieces to an item, or removes some if the number is negative, whatever others do meanwhile."""
        found = _native.InventoryEntry()
        self._check(_library.tappet_inventory_adjust(
            self._handle, _utf8(id), _int64(pieces), self._name(by), byref(found)))
        return self._entry(found)

    def lend(self, id: str, person: str, by: Optional[str] = None, *, until: Optional[Day] = None,
             quantity: Optional[int] = None) -> Entry:
        """Lends an item, some of its pieces, or a box to a person, with or without a last day."""
        found = _native.InventoryEntry()
        self._check(_library.tappet_inventory_lend(
            self._handle, _utf8(id), _utf8(person), _pieces(quantity), None if until is None else _day(until),
            self._name(by), byref(found)))
        return self._entry(found)

    def give_back(self, id: str, person: Optional[str] = None, by: Optional[str] = None, *,
                  quantity: Optional[int] = None) -> Entry:
        """Ends a loan, or the one of `person` if several people have pieces; or returns some of the pieces."""
        found = _native.InventoryEntry()
        self._check(_library.tappet_inventory_return(
            self._handle, _utf8(id), _bytes(person), _pieces(quantity), self._name(by), byref(found)))
        return self._entry(found)

    def reserve(self, id: str, person: str, first: Day, last: Day, by: Optional[str] = None, *,
                quantity: Optional[int] = None) -> None:
        """Reserves an item, or some of its pieces, for a person from the first to the last day."""
        self._check(_library.tappet_inventory_reserve(
            self._handle, _utf8(id), _utf8(person), _pieces(quantity), _day(first), _day(last), self._name(by)))

    def unreserve(self, id: str, first: Day, person: Optional[str] = None, by: Optional[str] = None) -> None:
        """Cancels the reservation that starts on this day, or the one of `person` if there are several."""
        self._check(_library.tappet_inventory_unreserve(
            self._handle, _utf8(id), _bytes(person), _day(first), self._name(by)))

    def add_barcode(self, id: str, barcode: str, by: Optional[str] = None) -> None:
        """Adds a barcode to a thing, which may have several."""
        self._check(_library.tappet_inventory_add_barcode(
            self._handle, _utf8(id), _utf8(barcode), self._name(by)))

    def remove_barcode(self, id: str, barcode: str, by: Optional[str] = None) -> None:
        """Removes a barcode from a thing."""
        self._check(_library.tappet_inventory_remove_barcode(
            self._handle, _utf8(id), _utf8(barcode), self._name(by)))

    def undo(self, number: Union[int, str, None] = None, by: Optional[str] = None) -> bool:
        """Undoes the change with this number, or the last one; returns False if there is none.

        A text in place of the number is `by`.
        """
        if isinstance(number, str):
            number, by = None, number
        if number is None:
            return self._check(_library.tappet_inventory_undo(self._handle, self._name(by))) == 1
        return self._check(
            _library.tappet_inventory_undo_change(self._handle, _int64(number), self._name(by))) == 1

    def redo(self, by: Optional[str] = None) -> bool:
        """Redoes the change that the person `by` undid last; returns False if there is none."""
        return self._check(_library.tappet_inventory_redo(self._handle, self._name(by))) == 1

    def resolve(self, text: str, kind: int = ANY) -> Entry:
        """Returns the only thing that a text matches: a code, a barcode, an id, a name or a path.

        Raises KeyError if there is none, and Error if there are several.
        """
        found = _native.InventoryEntry()
        if self._check(_library.tappet_inventory_resolve(self._handle, _int32(kind), _utf8(text), byref(found))) == 0:
            raise KeyError(text)
        return self._entry(found)

    def box(self, text: str) -> Entry:
        """Returns the box that a text matches, as `resolve` does."""
        return self.resolve(text, BOX)

    def item(self, text: str) -> Entry:
        """Returns the item that a text matches, as `resolve` does."""
        return self.resolve(text, ITEM)

    def get(self, id: str) -> Optional[Entry]:
        """Returns the thing with this id."""
        found = _native.InventoryEntry()
        return self._entry(found) if self._check(
            _library.tappet_inventory_get(self._handle, _utf8(id), byref(found))) == 1 else None

    def get_by_code(self, code: str) -> Optional[Entry]:
        """Returns the box whose QR code has exactly this text."""
        found = _native.InventoryEntry()
        return self._entry(found) if self._check(
            _library.tappet_inventory_get_by_code(self._handle, _utf8(code), byref(found))) == 1 else None

    def find(self, text: str, limit: int = 50) -> List[Entry]:
        """Finds the things that have all words of `text`, and boxes whose code begins with it."""
        if limit < 0:
            raise ValueError("a limit is 0 or more")
        return self._list("find", _utf8(text), _int64(limit))

    def list(self, container_id: Optional[str] = None) -> List[Entry]:
        """Lists what is directly in a place, oldest first; without a place the buildings."""
        return self._list("list", _bytes(container_id))

    def list_low(self) -> List[Entry]:
        """Lists the items of which there are fewer pieces than their minimum, newest first."""
        return self._list("list_low")

    def loans(self, id: Optional[str] = None) -> List[Loan]:
        """Lists the loans of an item or box, or all: items before boxes, the longest loan first."""
        def loan(pointer: Any) -> Loan:
            found = pointer.contents
            due = None if found.due_day is None else datetime.date.fromisoformat(found.due_day.decode())
            return Loan(found.kind, found.id.decode(), found.name.decode(), found.person.decode(), due,
                        found.is_overdue, found.quantity or None, found.since_unix_milliseconds)
        return self._collect("loans", loan, _native.InventoryLoanCallback, _bytes(id))

    def reservations(self, id: Optional[str] = None) -> List[Reservation]:
        """Lists the current and future reservations of an item, or all, in chronological order."""
        def reservation(pointer: Any) -> Reservation:
            found = pointer.contents
            first, last = (datetime.date.fromisoformat(day.decode()) for day in (found.first_day, found.last_day))
            return Reservation(found.id.decode(), found.name.decode(), found.person.decode(), first, last,
                               found.quantity or None)
        return self._collect("reservations", reservation, _native.InventoryReservationCallback, _bytes(id))

    def barcodes(self, id: str) -> List[str]:
        """Lists the barcodes of a thing."""
        def barcode(text: bytes) -> str:
            return text.decode()
        return self._collect("barcodes", barcode, _native.InventoryBarcodeCallback, _utf8(id))

    def changes(self) -> List[Change]:
        """Lists the last 50 changes, newest first."""
        def change(pointer: Any) -> Change:
            found = pointer.contents
            return Change(found.number, found.kind, found.verb.decode(), found.name.decode(), found.by.decode(),
                          found.entry_count, found.is_undone, found.unix_milliseconds)
        return self._collect("changes", change, _native.InventoryChangeCallback)

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
            entries.append(self._entry(pointer.contents))

        ask: Callable[..., int] = getattr(_library, "tappet_inventory_" + question)
        self._check(ask(self._handle, *arguments, _native.InventoryCallback(collect), None))
        return entries

    def _collect(self, kind: str, convert: Callable[[Any], _Value], callback: Callable[..., object],
                 *arguments: object) -> List[_Value]:
        values: List[_Value] = []

        def collect(_: Optional[int], value: Any) -> None:
            values.append(convert(value))

        ask: Callable[..., int] = getattr(_library, "tappet_inventory_list_" + kind)
        self._check(ask(self._handle, *arguments, callback(collect), None))
        return values

    def _entry(self, found: _native.InventoryEntry) -> Entry:
        entry = Entry(
            found.kind, found.id.decode(), found.container_id.decode() or None, found.name.decode(),
            found.location.decode(), _text(found.code), _text(found.notes), _text(found.photo), found.quantity,
            None if found.minimum == NONE else found.minimum, found.is_low, found.created_unix_milliseconds,
            _text(found.holder))
        object.__setattr__(entry, "_inventory", self)
        return entry

    def _name(self, by: Optional[str]) -> bytes:
        name = self._by if by is None else by
        return _utf8(getpass.getuser() if name is None else name)

    def _check(self, result: int) -> int:
        if result >= 0:
            return result
        failure = _native.Failure()
        if _library.tappet_inventory_last_error(self._handle, byref(failure)) == 0:
            raise Error(result, failure.sentence.decode())
        raise Error(result)


def _bytes(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else _utf8(text)


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode()


def _day(day: Day) -> bytes:
    return _utf8(day if isinstance(day, str) else day.isoformat())


def _pieces(quantity: Optional[int]) -> int:
    """Returns the number of pieces for C, where 0 means everything."""
    if quantity == 0:
        raise ValueError("a quantity is 1 or more")
    return 0 if quantity is None else _int64(quantity)


def _values(name: Optional[str], code: Optional[str], notes: Optional[str], quantity: Optional[int],
            minimum: Optional[int]) -> _native.InventoryValues:
    values = _native.InventoryValues()
    values.name, values.code, values.notes = _bytes(name), _bytes(code), _bytes(notes)
    for member, number in (("quantity", quantity), ("minimum", minimum)):
        if number is not None:
            setattr(values, member, ctypes.pointer(c_int64(_int64(number))))
    return values
