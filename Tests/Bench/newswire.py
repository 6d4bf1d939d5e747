"""Makes the documents and event streams of the benchmark: a newswire feed, like those of news sites. The same on every
machine and in every run."""

import json
import os
import random

WORDS = """after all also and are as at back be because been before between but by can city could council day do down
first for from government had has have he her him his home house how if in into is it its just last left life like long
make man market may me minister more most mountain new night no not now of off old on one only or other our out over own
people police president public report river said say school see she sky so some state still such take than that the
their them then there they this three time to two under until up us war was water way we well were what when where which
while who will with women word work world would year years you your Åland café cœur façade İzmir Kraków naïve Zürich
“exclusive” — ‘mixed’ don’t 東京 😀""".split()
SECTIONS = "World Politics Business Technology Science Health Sports Arts Books Style Food Travel".split()


class Newswire:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0

    def words(self, least, most):
        return " ".join(self.random.choices(WORDS, k=self.random.randint(least, most)))

    def date(self):
        r = self.random.randint
        return "2026-%02d-%02dT%02d:%02d:%02d-05:00" % (r(1, 12), r(1, 28), r(0, 23), r(0, 59), r(0, 59))

    def image(self, name, height, width):
        number = self.random.randint(10**8, 10**9)
        return {
            "url": "https://images.example.com/2026/%d/%s.jpg" % (number, name.replace(" ", "")),
            "format": name, "height": height, "width": width, "type": "image", "subtype": "photo",
            "caption": self.words(4, 9) + ' "' + self.words(2, 2) + '"', "copyright": self.words(3, 3),
        }

    def item(self, has_images=None):
        self.number += 1
        chance = self.random.random
        section = self.random.choice(SECTIONS)
        title = self.words(6, 12).capitalize()
        slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in title.lower())
        if has_images is None:
            has_images = chance() < 0.5
        return {
            "slug_name": "%02d-%s-%d" % (self.random.randint(1, 28), section.lower(), self.number),
            "section": section, "subsection": self.words(1, 1) if chance() < 0.4 else "",
            "title": title, "abstract": self.words(15, 30),
            "uri": "news://article/%016x%016x" % (self.random.getrandbits(64), self.number),
            "url": "https://www.example.com/2026/%s/%s.html" % (section.lower(), slug),
            "byline": "By " + self.words(2, 2).title(), "item_type": "Article", "source": "The Example Times",
            "updated_date": self.date(), "created_date": self.date(), "published_date": self.date(),
            "first_published_date": self.date(), "material_type_facet": "News",
            "kicker": self.words(2, 2) if chance() < 0.3 else None, "word_count": self.random.randint(200, 4000),
            "score": round(chance() * 10, 6), "pinned": chance() < 0.1,
            "des_facet": [self.words(2, 2) for _ in range(self.random.randint(0, 4))],
            "org_facet": [self.words(2, 2) for _ in range(self.random.randint(0, 2))],
            "per_facet": [self.words(2, 2) for _ in range(self.random.randint(0, 2))],
            "geo_facet": [self.words(1, 1) for _ in range(self.random.randint(0, 2))],
            "related_urls": [],
            "multimedia": [self.image(*f) for f in (("Thumbnail", 75, 75), ("Normal", 127, 190), ("Large", 293, 440))]
            if has_images else [],
        }


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def feed(path, size, has_images=None):
    """Writes a document of about `size` bytes; returns the number of its items."""
    wire = Newswire(size)
    items, length = [], 0
    while length < size:
        items.append(text(wire.item(has_images)))
        length += len(items[-1].encode()) + 1
    head = '{"status":"OK","copyright":"Copyright (c) 2026 Example. All Rights Reserved.","num_results":%d,"results":['
    with open(path, "w", encoding="utf-8") as file:
        file.write(head % len(items) + ",".join(items) + "]}\n")
    return len(items)


def three_operations(path, count):
    """A patch for a feed of `count` items: replace in the middle, add at the head, remove at the tail."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text([
            {"op": "replace", "path": "/results/%d/title" % (count // 2), "value": "Patched title"},
            {"op": "add", "path": "/results/0", "value": Newswire(3).item()},
            {"op": "remove", "path": "/results/%d" % count},
        ]) + "\n")


def item_patches(path, document, count, events, deep=False):
    """Event records: the document, then patches of one item each. `deep`: only in the second half of the list."""
    chance = random.Random(events)
    wire = Newswire(events)
    with open(document, encoding="utf-8") as file:
        whole = file.read().strip()
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"event":"data","id":"0","data":%s}\n' % whole)
        for number in range(1, events + 1):
            place = chance.randrange(count // 2 if deep else 0, count)
            kind = number % 4
            if kind == 0 and not deep:
                patch = [{"op": "add", "path": "/results/0", "value": wire.item(True)},
                         {"op": "remove", "path": "/results/%d" % count}]
            elif kind == 1:
                patch = [{"op": "replace", "path": "/results/%d" % place, "value": wire.item(True)}]
            else:
                patch = [{"op": "replace", "path": "/results/%d/title" % place, "value": wire.words(6, 12)},
                         {"op": "replace", "path": "/results/%d/updated_date" % place, "value": wire.date()}]
            patch.append({"op": "replace", "path": "/num_results", "value": count + number})
            file.write('{"event":"patch","id":"%d","data":%s}\n' % (number, text(patch)))


def event_stream(path, size, is_json):
    """An event stream of `size` bytes: data of 10 B to 64 KiB, as many of each order of magnitude; some ids and types."""
    chance = random.Random(size + is_json)
    wire = Newswire(size)
    item = text(wire.item(True))
    prose = wire.words(20000, 20000)
    written = number = 0
    with open(path, "wb") as file:
        while written < size:
            number += 1
            length = int(10 ** chance.uniform(1, 4.816))
            if is_json:
                item = text(wire.item(True)) if number % 50 == 0 else item
                data = '{"n":%d}' % number if length < 1500 else "[" + ",".join([item] * (length // len(item) + 1)) + "]"
                if 100 < length < 1500:
                    data = '{"n":%d,"title":"%s"}' % (number, prose[number % 1000:][:length - 40].replace('"', ""))
            else:
                data = prose[number % 1000:][:length]
            block = ""
            if number % 3 == 0:
                block += "event: patch\n"
            if number % 2 == 0:
                block += "id: %d\n" % number
            if number % 40 == 0:
                block = ": still here\n\n" + block
            if not is_json and number % 5 == 0:
                data = data.replace(" the ", "\ndata: the ")
            encoded = (block + "data: " + data + "\n\n").encode()
            written += file.write(encoded)


def make(folder):
    """Makes all data that does not exist yet. Returns the number of items of each feed."""
    os.makedirs(folder, exist_ok=True)
    counts = os.path.join(folder, "counts.json")
    if os.path.exists(counts):
        with open(counts, encoding="utf-8") as file:
            return json.load(file)
    path = lambda name: os.path.join(folder, name)
    result = {
        "small": feed(path("small.json"), 30_000, True),
        "large": feed(path("large.json"), 10_000_000),
        "huge": feed(path("huge.json"), 100_000_000),
    }
    three_operations(path("three.json"), result["large"])
    with open(path("empty.json"), "w", encoding="utf-8") as file:
        file.write("[]\n")
    item_patches(path("follow.ndjson"), path("small.json"), result["small"], 20_000)
    item_patches(path("select-small.ndjson"), path("small.json"), result["small"], 20_000, deep=True)
    item_patches(path("select-large.ndjson"), path("large.json"), result["large"], 20_000, deep=True)
    event_stream(path("json.sse"), 200_000_000, True)
    event_stream(path("text.sse"), 200_000_000, False)
    with open(counts, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return result
