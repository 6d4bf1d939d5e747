"""The server's side of WebSocket (RFC 6455) for tests: only the parts that a test needs, which can also be done
wrongly."""
import base64
import hashlib
import struct

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Gone(Exception):
    """The client has ended the connection."""


def read_exactly(stream, count):
    data = stream.read(count)
    if len(data) < count:
        raise Gone
    return data


def read_head(stream):
    """The request line and its headers in order, names in lower case."""
    lines = []
    while True:
        line = stream.readline()
        if not line:
            raise Gone
        line = line.rstrip(b"\r\n").decode("utf-8", "replace")
        if not line:
            break
        lines.append(line)
    headers = [line.split(":", 1) for line in lines[1:]]
    return lines[0], [(name.lower(), value.strip()) for name, value in headers]


def accept(key):
    return base64.b64encode(hashlib.sha1(key.encode() + GUID).digest()).decode()


def switch(headers, **changes):
    """An answer that opens the connection, with changed headers; None leaves one out."""
    fields = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept(dict(headers)["sec-websocket-key"])}
    fields.update(changes)
    lines = ["%s: %s" % item for item in fields.items() if item[1] is not None]
    return ("HTTP/1.1 101 Switching Protocols\r\n" + "".join(line + "\r\n" for line in lines) + "\r\n").encode()


def read_frame(stream, unpack=None):
    """Opcode and payload of a client's frame. A frame that clients must not send ends the test. `unpack` is for the payload of
    compressed messages; without it, they must not be sent."""
    first, second = read_exactly(stream, 2)
    assert first & (0x30 if unpack else 0x70) == 0 and second & 0x80, "not a client's frame"
    length = second & 0x7F
    if length == 126:
        length, = struct.unpack(">H", read_exactly(stream, 2))
        assert length > 125
    elif length == 127:
        length, = struct.unpack(">Q", read_exactly(stream, 8))
        assert length > 0xFFFF
    mask = read_exactly(stream, 4)
    data = read_exactly(stream, length)
    wide = mask * (length // 4 + 1)
    number = int.from_bytes(data, "big") ^ int.from_bytes(wide[:length], "big")
    assert first & 0x80, "ws-cat does not send fragments"
    data = number.to_bytes(length, "big")
    return first & 0x0F, unpack(data) if first & 0x40 else data


def frame(opcode, payload=b"", final=True, flags=0, mask=None):
    head = bytes([(0x80 if final else 0) | flags << 4 | opcode])
    masked = 0x80 if mask else 0
    if len(payload) < 126:
        head += bytes([masked | len(payload)])
    elif len(payload) < 65536:
        head += bytes([masked | 126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([masked | 127]) + struct.pack(">Q", len(payload))
    return head + (mask or b"") + payload
