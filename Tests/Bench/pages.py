"""Makes the pages of an API like those of question sites, serves them, and walks them as a script would. The same on
every machine and in every run.

usage: pages.py serve FILE [etag]   serve the pages of FILE, one a line, as /pages?page=N; prints the port. With `etag`,
                                    each page has one, and a request that knows it gets 304.

The server knows the place of each page in the file and sends it unchanged, so that the server is not measured.
"""

import json
import os
import random
import re
import socket
import subprocess
import sqlite3
import sys

ITEMS, PAGE = 1_000_000, 500
UNCHANGED = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'


def item(wire, chance):
    """An item without its id, with %d in its place."""
    question = {
        "tags": wire.words(1, 5).split(), "owner": {"reputation": chance.randint(1, 100_000), "user_type": "registered",
                                                   "display_name": wire.words(2, 2)},
        "is_answered": chance.random() < 0.5, "view_count": chance.randint(1, 9_999), "score": chance.randint(-5, 500),
        "creation_date": 1_700_000_000 + chance.randint(0, 60_000_000), "title": wire.words(6, 14) + ' "why"?',
    }
    text = json.dumps(question, separators=(",", ":"), ensure_ascii=False).replace("%", "%%")
    return '{"question_id":%d,' + text[1:]


def make(folder, wire):
    """Makes a file with a page on each line, if it does not exist yet."""
    path = os.path.join(folder, "pages.ndjson")
    if os.path.exists(path):
        return
    chance = random.Random(11)
    items = [item(wire, chance) for _ in range(5000)]
    with open(path + ".part", "w", encoding="utf-8") as file:
        for page in range(ITEMS // PAGE):
            first = 90_000_000 - page * PAGE
            texts = [items[chance.randrange(len(items))] % (first - n) for n in range(PAGE)]
            more = ',"next":"/pages?page=%d"' % (page + 2) if page + 1 < ITEMS // PAGE else ""
            file.write('{"items":[%s],"quota_remaining":9999%s}\n' % (",".join(texts), more))
    os.rename(path + ".part", path)


def one(folder):
    """Makes a file with all items on one page, if it does not exist yet: small ones, as a page may have 64 MiB."""
    path = os.path.join(folder, "one-page.json")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"items":[%s]}\n' % ",".join(
                '{"id":%d,"title":"Some of the words","votes":%d}' % (90_000_000 - n, n % 100_000) for n in range(ITEMS)))
    return path


def grow(path, times):
    """Makes a store that a walk over ITEMS has made as many times as large. The items below have no texts, which nobody
    reads."""
    with sqlite3.connect(path) as database:
        database.executescript("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000")
        for first in range(ITEMS, times * ITEMS, ITEMS):
            database.execute(
                "INSERT INTO item SELECT number + ?1, feed, CAST(CAST(id AS INTEGER) - ?1 AS TEXT), position + ?1, "
                "order_key, version, '{}', seen_at, changed_at, gone_at FROM item WHERE number <= ?2", [first, ITEMS])
            database.execute("INSERT INTO page SELECT feed, top + ?1, next FROM page WHERE top < ?2", [first, ITEMS])
        database.execute("UPDATE run SET bottom = ? - 1", [times * ITEMS])
        database.execute("UPDATE release SET count = ?", [times * ITEMS])
    database.executescript("PRAGMA journal_mode = WAL")
    database.close()
    # The next run must not wait for all of this to reach the disk.
    os.sync()


def point(path, port):
    """The feed of a store gets another address."""
    with sqlite3.connect(path) as database:
        database.execute("UPDATE feed SET name = ?1, url = ?1, etag = NULL", ["http://127.0.0.1:%d/pages" % port])
    database.close()


def serve(path, has_tags):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + (b'ETag: "1"\r\n' if has_tags else b"")
    with open(path, "rb") as file:
        answers = [head + b"Content-Length: %d\r\n\r\n" % len(line) + line for line in file]
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            request = b""
            while part := connection.recv(65536):
                request += part
                if request.endswith(b"\r\n\r\n"):
                    page = re.match(rb"GET /pages(?:\?page=([0-9]+))? ", request)
                    is_known = b'if-none-match: "1"' in request.lower()
                    connection.sendall(UNCHANGED if is_known else answers[int(page[1] or 1) - 1])
                    request = b""
        except OSError:
            pass
        connection.close()


def waiting(seconds):
    """How long 100 pages take from a server with this latency: one after another, and with --parallel 4."""
    driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "Pipeline", "at-once")
    return json.loads(subprocess.check_output([sys.executable, driver, "--seconds-of-latency", str(seconds)]))


# A walk that only reads: the limit of the server.
READS = """
import http.client, re, sys
path = "/pages"
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
while path:
    connection.request("GET", path)
    body = connection.getresponse().read()
    found = re.search(rb'"next":"([^"]*)"', body[-100:])
    path = found and found[1].decode()
"""

# What a person would write: pages into SQLite, a transaction each, and what is new is printed.
STORES = """
import http.client, json, sqlite3, sys
database = sqlite3.connect(sys.argv[2])
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = NORMAL")
database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, data TEXT NOT NULL)")
path = "/pages"
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
while path:
    connection.request("GET", path)
    page = json.loads(connection.getresponse().read())
    rows = [(item["question_id"], json.dumps(item, separators=(",", ":"), ensure_ascii=False)) for item in page["items"]]
    with database:
        database.executemany("INSERT OR IGNORE INTO item VALUES (?, ?)", rows)
    sys.stdout.write("".join(row[1] + "\\n" for row in rows))
    path = page.get("next")
"""

# The same by sqlite-utils.
UTILS = """
import http.client, json, sqlite_utils, sys
database = sqlite_utils.Database(sys.argv[2])
database.enable_wal()
path = "/pages"
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
while path:
    connection.request("GET", path)
    page = json.loads(connection.getresponse().read())
    rows = [{"id": item["question_id"], "data": json.dumps(item, separators=(",", ":"), ensure_ascii=False)}
            for item in page["items"]]
    database["item"].insert_all(rows, pk="id", ignore=True)
    sys.stdout.write("".join(row["data"] + "\\n" for row in rows))
    path = page.get("next")
"""

if __name__ == "__main__":
    serve(sys.argv[2], sys.argv[3:] == ["etag"])
