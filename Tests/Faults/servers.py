"""A server for one process of the driver: an event stream, a paged feed, a WebSocket that sends everything back.

It keeps no state between requests, so a client that comes again gets the same as the first time.
"""
import contextlib
import json
import os
import re
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS + "/Fixtures/bin", TESTS]
import wsframes
from Support import serving

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


def board(request):
    """A document that changes whenever a client has the last version."""
    found = re.fullmatch('"([0-9]+)"', request.headers.get("if-none-match", ""))
    number = int(found[1]) + 1 if found else 1
    return 304 if number > BOARDS else (b'{"n": %d}' % number, 200, 'ETag: "%d"' % number)


def lines(request):
    request.begin("application/x-ndjson")
    for number in range(1, EVENTS + 1):
        text = b'{"n":%d}\n' % number
        request.chunk(text[:4])
        request.chunk(text[4:])
    request.end()


def page(request):
    top = int(request.query("below") or ITEMS)
    items = b",".join(item(number) for number in range(top, max(0, top - PAGE), -1))
    return b'{"items":[%s]%s}' % (items, b',"next":"/feed?below=%d"' % (top - PAGE) if top > PAGE else b"")


def stream(request):
    """Three events for each connection; /all gives all of them."""
    last = int(request.headers.get("last-event-id") or 0)
    if last >= EVENTS:
        return 204
    request.begin()
    for number in range(last + 1, (EVENTS if request.path == "/all" else min(EVENTS, last + 3)) + 1):
        request.chunk(event(number))
    return request.end()


def web_socket(request):
    request.closes = True
    request.send(wsframes.switch(request.headers))
    opcode = None
    while opcode != wsframes.CLOSE:
        opcode, payload = wsframes.read_frame(request.stream)
        request.send(wsframes.frame(opcode, payload))


class Servers(serving.Server):
    """Made once in a process, on first use."""

    def __init__(self):
        super().__init__({
            "/moved": lambda request: (b"", 302, "Location: " + request.target.replace("/moved", "/feed")),
            "/feed": page, "/board": board, "/lines": lines, "/ws": web_socket, None: stream,
            "/echo": lambda request: request.reply(request.body, kind="text/plain")})
        self.ws = self.url.replace("http", "ws") + "/ws"

    def serve(self, connection):
        connection.settimeout(PATIENCE)
        # Clients that fail are the point.
        with contextlib.suppress(wsframes.Gone, AssertionError, KeyError, ValueError):
            super().serve(connection)

    def fill(self, word):
        return word.replace("{HTTP}", self.url).replace("{WS}", self.ws)

    def hide(self, data):
        return data.replace(self.ws.encode(), b"{WS}").replace(self.url.encode(), b"{HTTP}")
