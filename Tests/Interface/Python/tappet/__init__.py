"""Signed NFC tags and tap-to-publish kiosks, using libtappet.

>>> key = bytes(31) + b"\\x01"
>>> url = sign_url(0, 1767168000, key)
>>> verify_url(url, [bytes(32), key]).key_index
1
>>> verify_url(url, [bytes(32)])
Traceback (most recent call last):
tappet.Error: the signature matches none of the keys
"""
from __future__ import annotations

import ctypes
import itertools
from ctypes import byref, c_int64, c_void_p
from dataclasses import dataclass
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _native
from ._native import int32 as _int32, int64 as _int64, utf8 as _utf8

__all__ = ["Counters", "Error", "Kiosk", "KioskEvent", "Output", "Person", "Reader", "TokenReceiver", "URL",
           "open_token", "seal_token", "readers", "sign_url", "verify_url", "version"]

_library = _native.library

KEY_SIZE = 32
LIGHT, REFUSED, IGNORED, ACCEPTED, QUEUED, DELIVERED, EXPIRED, UNDELIVERABLE = range(1, 9)
READER_READY, TAG_WRITTEN, TAG_NOT_WRITTEN = 9, 36, 37
OUTPUT_CHANGED, OUTPUT_WAITING, OUTPUT_REFUSED = range(39, 42)
COMMAND_ACCEPTED, COMMAND_REFUSED, COMMANDS_REFUSED_MORE, COMMAND_DONE, COMMANDS_READY, COMMANDS_DENIED = range(42, 48)
INVENTORY = 48
INPUT_OPENED, INPUT_CLOSED, INPUT_FORCED, INPUT_HELD_OPEN, INPUT_NOT_ENTERED = range(49, 54)
ON, OFF, PULSE, TOGGLE = range(1, 5)


class Error(Exception):
    """A failed call: `code` is a negative `enum tappet_error`, the text is for a person."""

    def __init__(self, code: int, sentence: Optional[str] = None) -> None:
        super().__init__(sentence or _library.tappet_strerror(code).decode())
        self.code = code


def _checked(result: int) -> int:
    if result < 0:
        raise Error(result)
    return result


def version() -> str:
    """Returns the library's version."""
    text: bytes = _library.tappet_version()
    return text.decode()


@dataclass(frozen=True)
class URL:
    """The contents of a genuine tag URL."""

    index: int  #: the action's idx
    timestamp: int  #: time of writing, in seconds since 1970
    key_index: int  #: index of the key that signed it
    carries_key: bool  #: anyone who reads the tag can copy it


def verify_url(url: str, keys: Sequence[bytes]) -> URL:
    """Returns the contents of `url` if it was signed with one of `keys` (32 bytes each); otherwise raises Error."""
    if any(len(key) != KEY_SIZE for key in keys):
        raise ValueError("a key has 32 bytes")
    text, found = url.encode(), _native.URL()
    _checked(_library.tappet_url_verify(text, len(text), b"".join(keys), len(keys), byref(found)))
    return URL(found.index, found.timestamp, found.key_index, found.carries_key)


def sign_url(index: int, timestamp: int, key: bytes) -> str:
    """Returns a tag URL for the action `index`, signed with `key` (32 bytes)."""
    if len(key) != KEY_SIZE:
        raise ValueError("a key has 32 bytes")
    text = ctypes.create_string_buffer(144)
    _checked(_library.tappet_url_sign(_int64(index), _int64(timestamp), key, text, len(text)))
    return text.value.decode()


def seal_token(unix_seconds: int, key: bytes) -> str:
    """Returns a timestamp token sealed with `key` (16, 24 or 32 bytes)."""
    text = ctypes.create_string_buffer(33)
    _checked(_library.tappet_token_seal(_int64(unix_seconds), key, len(key), text, len(text)))
    return text.value.decode()


def open_token(token: str, key: bytes) -> int:
    """Returns the time in a token, in seconds since 1970; the caller decides how old it may be."""
    text, seconds = token.encode(), c_int64()
    _checked(_library.tappet_token_open(text, len(text), key, len(key), byref(seconds)))
    return seconds.value


class TokenReceiver:
    """Accepts each token once, and only if it is neither older nor newer than `tolerance_seconds`."""

    def __init__(self, key: bytes, tolerance_seconds: int = 5) -> None:
        self._handle = c_void_p()
        _checked(_library.tappet_token_receiver_new(0, _int64(tolerance_seconds), key, len(key), byref(self._handle)))

    def accept(self, token: str, now_unix_seconds: int) -> int:
        """Returns the token's time; raises Error if the token is not accepted."""
        text, now, seconds = token.encode(), _int64(now_unix_seconds), c_int64()
        _checked(_library.tappet_token_receiver_accept(self._handle, text, len(text), now, byref(seconds)))
        return seconds.value

    def __del__(self) -> None:
        _library.tappet_token_receiver_free(self._handle)


def readers() -> List[str]:
    """Lists the connection strings of the readers that libnfc finds. Blocks for at most 10 s."""
    text = ctypes.create_string_buffer(16385)
    size = _checked(_library.tappet_reader_list(text, len(text)))
    return text.raw[:size].decode().splitlines()


class Reader:
    """An NFC reader. Watch `fileno()`, and call `events()` when it is readable."""

    READY, TAG_ARRIVED, TAG_READ, TAG_FAULTED, TAG_LEFT, LOST, WRITTEN, WRITE_FAILED = range(1, 9)

    def __init__(self, device: Optional[str] = None) -> None:
        self._handle = c_void_p()
        _checked(_library.tappet_reader_new(byref(self._handle)))
        try:
            self._check(_library.tappet_reader_open(self._handle, None if device is None else _utf8(device)))
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        """Returns a descriptor that is readable when there may be events."""
        return self._check(_library.tappet_reader_fd(self._handle))

    def events(self) -> Iterator[Tuple[int, bytes, Optional[str]]]:
        """Yields the events since the last call: type, UID, and the tag's URL, the device or a sentence for a person.

        Bytes of a stranger's URL that are not UTF-8 are replaced.
        """
        event = _native.ReaderEvent()
        while self._check(_library.tappet_reader_next(self._handle, byref(event))) == 1:
            # A stranger wrote the URL: it may contain a NUL.
            text = event.device or event.sentence
            if event.url is not None:
                text = ctypes.string_at(event.url, event.url_size)
            uid = bytes(event.uid[: event.uid_size])
            yield event.type, uid, None if text is None else text.decode(errors="replace")

    def write(self, url: str) -> None:
        """Writes `url` to the tag on the reader, or to the next one; WRITTEN or WRITE_FAILED follows."""
        text, room = url.encode(), ctypes.create_string_buffer(8192)
        size = _checked(_library.tappet_ndef_uri_encode(text, len(text), room, len(room)))
        self._check(_library.tappet_reader_write(self._handle, room.raw[:size], size))

    def close(self) -> None:
        """Closes the reader, which cannot be used afterwards."""
        _library.tappet_reader_free(self._handle)

    def _check(self, result: int) -> int:
        if result >= 0:
            return result
        failure = _native.Failure()
        if _library.tappet_reader_last_error(self._handle, byref(failure)) == 0:
            raise Error(result, failure.sentence.decode())
        raise Error(result)


@dataclass(frozen=True)
class KioskEvent:
    """An event in a kiosk; `type` is one of this module's LIGHT, REFUSED, ACCEPTED …, or of a later version's."""

    type: int
    name: str
    sentence: str
    action: Optional[str]
    topic: Optional[str]
    id: Optional[str]
    uid: Optional[bytes]
    trigger: int  #: 0 nothing of these, 1 a tag, 2 a button, 3 a command, 4 the inventory, 5 an input
    output: Optional[str]
    is_on: bool  #: OUTPUT_CHANGED: whether the output is on
    tag: Optional[str]  #: label of the tag's secret
    person: Optional[str]  #: name of the person whose tag it is
    code: Optional[str]  #: REFUSED, IGNORED, QUEUED: the reason
    thing: Optional[str]  #: INVENTORY: id of the thing
    input: Optional[str]  #: INPUT_OPENED to INPUT_NOT_ENTERED: name of the input


@dataclass(frozen=True)
class Output:
    """An output of a kiosk's panel."""

    name: str
    is_on: bool
    is_available: bool  #: its line is there


@dataclass(frozen=True)
class Person:
    """A person of the kiosk's database."""

    name: str
    tag_count: int
    created_unix_seconds: int
    is_suspended: bool  #: all of the person's tags are refused


#: Receives the result of a request: None if it was done.
Done = Optional[Callable[[Optional[Error]], None]]


@dataclass(frozen=True)
class Counters:
    """Numbers of taps and presses by outcome."""

    accepted: int
    delivered: int
    refused: int
    ignored: int
    expired: int
    undeliverable: int
    waiting: int


class Kiosk:
    """A kiosk from a configuration file. `on_event` is called inside `dispatch` and `run`.

    In an event loop, watch `fileno()` and call `dispatch()` when it is readable, until it returns False.
    """

    def __init__(self, path: str, on_event: Optional[Callable[[KioskEvent], None]] = None) -> None:
        self._handle = c_void_p()
        _checked(_library.tappet_kiosk_new(byref(self._handle)))
        self._on_event = on_event
        # Kept, because C uses it as long as the kiosk lives.
        self._callback = _native.EventCallback(self._forward)
        self._person_callback = _native.PersonCallback(self._add_person)
        self._completion = _native.Completion(self._complete)
        # Requests without a result yet, by their numbers, which are the contexts of C; a list gets its people here.
        self._requests: Dict[int, Tuple[Done, Optional[List[Person]]]] = {}
        self._numbers = itertools.count(1)
        try:
            self._check(_library.tappet_kiosk_set_event_callback(self._handle, self._callback, None))
            self._check(_library.tappet_kiosk_load(self._handle, _utf8(path)))
        except BaseException:
            self.close()
            raise

    def add_secret(self, action: str, key: bytes) -> None:
        """Adds a secret for the tags of `action` to those of the database."""
        if len(key) != KEY_SIZE:
            raise ValueError("a key has 32 bytes")
        self._check(_library.tappet_kiosk_add_secret(self._handle, _utf8(action), key))

    def start(self) -> None:
        """Opens the database and starts the kiosk."""
        self._check(_library.tappet_kiosk_start(self._handle))

    def fileno(self) -> int:
        """Returns a descriptor that is readable when `dispatch` has something to do."""
        return self._check(_library.tappet_kiosk_fd(self._handle))

    def dispatch(self) -> bool:
        """Does everything that is due now. Returns False when the kiosk has ended."""
        return self._check(_library.tappet_kiosk_dispatch(self._handle)) == 1

    def run(self) -> None:
        """Starts the kiosk and dispatches until it has ended."""
        self._check(_library.tappet_kiosk_run(self._handle))

    def press(self, action: str) -> None:
        """Presses a button of the program's own, which triggers `action`. Any thread may call this."""
        self._check(_library.tappet_kiosk_press(self._handle, _utf8(action)))

    def request_output(self, output: str, request: int) -> None:
        """Turns an output ON or OFF, or gives it a PULSE or the other level (TOGGLE). Any thread may call this."""
        self._check(_library.tappet_kiosk_request_output(self._handle, _utf8(output), _int32(request)))

    def outputs(self) -> List[Output]:
        """Lists the outputs of the panel as they are. Any thread may call this."""
        found = _native.Output()
        outputs: List[Output] = []
        while self._check(_library.tappet_kiosk_get_output(self._handle, len(outputs), byref(found))) == 1:
            outputs.append(Output(found.name.decode(), found.is_on, found.is_available))
        return outputs

    def write_tag(self, action: Optional[str], label: Optional[str] = None) -> None:
        """Makes the next tag one of `action`; None cancels. An event tells the end. Any thread may call this."""
        self._check(_library.tappet_kiosk_write_tag(
            self._handle, None if action is None else _utf8(action), None if label is None else _utf8(label)))

    def list_people(self, done: Callable[[List[Person], Optional[Error]], None]) -> None:
        """Lists the people. `dispatch` or `run` calls `done` later, as with all requests below, once for each."""
        people: List[Person] = []
        self._ask("list_people", lambda error: done(people, error), self._person_callback, people=people)

    def add_person(self, name: str, done: Done = None) -> None:
        """Adds a person, who has no tags yet. Any thread may call this and what follows."""
        self._ask("add_person", done, _utf8(name))

    def rename_person(self, name: str, new_name: str, done: Done = None) -> None:
        """Gives a person another name."""
        self._ask("rename_person", done, _utf8(name), _utf8(new_name))

    def suspend_person(self, name: str, done: Done = None) -> None:
        """Refuses all tags of a person, until `resume_person`."""
        self._ask("suspend_person", done, _utf8(name))

    def resume_person(self, name: str, done: Done = None) -> None:
        """Accepts the tags of a suspended person again."""
        self._ask("resume_person", done, _utf8(name))

    def remove_person(self, name: str, forgets_taps: bool = False, done: Done = None) -> None:
        """Removes a person and the secrets of their tags, and what the tap log has of them if that is wanted."""
        self._ask("remove_person", done, _utf8(name), forgets_taps)

    def assign_tag(self, secret_id: str, name: Optional[str], done: Done = None) -> None:
        """Gives the tag of a secret to a person, or to nobody."""
        self._ask("assign_tag", done, _utf8(secret_id), None if name is None else _utf8(name))

    def learn_tag(self, uid: bytes, action: str, label: Optional[str] = None, done: Done = None) -> None:
        """Lets an external tag trigger an action, by its UID, which can be copied."""
        self._ask("learn_tag", done, uid, len(uid), _utf8(action), None if label is None else _utf8(label))

    def forget_tag(self, uid: bytes, done: Done = None) -> None:
        """Forgets a tag that was learned by its UID."""
        self._ask("forget_tag", done, uid, len(uid))

    def stop(self) -> None:
        """Asks the kiosk to end. Any thread may call this."""
        _checked(_library.tappet_kiosk_stop(self._handle))

    def counters(self) -> Counters:
        """Returns the numbers of taps and presses by outcome. Any thread may call this."""
        found = _native.Counters()
        self._check(_library.tappet_kiosk_get_counters(self._handle, byref(found)))
        return Counters(*(getattr(found, field[0]) for field in _native.Counters._fields_[1:]))

    def close(self) -> None:
        """Ends the kiosk and frees it; it cannot be used afterwards."""
        _library.tappet_kiosk_free(self._handle)

    def __enter__(self) -> Kiosk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, request: str, done: Done, *arguments: object, people: Optional[List[Person]] = None) -> None:
        number = next(self._numbers)
        self._requests[number] = done, people
        try:
            call = getattr(_library, "tappet_kiosk_" + request)
            self._check(call(self._handle, *arguments, self._completion, number))
        except BaseException:
            del self._requests[number]
            raise

    def _add_person(self, number: int, pointer: "ctypes._Pointer[_native.Person]") -> None:
        person, people = pointer.contents, self._requests[number][1]
        if people is not None:
            people.append(
                Person(person.name.decode(), person.tag_count, person.created_unix_seconds, person.is_suspended))

    def _complete(self, number: int, result: int, sentence: Optional[bytes]) -> None:
        done, _ = self._requests.pop(number)
        if done is not None:
            done(Error(result, None if sentence is None else sentence.decode()) if result < 0 else None)

    def _forward(self, _: Optional[int], pointer: "ctypes._Pointer[_native.Event]") -> None:
        if self._on_event is None:
            return
        event = pointer.contents

        def text(value: Optional[bytes]) -> Optional[str]:
            return None if value is None else value.decode()
        uid = bytes(event.uid[: event.uid_size]) if event.uid else None
        self._on_event(KioskEvent(event.type, event.name.decode(), event.sentence.decode(), text(event.action),
                                  text(event.topic), text(event.id), uid, event.trigger, text(event.output),
                                  event.is_on, text(event.tag), text(event.person), text(event.code),
                                  text(event.thing), text(event.input)))

    def _check(self, result: int) -> int:
        if result >= 0:
            return result
        failure = _native.Failure()
        if _library.tappet_kiosk_last_error(self._handle, byref(failure)) == 0:
            raise Error(result, failure.sentence.decode())
        raise Error(result)
