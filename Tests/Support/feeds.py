"""Feeds that change, each on an HTTP server of its own: http-cat makes only one request to a server in a second."""
import contextlib
import email.utils
import json
import os
import random
import time

from Support.kit import Counts, Server


def document(name, version):
    """A document of a feed: mostly small changes, and sometimes one that is sent whole."""
    dice = random.Random("%s %d" % (name, version // 7))
    items = [{"id": dice.randrange(1000), "title": "item %d" % number} for number in range(dice.randrange(20))]
    return {"feed": name, "version": version, "items": items}


class Feed(Server):
    """A feed that has a new version at most requests."""

    def __init__(self, name, dice):
        self.name, self.version, self.changes, self.dice = name, 0, True, dice
        super().__init__(self.next_version)

    def next_version(self, request):
        self.version += self.changes and self.dice.random() < 0.8
        return self.document()

    def document(self):
        return document(self.name, self.version)


class Awaited(Server):
    """A document that changes only when its last version has arrived in a file. The server tells versions apart by a
    tag, a date or nothing. `confirmed` counts the answers 304."""

    def __init__(self, dice, path):
        self.dice, self.arrived, self.number, self.confirmed = dice, path, 0, 0
        self.change()
        super().__init__(self.document)

    def change(self):
        self.number += 1
        size = self.dice.choice([10, 10, 10, 5000, 150_000])
        self.text = '{"version":%d,"fill":"%s","end":%d}' % (self.number, "x" * size, self.number)
        self.way = self.dice.choice(["tag", "date", "nothing"])

    def has_arrived(self):
        end = b'"end":%d}\n' % self.number
        with contextlib.suppress(FileNotFoundError), open(self.arrived, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - len(end)))
            return file.read() == end

    def document(self, request):
        with self.lock:
            if self.has_arrived() and self.dice.random() < 0.5:
                self.change()
            tag, date = '"%d"' % self.number, email.utils.formatdate(1_700_000_000 + self.number, usegmt=True)
            known = request.headers.get("if-none-match") == tag or (
                self.way == "date" and request.headers.get("if-modified-since") == date)
            self.confirmed += known
            fields = [*["ETag: " + tag] * (self.way == "tag"), *["Last-Modified: " + date] * (self.way != "nothing"),
                      "Date: " + email.utils.formatdate(usegmt=True)]
            return (b"", 304, *fields) if known else (self.text, 200, *fields)


class Events(Server):
    """A stream of events with numbers as ids, up to `last`, which is set later: so many a second, with data from a
    function. A client that has them all gets HTTP 204."""

    def __init__(self, data, rate):
        self.data, self.rate, self.began, self.last, self.sent = data, rate, time.monotonic(), None, 0
        super().__init__(self.events)

    def top(self):
        return self.last or int((time.monotonic() - self.began) * self.rate)

    def events(self, request):
        number = request.last_id
        if number == self.last:
            return 204
        request.begin()
        while number != self.last:
            if number < self.top():
                number += 1
                request.event(number, self.data(number), "item")
                self.sent = number
            else:
                request.chunk(b":\n\n")
                time.sleep(0.01)
        return request.end()


class Pages(Server):
    """A feed on pages of `size` items, from the newest or the oldest on, with a link to the next page.

    `items` has the oldest first. While it `grows`, items come before a page with a chance, a number of `steps` of them.
    `sent` counts pages.
    """

    def __init__(self, dice, size, count, chance, steps, order="newest-first", item=lambda n, dice: b'{"id":%d}' % n):
        self.dice, self.size, self.chance, self.steps, self.order = dice, size, chance, steps, order
        self.item, self.items, self.grows, self.sent = item, [], True, 0
        self.grow(count)
        super().__init__(self.answer_page)

    def grow(self, count):
        start = len(self.items)
        self.items += [self.item(number, self.dice) for number in range(start, start + count)]

    def answer_page(self, request):
        with self.lock:
            page = self.page(request.query("from"))
        request.reply(page)
        self.sent += 1

    def page(self, place):
        if self.grows and self.dice.random() < self.chance:
            self.grow(self.dice.choice(self.steps))
        if self.order == "oldest-first":
            start = int(place or 0)
            next = start + self.size
            items, is_last = self.items[start:next], next >= len(self.items)
        else:
            end = int(place or len(self.items))
            next = max(0, end - self.size)
            items, is_last = self.items[next:end][::-1], not next
        return b'{"items":[%s]%s}' % (b",".join(items), b"" if is_last else b',"next":"/feed?from=%d"' % next)


class News(Server):
    """A document that changes, served as an event stream by a bad server.

    /stream sends the document as `data`, or the changes after Last-Event-ID as `patch` events, each after a delay. A
    client that has them all gets HTTP 204. Sometimes the connection is closed, reset, cut inside an event, left silent,
    moved (301, 307) or refused (503). Each patch tests the number before replacing it, so a patch that is applied twice
    or missed makes an error.
    """

    def __init__(self, count, dice, delay):
        self.count, self.dice, self.delay, self.faults = count, dice, delay, Counts()
        super().__init__({"/document": lambda request: self.document(count), None: self.stream})

    @staticmethod
    def document(number):
        """The document after event `number`, from 1."""
        numbers = range(number, max(0, number - 20), -1)
        return {"num_results": number, "results": [{"id": n, "title": f"Title {n} é"} for n in numbers]}

    def event(self, number):
        """The first event has the document, and each other one the patch from the document before it."""
        name, data = "data", self.document(1)
        if number > 1:
            name, data = "patch", [
                {"op": "test", "path": "/num_results", "value": number - 1},
                {"op": "replace", "path": "/num_results", "value": number},
                {"op": "add", "path": "/results/0", "value": self.document(number)["results"][0]},
                *[{"op": "remove", "path": "/results/20"}] * (number > 20)]
        # Data on two lines, as from servers that break lines at commas.
        first, rest = json.dumps(data, ensure_ascii=False).split(", ", 1)
        return f"id: {number}\nevent: {name}\ndata: {first},\ndata: {rest}\n\n".encode()

    def stream(self, request):
        with self.lock:
            chance, life = self.dice.random(), self.dice.randint(1, 60)
            end = self.dice.choice(["close", "reset", "half", "stall", "cut"])
        last = request.last_id
        if last >= self.count:
            return 204
        if request.path == "/stream" and chance < 0.1:
            self.faults.add("moved")
            return b"", 301 if chance < 0.05 else 307, "Location: /moved"
        if last > 0 and chance > 0.9:
            self.faults.add("503")
            return b"busy", 503, "Retry-After: 0"
        request.begin("Text/Event-Stream; charset=utf-8")
        request.chunk(b"\xef\xbb\xbfretry: 5\n\n: hello\n\n")
        for number in range(last + 1, self.count + 1):
            if number - last > life:
                self.faults.add(end)
                return self.break_off(request, end, self.event(number))
            request.chunk(self.event(number))
            time.sleep(self.delay)
        return request.end()

    @staticmethod
    def break_off(request, end, text):
        request.cut()
        if end == "close":
            request.end()
        elif end == "half":
            request.chunk(text[:len(text) // 2])
        elif end == "cut":  # inside a chunk
            request.send(b"fff\r\n" + text)
        elif end == "reset":
            request.reset()
        elif end == "stall":
            request.stall(5)


def write_list(feeds, path):
    """Makes a list for http-cat --urls, or replaces it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines("%s\t%s/\n" % (feed.name, feed.url) for feed in feeds)
    os.replace(path + ".new", path)
