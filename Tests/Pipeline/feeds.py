"""Feeds that change, each on an HTTP server of its own: http-cat makes only one request to a server in a second."""

import json
import os
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def document(name, version):
    """A document of a feed: mostly small changes, and sometimes one that is sent whole."""
    dice = random.Random("%s %d" % (name, version // 7))
    items = [{"id": dice.randrange(1000), "title": "item %d" % number} for number in range(dice.randrange(20))]
    return {"feed": name, "version": version, "items": items}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        feed = self.server
        if feed.changes and feed.dice.random() < 0.8:
            feed.version += 1
        text = json.dumps(feed.document()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


class Feed(ThreadingHTTPServer):
    """A feed that has a new version at most requests."""

    daemon_threads = True

    def __init__(self, name, dice):
        super().__init__(("127.0.0.1", 0), Handler)
        self.name, self.version, self.changes, self.dice = name, 0, True, dice
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def document(self):
        return document(self.name, self.version)

    def handle_error(self, request, address):
        pass  # clients that are killed are the point


def write_list(feeds, path):
    """Makes a list for http-cat --urls, or replaces it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines("%s\thttp://127.0.0.1:%d/\n" % (feed.name, feed.server_port) for feed in feeds)
    os.replace(path + ".new", path)
