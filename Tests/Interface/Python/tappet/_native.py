"""The functions and structures of tappet.h for ctypes."""
import ctypes
from ctypes import (POINTER, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_uint64, c_void_p, sizeof)

library = ctypes.CDLL("libtappet.so.0")


class Structure(ctypes.Structure):
    """A structure that sets its own size, as the header requires."""

    def __init__(self) -> None:
        super().__init__(size=sizeof(self))


class URL(Structure):
    _fields_ = [("size", c_size_t), ("index", c_int64), ("timestamp", c_int64), ("key_index", c_size_t),
                ("carries_key", c_bool), ("reserved", c_uint8 * 7)]


class Failure(Structure):
    _fields_ = [("size", c_size_t), ("code", c_int), ("system_code", c_int), ("file_line", c_int),
                ("file_column", c_int), ("sentence", c_char_p)]


class Counters(Structure):
    _fields_ = [("size", c_size_t)] + [
        (name, c_uint64)
        for name in ("accepted", "delivered", "refused", "ignored", "expired", "undeliverable", "waiting")]


class Event(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("type", c_int), ("trigger", c_int), ("light", c_int), ("priority", c_int),
                ("name", c_char_p), ("sentence", c_char_p), ("action", c_char_p), ("topic", c_char_p), ("id", c_char_p),
                ("uid", POINTER(c_uint8)), ("uid_size", c_size_t), ("after_milliseconds", c_int64),
                ("output", c_char_p), ("is_on", c_bool), ("reserved", c_uint8 * 7),
                ("tag", c_char_p), ("person", c_char_p), ("code", c_char_p), ("thing", c_char_p),
                ("input", c_char_p)]


class Output(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char * 64), ("is_on", c_bool), ("is_available", c_bool),
                ("reserved", c_uint8 * 6)]


class Person(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("tag_count", c_size_t), ("created_unix_seconds", c_int64),
                ("is_suspended", c_bool), ("reserved", c_uint8 * 7)]


class InventoryValues(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("code", c_char_p), ("notes", c_char_p),
                ("quantity", POINTER(c_int64)), ("minimum", POINTER(c_int64))]


class InventoryEntry(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("id", c_char * 37), ("container_id", c_char * 37),
                ("is_low", c_bool), ("reserved", c_uint8 * 1), ("name", c_char_p), ("location", c_char_p),
                ("code", c_char_p), ("notes", c_char_p), ("photo", c_char_p), ("quantity", c_int64),
                ("minimum", c_int64), ("created_unix_milliseconds", c_int64), ("holder", c_char_p)]


class InventoryLoan(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("id", c_char * 37), ("is_overdue", c_bool),
                ("reserved", c_uint8 * 6), ("name", c_char_p), ("person", c_char_p), ("due_day", c_char_p),
                ("quantity", c_int64), ("since_unix_milliseconds", c_int64)]


class InventoryReservation(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("id", c_char * 37), ("reserved", c_uint8 * 3), ("name", c_char_p),
                ("person", c_char_p), ("first_day", c_char_p), ("last_day", c_char_p), ("quantity", c_int64)]


class InventoryChange(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("number", c_int64), ("kind", c_int), ("is_undone", c_bool),
                ("reserved", c_uint8 * 3), ("verb", c_char_p), ("name", c_char_p), ("by", c_char_p),
                ("entry_count", c_int64), ("unix_milliseconds", c_int64)]


class ReaderEvent(Structure):
    _fields_ = [("size", c_size_t), ("type", c_int), ("model", c_int), ("device", c_char_p),
                ("uid", POINTER(c_uint8)), ("uid_size", c_size_t), ("url", c_void_p), ("url_size", c_size_t),
                ("message", POINTER(c_uint8)), ("message_size", c_size_t), ("memory", POINTER(c_uint8)),
                ("memory_size", c_size_t), ("sentence", c_char_p)]


EventCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Event))
PersonCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Person))
InventoryCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(InventoryEntry))
InventoryLoanCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(InventoryLoan))
InventoryReservationCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(InventoryReservation))
InventoryChangeCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(InventoryChange))
InventoryBarcodeCallback = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
Completion = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)


def utf8(text: str) -> bytes:
    """Encodes a text that ends at its first NUL in C, where the rest would be lost silently."""
    if "\0" in text:
        raise ValueError(f"{text!r} contains a NUL")
    return text.encode()


def int32(value: int) -> int:
    """Checks that a number fits into 32 bits; ctypes would truncate it silently."""
    if not -(1 << 31) <= value < 1 << 31:
        raise ValueError(f"{value} does not fit into 32 bits")
    return value


def int64(value: int) -> int:
    """Checks that a number fits into 64 bits; ctypes would truncate it silently."""
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError(f"{value} does not fit into 64 bits")
    return value


def declare(name: str, *types: object, result: object = c_int) -> None:
    function = getattr(library, name)
    function.argtypes, function.restype = types, result


declare("tappet_version", result=c_char_p)
declare("tappet_strerror", c_int, result=c_char_p)
declare("tappet_url_verify", c_char_p, c_size_t, c_char_p, c_size_t, POINTER(URL))
declare("tappet_url_sign", c_int64, c_int64, c_char_p, c_char_p, c_size_t)
declare("tappet_token_seal", c_int64, c_char_p, c_size_t, c_char_p, c_size_t)
declare("tappet_token_open", c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_int64))
declare("tappet_token_receiver_new", c_int, c_int64, c_char_p, c_size_t, POINTER(c_void_p))
declare("tappet_token_receiver_accept", c_void_p, c_char_p, c_size_t, c_int64, POINTER(c_int64))
declare("tappet_token_receiver_free", c_void_p, result=None)
declare("tappet_ndef_uri_encode", c_char_p, c_size_t, c_char_p, c_size_t)
declare("tappet_reader_new", POINTER(c_void_p))
declare("tappet_reader_free", c_void_p, result=None)
declare("tappet_reader_list", c_char_p, c_size_t)
declare("tappet_reader_open", c_void_p, c_char_p)
declare("tappet_reader_fd", c_void_p)
declare("tappet_reader_next", c_void_p, POINTER(ReaderEvent))
declare("tappet_reader_write", c_void_p, c_char_p, c_size_t)
declare("tappet_reader_last_error", c_void_p, POINTER(Failure))
declare("tappet_kiosk_new", POINTER(c_void_p))
declare("tappet_kiosk_free", c_void_p, result=None)
declare("tappet_kiosk_load", c_void_p, c_char_p)
declare("tappet_kiosk_add_secret", c_void_p, c_char_p, c_char_p)
declare("tappet_kiosk_set_event_callback", c_void_p, EventCallback, c_void_p)
declare("tappet_kiosk_press", c_void_p, c_char_p)
declare("tappet_kiosk_request_output", c_void_p, c_char_p, c_int)
declare("tappet_kiosk_get_output", c_void_p, c_size_t, POINTER(Output))
declare("tappet_kiosk_write_tag", c_void_p, c_char_p, c_char_p)
declare("tappet_kiosk_list_people", c_void_p, PersonCallback, Completion, c_void_p)
declare("tappet_kiosk_rename_person", c_void_p, c_char_p, c_char_p, Completion, c_void_p)
declare("tappet_kiosk_remove_person", c_void_p, c_char_p, c_bool, Completion, c_void_p)
declare("tappet_kiosk_assign_tag", c_void_p, c_char_p, c_char_p, Completion, c_void_p)
declare("tappet_kiosk_learn_tag", c_void_p, c_char_p, c_size_t, c_char_p, c_char_p, Completion, c_void_p)
declare("tappet_kiosk_forget_tag", c_void_p, c_char_p, c_size_t, Completion, c_void_p)
for name in ("add", "suspend", "resume"):
    declare(f"tappet_kiosk_{name}_person", c_void_p, c_char_p, Completion, c_void_p)
for name in ("start", "fd", "dispatch", "run", "stop"):
    declare(f"tappet_kiosk_{name}", c_void_p)
declare("tappet_kiosk_get_counters", c_void_p, POINTER(Counters))
declare("tappet_kiosk_last_error", c_void_p, POINTER(Failure))
declare("tappet_inventory_new", POINTER(c_void_p))
declare("tappet_inventory_free", c_void_p, result=None)
declare("tappet_inventory_open", c_void_p, c_char_p)
declare("tappet_inventory_add", c_void_p, c_int, c_char_p, POINTER(InventoryValues), c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_edit", c_void_p, c_char_p, POINTER(InventoryValues), c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_move", c_void_p, c_char_p, c_char_p, c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_remove", c_void_p, c_char_p, c_char_p)
declare("tappet_inventory_undo", c_void_p, c_char_p)
declare("tappet_inventory_adjust", c_void_p, c_char_p, c_int64, c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_add_barcode", c_void_p, c_char_p, c_char_p, c_char_p)
declare("tappet_inventory_remove_barcode", c_void_p, c_char_p, c_char_p, c_char_p)
declare("tappet_inventory_lend", c_void_p, c_char_p, c_char_p, c_int64, c_char_p, c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_return", c_void_p, c_char_p, c_char_p, c_int64, c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_reserve", c_void_p, c_char_p, c_char_p, c_int64, c_char_p, c_char_p, c_char_p)
declare("tappet_inventory_unreserve", c_void_p, c_char_p, c_char_p, c_char_p, c_char_p)
declare("tappet_inventory_undo_change", c_void_p, c_int64, c_char_p)
declare("tappet_inventory_redo", c_void_p, c_char_p)
declare("tappet_inventory_resolve", c_void_p, c_int, c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_list_loans", c_void_p, c_char_p, InventoryLoanCallback, c_void_p)
declare("tappet_inventory_list_reservations", c_void_p, c_char_p, InventoryReservationCallback, c_void_p)
declare("tappet_inventory_list_barcodes", c_void_p, c_char_p, InventoryBarcodeCallback, c_void_p)
declare("tappet_inventory_list_changes", c_void_p, InventoryChangeCallback, c_void_p)
declare("tappet_inventory_get", c_void_p, c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_get_by_code", c_void_p, c_char_p, POINTER(InventoryEntry))
declare("tappet_inventory_find", c_void_p, c_char_p, c_size_t, InventoryCallback, c_void_p)
declare("tappet_inventory_list", c_void_p, c_char_p, InventoryCallback, c_void_p)
declare("tappet_inventory_list_low", c_void_p, InventoryCallback, c_void_p)
declare("tappet_inventory_last_error", c_void_p, POINTER(Failure))
