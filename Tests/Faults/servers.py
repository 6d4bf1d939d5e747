"""Servers for one process of the driver: an event stream, a paged feed, a WebSocket that sends everything back.

They keep no state between requests, so a client that comes again gets the same as the first time.
"""
import json
import os
import re
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fixtures", "bin"))
import wsframes

PATIENCE = 3
EVENTS = 6
ITEMS, PAGE = 9, 3
BOARDS = 3


def event(number):
    """An event of the stream: a document, then patches of it."""
    kind = "data" if number == 1 else "patch"
    data = {"n": 1} if number == 1 else [{"op": "test", "path": "/n", "value": number - 1}, {"op": "replace", "path": "/n", "value": number}]
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()


def item(number):
    return b'{"id":%d,"title":"Title %d"}' % (number, number)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = PATIENCE

    def do_GET(self):
        if self.path.startswith("/moved"):
            return self.answer(302, b"", ["Location: " + self.path.replace("/moved", "/feed")])
        if self.path.startswith("/feed"):
            return self.page()
        if self.path == "/board":
            return self.board()
        if self.path == "/lines":
            return self.lines()
        self.stream()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, body, ["Content-Type: text/plain"])

    def answer(self, status, body, headers=()):
        head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers]
        self.wfile.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)

    def board(self):
        """A document that changes whenever a client has the last version."""
        found = re.fullmatch('"([0-9]+)"', self.headers.get("If-None-Match", ""))
        number = int(found[1]) + 1 if found else 1
        if number > BOARDS:
            return self.wfile.write(b"HTTP/1.1 304 Not Modified\r\n\r\n")
        self.answer(200, b'{"n": %d}' % number, ["Content-Type: application/json", 'ETag: "%d"' % number])

    def lines(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in range(1, EVENTS + 1):
            text = b'{"n":%d}\n' % number
            for piece in (text[:4], text[4:]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def page(self):
        found = re.search("below=([0-9]+)", self.path)
        top = int(found[1]) if found else ITEMS
        items = b",".join(item(number) for number in range(top, max(0, top - PAGE), -1))
        rest = b',"next":"/feed?below=%d"' % (top - PAGE) if top > PAGE else b""
        self.answer(200, b'{"items":[%s]%s}' % (items, rest), ["Content-Type: application/json"])

    def stream(self):
        """Three events for each connection; /all gives all of them."""
        last = int(self.headers.get("Last-Event-ID") or 0)
        if last >= EVENTS:
            self.wfile.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            return
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        end = EVENTS if self.path == "/all" else min(EVENTS, last + 3)
        for number in range(last + 1, end + 1):
            text = event(number)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass  # clients that fail are the point


def echo(connection):
    try:
        connection.settimeout(PATIENCE)
        stream = connection.makefile("rb")
        _, headers = wsframes.read_head(stream)
        connection.sendall(wsframes.switch(headers))
        while True:
            opcode, payload = wsframes.read_frame(stream)
            connection.sendall(wsframes.frame(opcode, payload))
            if opcode == wsframes.CLOSE:
                break
    except (OSError, wsframes.Gone, AssertionError, KeyError, ValueError):
        pass
    finally:
        connection.close()


def accept(listener):
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=echo, args=[connection], daemon=True).start()


class Servers:
    """Made once in a process, on first use."""

    def __init__(self):
        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=accept, args=[listener], daemon=True).start()
        self.http = "http://127.0.0.1:%d" % server.server_port
        self.ws = "ws://127.0.0.1:%d/" % listener.getsockname()[1]

    def fill(self, word):
        return word.replace("{HTTP}", self.http).replace("{WS}", self.ws)

    def hide(self, data):
        return data.replace(self.http.encode(), b"{HTTP}").replace(self.ws.encode(), b"{WS}")
