"""Makes the eight shapes of XML of the benchmark: about 20 MB each, the same on every machine and in every run. Each
stresses another part of a reader of XML."""

import os
import random
from xml.sax.saxutils import escape

import statuses
from newswire import WORDS

SIZE = 20_000_000


class Writer:
    """The records of one shape."""

    def __init__(self, name):
        self.random = random.Random("shape " + name)
        self.number = 0

    def words(self, least, most):
        return " ".join(self.random.choices(WORDS, k=self.random.randint(least, most)))

    def attributes(self):
        """Nodes of a map, with nine attributes and more."""
        r = self.random
        place = 'id="%d" visible="true" version="%d" changeset="%d" timestamp="2009-11-%02dT%02d:%02d:%02dZ" user="%s" ' \
            'uid="%d" lat="%.7f" lon="%.7f"' % (
                self.number + 200_000_000, r.randint(1, 9), r.randint(1, 9_999_999), r.randint(1, 30), r.randint(0, 23),
                r.randint(0, 59), r.randint(0, 59), self.words(1, 2).replace('"', ""), r.randint(1, 99_999),
                r.uniform(-90, 90), r.uniform(-180, 180))
        if r.random() < 0.3:
            place += ' layer="%d" source="survey" note="%s"' % (r.randint(-2, 5), escape(self.words(1, 4), {'"': "&quot;"}))
        if r.random() < 0.7:
            return " <node %s/>\n" % place
        tags = "".join('  <tag k="%s" v="%s"/>\n' % (key, self.random.choice(WORDS).replace('"', ""))
                       for key in self.random.sample(["name", "highway", "amenity", "source", "addr:street"], 2))
        return " <node %s>\n%s </node>\n" % (place, tags)

    def tiny(self):
        """Markup and hardly anything else."""
        n = self.number
        return "<e><a>%d</a><b/><c>%d</c></e>" % (n % 10, n % 7)

    def deep(self):
        """Elements inside one another, up to 200 of them."""
        depth = self.random.randint(20, 200)
        names = self.random.choices(["div", "section", "p", "list", "item", "b"], k=depth)
        head = "".join("%s<%s>" % ("\n" if n % 4 == 0 else "", name) for n, name in enumerate(names))
        return '<r id="%d"><k><v>%d</v></k>%s%s%s</r>\n' % (
            self.number, self.number % 97, head, escape(self.words(1, 4)), "".join("</%s>" % name for name in reversed(names)))

    def cdata(self):
        """Pages of HTML in the items of a feed."""
        pages = "".join("<p class=\"p%d\">%s <a href='?a=1&b=2'>%s</a> ]] ></p>\n" % (
            n, self.words(20, 60), self.words(1, 3)) for n in range(self.random.randint(1, 8)))
        return "<item><title><![CDATA[%s]]></title><guid>%d</guid><content><![CDATA[%s]]></content></item>\n" % (
            self.words(3, 9), self.number, pages)

    def references(self):
        """Text in which every other word has a reference."""
        kinds = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#8217;", "&#x201C;", "&#233;", "&#x1F600;"]
        text = lambda count: " ".join(
            self.random.choice(WORDS) + self.random.choice(kinds) if n % 2 else self.random.choice(WORDS).replace("&", "")
            for n in range(count))
        return '<q id="%d" of="%s"><t>%s</t><s>%s</s></q>\n' % (self.number, text(4).replace("<", ""), text(40), text(6))

    def text(self):
        """Long paragraphs, a part of them not in ASCII."""
        words = WORDS if self.number % 4 else ["слово", "и", "дело", "東京", "こんにちは", "café", "naïve", "🙂"]
        paragraphs = "".join("<p>%s</p>\n" % escape(" ".join(self.random.choices(words, k=self.random.randint(500, 3000))))
                             for _ in range(self.random.randint(1, 6)))
        return "<page><id>%d</id>\n%s</page>\n" % (self.number, paragraphs)


def tweets(path):
    statuses.document(path, SIZE)


def crlf(path):
    """Statuses whose lines end in CRLF."""
    with open(os.path.join(os.path.dirname(path), "tweets.xml"), "rb") as source, open(path, "wb") as file:
        file.write(source.read().replace(b"\n", b"\r\n"))


def records(path, name):
    writer = Writer(name)
    record = getattr(writer, name)
    with open(path, "wb") as file:
        file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<all>\n')
        while file.tell() < SIZE:
            writer.number += 1
            file.write(record().encode())
        file.write(b"</all>\n")


# The name of a shape: the path of its records, and fields of them.
SHAPES = {
    "tweets": ("status", "id,user/screen_name,text,geo/georss:point"),
    "attributes": ("node", "@id,@lat,@lon,tag/@v"),
    "tiny": ("e", "a,b,c"),
    "deep": ("r", "@id,k/v"),
    "cdata": ("item", "guid,title"),
    "crlf": ("status", "id,user/screen_name,text,geo/georss:point"),
    "references": ("q", "@id,@of,t,s"),
    "text": ("page", "id"),
}


def make(folder):
    """Makes what does not exist yet. Returns {name: path}."""
    os.makedirs(folder, exist_ok=True)
    paths = {name: os.path.join(folder, name + ".xml") for name in SHAPES}
    for name, path in paths.items():
        if not os.path.exists(path):
            maker = {"tweets": tweets, "crlf": crlf}.get(name) or (lambda part: records(part, name))
            maker(path + ".part")
            os.rename(path + ".part", path)
    return paths
