"""Inputs of n, 2n, 4n and 8n for each mode of jpatch, jdiff and deliver: the time must grow as the input does."""

import json
import os
import random


def items(count, keep=lambda i: True, number=lambda i: i):
    return {"items": [{"id": i, "name": "item %d" % i, "n": number(i)} for i in range(count) if keep(i)]}


def nested(depth, leaf):
    return '{"a":' * depth + leaf + "}" * depth


def event(name, number, data, **more):
    return {"event": name, "id": str(number), **more, "data": data}


def documents(count):
    """A small document that changes a little from line to line."""
    return [{"id": i % 50, "n": i, "list": [i // 3, i // 2, i]} for i in range(count)]


def patches(count, sources=1):
    for number in range(sources):
        yield event("data", number, {"n": 0, "list": [1, 2]}, source="s%d" % number)
    for number in range(count):
        yield event("patch", number, [{"op": "replace", "path": "/n", "value": number}], source="s%d" % (number % sources))


def tests_and_changes(count):
    for number in range(count):
        yield {"op": "test", "path": "/k%d" % number, "value": number}
        yield {"op": "replace", "path": "/k%d" % number, "value": -number}


def deeper(count):
    """Tests at ever deeper places, of as many bytes in all as `count` says."""
    path, size = "", 0
    while size < count:
        path += "/a"
        yield {"op": "test", "path": path, "value": {}}
        size += len(path)


def turned(count):
    order = random.Random(count).sample(range(count), count)
    return [{"op": "move", "from": "/%d" % place, "path": "/0"} for place in order]


# For each mode: the least length, and the files and options of a length. A file is a value, or lines from a generator; the
# name `-` is standard input.
MODES = {
    "jpatch": (20_000, lambda n: ["jpatch", turned(n), list(range(n))]),
    "jpatch, merge patch": (20_000, lambda n: ["jpatch", {"k%d" % i: i for i in range(n)}, {"k%d" % i: 0 for i in range(0, n, 2)}]),
    "jpatch --undo": (20_000, lambda n: ["jpatch", "--undo", "/dev/null", turned(n), list(range(n))]),
    "jpatch --jsonc": (20_000, lambda n: ["jpatch", "--jsonc", turned(n), list(range(n))]),
    "jpatch --each": (10_000, lambda n: ["jpatch", "--each", [{"op": "add", "path": "/x", "value": 1}], iter(documents(n))]),
    "jpatch --compose": (20_000, lambda n: ["jpatch", "--compose", list(tests_and_changes(n))]),
    "jpatch --compose, deep": (1_000_000, lambda n: ["jpatch", "--compose", list(deeper(n))]),
    "jpatch --compose, one list": (5_000, lambda n: ["jpatch", "--compose", turned(n)]),
    "jpatch --invert": (20_000, lambda n: ["jpatch", "--invert", list(tests_and_changes(n))]),
    "jpatch --invert, deep": (1_000_000, lambda n: ["jpatch", "--invert", list(deeper(n))]),
    "jpatch --three-way": (5_000, lambda n: [
        "jpatch", "--three-way", items(n), items(n, lambda i: i % 7), items(n, number=lambda i: -i if i % 7 == 3 else i)]),
    "jpatch --follow": (10_000, lambda n: ["jpatch", "--follow", patches(n)]),
    "jpatch --follow --by": (10_000, lambda n: ["jpatch", "--follow", "--by", "/source", patches(n, n // 20)]),
    "jpatch --follow, one document": (4_000, lambda n: ["jpatch", "--follow", "-p", "/n", iter(
        [event("data", 0, {"n": 0, **{"k%d" % i: 0 for i in range(n)}}), *(event("patch", i, [
            {"op": "replace", "path": "/k%d" % i, "value": i}]) for i in range(n))])]),
    "jdiff": (5_000, lambda n: ["jdiff", items(n), items(n, lambda i: i % 9)]),
    "jdiff, all moved": (10_000, lambda n: ["jdiff", list(range(n)), list(range(n))[::-1]]),
    "jdiff --test": (5_000, lambda n: ["jdiff", "--test", items(n), items(n, lambda i: i % 9)]),
    "jdiff --type merge-patch": (20_000, lambda n: [
        "jdiff", "--type", "merge-patch", {"k%d" % i: i for i in range(n)}, {"k%d" % i: i // 2 for i in range(n)}]),
    "jdiff --text": (5_000, lambda n: ["jdiff", "--text", items(n), items(n, lambda i: i % 9)]),
    "jdiff --unordered": (5_000, lambda n: ["jdiff", "--unordered", "/items", items(n), items(n, lambda i: i % 9)]),
    "jdiff --identity": (5_000, lambda n: ["jdiff", "--identity", "/items=name", items(n), items(n, lambda i: i % 9)]),
    "jdiff --ignore": (500, lambda n: [
        "jdiff", *(word for i in range(n) for word in ("--ignore", "/k%d/**/x" % i)),
        {"k%d" % i: {"a": {"x": 1}} for i in range(n)}, {"k%d" % i: {"a": {"x": 2}} for i in range(n)}]),
    "jdiff, nested": (1_000, lambda n: ["jdiff", "--max-depth", "100000", nested(n, "1"), nested(n, "2")]),
    "jdiff --follow": (5_000, lambda n: ["jdiff", "--follow", iter(documents(n))]),
    "jdiff --follow --by": (5_000, lambda n: [
        "jdiff", "--follow", "--records-in", "--by", "/source",
        (event("data", i, one, source="s%d" % one["id"]) for i, one in enumerate(documents(n)))]),
    "deliver": (50_000, lambda n: ["deliver", "--batch", "1000", "-", ("x" * 99 for _ in range(n)), "cat"]),
    "deliver --records-in": (50_000, lambda n: [
        "deliver", "--records-in", "--batch", "1000", "-", (event("e", i, "x" * 60) for i in range(n)), "cat"]),
    "deliver, one large batch": (50_000, lambda n: [
        "deliver", "--batch", "1000000", "--batch-bytes", "1G", "-", ("x" * 99 for _ in range(n)), "cat"]),
    "deliver, some refused": (2_000, lambda n: [
        "deliver", "-s", "--batch", "1000", "--dead", "/dev/null", "-", ("bad" if i % 400 == 7 else "good" for i in range(n)),
        "sh", "-c", "! grep -q bad || exit 65"]),
}


def command(folder, mode, factor):
    """The command line and the standard input of a mode."""
    least, make = MODES[mode]
    words, source = [], None
    for place, word in enumerate(make(least * factor)):
        if word == "-" or isinstance(word, str) and not word.startswith("{"):
            words.append(word)
            continue
        path = os.path.join(folder, "growth-%d" % place)
        with open(path, "w", encoding="ascii") as file:
            if isinstance(word, str):
                file.write(word)
            elif isinstance(word, (list, dict)):
                json.dump(word, file, separators=(",", ":"))
            else:
                file.writelines((one if isinstance(one, str) else json.dumps(one, separators=(",", ":"))) + "\n" for one in word)
        if words[-1] == "-":
            words[-1], source = "--", path
        else:
            words.append(path)
    return words, source
