"""sse-serve with clients, as a scenario: they return like browsers, until they have all events."""
import os
import re
import socket
import time

from scenarios import Records, Scenario, read
from tracing import Outcome, Process

ATTEMPTS = 8
COUNT = Records.COUNT


class Client:
    """Reads the stream until it has every event; connects again if it was cut."""

    def __init__(self, port, last):
        self.port, self.last, self.events = port, last, []

    def ask(self, path, fields=""):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=2)
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\nConnection: close\r\n{fields}\r\n".encode())
        return client

    def follow(self, is_enough):
        for _ in range(ATTEMPTS):
            try:
                fields = f"Last-Event-ID: {self.last}\r\n" if self.last else ""
                with self.ask("/", fields) as client:
                    text = b""
                    while not is_enough(self.events) and (piece := client.recv(65536)):
                        text += piece
                        blocks = text.split(b"\n\n")
                        text = blocks.pop()
                        self.take(blocks)
            except OSError:
                pass
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

    def __init__(self, name, command):
        super().__init__(name, command, b"".join(Records.record(number) for number in range(1, COUNT + 1)))

    def run(self, folder, made, fault=None, is_traced=False):
        outcome = Outcome()
        process = Process(self.command(made), folder, fault, is_traced)
        port_file = os.path.join(folder, "port")
        try:
            process.popen.stdin.write(self.data)
            process.popen.stdin.flush()
        except BrokenPipeError:
            pass
        while process.popen.poll() is None and process.left() > 5 and not read(port_file):
            time.sleep(0.005)
        content = read(port_file)
        got_all = None
        if content and process.popen.poll() is None:
            client = Client(int(content), "1" if "--plain" in self.words else "")
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
