#!/usr/bin/env python3
"""Compares the paths of xml-split with the XPath of lxml, on random documents.

usage: xpath.py [SEED [DOCUMENTS]]

Each path is made twice, as xml-split and as XPath write it. Names without a namespace are compared as the tag is
written, which in XPath is name(). A path without a slash means '//'. In PATH, only the last step has conditions on
children and text. All elements are chosen, also inner ones (--nested); the number in the attribute 'n' tells them apart.
Prints a line for each difference, and at the end the word 'compared' with the number of comparisons.
"""

import json
import random
import subprocess
import sys

from lxml import etree

NAMES = ["a", "b", "c", "p:a", "q:b"]
URIS = {"p": ["urn:1", "urn:2"], "q": ["urn:3", "urn:4"], "": ["urn:1", "", "urn:3"]}
TEXTS = ["1", "2", "12", " ", "x&amp;y", "\r\n", "<![CDATA[1]]>", "&#49;"]
VALUES = ["1", "2", "12", "", "x&y", "\n", "3"]
NAMESPACES = {"s": "urn:1", "t": "urn:3"}


class Document:
    """A random document. Each element has its own number."""

    def __init__(self):
        self.count = 0
        declarations = "".join(f' xmlns:{p}="{random.choice(URIS[p])}"' for p in "pq")
        self.text = self.element("r", 5, declarations)

    def element(self, name, depth, declarations=""):
        self.count += 1
        attributes = f' n="{self.count}"' + declarations
        if not declarations and random.random() < 0.15:
            prefix = random.choice(list(URIS))
            uri = random.choice(URIS[prefix])
            attributes += f' xmlns{":" + prefix if prefix else ""}="{uri}"'
        for attribute in ["x", "y", "p:x"]:
            if random.random() < 0.3:
                value = random.choice(["1", "2", "", "x&amp;y", "&#10;"])
                attributes += f' {attribute}="{value}"'
        content = ""
        if depth > 0:
            for _ in range(random.choice([0, 1, 2, 3, 5])):
                content += self.element(random.choice(NAMES), depth - 1)
                if random.random() < 0.3:
                    content += random.choice(TEXTS)
                elif random.random() < 0.1:
                    content += "<!-- 1 -->" + self.element("c", 0)
        if not content and random.random() < 0.7:
            content = "".join(random.choice(TEXTS) for _ in range(random.choice([1, 1, 2])))
        return f"<{name}{attributes}>{content}</{name}>" if content else f"<{name}{attributes}/>"


def name(is_attribute=False):
    """A name, as xml-split and as XPath write it."""
    star = "@*" if is_attribute else "*"
    ours = random.choice(
        ["x", "y", "p:x", "*", "s:x", "{urn:2}x", "{}x", "p:*"]
        if is_attribute
        else ["a", "b", "c", "p:a", "q:b", "*", "p:*", "s:a", "s:*", "{urn:3}b", "{}c", "{urn:1}*", "a", "b", "c"]
    )
    local = "local-name()='%s' and namespace-uri()='%s'"
    if ours == "*":
        theirs = star
    elif ours.startswith("{"):
        uri, rest = ours[1:].split("}")
        theirs = f"{star}[namespace-uri()='{uri}']" if rest == "*" else f"{star}[{local % (rest, uri)}]"
    elif ours == "p:*":
        theirs = f"{star}[starts-with(name(), 'p:')]"
    elif ours.startswith("s:"):
        theirs = star + (f"[namespace-uri()='urn:1']" if ours == "s:*" else f"[{local % (ours[2:], 'urn:1')}]")
    else:
        theirs = f"{star}[name()='{ours}']"
    # An attribute named like its 'n' is in all elements.
    return ("@" + ours if is_attribute else ours), theirs


def condition(is_late):
    """What can stand in brackets."""
    kind = random.choice([".", "text()", "children", "children", "@"]) if is_late else "@"
    if kind == "children":
        pairs = [name() for _ in range(random.choice([1, 1, 2]))]
        if random.random() < 0.3:
            pairs.append(name(True))
        elif random.random() < 0.2:
            pairs.append(("text()", "text()"))
        ours, theirs = ("/".join(parts) for parts in zip(*pairs))
    else:
        ours, theirs = name(True) if kind == "@" else (kind, kind)
    test = random.choice(["=", "!="] if kind == "." else ["", "=", "!="])
    if test:
        test += "'" + random.choice(VALUES) + "'"
    ours, theirs = ours + test, theirs + test
    if random.random() < 0.3:
        ours, theirs = f"not({ours})", f"not({theirs})"
    return ours, theirs


def step(is_late):
    ours, theirs = name()
    has_late = False
    for _ in range(random.choice([0, 0, 0, 1, 1, 2])):
        if random.random() < 0.3 and (is_late == "everywhere" or not has_late):
            number = str(random.choice([1, 1, 2, 3]))
            if is_late == "everywhere" and random.random() < 0.4:
                number = "last()"
            ours, theirs = ours + f"[{number}]", theirs + f"[{number}]"
        else:
            late = bool(is_late) and random.random() < 0.6
            has_late |= late
            pair = condition(late)
            ours, theirs = ours + f"[{pair[0]}]", theirs + f"[{pair[1]}]"
    return ours, theirs


def path():
    """A path of PATH."""
    start = random.choice(["", "/", "//", "/*/"])
    ours, theirs = start, start or "//"
    count = random.choice([1, 1, 2, 2, 3])
    for place in range(count):
        pair = step("last" if place == count - 1 else "")
        slash = random.choice(["/", "/", "//"]) if place < count - 1 else ""
        ours, theirs = ours + pair[0] + slash, theirs + pair[1] + slash
    return ours, theirs


def field():
    """A path inside an element."""
    if random.random() < 0.1:
        return random.choice([(".", "."), name(True)])
    start = random.choice(["", "", "//", ".//", "./"])
    ours, theirs = start, {"//": ".//"}.get(start, start)
    count = random.choice([1, 1, 2, 3])
    for place in range(count):
        pair = step("everywhere")
        slash = random.choice(["/", "/", "//"]) if place < count - 1 else ""
        ours, theirs = ours + pair[0] + slash, theirs + pair[1] + slash
    if random.random() < 0.2:
        pair = name(True)
        ours, theirs = ours + "/" + pair[0], theirs + "/" + pair[1]
    return ours, theirs


def union(make):
    pairs = [make() for _ in range(random.choice([1, 1, 1, 2, 3]))]
    return "|".join(pair[0] for pair in pairs), "|".join(pair[1] for pair in pairs)


def run(document, *arguments):
    """The lines that xml-split prints. Status 1 means that there are none."""
    options = [word for prefix, uri in NAMESPACES.items() for word in ("--ns", f"{prefix}={uri}")]
    result = subprocess.run(["xml-split", *options, *arguments], input=document, capture_output=True)
    if result.returncode not in (0, 1) or result.stderr:
        return [f"status {result.returncode}: {result.stderr.decode()}"]
    return result.stdout.decode().splitlines()


def text(match):
    return match if isinstance(match, str) else match.xpath("string()")


def is_same(ours, theirs):
    """Whether a member of the fields is the first of these values, or all of them."""
    if ours is None:
        return not theirs
    return ours == theirs if isinstance(ours, list) else theirs[:1] == [ours]


def main(seed=1, documents=60):
    random.seed(seed)
    compared = 0
    for _ in range(documents):
        document = Document().text.encode()
        root = etree.fromstring(document)
        for _ in range(6):
            ours, theirs = union(path)
            wanted = root.getroottree().xpath(theirs)
            found = run(document, "--nested", "-f", "@n", ours)
            if sorted(found) != sorted(element.get("n") for element in wanted):
                print(f"PATH {ours} is {theirs}: {found} of {document}")
            count = run(document, "--nested", "--count", ours)
            if count != [str(len(wanted))]:
                print(f"--count {ours}: {count}, not {len(wanted)}")
            compared += 1
        fields = dict(union(field) for _ in range(6))
        rows = run(document, "--nested", "-j", "-f", ",".join(["@n", *fields]), "*")
        for row in rows:
            try:
                row = json.loads(row)
            except ValueError:
                print(f"{list(fields)}: {row}")
                break
            element = root.xpath(f"//*[@n='{row['@n']}']")[0]
            for ours, theirs in fields.items():
                values = [text(match) for match in element.xpath(theirs)]
                compared += 1
                if ours != "@n" and not is_same(row[ours], values):
                    print(f"{ours} is {theirs}: {row[ours]!r}, not {values!r}, in {row['@n']} of {document}")
        ours, theirs = union(field)
        found = run(document, "--nested", "-f", "@n", "--having", ours, "*")
        wanted = [e.get("n") for e in root.iter("*") if e.xpath(theirs)]
        compared += 1
        if sorted(found) != sorted(wanted):
            print(f"--having {ours} is {theirs}: {found} of {document}")
    print(f"compared {compared}")


main(*map(int, sys.argv[1:]))
