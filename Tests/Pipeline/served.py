"""sse-serve as a child, and clients of it that record what they have received."""

import contextlib
import json
import os
import random
import re
import socket
import struct
import subprocess
import tempfile
import time

PATIENCE = 60


class Server:
    """sse-serve on a free port; records are written to its standard input."""

    def __init__(self, *options, limit=None, keeps_words=True, stdin=subprocess.PIPE, port=0):
        folder = tempfile.mkdtemp()
        file_name = os.path.join(folder, "port")
        os.mkfifo(file_name)
        self.process = subprocess.Popen(
            ["sse-serve", *options, "--port-file", file_name, str(port)], stdin=stdin, preexec_fn=limit,
            stderr=subprocess.PIPE if keeps_words else None)
        with open(file_name, encoding="ascii") as file:
            self.port = int(file.read())
        os.remove(file_name)
        os.rmdir(folder)
        self.url = "http://127.0.0.1:%d" % self.port

    def write(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def record(self, event, data, id=None):
        record = {"event": event, "id": str(id), "data": data} if id is not None else {"event": event, "data": data}
        self.write(json.dumps(record).encode() + b"\n")

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

    def memory(self, process=None):
        """Resident KiB."""
        with open("/proc/%d/status" % (process or self.process).pid, encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s*(\d+)", file.read())[1])

    def cpu(self, process=None):
        """Seconds."""
        with open("/proc/%d/stat" % (process or self.process).pid, encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def files(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def connect(self, small=False, address=None):
        client = socket.socket()
        if small:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(PATIENCE)
        if address:
            client.bind((address, 0))
        client.connect(("127.0.0.1", self.port))
        return client

    def ask(self, path, fields="", client=None):
        client = client or self.connect()
        client.sendall(("GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n" % (path, fields)).encode())
        return client

    def answer(self, path):
        """The status and the body of a short answer."""
        client = self.ask(path, "Connection: close\r\n")
        text = b""
        while piece := client.recv(1 << 20):
            text += piece
        client.close()
        head, _, body = text.partition(b"\r\n\r\n")
        return int(head.split()[1]), body


class LocalServer(Server):
    """On a Unix domain socket."""

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "socket")
        self.process = subprocess.Popen(
            ["sse-serve", *options, "unix:" + self.path], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        until(self.is_up)

    def is_up(self):
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            return self.answer("/healthz")

    def connect(self, small=False, address=None):
        client = socket.socket(socket.AF_UNIX)
        # With a time limit, this would fail as soon as others wait.
        client.connect(self.path)
        client.settimeout(PATIENCE)
        return client


class Relay(Server):
    """`sse-cat UPSTREAM | sse-serve`."""

    def __init__(self, upstream, *options, port=0):
        self.source = subprocess.Popen(
            ["sse-cat", "--silent", "--reconnect-delay", "20ms", upstream.url + "/"], stdout=subprocess.PIPE)
        super().__init__(*options, stdin=self.source.stdout, port=port)
        self.source.stdout.close()

    def kill(self):
        self.source.kill()
        self.source.wait()
        super().kill()


class Stream:
    """A client of the event stream."""

    def __init__(self, server, last=None, small=False, path="/"):
        self.socket = server.ask(path, "Last-Event-ID: %s\r\n" % last if last is not None else "", server.connect(small))
        self.rest = b""
        self.events = []
        self.is_open = True
        self.head = None
        self.received = 0

    def read(self):
        """Reads the data that has come; False at the end."""
        try:
            piece = self.socket.recv(1 << 20)
        except ConnectionError:
            piece = b""
        if not piece:
            self.is_open = False
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
        for block in blocks:
            fields = {}
            for line in block.split(b"\n"):
                name, _, value = line.partition(b":")
                if name:
                    fields[name.decode()] = value.removeprefix(b" ").decode()
            if "data" in fields:
                self.events.append(fields)
        return True

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
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def free_port():
    """A port that the system never assigns by itself."""
    while True:
        port = random.randrange(20_000, 30_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def until(holds):
    """Waits until `holds` returns something true, and returns it."""
    end = time.monotonic() + PATIENCE
    while not (result := holds()):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)
    return result
