"""What is read and counted at the end: lost, doubled, out of order."""
import json
import os


class Comparison:
    """Of things that should be found once each, in the order in which they are wanted."""

    def __init__(self, found, wanted):
        places = {thing: place for place, thing in enumerate(wanted)}
        order = dict.fromkeys(found)
        self.lost = [thing for thing in wanted if thing not in order]
        self.strange = [thing for thing in order if thing not in places]
        self.doubled = len(found) - len(order)
        known = [places[thing] for thing in order if thing in places]
        self.late = sum(one > other for one, other in zip(known, known[1:]))


class Counts(dict):
    """Counts by name, which a report shows in the order of the names."""

    def add(self, name, number=1):
        self[name] = self.get(name, 0) + number

    def add_all(self, counts):
        for name, number in counts.items():
            self.add(name, number)

    def __str__(self):
        return ", ".join("%s %d" % item for item in sorted(self.items()))


def read_lines(path):
    """The lines of a file, as bytes; none if there is no file."""
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        return file.read().splitlines()


def read_records(path, may_be_cut=False):
    """The JSON of each line of a file. A line that a kill has cut is left out if there may be one."""
    records = []
    for line in read_lines(path):
        try:
            records.append(json.loads(line))
        except ValueError:
            if not may_be_cut:
                raise
    return records
