"""One HTTP server for all drivers, without http.server, which takes 100 ms to import.

    Server({"/document": {"n": 1}, "/stream": stream, "/gone": 404})

An answer is a value, or a function that takes the request and returns a value or answers by itself: a status, a body,
or (body, status, field, ...). A body that is neither bytes nor text is sent as JSON.
"""
import contextlib
import functools
import json
import os
import select
import socket
import struct
import threading

REASONS = {200: "OK", 302: "Found"}


class Gone(Exception):
    """The client has ended the connection."""


def read_head(stream):
    """The first line, and the fields: pairs of a name in lower case and a value."""
    line, fields = None, []
    while True:
        text = stream.readline()
        if not text:
            raise Gone
        text = text.rstrip(b"\r\n").decode("latin-1")
        if line is None:
            line = text
        elif not text:
            return line, fields
        else:
            name, _, value = text.partition(":")
            fields.append((name.lower(), value.strip()))


def read_body(stream, headers):
    if "chunked" not in headers.get("transfer-encoding", ""):
        return stream.read(int(headers.get("content-length", 0)))
    body = b""
    while size := int(stream.readline(), 16):
        body += stream.read(size + 2)[:-2]
    stream.readline()
    return body


def reset_at_close(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Request:
    """A request, and the ways to answer it. With `closes`, the connection ends after the answer."""

    closes = False

    def __init__(self, server, connection, stream):
        line, self.fields = read_head(stream)
        self.headers = dict(self.fields)
        self.method, self.target = line.split(" ")[:2]
        self.server, self.connection, self.stream = server, connection, stream
        self.path = self.target.partition("?")[0]
        self.closes = self.headers.get("connection", "").lower() == "close" or line.endswith("HTTP/1.0")

    @functools.cached_property
    def body(self):
        """Read when it is asked for, or else after the answer."""
        if "expect" in self.headers:
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return read_body(self.stream, self.headers)

    def query(self, name, default=""):
        from urllib.parse import parse_qs
        return parse_qs(self.target.partition("?")[2], keep_blank_values=True).get(name, [default])[0]

    @property
    def last_id(self):
        """The number in Last-Event-ID, or 0."""
        return int(self.headers.get("last-event-id") or 0)

    def send(self, data):
        self.connection.sendall(data)

    def head(self, status, *fields):
        """A head; fields are texts, such as "Age: 1"."""
        line = "HTTP/1.1 %s" % status + " " * isinstance(status, int) + REASONS.get(status, "")
        return "\r\n".join([line, *fields, "", ""]).encode("latin-1")

    def reply(self, body=b"", status=200, *fields, kind="application/json", cut=None):
        """A whole answer, or as much of its body as `cut` says."""
        if not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        if status not in (204, 304):
            fields = ["Content-Length: %d" % len(body), *["Content-Type: " + kind] * bool(kind), *fields]
        self.send(self.head(status, *fields) + (b"" if self.method == "HEAD" else body[:cut]))
        self.closes = self.closes or cut is not None

    def tagged(self, body, tag, *fields):
        """What a server with ETags answers: 304 if the client has this body."""
        tag = '"%s"' % tag
        is_known = self.headers.get("if-none-match") == tag
        return (b"", 304, "ETag: " + tag) if is_known else (body, 200, "ETag: " + tag, *fields)

    def begin(self, kind="text/event-stream", *fields, status=200):
        """An answer in chunks."""
        self.send(self.head(status, "Content-Type: " + kind, "Transfer-Encoding: chunked", *fields))

    def chunk(self, data):
        if data:
            self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def event(self, number, data, name=""):
        """An event of a stream, as a chunk."""
        text = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.chunk(b"id: %d\n%sdata: %s\n\n" % (number, b"event: %s\n" % name.encode() if name else b"", text))

    def end(self):
        self.send(b"0\r\n\r\n")

    def cut(self):
        """Ends the connection, as if the answer went on."""
        self.closes = True

    def reset(self):
        reset_at_close(self.connection)
        self.closes = True

    def stall(self, seconds=None):
        """Says nothing, until the client leaves."""
        select.select([self.connection], [], [], seconds)
        self.closes = True


class Server:
    """Answers from a table by path, in which None is for all others, or by a function for all paths.

    Counts requests, connections, and the requests that are in progress together (`active`, and at most `most`). A value
    ends the progress before it is sent: the client may ask again at once.
    """

    def __init__(self, answer, port=0, path=None):
        self.answer, self.port, self.path = answer, port, path
        self.lock = threading.RLock()
        self.requests = self.connections = self.active = self.most = 0
        self.start()

    def start(self):
        if self.path:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(self.path)
            self.listener.listen(100)
        else:
            self.listener = socket.create_server(("127.0.0.1", self.port), backlog=100)
            self.port = self.listener.getsockname()[1]
        self.url = "http://127.0.0.1:%d" % self.port
        self.open = set()
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def stop(self):
        """Ends all connections too. `start` begins again in the same place."""
        # Without this, a thread that waits for a client would keep the socket.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()

    def cut(self):
        """Ends all connections."""
        for connection in list(self.open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def restart(self):
        self.stop()
        self.start()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                connection = listener.accept()[0]
                self.open.add(connection)
                threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        self.connections += 1
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Clients that leave at any time are the point.
        with contextlib.suppress(OSError, Gone), connection, connection.makefile("rb") as stream:
            is_open = True
            while is_open:
                request = Request(self, connection, stream)
                with self.lock:
                    self.requests += 1
                    self.active += 1
                    self.most = max(self.most, self.active)
                try:
                    found = self.find(request)
                finally:
                    with self.lock:
                        self.active -= 1
                if found is not None:
                    request.reply(*found)
                is_open = not request.closes and request.body is not None
        self.open.discard(connection)

    def find(self, request):
        """The arguments of `reply`, or None if the request has been answered."""
        found = self.answer
        if isinstance(found, dict):
            found = found.get(request.path, found.get(None, 404))
        if callable(found):
            found = found(request)
        if isinstance(found, int):
            found = (b"", found)
        return found if found is None or isinstance(found, tuple) else (found,)


def is_listening(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True


def free_port():
    """A port that stays free while nobody listens there: the system assigns only higher ones to clients."""
    import random
    while True:
        port = random.randrange(10_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
