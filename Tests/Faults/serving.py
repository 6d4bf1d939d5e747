"""sse-serve with clients, as a scenario: they return like browsers, until they have all events."""
import os
import re
import socket
import time
import zlib

from scenarios import Records, Scenario, read
from tracing import Outcome, Process

ATTEMPTS = 8
COUNT = Records.COUNT


class Client:
    """Reads the stream until it has every event; connects again if it was cut."""

    def __init__(self, place, last, path="/", fields=""):
        self.place, self.last, self.events = place, last, []
        self.path, self.fields = path, fields

    def connect(self):
        if not isinstance(self.place, str):
            return socket.create_connection(self.place, timeout=2)
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(2)
        client.connect(self.place)
        return client

    def ask(self, path, fields=""):
        client = self.connect()
        # What is packed must come without chunks, which are not unpacked here.
        version = "1.0" if "gzip" in fields else "1.1"
        client.sendall(f"GET {path} HTTP/{version}\r\nHost: localhost\r\nConnection: close\r\n{fields}\r\n".encode())
        return client

    def follow(self, is_enough):
        for _ in range(ATTEMPTS):
            try:
                fields = self.fields + (f"Last-Event-ID: {self.last}\r\n" if self.last else "")
                with self.ask(self.path, fields) as client, client.makefile("rb") as stream:
                    unpack, text = bytes, b""
                    while (line := stream.readline()).strip():
                        if line.startswith(b"Content-Encoding: gzip"):
                            unpack = zlib.decompressobj(wbits=31).decompress
                    while not is_enough(self.events) and (piece := stream.read1(65536)):
                        text += unpack(piece)
                        blocks = text.split(b"\n\n")
                        text = blocks.pop()
                        self.take(blocks)
            except OSError:
                pass
            except zlib.error:
                return False
            if is_enough(self.events):
                return True
            time.sleep(0.02)
        return False

    def take(self, blocks):
        for block in blocks:
            data = re.search(rb"^data: ?(.*)$", block, re.MULTILINE)
            number = re.search(rb"^id: ?(.*)$", block, re.MULTILINE)
            if number:
                self.last = number[1].decode()
            if data:
                self.events.append(data[1])


class Served(Scenario):
    """The output is what the clients received; the server ends with its input."""

    def __init__(self, name, command, path="/", fields="", files=None):
        records = b"".join(Records.record(number) for number in range(1, COUNT + 1))
        super().__init__(name, command, records.replace(b'{"event"', b'{"source":"a","event"'), files)
        self.path, self.fields = path, fields

    def place(self, folder):
        """Where clients can connect; None as long as they cannot."""
        content = read(os.path.join(folder, "port"))
        return ("127.0.0.1", int(content)) if content else None

    def start(self, folder, made, fault, is_traced):
        return Process(self.command(made), folder, fault, is_traced)

    def run(self, folder, made, fault=None, is_traced=False):
        outcome = Outcome()
        process = self.start(folder, made, fault, is_traced)
        try:
            process.popen.stdin.write(self.data)
            process.popen.stdin.flush()
        except BrokenPipeError:
            pass
        while process.popen.poll() is None and process.left() > 5 and not self.place(folder):
            time.sleep(0.005)
        place = self.place(folder)
        got_all = None
        if place and process.popen.poll() is None:
            client = Client(place, "1" if "--plain" in self.words else "", self.path, self.fields)
            # The last event, or the document after it.
            got_all = client.follow(lambda events: any(b"%d" % COUNT in event for event in events))
            outcome.notes = [] if got_all else ["a client did not get all events"]
        process.end(outcome)
        # If no stream reached its end, a server that ended with a message cannot be checked further.
        outcome.output = b"all events" if got_all else b""
        if outcome.status != 0:
            outcome.notes = []
        self.look(folder, outcome)
        outcome.files.pop("port", None)
        return outcome


class ServedByManager(Served):
    """On a socket that a service manager has opened, as descriptor N of `fd:N`."""

    def start(self, folder, made, fault, is_traced):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.address = listener.getsockname()
            words = [word.replace("{FD}", "%d" % listener.fileno()) for word in self.command(made)]
            return Process(words, folder, fault, is_traced, pass_fds=[listener.fileno()])

    def place(self, folder):
        return self.address


class ServedBySocket(Served):
    """By a Unix domain socket, of which a file remains from a server that was killed. A service manager listens."""

    NAME = "feed.sock"

    def prepare(self, folder):
        super().prepare(folder)
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(os.path.join(folder, self.NAME))

    def start(self, folder, made, fault, is_traced):
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.settimeout(0)
        name = os.path.join(folder, "..", "notify")
        self.notices.bind(name)
        self.is_ready, self.patience = False, time.monotonic() + 1
        return Process(self.command(made), folder, fault, is_traced, extra={"NOTIFY_SOCKET": name})

    def place(self, folder):
        try:
            self.is_ready = self.is_ready or self.notices.recv(100) == b"READY=1"
        except OSError:
            # It serves even if the notice is lost.
            self.is_ready = time.monotonic() > self.patience
        return os.path.join(folder, self.NAME) if self.is_ready else None

    def look(self, folder, outcome):
        self.notices.close()
        # What it could not remove is as after kill -9.
        hit = outcome.hit or ""
        if os.path.exists(os.path.join(folder, self.NAME)) and outcome.status == 0 and "unlink" not in hit and "stat" not in hit:
            outcome.notes.append("the socket was left behind")
