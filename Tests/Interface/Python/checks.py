"""Checks the package with a stranger's tags, failing constructors, arguments that C would cut and too little memory.

Usage: checks.py FOLDER
"""
import ctypes
import mmap
import os
import resource
import select
import sys

import tappet
from tappet.inventory import BUILDING, Inventory

# Stands in for tappet-reader: a Type 4 tag whose URI is not UTF-8 and contains a NUL, and one whose URI is empty.
READER = f"""#!{sys.executable}
import socket, time
parent = socket.socket(fileno=3)
for content in [b"\\xff\\0a", b""]:
    record = bytes([0xD1, 1, len(content) + 1]) + b"U\\0" + content
    read = b"\\4\\4\\1\\2\\3\\4\\x14" + record
    described = b"\\x0a\\4\\1\\2\\3\\4\\x14"
    for message in [b"\\1\\5made up", b"\\3\\4\\1\\2\\3\\4", read, described, b"\\6\\4\\1\\2\\3\\4"]:
        parent.send(message + time.clock_gettime_ns(time.CLOCK_BOOTTIME).to_bytes(8, "big"))
parent.recv(1)
"""


def strangers_tags():
    path = os.path.join(sys.argv[1], "strangers-tag")
    with open(path, "w") as file:
        file.write(READER)
    os.chmod(path, 0o755)
    os.environ["TAPPET_READER"] = path
    reader, found = tappet.Reader(), []
    while len(found) < 2:
        assert select.select([reader], [], [], 20)[0], "the reader reports nothing"
        for kind, uid, text in reader.events():
            assert kind != reader.LOST, text
            if kind == reader.TAG_READ:
                assert uid == bytes([1, 2, 3, 4])
                found.append(text)
    assert found == ["\ufffd\0a", "there is no link on the tag; write it first"], found
    reader.close()


def failures():
    """There are at most 1023 objects: a constructor that fails frees its own."""
    os.environ["TAPPET_READER"] = "/no/such/tappet-reader"
    for make, code in [(lambda: tappet.Kiosk("/no/such/file"), -44), (lambda: tappet.Reader("none"), -40)]:
        for _ in range(1100):
            try:
                make()
                assert False, "it did not fail"
            except tappet.Error as error:
                assert error.code == code, error


def cut():
    """Arguments of which C would see only a part: numbers of too many bits, texts with a NUL."""
    key, receiver = bytes(32), tappet.TokenReceiver(bytes(16))
    inventory = Inventory(os.path.join(sys.argv[1], "cut"), "Ann")
    house = inventory.add(BUILDING, None, "House")
    for call in [lambda: tappet.sign_url(2**64 + 5, 0, key), lambda: tappet.sign_url(0, -(2**64), key),
                 lambda: tappet.seal_token(2**64, bytes(16)), lambda: tappet.TokenReceiver(bytes(16), 2**64),
                 lambda: receiver.accept(32 * "0", 2**63), lambda: inventory.add(2**32 + BUILDING, None, "Barn"),
                 lambda: inventory.resolve("House", 2**32 + BUILDING), lambda: inventory.find("House", 2**64 + 1),
                 lambda: inventory.add(BUILDING, None, "Barn\0"), lambda: inventory.resolve("House\0Barn"),
                 lambda: inventory.edit(house.id + "\0", name="Barn"), lambda: inventory.remove(house.id, "Ann\0"),
                 lambda: inventory.add_barcode(house.id, "4006381333931\0"), lambda: tappet.Kiosk("/no\0/such/file")]:
        try:
            call()
            assert False, "it was accepted"
        except ValueError:
            pass
    assert inventory.list() == [house]
    inventory.close()


def memory():
    """Digits are counted and decoded without a copy. Called last: no memory is left for anything else afterwards."""
    size = 64 << 20
    pages = mmap.mmap(-1, size)
    for _ in range(64):
        pages.write((1 << 20) * b"0")
    digits, result = (ctypes.c_char * size).from_buffer(pages), ctypes.create_string_buffer(size // 2)
    library = ctypes.CDLL("libtappet.so.0")
    library.tappet_hex_decode.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + (8 << 20), resource.RLIM_INFINITY))
    assert library.tappet_hex_decode(digits, size, None, 0) == size // 2
    assert library.tappet_hex_decode(digits, size, result, len(result)) == size // 2


strangers_tags()
failures()
cut()
memory()
