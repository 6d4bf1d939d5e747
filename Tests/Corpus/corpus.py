"""Pairs of JSON documents in a folder: an old one, a new one and, if the corpus has it, the patch between them.

Three forms are read, at any depth:

    NAME/a.json       NAME/b.json       NAME/patch.json
    NAME.a.json       NAME.b.json       NAME.patch.json        also with '-' or '_' for the first '.'
    FILE.json: [{"doc": …, "expected": …, "patch": …}, …]      as in json-patch-tests

For `a` and `b` any row of PAIRS will do, in names of files and of members. The patch is a JSON Patch, or a merge patch if
it is an object. A record with "error" in place of the new document has a patch that must be refused. A record is skipped
if it is "disabled", has no new document, or names a member twice, which Python's parser cannot keep. So is a pair of files
that Python cannot read.
"""
import decimal
import json
import os
import re

PAIRS = [("a", "b"), ("before", "after"), ("old", "new"), ("first", "second"), ("source", "target"), ("doc", "expected")]
FILE = re.compile(r"(?:(.*)([._-]))?(%s)\.json" % "|".join(old for old, _ in PAIRS))


class Pair:
    """The texts of the documents; `new` is None if the patch must be refused."""

    def __init__(self, name, old, new, patch):
        self.name, self.old, self.new, self.patch = name, old, new, patch


class Double(dict):
    """An object that names a member twice."""


def marked(members):
    result = dict(members)
    return result if len(result) == len(members) else Double(result)


def parse(content, hook=None):
    """Numbers stay exact."""
    return json.loads(content, parse_int=decimal.Decimal, parse_float=decimal.Decimal, object_pairs_hook=hook)


def readable(content):
    """The document in a tuple, with marks on objects; None if Python cannot read it."""
    try:
        return (parse(content, marked),)
    except (ValueError, RecursionError, decimal.DecimalException):
        return None


def text(value):
    """The value as JSON without white space; json.dumps knows no decimal numbers."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    return str(value) if isinstance(value, decimal.Decimal) else json.dumps(value)


def typed(value):
    """In Python, true is 1."""
    if isinstance(value, dict):
        return "object", {name: typed(item) for name, item in value.items()}
    if isinstance(value, list):
        return "array", [typed(item) for item in value]
    return type(value).__name__, value


def same(left, right):
    """Whether two texts are the same document; None is no document."""
    if left is None or right is None:
        return left is right
    return typed(parse(left)) == typed(parse(right))


def is_double(value):
    if isinstance(value, Double):
        return True
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return any(map(is_double, items))


class Corpus:
    """All pairs below some folders."""

    def __init__(self, folders):
        self.pairs, self.skipped = [], 0
        for folder in folders:
            for place, below, names in os.walk(folder):
                below.sort()
                self.look(place, set(names))

    def look(self, place, names):
        left = set(names)
        for name in sorted(names):
            match = FILE.fullmatch(name)
            if not match:
                continue
            stem, mark, word = match.groups()
            start = (stem or "") + (mark or "")
            new, patch = start + dict(PAIRS)[word] + ".json", start + "patch.json"
            if new not in names:
                continue
            left -= {name, new, patch}
            texts = [self.read(place, each) if each in names else None for each in (name, new, patch)]
            if any(each is not None and readable(each) is None for each in texts):
                self.skipped += 1
            else:
                self.pairs.append(Pair(os.path.join(place, stem) if stem else place, *texts))
        for name in sorted(left):
            if name.endswith(".json"):
                self.records(os.path.join(place, name), self.read(place, name))

    def read(self, place, name):
        with open(os.path.join(place, name), "rb") as file:
            return file.read()

    def records(self, path, content):
        found = readable(content)
        records = found[0] if found else None
        for number, record in enumerate(records if isinstance(records, list) else []):
            row = isinstance(record, dict) and next((row for row in PAIRS if row[0] in record), None)
            if not row:
                continue
            old, new = row
            is_refused = "error" in record and new not in record and "patch" in record
            if record.get("disabled") or is_double(record) or not (new in record or is_refused):
                self.skipped += 1
                continue
            texts = (text(record[each]).encode() if each in record else None for each in (old, new, "patch"))
            self.pairs.append(Pair(f"{path}[{number}]", *texts))
