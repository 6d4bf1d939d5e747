#!/usr/bin/env python3
"""Broken feeds, and what becomes of them, for Tests/XMLSplitTests/RepairTests.swift.

usage: feeds.py table|feedparser

'table' prints a line for each feed: what xml-split --on-error repair keeps. broken-feeds.txt has the lines that are right.
'feedparser' prints each item that feedparser finds in a feed and xml-split does not, and at the end the word 'compared'
with the number of items.
"""

import json
import re
import subprocess
import sys

RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
<channel>
<title>News{outside}</title>
<description>All of it</description>
<link>http://example.com/</link>
{items}
</channel>
</rss>
"""

ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>News{outside}</title>
<id>urn:feed</id>
<updated>2026-11-22T00:00:00Z</updated>
{items}
</feed>
"""

RSS_ITEM = """<item>
<guid isPermaLink="false">{id}</guid>
<title>{title}</title>
<link>{link}</link>
<enclosure url="http://example.com/{id}" type="audio/mpeg"{attribute} length="1"/>
<description>{text}</description>
</item>"""

ATOM_ITEM = """<entry>
<id>{id}</id>
<title>{title}</title>
<link href="{link}"{attribute}/>
<updated>2026-11-22T00:00:00Z</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">{text}</div></content>
</entry>"""

COUNT = 5

# The name of each kind of damage, and the parts of the third item that have it. 'whole' changes the whole feed.
KINDS = {
    "nothing": {},
    "entities of HTML": {"title": "caf&eacute;&nbsp;&mdash; it&rsquo;s", "text": "&copy;&hellip;"},
    "an entity of HTML in an attribute": {"attribute": ' title="caf&eacute;"'},
    "an entity that nobody knows": {"title": "&foo;", "text": "&Foo.bar;"},
    "a lone &": {"title": "AT&T & Co", "text": "R&D; &", "link": "http://example.com/?a=1&b=2&copy=3"},
    "a lone <": {"title": "1 < 2", "text": "I <3 XML, x<1, a<"},
    "an address in brackets": {"title": "Ada <ada@example.com>", "text": "<http://example.com/>"},
    "an unclosed br": {"text": "one<br>two<br>three"},
    "unclosed p and img": {"text": "<p>one<p>two<img src='x.png'><b>three"},
    "crossed tags": {"text": "<b>one<i>two</b>three</i>"},
    "an end tag too many": {"text": "one</p>two</br></span>"},
    "control characters": {"title": "a\x01b\x0bc", "text": "\x00\x1f&#0;&#x1F;&#xFFFF;\ufffe"},
    "bytes of windows-1252": {"title": b"caf\xe9", "text": b"\x93quoted\x94 \x80 \x81", "attribute": b' title="\xe9"'},
    "an attribute without quotes": {"attribute": " width=10", "text": "<a href=http://example.com/?a&b>x</a>"},
    "an attribute without a value": {"attribute": " nowrap", "text": "<hr noshade/><td nowrap>x</td>"},
    "an attribute twice": {"attribute": ' title="1" title="2"'},
    "a < in an attribute": {"attribute": ' title="1 < 2, <b>"'},
    "attributes without space": {"attribute": ' title="1"rel="x"'},
    "]]> in text": {"text": "one ]]> two"},
    "-- in a comment": {"text": "<!-- one -- two --->three"},
    "all at once": {
        "title": b"caf\xe9 & &eacute; <3 \x01", "attribute": " nowrap", "text": "<p>one<br>two</i>&nbsp;]]>",
    },
    "an entity outside items": {"outside": "&nbsp;&foo; & <3"},
    "an unclosed br outside items": {"outside": "<br>"},
    "two XML declarations": {"whole": lambda feed: b"<?xml version='1.0'?>\n" + feed},
    "space before the XML declaration": {"whole": lambda feed: b"\r\n \t" + feed},
    "a comment before the XML declaration": {"whole": lambda feed: b"<!-- made by x -->\n" + feed},
    "two byte order marks": {"whole": lambda feed: b"\xef\xbb\xbf\xef\xbb\xbf" + feed},
    "text before the XML declaration": {"whole": lambda feed: b"Warning: x in y.php\n" + feed},
    "text after the feed": {"whole": lambda feed: feed + b"<!-- 0.1 s --> done"},
    "a doctype of HTML": {
        "title": "caf&eacute;",
        "whole": lambda feed: feed.replace(b"?>", b'?><!DOCTYPE html SYSTEM "xhtml.dtd">', 1),
    },
    "no end of the third item": {"whole": lambda feed: without_end(feed)},
    "cut after the third item": {"whole": lambda feed: feed[: third(feed)[1]]},
    "cut in the third item": {"whole": lambda feed: feed[: third(feed)[1] - 40]},
    "cut in a tag": {"whole": lambda feed: feed[: feed.index(b"<title>", third(feed)[0]) + 3]},
    "cut in an attribute": {"whole": lambda feed: feed[: feed.index(b'="', third(feed)[0]) + 4]},
    "cut, a form feed, and again": {"whole": lambda feed: feed[: third(feed)[1] - 40] + b"\f" + feed},
    "cut in a tag, a form feed, and again": {
        "whole": lambda feed: feed[: feed.index(b"<title>", third(feed)[0]) + 3] + b"\f" + feed
    },
}

# In these the third item has no end. It is never printed, whatever feedparser makes of it.
UNFINISHED = ("no end of", "cut ", "cut,")


def third(feed):
    """Where the third item begins and ends."""
    found = [match.span() for match in re.finditer(rb"<(item|entry)>.*?</\1>", feed, re.DOTALL)]
    return found[2]


def without_end(feed):
    _, end = third(feed)
    start = feed.rindex(b"<", 0, end)
    return feed[:start] + feed[end:]


def encoded(text):
    return text if isinstance(text, bytes) else text.encode()


def made(kind, outline, item):
    """A feed with this damage."""
    # The parts may be bytes that are not UTF-8.
    def filled(text, parts):
        result = b""
        for place, piece in enumerate(re.split(r"\{(\w+)\}", text)):
            result += encoded(parts[piece]) if place % 2 else piece.encode()
        return result

    items = []
    for number in range(1, COUNT + 1):
        parts = {"id": f"urn:{number}", "title": f"Title {number}", "text": "text", "attribute": ""}
        parts["link"] = f"http://example.com/{number}"
        if number == 3:
            parts |= {name: part for name, part in kind.items() if name in parts}
        items.append(filled(item, parts))
    feed = filled(outline, {"outside": kind.get("outside", ""), "items": b"\n".join(items)})
    return kind["whole"](feed) if "whole" in kind else feed


def feeds():
    """The name, the path of the items, and the bytes of each feed."""
    for name, kind in KINDS.items():
        yield name, "/rss/channel/item", made(kind, RSS, RSS_ITEM)
        yield name, "/feed/entry", made(kind, ATOM, ATOM_ITEM)


def split(path, feed):
    """The ids of the items, the messages, and the status."""
    run = subprocess.run(["xml-split", "--on-error", "repair", "-j", path], input=feed, capture_output=True, timeout=60)
    items = [json.loads(line) for line in run.stdout.splitlines()]
    ids = []
    for item in items:
        (item,) = item.values()
        guid = item["guid"]["#text"] if "guid" in item else item["id"]
        ids.append(guid)
    return ids, run.stderr.decode(errors="replace").splitlines(), run.returncode


def table():
    print("# feed: kind: items kept, repairs, items dropped, other messages, status")
    for name, path, feed in feeds():
        ids, messages, status = split(path, feed)
        repairs = sum(": repaired: " in line for line in messages)
        for line in messages:
            more = re.fullmatch(r"xml-split: (\d+) more repairs?", line)
            repairs += int(more[1]) if more else 0
        others = sum(": repaired: " not in line and " more repair" not in line for line in messages)
        dropped = len(set(f"urn:{number}" for number in range(1, COUNT + 1)) - set(ids))
        form = "RSS" if "rss" in path else "Atom"
        print(f"{form}: {name}: {len(ids)}, {repairs}, {dropped}, {others}, {status}")


def compare():
    import feedparser

    count = 0
    for name, path, feed in feeds():
        theirs = [entry.get("id") for entry in feedparser.parse(feed).entries]
        ours = split(path, feed)[0]
        lost = [item for item in theirs if item not in ours]
        count += len(theirs)
        if name.startswith(UNFINISHED):
            lost = [item for item in lost if item in ("urn:1", "urn:2")]
        if lost:
            print(f"{path}: {name}: only feedparser has {lost}")
    print(f"compared {count}")


if __name__ == "__main__":
    {"table": table, "feedparser": compare}[sys.argv[1]]()
