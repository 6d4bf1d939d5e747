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


class Pages(Server):
    """A feed on pages of `size` items, from the newest or the oldest on, with a link to the next page.

    `items` has the oldest first. While it `grows`, items come before a page with a chance, a number of `steps` of them.
    `asked` and `sent` count pages.
    """

    def __init__(self, dice, size, count, chance, steps, order="newest-first"):
        self.dice, self.size, self.chance, self.steps, self.order = dice, size, chance, steps, order
        self.items, self.grows, self.asked, self.sent = [], True, 0, 0
        self.grow(count)
        super().__init__(self.answer_page)

    def item(self, number):
        return b'{"id":%d}' % number

    def grow(self, count):
        self.items += [self.item(number) for number in range(len(self.items), len(self.items) + count)]

    def answer_page(self, request):
        self.asked += 1
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


def write_list(feeds, path):
    """Makes a list for http-cat --urls, or replaces it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines("%s\t%s/\n" % (feed.name, feed.url) for feed in feeds)
    os.replace(path + ".new", path)
