"""Makes the pages of an API like those of question sites, serves them, and walks them as a script would. The same on
every machine and in every run.

usage: pages.py serve FILE      serve the pages of FILE, one a line, as /pages?page=N; prints the port

The server knows the place of each page in the file and sends it unchanged, so that the server is not measured.
"""

import json
import os
import random
import re
import socket
import subprocess
import sys

ITEMS, PAGE = 1_000_000, 500


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


def serve(path):
    with open(path, "rb") as file:
        answers = [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(line) + line
                   for line in file]
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
                    connection.sendall(answers[int(page[1] or 1) - 1])
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

if __name__ == "__main__":
    serve(sys.argv[2])
