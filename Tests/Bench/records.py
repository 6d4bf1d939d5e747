"""Small records, as live feeds have them: event streams of 100,000 events, and of one."""

import os

COUNT = 100_000
# name: the lines of an event, with its number.
KINDS = {
    "events of 49 bytes": 'data: {"id":%d,"text":"live %06d","n":%d}\n\n',
    "named events with an ID": 'event: tick\nid: %d\ndata: {"id":1%06d,"text":"live","n":%d}\n\n',
    "a line of text": "data: %d is the first line of text, %06d and some more: %d\n\n",
    "two lines of text": "data: %d is the first line of text %06d\ndata: and the second line %d\n\n",
}
# The options of each row, and the kind that it reads.
ROWS = [
    ([], "events of 49 bytes"),
    (["-r"], "events of 49 bytes"),
    (["-e", "tick", "--time", "--source", "feed", "--data-as", "json"], "named events with an ID"),
    ([], "a line of text"),
    ([], "two lines of text"),
]


def make(folder, kind, count):
    """The path of a stream."""
    path = os.path.join(folder, "%s-%d.sse" % (kind.replace(" ", "-"), count))
    if not os.path.exists(path):
        with open(path, "w", encoding="ascii") as file:
            file.writelines(KINDS[kind] % (1_000_000 + n, n * 7919 % 1_000_000, n % 10) for n in range(count))
    return path
