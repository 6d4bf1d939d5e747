"""Live sources as their protocols are: each sends numbered items, from the value on that the client's request has.

An item comes at a rate, up to `last`, which is set later. The server cuts, resets, refuses and, after a while, forgets
what is old: then a client with an old value is refused, and one without a value gets only what is new. `gaps` has the
numbers that are lost by that.
"""
import base64
import hashlib
import json
import struct
import time

from Support.serving import Server

RATE = 100  # items a second
BATCH = 3  # items in the answer to a poll
FORGOTTEN = 50  # items that are forgotten at once, at most


class Source(Server):
    """`options` are those of the command; `tool` is its name."""

    tool, options, forgets = "http-cat", [], True
    key = "id, event, data"  # of the sink: what a record has again when it comes again
    batches, rate, ordered = [1, 10, 100], RATE, True
    front = ["--checkpoint", "front"]  # where the place is without a sink's checkpoint

    def __init__(self, dice):
        self.dice, self.began, self.last, self.floor, self.gaps, self.faults = dice, time.monotonic(), None, 0, set(), 0
        self.may_forget = False
        super().__init__(self.play)

    @property
    def command(self):
        return [self.tool, *["--records"] * (self.tool == "http-cat"), *self.options]

    @property
    def address(self):
        return self.url + "/"

    def commands(self, place):
        """Those of the pipeline before the sink."""
        return [[*self.command, *place, self.address]]

    def top(self):
        return self.last or int((time.monotonic() - self.began) * self.rate)

    def play(self, request):
        value = self.value(request)
        with self.lock:
            chance, life = self.dice.random(), self.dice.randrange(60)
            end = self.dice.choice(["close", "reset", "half", "cut"])
            if self.may_forget and self.forgets and value and self.floor < value and chance > 0.94 and not self.last:
                self.floor = self.dice.randint(value, min(value + FORGOTTEN, self.top()))
            if value is not None and value < self.floor:
                # The client had more, but not its sink.
                self.gaps.update(range(value + 1, self.floor + 1))
                return self.refuse(request)
            if chance < 0.1:
                self.faults += 1
                return b"busy", 503, "Retry-After: 0"
            first = self.floor if value is None else value
        return self.send(request, first, life, end)

    def refuse(self, request):
        return b"gone", 410

    def wait_for(self, number):
        while self.top() < number and not self.last:
            time.sleep(0.005)


class Stream(Source):
    """A body that never ends, of a line for each item."""

    options = ["--stream", "--next", "since=/seq"]

    def value(self, request):
        text = request.query("since")
        return int(text.partition("-")[0]) if text else None

    def line(self, number):
        return {"seq": "%d-g1AAA" % number, "id": "é \" %d" % number, "n": number}

    def text(self, number):
        return json.dumps(self.line(number), ensure_ascii=False).encode() + b"\n"

    def send(self, request, first, life, end):
        request.begin("application/json")
        if self.hello():
            request.chunk(self.hello())
        number = first
        while number != self.last:
            if number >= self.top():
                request.chunk(b"\n")
                time.sleep(0.01)
                continue
            number += 1
            if number - first > life // 4 and not self.last:
                self.faults += 1
                return self.break_off(request, self.text(number), end)
            request.chunk(self.text(number))
        # The client has all.
        return request.end()

    def hello(self):
        """The line that comes before the items, if there is one."""

    def break_off(self, request, text, end):
        request.cut()
        if end == "close":
            request.end()
        elif end == "half":
            request.chunk(text[:len(text) // 2])
        elif end == "cut":
            request.send(b"fff\r\n" + text[:-1])
        else:
            request.chunk(text)
            request.reset()


class CouchDB(Stream):
    pass


class Docker(Stream):
    """The value is that of the last item itself, so it comes again. Nothing is forgotten."""

    options, forgets = ["--stream", "--next", "since=/time"], False

    def value(self, request):
        return max(int(request.query("since") or 0) - 1, 0) or None

    def line(self, number):
        return {"time": number, "n": number}


class Kubernetes(Stream):
    options = ["--stream", "--next", "resourceVersion=/object/metadata/resourceVersion", "--gone-match", "/object/code=410"]

    def value(self, request):
        return int(request.query("resourceVersion") or 0) or None

    def line(self, number):
        return {"type": "ADDED", "object": {"metadata": {"resourceVersion": str(number)}}, "n": number}

    def refuse(self, request):
        return b'{"type":"ERROR","object":{"code":410}}\n'


class Etcd(Stream):
    """The header of each line has the newest revision, which is not that of the item. So a line that comes again differs."""

    key = "id"
    options = ["--stream", "--json", '{"create_request":{"key":"AA=="}}', "--gone-match", "/result/canceled=true",
               "--items", "/result/events", "--next", "body:/create_request/start_revision=last:/kv/mod_revision+1"]

    def value(self, request):
        return json.loads(request.body)["create_request"].get("start_revision", 0) - 1 if b"start" in request.body else None

    def result(self, **members):
        return {"result": {"header": {"revision": str(self.top())}, **members}}

    def hello(self):
        return json.dumps(self.result(created=True)).encode() + b"\n"

    def line(self, number):
        return {**self.result(events=[{"kv": {"mod_revision": str(number)}}]), "n": number}

    def refuse(self, request):
        return b'{"result":{"canceled":true}}\n'


class Poll(Source):
    """Requests that are held until there is something."""

    def send(self, request, first, life, end):
        # Always the same batches, so that one that comes again has the same ID.
        stop = first - first % BATCH + BATCH
        self.wait_for(stop)
        numbers = range(first + 1, min(stop, self.top()) + 1)
        if life < 6 and not self.last:
            self.faults += 1
            return request.reply(self.body(numbers, first), cut=life)
        return self.body(numbers, first) if numbers or not self.last else self.nothing(first)

    def nothing(self, first):
        time.sleep(0.05)
        return self.body([], first)


class Matrix(Poll):
    options = ["--every", "0", "--next", "since=/next_batch"]

    def value(self, request):
        return int(request.query("since")[1:] or 0) or None

    def body(self, numbers, first):
        return {"next_batch": "s%d" % (numbers[-1] if numbers else first), "n": list(numbers)}


class Telegram(Poll):
    options = ["--every", "0", "--items", "/result", "--next", "offset=last:/update_id+1"]

    def value(self, request):
        return int(request.query("offset") or 0) - 1 if request.query("offset") else None

    def body(self, numbers, first):
        return {"ok": True, "result": [{"update_id": number} for number in numbers], "n": list(numbers)}


class Syncthing(Poll):
    options = ["--every", "0", "--next", "since=last:/id"]

    def value(self, request):
        return int(request.query("since") or 0) or None

    def body(self, numbers, first):
        return [{"id": number, "n": number} for number in numbers]


class Consul(Poll):
    """The index is in a header."""

    options = ["--every", "0", "--next", "index=header:X-Consul-Index"]

    def value(self, request):
        return int(request.query("index") or 0) or None

    def body(self, numbers, first):
        last = numbers[-1] if numbers else first
        return json.dumps({"n": list(numbers)}).encode(), 200, "X-Consul-Index: %d" % last

    def send(self, request, first, life, end):
        return super().send(request, first, 60, end)


class Pages(Source):
    """Pages of which the oldest items come first. paginate knows from its store what it has read; a sink's checkpoint says what
    it has printed."""

    # A page brings at once what a stream brings one by one, and a sink may take one at a time.
    tool, forgets, rate = "paginate", False, 40
    # The place of paginate itself is its store.
    front = []
    options = ["--records", "--store", "s.db", "--wait", "600", "--order", "oldest-first", "--every", "20ms", "--items", "/items",
               "--id-from", "/id", "--next", "/next"]

    def value(self, request):
        return int(request.query("after") or 0)

    def send(self, request, first, life, end):
        numbers = range(first + 1, min(first + 20, self.top()) + 1)
        body = {"items": [{"id": number, "n": number} for number in numbers],
                "next": "/?after=%d" % numbers[-1] if numbers and numbers[-1] < self.top() else None}
        return self.give(request, body, life)

    def give(self, request, body, life):
        if life < 8 and not self.last:
            self.faults += 1
            if life < 2:
                # All others get no answer either.
                with self.lock:
                    return self.restart()
            if life < 4:
                request.reset()
            return request.reply(body, cut=life)
        return body


class RSS(Pages):
    """A document of the newest items, the newest first, which comes by a pipe."""

    WINDOW, ordered = 400, False

    def commands(self, place):
        return [["http-cat", "--every", "20ms", "--max-backoff", "200ms", "--as", "bytes", self.url + "/"],
                ["xml-split", "--on-error", "repair", "-j", "--array", "item", "/rss/channel"],
                ["paginate", "--records", "--store", "s.db", "--items", "/channel/item", "--id-from", "/guid", *place]]

    def send(self, request, first, life, end):
        item = '<item><guid isPermaLink="false">n%d</guid><n>%d</n></item>\n'
        items = [item % (number, number) for number in range(self.top(), max(self.top() - self.WINDOW, 0), -1)]
        text = "<rss><channel>%s</channel></rss>" % "".join(items)
        return self.give(request, text.encode(), life)


class SSE(Stream):
    """An event stream, which forgets nothing."""

    tool, options, forgets = "sse-cat", ["--reconnect-delay", "20ms"], False

    def value(self, request):
        return request.last_id or None

    def play(self, request):
        return 204 if request.last_id == self.last else super().play(request)

    def text(self, number):
        return b"id: %d\ndata: {\"n\":%d}\n\n" % (number, number)

    def send(self, request, first, life, end):
        request.headers["accept"] = "text/event-stream"
        request.begin("text/event-stream")
        request.begin = lambda kind: None
        return super().send(request, first, life, end)


class Jetstream(Stream):
    """A WebSocket. The value is that of the last item itself, so it comes again."""

    tool, options = "ws-cat", ["--next", "cursor=/time_us", "--reconnect-delay", "20ms"]

    @property
    def address(self):
        return self.url.replace("http", "ws") + "/"

    def value(self, request):
        return max(int(request.query("cursor") or 0) - 1, 0) or None

    def line(self, number):
        return {"kind": "commit", "time_us": number, "n": number}

    def text(self, number):
        data = json.dumps(self.line(number)).encode()
        return struct.pack("BB", 0x81, len(data)) + data

    def send(self, request, first, life, end):
        key = request.headers["sec-websocket-key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key).digest()).decode()
        fields = "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: " + accept
        request.begin = lambda kind: request.send(request.head(101, *fields))
        request.chunk = lambda data: request.send(b"" if data == b"\n" else data)
        # The client that has all stays.
        request.end = lambda: request.stall() if self.last else request.send(b"\x88\x02\x03\xe9")
        return super().send(request, first, life, "half" if end == "cut" else end)


SOURCES = {"sse": SSE, "couchdb": CouchDB, "kubernetes": Kubernetes, "etcd": Etcd, "docker": Docker, "matrix": Matrix,
           "consul": Consul, "telegram": Telegram, "syncthing": Syncthing, "jetstream": Jetstream, "pages": Pages, "rss": RSS}
