"""Writes artifacts by hand (docs/design/trace-format.md): what a stranger could put into one, and heddle never would."""
import struct

MAGIC, MAJOR, MINOR = b"\x89HEDDLE\n", 1, 0
CRITICAL, END = 2, 0xFFFFFFFF
META, MODULES, CHOICES, STACKS, TEXTS, EVENTS, FINDINGS, OUTPUT, FRAMES, DATA, SOURCES = range(1, 12)

_TABLE = []
for _byte in range(256):
    for _ in range(8):
        _byte = _byte >> 1 ^ (0x82F63B78 if _byte & 1 else 0)
    _TABLE.append(_byte)


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = _TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(len(data)) + data


def record(*fields):
    """Fields as (tag, value): a number, or text or bytes."""
    out = b""
    for tag, value in fields:
        if isinstance(value, int):
            out += varint(tag << 3) + varint(value)
        else:
            out += varint(tag << 3 | 2) + text(value)
    return out


def artifact(sections):
    """The bytes of a file with these sections, (type, payload) each."""
    head = MAGIC + struct.pack("<HH", MAJOR, MINOR)
    out = head + struct.pack("<I", crc32c(head))
    for kind, payload in sections:
        out += _section(kind, payload)
    return out + _section(END, varint(len(sections)) + struct.pack("<I", crc32c(out)))


def _section(kind, payload):
    head = struct.pack("<IIQQI", kind, CRITICAL if kind in (META, CHOICES) else 0, len(payload), len(payload), crc32c(payload))
    return head + struct.pack("<I", crc32c(head)) + payload


def program(path, build_id="", argv=(), cwd="", environment=(), unset=()):
    return record((1, path), (2, build_id), *((3, word) for word in argv), (4, cwd),
                  *((5, record((1, name), (2, value))) for name, value in environment), *((6, name) for name in unset))


def meta(identity, version="0.1.0", message="", outcomes=(), strategy="random", events=0):
    spec = record((2, 10_000_000), (3, 20_000), (4, 10_000_000_000), (5, 512 << 20), (16, strategy))
    result = record((9, 1), (10, message), *((11, outcome) for outcome in outcomes))
    return record((1, version), (2, spec), (3, identity), (4, result), (10, events))


def plain(identity):
    """An artifact without choices, of a program."""
    return artifact([(META, meta(identity)), (CHOICES, varint(0))])
