"""sse-serve as a child, and clients of it that record what they have received."""
import contextlib
import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time

from Support import processes
from Support.kit import PATIENCE, Pipeline, begin, reset_at_close, start, until


class Place:
    """Where a server listens: a port, or a Unix domain socket."""

    port, path, version = None, None, "1.1"

    def __init__(self, port=None, path=None, version="1.1"):
        self.port, self.path, self.version = port, path, version

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def connect(self, small=False, address=None):
        client = socket.socket(socket.AF_UNIX if self.path else socket.AF_INET)
        if small:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        if address and not self.path:
            client.bind((address, 0))
        # With a time limit, a Unix domain socket would fail as soon as others wait.
        client.connect(self.path or ("127.0.0.1", self.port))
        client.settimeout(PATIENCE)
        return client

    def ask(self, path, fields="", client=None, version=None):
        client = client or self.connect()
        request = "GET %s HTTP/%s\r\nHost: localhost\r\n%s\r\n" % (path, version or self.version, fields)
        client.sendall(request.encode())
        return client

    def plain_stream(self, path, fields="", client=None):
        """The stream as it is, without chunks."""
        return self.ask(path, fields, client, "1.0")

    def text(self, path, fields=""):
        """All bytes of a short answer."""
        with self.ask(path, "Connection: close\r\n" + fields) as client:
            return b"".join(iter(lambda: client.recv(1 << 20), b""))

    def answer(self, path):
        """The status and the body of a short answer."""
        head, _, body = self.text(path).partition(b"\r\n\r\n")
        return int(head.split()[1]), body

    def document(self, path="/"):
        """The document of a stream, or None if there is none."""
        status, body = self.answer(path.rstrip("/") + "/snapshot")
        return json.loads(body) if status == 200 else None

    def metric(self, name):
        found = re.search(rb"(?m)^sse_serve_%s (.*)$" % name.encode(), self.answer("/metrics")[1])
        return float(found[1])


class Server(Place):
    """sse-serve on a free port; records are written to its standard input. Its messages go to a pipe, or to a file."""

    messages = subprocess.PIPE

    def __init__(self, *options, stdin=subprocess.PIPE, port=0):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "port")
            self.start(*options, "--port-file", name, str(port), stdin=stdin)
            until(lambda: os.path.exists(name) and os.path.getsize(name), "a port", [self.process])
            with open(name, encoding="ascii") as file:
                self.port = int(file.read())

    def start(self, *words, stdin=subprocess.PIPE, before=()):
        """The words of `before` run it."""
        self.process = start([*before, "sse-serve", *words], stdin, stderr=self.messages)

    def write(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def record(self, event, data, id=None, **more):
        names = {} if id is None else {"id": str(id)}
        self.write(json.dumps({"event": event, **names, "data": data, **more}).encode() + b"\n")

    def end(self):
        self.process.stdin.close()
        self.process.stdin = None

    def wait(self):
        """The status and the messages, after the end of the input."""
        words = self.process.communicate(timeout=PATIENCE)[1]
        return self.process.returncode, (words or b"").decode()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def memory(self):
        return processes.memory(self.process)

    def cpu(self):
        return processes.cpu(self.process)

    def files(self):
        return processes.files(self.process)


class LocalServer(Server):
    """On a Unix domain socket."""

    def __init__(self, *options):
        self.path = os.path.join(tempfile.mkdtemp(), "socket")
        self.start(*options, "unix:" + self.path)
        until(self.is_up, "a socket", [self.process])

    def is_up(self):
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            return self.answer("/healthz")


class Piped(Server):
    """A pipeline that ends in sse-serve. All its processes are in `line`."""

    def __init__(self, commands, *options, port=0, messages=subprocess.PIPE, **more):
        self.messages = messages
        self.line = Pipeline(*commands, stdout=subprocess.PIPE, **more)
        with self.line.parts[-1].stdout as source:
            super().__init__(*options, stdin=source, port=port)
        self.line.parts.append(self.process)

    def kill(self):
        self.line.end()


class Relay(Piped):
    """`sse-cat UPSTREAM | sse-serve`."""

    def __init__(self, upstream, *options, port=0):
        command = ["sse-cat", "--silent", "--reconnect-delay", "20ms", upstream.url + "/"]
        super().__init__([command], *options, port=port, stderr=None)
        self.source = self.line.parts[0]


def fields(block):
    """The fields of an event by name, without comments."""
    pairs = [line.partition(b":") for line in block.split(b"\n")]
    return {name.decode(): value.removeprefix(b" ").decode() for name, _, value in pairs if name}


class Stream:
    """A client of the event stream."""

    def __init__(self, server, last=None, small=False, path="/"):
        place = "Last-Event-ID: %s\r\n" % last if last is not None else ""
        self.socket = server.plain_stream(path, place, server.connect(small))
        self.rest, self.events, self.head, self.received = b"", [], None, 0

    def read(self):
        """Reads the data that has come; False at the end."""
        piece = b""
        with contextlib.suppress(ConnectionError):
            piece = self.socket.recv(1 << 20)
        if not piece:
            self.socket.close()
            return False
        self.received += len(piece)
        self.rest += piece
        if self.head is None:
            head, mark, rest = self.rest.partition(b"\r\n\r\n")
            if not mark:
                return True
            self.head, self.rest = head, rest
        *blocks, self.rest = self.rest.split(b"\n\n")
        self.events += [found for found in map(fields, blocks) if "data" in found]
        return True

    def is_refused(self):
        """An EventSource would never come back after that."""
        return bool(self.head) and b" 200 " not in self.head[:13]

    def read_until(self, id):
        while not (self.events and self.events[-1].get("id") == str(id)):
            if not self.read():
                raise EOFError("the stream ended at %s before %s" % (self.events[-1:], id))

    def read_to_end(self):
        while self.read():
            pass

    def begin(self):
        """Waits until the server counts it as a stream client."""
        while self.head is None:
            if not self.read():
                raise EOFError("no stream")

    def numbers(self):
        return [int(event["id"]) for event in self.events]

    def reset(self):
        reset_at_close(self.socket)
        self.socket.close()


class Viewers:
    """Clients that come back with their last ids. jpatch makes documents of what they get."""

    def __init__(self, clients):
        self.clients, self.lock = clients, threading.Lock()
        self.jpatch = start(
            ["jpatch", "--follow", "--records", "--by", "/client"], subprocess.PIPE, subprocess.PIPE, "jpatch-errors")
        begin(self.read, *(lambda client=client: client.run(self.write) for client in clients))

    def write(self, client, event):
        with self.lock:
            self.jpatch.stdin.write(json.dumps({"client": str(self.clients.index(client)), **event}).encode() + b"\n")
            self.jpatch.stdin.flush()

    def read(self):
        for line in self.jpatch.stdout:
            record = json.loads(line)
            self.clients[int(record["client"])].take(record)


class Viewer:
    """A client of `Viewers`. `take` gets each record of its document. With a chance it leaves after an event."""

    last, leaves = None, 0

    def __init__(self, place, path, dice):
        self.place, self.path, self.dice, self.connections = place, path, dice, 0

    def run(self, write):
        while True:
            with contextlib.suppress(OSError):
                self.follow(write)
            time.sleep(self.dice.uniform(0, 0.2))

    def follow(self, write):
        stream = Stream(self.place, last=self.last, path=self.path)
        self.connections += 1
        with stream.socket:
            while stream.read():
                if stream.is_refused():
                    return self.refused(stream.head)
                for event in stream.events:
                    self.last = event["id"]
                    write(self, event)
                stream.events.clear()
                if self.dice.random() < self.leaves:
                    break
