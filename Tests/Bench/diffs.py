"""Pairs of documents for jdiff, made from the newswire: edited, reversed, shuffled, growing; and snapshots of a feed."""

import json
import os
import random

from newswire import Newswire, text

# How much longer each list of a growing pair is than the first.
STEPS = (1, 2, 4, 8)
SNAPSHOTS = 5_000


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(value) + "\n")


def edited(items, wire):
    """The items with 20 changed in three members each, 5 new ones at the head, and the last 5 removed."""
    items = list(items)
    for place in wire.random.sample(range(10, len(items) - 10), 20):
        item = items[place]
        items[place] = {**item, "title": item["title"] + " (updated)", "updated_date": "2026-12-31T00:00:00-05:00",
                        "word_count": item["word_count"] + 1}
    return [wire.item() for _ in range(5)] + items[:-5]


def snapshots(path, count):
    """A polled feed: each time one or two items are changed, or one is added at the head and the last is removed."""
    wire = Newswire(count)
    items = [wire.item(True) for _ in range(20)]
    with open(path, "w", encoding="utf-8") as file:
        texts = [text(item) for item in items]
        for number in range(count):
            for _ in range(wire.random.randint(1, 2)):
                place = wire.random.randrange(len(items))
                if wire.random.random() < 0.25:
                    items = [wire.item(True)] + items[:-1]
                    texts = [text(items[0])] + texts[:-1]
                else:
                    items[place] = {**items[place], "title": wire.words(6, 12), "updated_date": wire.date()}
                    texts[place] = text(items[place])
            file.write('{"status":"OK","num_results":%d,"results":[%s]}\n' % (1000 + number, ",".join(texts)))


def growing(kind, size):
    """Two lists of about `size` items. feed: a few edits; strangers: nothing in common; one: copies of one value; few:
    copies of eight, shuffled; copies: each value three times, shuffled."""
    chance = random.Random(size)
    if kind == "feed":
        wire = Newswire(size)
        items = [wire.item() for _ in range(size)]
        return items, edited(items, wire)
    if kind == "strangers":
        return [[{"a": n, "b": str(n)} for n in range(start, start + size)] for start in (0, size)]
    if kind == "one":
        return [{"a": 1}] * size, [{"a": 1}] * (size * 3 // 4)
    if kind == "few":
        values = [{"a": n % 8} for n in range(size)]
    else:
        values = [{"a": n // 3} for n in range(size)]
    return values, chance.sample(values, len(values))


# The number of items in the shortest list, large enough that the start of a process hardly counts.
KINDS = {"feed": 1_000, "strangers": 10_000, "one": 25_000, "few": 25_000, "copies": 25_000}


def make(folder, source):
    """Makes what does not exist yet. source: a feed of 10 MB."""
    done = os.path.join(folder, "diffs.done")
    if os.path.exists(done):
        return
    path = lambda name: os.path.join(folder, name)
    with open(source, encoding="utf-8") as file:
        feed = json.load(file)
    wire = Newswire(2)
    write(path("large-edited.json"), {**feed, "results": edited(feed["results"], wire)})
    with open(path("large-spaced.json"), "w", encoding="utf-8") as file:
        json.dump(feed, file, indent=1, ensure_ascii=False)
    numbers = list(range(10_000))
    write(path("numbers.json"), numbers)
    write(path("numbers-edited.json"), numbers[:5_000] + [-1] + numbers[5_001:])
    for name, values in [
        ("short", [{"id": n, "name": "news no. %d" % n} for n in range(2_000)]),
        ("long", [{"id": n, "name": "item %d" % n, "text": wire.words(20, 30)} for n in range(2_000)]),
        ("hundred-thousand", list(range(100_000))),
    ]:
        write(path(name + ".json"), values)
        write(path(name + "-reversed.json"), values[::-1])
        write(path(name + "-shuffled.json"), wire.random.sample(values, len(values)))
    snapshots(path("snapshots.ndjson"), SNAPSHOTS)
    for kind, least in KINDS.items():
        for step in STEPS:
            for name, values in zip(("old", "new"), growing(kind, least * step)):
                write(path("%s-%d-%s.json" % (kind, step, name)), values)
    with open(done, "w", encoding="utf-8"):
        pass
