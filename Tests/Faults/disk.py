"""The disks that a power cut could leave, from the journal of journal.c.

Safe are: the bytes of a file at its last fsync, and the names in a folder at the folder's last fsync. Anything else
may be there or not. Of the many possible disks, these are built:

  nothing   only what is safe
  names     every name at the moment of the cut, but only safe bytes: ext4 leaves this after a rename without fsync
  zeros     the same, but each file has its length, with zeros for the bytes that are not safe: XFS may leave this
  all       everything: as after kill -9
  some N    names up to a random point, and some of the writes that are not safe, in no order
"""
import os
import random

VARIANTS = ["nothing", "names", "zeros", "all", "some 1", "some 2"]
# SQLite rebuilds it from the log, and writes it through memory that no journal sees.
UNCOUNTED = ("-shm",)


class File:
    def __init__(self, content=b""):
        self.safe, self.now = bytes(content), bytearray(content)
        self.waiting = []  # writes since the last sync: (offset, bytes), or (size, None) for a new size

    def write(self, offset, data):
        put(self.now, offset, data)
        self.waiting.append((offset, data))

    def sync(self):
        self.safe, self.waiting = bytes(self.now), []

    def content(self, variant, dice):
        if variant in ("nothing", "names"):
            return self.safe
        if variant == "all":
            return bytes(self.now)
        if variant == "zeros":
            kept = bytearray(self.safe[:len(self.now)])
            return bytes(kept + bytes(len(self.now) - len(kept)))
        kept = bytearray(self.safe)
        for offset, data in self.waiting:
            if dice.random() < 0.5:
                put(kept, offset, data)
        return bytes(kept)


def put(content, offset, data):
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    content.extend(bytes(max(0, offset - len(content))))
    content[offset:offset + len(data)] = data


class Disk:
    """A folder, built from a program's journal record by record."""

    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        self.names, self.files = {}, {}
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            with open(path, "rb") as file:
                self.names[path] = File(file.read())
            status = os.stat(path)
            self.files[f"{status.st_dev}:{status.st_ino}"] = self.names[path]
        self.history = [dict(self.names)]  # since the folder's last sync; the start counts as one
        self.printed = b""

    def path(self, text):
        return os.path.normpath(text)

    def named(self):
        self.history.append(dict(self.names))

    def apply(self, kind, words, data):
        """Applies a record. Returns whether it changed anything that a cut could show."""
        if kind == "P":
            self.printed += data
        elif kind in "CO":
            number, path = words.split(" ", 1)
            path = self.path(path)
            if os.path.dirname(path) != self.folder:
                return False
            if kind == "C":
                self.files[number] = self.names[path] = File()
                self.named()
            else:
                self.files[number].write(0, None)
        elif kind in "WT":
            number, offset = words.split(" ")[:2]
            if number not in self.files:
                return False
            self.files[number].write(int(offset), data if kind == "W" else None)
        elif kind == "S":
            if words not in self.files:
                return False
            self.files[words].sync()
        elif kind == "D":
            if self.path(words) != self.folder:
                return False
            self.history = [dict(self.names)]
        elif kind in "RL":
            source, target = map(self.path, words.split("\t"))
            if source not in self.names:
                return False
            self.names[target] = self.names[source]
            if kind == "R" and source != target:
                del self.names[source]
            self.named()
        elif kind == "U":
            if self.names.pop(self.path(words), None) is None:
                return False
            self.named()
        return True

    def cut(self, variant, seed):
        """The files by name, as this cut leaves them."""
        dice = random.Random(f"{seed} {variant}")
        kind = variant.split()[0]
        names = self.history[0] if kind == "nothing" else self.names
        if kind == "some":
            names = dice.choice(self.history)
        return {os.path.basename(path): file.content(kind, dice) for path, file in names.items() if not path.endswith(UNCOUNTED)}


def records(journal):
    """The records of a journal: a letter, words, bytes."""
    position = 0
    while position < len(journal):
        end = journal.index(b"\n", position)
        head = journal[position:end].decode()
        kind, words, data = head[0], head[2:], b""
        position = end + 1
        if kind in "WP":
            count = int(words.rpartition(" ")[2])
            data = journal[position:position + count]
            position += count
        yield kind, words, data
