"""Packets of a hostile broker, of MQTT 3.1.1 and 5, wrong in one way or another, from a seed."""

# Property ids of MQTT 5.0 §2.2.2.2 by the form of their value.
BYTES = (0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A)
SHORTS, WORDS = (0x13, 0x21, 0x22, 0x23), (0x02, 0x11, 0x18, 0x27)
TEXTS, PAIRS, NUMBERS = (0x03, 0x08, 0x12, 0x15, 0x1A, 0x1C, 0x1F, 0x09, 0x16), (0x26,), (0x0B,)
KNOWN = BYTES + SHORTS + WORDS + TEXTS + PAIRS + NUMBERS


def varint(number):
    out = bytearray()
    while True:
        number, low = number >> 7, number & 127
        out.append(low | (128 if number else 0))
        if not number:
            return bytes(out)


def packet(head, body):
    return bytes([head]) + varint(len(body)) + body


def text(data):
    return len(data).to_bytes(2) + data


class Packets:
    """Draws packets for one connection of this version (4 is 3.1.1)."""

    def __init__(self, chance, version, allows_unknown):
        self.chance, self.version, self.allows_unknown = chance, version, allows_unknown

    def bytes(self, most):
        return self.chance.randbytes(self.chance.randrange(most + 1))

    def id(self):
        return self.chance.choice([0, 1, 1, 2, 3, 4, 5, 6, 65535, self.chance.randrange(65536)]).to_bytes(2)

    def property(self):
        name = self.chance.choice(KNOWN)
        if self.allows_unknown and self.chance.random() < 0.1:
            return bytes([self.chance.choice([n for n in range(256) if n not in KNOWN])]) + self.bytes(4)
        if name in BYTES:
            return bytes([name, self.chance.randrange(256)])
        if name in SHORTS:
            return bytes([name]) + self.chance.randbytes(2)
        if name in WORDS:
            return bytes([name]) + self.chance.randbytes(4)
        if name in PAIRS:
            return bytes([name]) + text(self.bytes(20)) + text(self.bytes(20))
        return bytes([name]) + (varint(self.chance.randrange(1 << 28)) if name in NUMBERS else text(self.bytes(40)))

    def properties(self):
        if self.version != 5:
            return b""
        body = b"".join(self.property() for _ in range(self.chance.choice([0, 0, 1, 1, 2, 5])))
        return varint(len(body)) + body

    def connack(self):
        """Mostly one that accepts."""
        if self.chance.random() < 0.7:
            return packet(0x20, b"\0\0" + (b"\0" if self.version == 5 else b""))
        code = self.chance.choice([0, 0, 1, 5, 0x80, 0x84, 0x87, self.chance.randrange(256)])
        return packet(0x20, bytes([self.chance.randrange(4), code]) + self.properties())

    def acknowledgement(self):
        head = self.chance.choice([0x40, 0x50, 0x62, 0x70])
        tail = bytes([self.chance.choice([0, 0x10, 0x87, 0x92])]) + self.properties() if self.version == 5 else b""
        return packet(head, self.id() + (tail if self.chance.random() < 0.7 else b""))

    def publish(self):
        qos = self.chance.randrange(4)
        body = text(self.bytes(30)) + (self.id() if qos else b"") + self.properties() + self.bytes(200)
        return packet(0x30 | qos << 1 | self.chance.randrange(2) | self.chance.choice([0, 8]), body)

    def answer(self):
        head = self.chance.choice([0x90, 0xB0])
        return packet(head, self.id() + self.properties() + self.bytes(4))

    def farewell(self):
        return packet(0xE0, bytes([self.chance.randrange(256)]) + self.properties())

    def others(self):
        """Packets that only a client sends, and AUTH."""
        head = self.chance.choice([0x10, 0x82, 0xA2, 0xC0, 0xD0, 0xF0, 0x00])
        return packet(head, self.bytes(30) + self.properties())

    def claim(self):
        """A packet that is said to be much larger than what follows."""
        head = self.chance.choice([0x20, 0x30, 0x32, 0x34, 0x40, 0x90, 0xE0])
        size = self.chance.choice([b"\xff\xff\xff\x7f", b"\x80\x80\x80\x01", b"\xff\xff\xff\xff\xff", b"\x80\x80\x00"])
        return bytes([head]) + size + self.bytes(2000)

    def flood(self):
        kind = self.chance.randrange(3)
        if kind == 0:
            tail = self.empty() + b"x"
            ids = range(1, self.chance.randrange(2, 20000))
            return b"".join(packet(0x34, text(b"a") + id.to_bytes(2) + tail) for id in ids)
        if kind == 1:
            return b"\x30\xff\xff\xff\x7f\0\1a" + bytes(self.chance.randrange(1 << 22))
        return b"".join(self.acknowledgement() for _ in range(self.chance.randrange(2000)))

    def empty(self):
        return b"\0" if self.version == 5 else b""

    def mutated(self):
        kinds = [self.connack, self.acknowledgement, self.publish, self.answer, self.farewell]
        data = bytearray(self.chance.choice(kinds)())
        for _ in range(self.chance.randrange(1, 4)):
            data[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
        return bytes(data[: self.chance.randrange(len(data)) + 1]) if self.chance.random() < 0.2 else bytes(data)

    def any(self):
        kinds = [self.acknowledgement, self.publish, self.answer, self.farewell, self.others, self.claim, self.mutated,
                 self.mutated, self.connack, lambda: self.bytes(500)]
        return self.flood() if self.chance.random() < 0.1 else self.chance.choice(kinds)()
