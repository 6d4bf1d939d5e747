"""Patches of many operations, of each kind and in each place, and merge patches of many members."""

import json
import os
import random

# Each kind takes a length, a random generator and a random order of the first numbers. It returns a document and a
# patch of that length.
KINDS = {
    "add, head": lambda n, r, o: ([], [{"op": "add", "path": "/0", "value": i} for i in range(n)]),
    "add, end": lambda n, r, o: ([], [{"op": "add", "path": "/-", "value": i} for i in range(n)]),
    "add, random": lambda n, r, o: ([], [{"op": "add", "path": "/%d" % r(i + 1), "value": i} for i in range(n)]),
    "add, members": lambda n, r, o: ({}, [{"op": "add", "path": "/k%d" % i, "value": i} for i in range(n)]),
    "add, small arrays": lambda n, r, o: (
        [[i] for i in range(1000)], [{"op": "add", "path": "/%d/%d" % (r(1000), r(2)), "value": i} for i in range(n)]),
    "remove, head": lambda n, r, o: (array(n), [{"op": "remove", "path": "/0"} for i in range(n)]),
    "remove, end": lambda n, r, o: (array(n), [{"op": "remove", "path": "/%d" % (n - 1 - i)} for i in range(n)]),
    "remove, random": lambda n, r, o: (array(n), [{"op": "remove", "path": "/%d" % r(n - i)} for i in range(n)]),
    "remove, members": lambda n, r, o: (members(n), [{"op": "remove", "path": "/k%d" % i} for i in o]),
    "replace, random": lambda n, r, o: (
        array(n), [{"op": "replace", "path": "/%d" % r(n), "value": [i]} for i in range(n)]),
    "replace, members": lambda n, r, o: (
        members(n), [{"op": "replace", "path": "/k%d" % r(n), "value": [i]} for i in range(n)]),
    "move, head to end": lambda n, r, o: (array(n), [between("move", 0, n - 1) for i in range(n)]),
    "move, end to head": lambda n, r, o: (array(n), [between("move", n - 1, 0) for i in range(n)]),
    "move, random": lambda n, r, o: (array(n), [between("move", r(n), r(n)) for i in range(n)]),
    "move, members": lambda n, r, o: (members(n), [between("move", "k%d" % i, "m%d" % i) for i in o]),
    "copy, head": lambda n, r, o: (array(n), [between("copy", 0, 0) for i in range(n)]),
    "copy, random": lambda n, r, o: (array(n), [between("copy", r(n), r(n)) for i in range(n)]),
    "copy, members": lambda n, r, o: (members(n), [between("copy", "k%d" % i, "m%d" % i) for i in o]),
    "test, random": lambda n, r, o: (array(n), [{"op": "test", "path": "/%d" % i, "value": i} for i in o]),
    "test, members": lambda n, r, o: (members(n), [{"op": "test", "path": "/k%d" % i, "value": i} for i in o]),
    "one member, added and removed": lambda n, r, o: (members(n), [
        {"op": "add", "path": "/x", "value": i} if i % 2 == 0 else {"op": "remove", "path": "/x"} for i in range(n)]),
    "merge, new members": lambda n, r, o: (members(n), {"m%d" % i: {"a": i} for i in o}),
    "merge, old members": lambda n, r, o: (members(n), {"k%d" % i: {"a": i} for i in o}),
    "merge, members removed": lambda n, r, o: (members(n), {"k%d" % i: None for i in o}),
}


def array(count):
    return list(range(count))


def members(count):
    return {"k%d" % i: i for i in range(count)}


def between(op, source, target):
    return {"op": op, "from": "/%s" % source, "path": "/%s" % target}


def make(folder, kind, count):
    """Writes a document and a patch of `count` operations. Returns the operands of jpatch."""
    chance = random.Random(count)
    pair = KINDS[kind](count, chance.randrange, chance.sample(range(count), count))
    return write(folder, *pair)


def merge(folder, changes, size):
    """A merge patch for a document of `size` members: it changes every fourth one, and the rest of it is new."""
    patch = {"k%d" % (4 * i): {"a": i} if i % 3 == 0 else i for i in range(changes)}
    return write(folder, members(size), patch)


def write(folder, document, patch):
    paths = [os.path.join(folder, name) for name in ("many-patch.json", "many-document.json")]
    for path, value in zip(paths, (patch, document)):
        with open(path, "w", encoding="ascii") as file:
            json.dump(value, file, separators=(",", ":"))
    return paths
