"""Feeds that change, each on an HTTP server of its own: http-cat makes only one request to a server in a second."""

import os
import random

from Support.serving import Server


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


def write_list(feeds, path):
    """Makes a list for http-cat --urls, or replaces it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines("%s\t%s/\n" % (feed.name, feed.url) for feed in feeds)
    os.replace(path + ".new", path)
