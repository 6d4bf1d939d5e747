"""What is counted at the end: lost, doubled, out of order."""


class Comparison:
    """Of things that should be found once each, in the order in which they are wanted."""

    def __init__(self, found, wanted):
        places = {thing: place for place, thing in enumerate(wanted)}
        counts, order = {}, []
        for thing in found:
            if thing not in counts:
                order.append(thing)
            counts[thing] = counts.get(thing, 0) + 1
        self.lost = [thing for thing in wanted if thing not in counts]
        self.strange = [thing for thing in order if thing not in places]
        self.doubled = sum(counts.values()) - len(counts)
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
