"""The ways of running a tool that are tried: the laws' samples, the network, and everything that writes files."""
import json
import os
import shlex
import sqlite3

import servers
from tracing import Outcome, Process

HERE = os.path.dirname(os.path.abspath(__file__))
LAWS = os.path.join(HERE, "..", "Fixtures", "laws")
OLD = b'{"a": 1, "b": [true]}\n'
PATCH = b'[{"op":"replace","path":"/a","value":2}]'
NEW = b'{"a": 2, "b": [true]}\n'
THEIRS = b'{"a": 2, "b": [true, "x"]}\n'
MERGED = b'{"a": 3, "b": [true, "x"]}\n'
MARKED = b"""{
<<<<<<< OURS
"a": 3,
=======
"a": 2,
>>>>>>> THEIRS
"b": [true, "x"]}
"""


def records_of(text):
    """The records on its lines, without a line that a fault has torn."""
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


class Scenario:
    """A command with its input. `{HTTP}` and `{WS}` stand for the servers' URLs."""

    # The allowed contents of files afterwards; the last is that of a run without errors. None: the file does not exist.
    states = {}
    # Whether the other end forgets unfinished work when a connection is lost, so that only a message can be required.
    forgets = False

    def __init__(self, name, command, data=b"", files=None, states=None):
        self.name, self.words, self.data = name, shlex.split(command), data
        self.tool = next(word for word in self.words if os.path.exists(os.path.join(HERE, "..", "..", "Sources", word, "main.swift")))
        self.forgets, self.is_server = self.tool == "ws-cat", self.tool == "sse-serve"
        self.given = files or {}
        self.states = states or {}

    def prepare(self, folder):
        for name, content in self.given.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)

    def command(self, made):
        return [made.fill(word) for word in self.words]

    def run(self, folder, made, fault=None, is_traced=False):
        outcome = Outcome()
        Process(self.command(made), folder, fault, is_traced).end(outcome, made.fill(self.data.decode()).encode())
        outcome.output, outcome.error = made.hide(outcome.output), made.hide(outcome.error)
        self.look(folder, outcome)
        return outcome

    def look(self, folder, outcome):
        for name in os.listdir(folder):
            if os.path.isfile(os.path.join(folder, name)):
                outcome.files[name] = read(os.path.join(folder, name))

    def again(self, folder, made, command=None, data=None):
        """A run without faults in the same folder."""
        outcome = Outcome()
        words = [made.fill(word) for word in (command or self.words)]
        Process(words, folder).end(outcome, self.data if data is None else data)
        return outcome

    def afterwards(self, folder, made, base, outcome):
        """What is wrong with a run without faults after this one."""
        return []


class Repeated(Scenario):
    """A second run, without faults, must have the result that the first one should have had."""

    def afterwards(self, folder, made, base, outcome):
        again = self.again(folder, made)
        if again.status != base.status or made.hide(again.output) != base.output:
            return [f"run again: {again}"]
        for name, allowed in self.states.items():
            if read(os.path.join(folder, name)) != allowed[-1]:
                return [f"run again, {name} holds {read(os.path.join(folder, name))!r}"]
        return []


class InPlace(Scenario):
    """`jpatch -i --backup --undo`: the document is old or new, and its undo patch is never lost."""

    UNDO = b'[{"op":"test","path":"/old"}]\n'

    def __init__(self):
        super().__init__(
            "in place with backup and undo", "jpatch -i --backup .bak --undo undo -e " + shlex.quote(PATCH.decode()) + " doc",
            files={"doc": OLD, "undo": self.UNDO})

    def afterwards(self, folder, made, base, outcome):
        new_undo = base.files["undo"]
        document, backup, undo = (outcome.files.get(name) for name in ("doc", "doc.bak", "undo"))
        wrong = []
        if document not in (OLD, base.files["doc"]) or backup not in (None, OLD) or undo not in (self.UNDO, new_undo):
            wrong.append("a file is neither old nor new")
        if document == base.files["doc"] and document != OLD and undo != new_undo:
            wrong.append("the document is new, and the patch that takes it back is not there")
        if document == base.files["doc"] and backup != OLD:
            wrong.append("the document is new, and the backup is not there")
        if document == OLD and undo != self.UNDO and outcome.status not in (0, None) and outcome.status > 0:
            if "rename" not in (outcome.hit or "") or "undo" not in (outcome.hit or ""):
                wrong.append("the document is old, and the patch that takes back the edit before is lost")
        if document == OLD:
            again = self.again(folder, made)
            if again.status != 0 or read(os.path.join(folder, "doc")) != base.files["doc"]:
                wrong.append(f"run again: {again}")
        return wrong


class Records(Scenario):
    """`jpatch --follow --checkpoint`: the source sends the records after the id of the checkpoint."""

    COUNT = 6
    TOOL = "jpatch --follow --newer /n --checkpoint state"

    def __init__(self):
        super().__init__("checkpoint", self.TOOL, b"".join(self.record(number) for number in range(1, self.COUNT + 1)))

    @staticmethod
    def record(number):
        kind, data = ("data", {"n": 1}) if number == 1 else (
            "patch", [{"op": "test", "path": "/n", "value": number - 1}, {"op": "replace", "path": "/n", "value": number}])
        return json.dumps({"event": kind, "id": str(number), "data": data}).encode() + b"\n"

    def kept(self, folder):
        """The id and the document of the checkpoint; (0, None) if there is none."""
        content = read(os.path.join(folder, "state"))
        if content is None:
            return 0, None
        record = json.loads(content)
        return int(record["id"]), record["data"]

    def printed(self, output):
        return [json.loads(line)["n"] for line in output.splitlines(keepends=True) if line.endswith(b"\n")]

    def afterwards(self, folder, made, base, outcome):
        try:
            number, document = self.kept(folder)
        except (ValueError, KeyError) as error:
            return [f"the checkpoint is neither old nor new: {error}"]
        if number and document != {"n": number}:
            return [f"the checkpoint's id and document do not belong together: {number} {document}"]
        before = self.printed(outcome.output)
        if number > max(before, default=0) and not (outcome.hit and "write(1" in outcome.hit):
            return [f"the checkpoint ({number}) is ahead of what was printed {before}"]
        rest = b"".join(self.record(n) for n in range(number + 1, self.COUNT + 1))
        again = self.again(folder, made, data=rest)
        everything = set(before + self.printed(again.output))
        if again.status != 0 or self.kept(folder)[0] != self.COUNT:
            return [f"run again: {again}"]
        if everything != set(range(1, self.COUNT + 1)) and not (outcome.hit and "write(1" in outcome.hit):
            return [f"printed: {before}, then {self.printed(again.output)}"]
        return []


class Feeds(Scenario):
    """`--by --checkpoint`: with the next run, each document of each feed is printed, and no id is given to two."""

    COUNT, FEEDS = 3, "ab"

    def __init__(self, command):
        super().__init__(
            "checkpoint of many", command + " --by /source --checkpoint state",
            b"".join(self.records(number) for number in range(1, self.COUNT + 1)))

    def records(self, number, kept=None):
        """The next document of each feed, but for those that are in the checkpoint."""
        return b"".join(
            json.dumps({"event": "data", "id": str(number), "data": {"n": number}, "source": feed}).encode() + b"\n"
            for feed in self.FEEDS if number > (kept or {}).get(feed, 0))

    @staticmethod
    def kept(folder):
        """The document of each feed in the checkpoint."""
        content = read(os.path.join(folder, "state"))
        if content is None:
            return {}
        note, *records = map(json.loads, content.splitlines())
        if note["by"] != "/source" or not content.endswith(b"\n"):
            raise ValueError(f"it is not whole: {content!r}")
        return {record["source"]: record["data"]["n"] for record in records if record["data"]}

    def afterwards(self, folder, made, base, outcome):
        try:
            kept = self.kept(folder)
            rest = b"".join(self.records(number, kept) for number in range(1, self.COUNT + 1))
            again = self.again(folder, made, data=rest)
            if again.status != 0 or self.kept(folder) != dict.fromkeys(self.FEEDS, self.COUNT):
                return [f"run again: {again}, checkpoint {self.kept(folder)}"]
        except (ValueError, KeyError, TypeError) as error:
            return [f"the checkpoint is neither old nor new: {error}"]
        printed = {}
        for record in records_of(outcome.output + b"\n" + again.output):
            if "event" not in record:
                continue  # a note
            if printed.setdefault((record["source"], record["id"]), record["data"]["n"]) != record["data"]["n"]:
                return [f"an id is there twice: {outcome.output!r}, {again}"]
        wanted = {(feed, number) for feed in self.FEEDS for number in range(1, self.COUNT + 1)}
        if {(feed, number) for (feed, _), number in printed.items()} != wanted and "write(1" not in (outcome.hit or ""):
            return [f"printed: {outcome.output!r}, then {again}"]
        return []


class Documents(Scenario):
    """`jdiff --follow --checkpoint`: after a restart it continues from the last written document, and gives no id twice."""

    def __init__(self):
        super().__init__("checkpoint", "jdiff --follow --checkpoint state", b'{"n":1}\n{"n":2}\n{"n":3,"m":[]}\n')

    def afterwards(self, folder, made, base, outcome):
        content = read(os.path.join(folder, "state"))
        try:
            record = json.loads(content) if content is not None else None
            if record and record["data"] not in ({"n": 1}, {"n": 2}, {"n": 3, "m": []}):
                return [f"the checkpoint is neither old nor new: {content}"]
        except (ValueError, KeyError) as error:
            return [f"the checkpoint is neither old nor new: {error}"]
        again = self.again(folder, made)
        state = json.loads(read(os.path.join(folder, "state")) or b"{}")
        if again.status != 0 or state.get("data") != {"n": 3, "m": []}:
            return [f"run again: {again}, checkpoint {state}"]
        documents = {}
        for record in records_of(outcome.output + b"\n" + again.output):
            if documents.setdefault(record["id"], record["data"]) != record["data"]:
                return [f"the id {record['id']} is there twice: {outcome.output!r}, {again}"]
        return []


class Stream(Scenario):
    """`sse-cat --checkpoint URL`: together with the next run, all events are printed."""

    def __init__(self):
        super().__init__("checkpoint", "sse-cat --reconnect-delay 5ms --checkpoint state {HTTP}/events")

    def afterwards(self, folder, made, base, outcome):
        again = self.again(folder, made)
        try:
            number = int(json.loads(read(os.path.join(folder, "state")))["id"])
            lines = [json.loads(line)["id"] for line in (outcome.output + again.output).splitlines()]
        except (TypeError, ValueError, KeyError) as error:
            return [f"{error}; {outcome.output!r}; run again: {again}"]
        if again.status != 0 or number != servers.EVENTS:
            return [f"run again: {again}, checkpoint {number}"]
        lost_write = outcome.hit and "write(1" in outcome.hit and "error" not in outcome.hit
        if set(lines) != set(map(str, range(1, servers.EVENTS + 1))) and not lost_write:
            return [f"printed: {lines}"]
        if outcome.status == 0 and len(lines) != servers.EVENTS:
            return [f"printed twice: {lines}"]
        return []


class Polled(Scenario):
    """`http-cat --every --checkpoint`: with the next run, all versions are printed; a known one was printed."""

    def __init__(self):
        super().__init__("checkpoint", f"http-cat --every 1ms --jitter 0 --max-backoff 5ms --checkpoint state -n {servers.BOARDS} {{HTTP}}/board")

    @staticmethod
    def known(folder):
        content = read(os.path.join(folder, "state"))
        record = json.loads(content) if content else {}
        number = int(record.get("etag", '"0"').strip('"'))
        if number and not record["id"].endswith(' "%d"' % number):
            raise ValueError(f"the tag is another one than in the id: {record}")
        return number

    def afterwards(self, folder, made, base, outcome):
        lost_write = outcome.hit and "write(1" in outcome.hit and "error" not in outcome.hit
        try:
            printed = [json.loads(line)["n"] for line in outcome.output.splitlines()]
            known = self.known(folder)
            if known and known not in printed and not lost_write:
                return [f"the checkpoint has version {known}; printed: {printed}"]
            left = servers.BOARDS - known
            if left:
                words = ["%d" % left if word == str(servers.BOARDS) else word for word in self.words]
                again = self.again(folder, made, words)
                if again.status != 0:
                    return [f"run again: {again}"]
                printed += [json.loads(line)["n"] for line in again.output.splitlines()]
            if self.known(folder) != servers.BOARDS:
                return [f"the checkpoint has version {self.known(folder)} at the end"]
        except (ValueError, KeyError) as error:
            return [f"{error}; {outcome.output!r}"]
        if set(printed) != set(range(1, servers.BOARDS + 1)) and not lost_write:
            return [f"printed: {printed}"]
        if outcome.status == 0 and len(printed) > servers.BOARDS:
            return [f"printed twice: {printed}"]
        return []


class Store(Scenario):
    """`paginate --store`: after any failure, later runs print the rest, nothing twice, and the store is undamaged."""

    OPTIONS = "--store store --items /items --id-from /id --next /next"

    def __init__(self, name="store", options=""):
        super().__init__(name, f"paginate {self.OPTIONS} {options} {{HTTP}}/feed")

    def afterwards(self, folder, made, base, outcome):
        first = outcome.output.splitlines()
        again = self.again(folder, made)
        last = self.again(folder, made, self.words + ["--redeliver"])
        if again.status != 0 or last.status != 0:
            return [f"run again: {again}; --redeliver: {last}"]
        wrong = []
        second, uncertain = again.output.splitlines(), last.output.splitlines()
        everything = [servers.item(number) for number in range(1, servers.ITEMS + 1)]
        if not (outcome.hit and "write(1" in outcome.hit and "error" not in outcome.hit):
            if set(first + second + uncertain) != set(everything):
                wrong.append(f"printed: {first}, then {second}, uncertain {uncertain}")
        if set(first) & set(second):
            wrong.append(f"printed twice: {set(first) & set(second)}")
        database = sqlite3.connect(os.path.join(folder, "store"))
        found = database.execute("PRAGMA integrity_check").fetchall()
        database.close()
        return wrong if found == [("ok",)] else wrong + [f"integrity_check: {found}"]

    def look(self, folder, outcome):
        """The files are SQLite's; later runs check their contents."""
        super().look(folder, outcome)
        for name in [name for name in outcome.files if name.startswith("store")]:
            outcome.files[name] = b""


class Reader(Store):
    """`paginate --store --resume-from`: the next run prints the items after the last one printed, in order."""

    def __init__(self):
        super().__init__("reader of a store", "--records --resume-from state")

    def afterwards(self, folder, made, base, outcome):
        first = outcome.output.splitlines()
        if first:
            with open(os.path.join(folder, "state"), "w", encoding="utf-8") as file:
                json.dump({"event": "data", "id": json.loads(first[-1])["id"], "data": None}, file)
        again = self.again(folder, made)
        if again.status != 0:
            return [f"run again: {again}"]
        second = again.output.splitlines()
        if not (outcome.hit and "write(1" in outcome.hit and "error" not in outcome.hit):
            if first + second != base.output.splitlines():
                return [f"printed: {first}, then {second}"]
        # For runs whose account the store keeps, all of it still waits.
        words = [word for word in self.words if word not in ("--records", "--resume-from", "state")]
        plain = self.again(folder, made, words).output.splitlines()
        return [] if len(plain) == servers.ITEMS else [f"printed without a checkpoint: {plain}"]


class Delivered(Scenario):
    """`deliver --checkpoint --dead`: with the next run, COMMAND has taken all records except the one that it refuses."""

    COUNT, REFUSED = 5, 3
    COMMAND = """IFS= read -r line; case $line in *'"id":"3"'*) exit 65 ;; esac; printf '%s\\n' "$line\""""

    def __init__(self):
        super().__init__(
            "checkpoint", "deliver --checkpoint state --dead dead --batch 1 --max-backoff 5ms -- sh -c " + shlex.quote(self.COMMAND),
            b"".join(self.record(number) for number in range(1, self.COUNT + 1)))

    @staticmethod
    def record(number):
        return b'{"event":"e","id":"%d","data":[%d]}\n' % (number, number)

    @staticmethod
    def ids(lines):
        return [int(record["id"]) for record in records_of(lines)]

    def look(self, folder, outcome):
        """Dead records are compared without the time that each has."""
        super().look(folder, outcome)
        dead = outcome.files.get("dead")
        if dead is not None:
            outcome.files["dead"] = repr(self.ids(dead)).encode()

    def afterwards(self, folder, made, base, outcome):
        if outcome.hit and "write(" in outcome.hit and "= -1" not in outcome.hit:
            return []  # a line that lacks a byte cannot be checked further
        wrong = []
        try:
            content = read(os.path.join(folder, "state"))
            number = int(json.loads(content)["id"]) if content else 0
            before, dead = self.ids(outcome.output), self.ids(read(os.path.join(folder, "dead")) or b"")
            missing = set(range(1, number + 1)) - set(before) - set(dead)
            if missing:
                wrong.append(f"the checkpoint ({number}) is past what was neither taken nor written down: {missing}")
            again = self.again(folder, made, data=b"".join(self.record(n) for n in range(number + 1, self.COUNT + 1)))
            taken, dead = before + self.ids(again.output), self.ids(read(os.path.join(folder, "dead")) or b"")
            state = json.loads(read(os.path.join(folder, "state")))["id"]
        except (TypeError, ValueError, KeyError) as error:
            return [f"{error}; {outcome.output!r}"]
        if again.status not in (0, 1) or state != str(self.COUNT):
            wrong.append(f"run again: {again}, checkpoint {state}")
        if set(taken) != set(range(1, self.COUNT + 1)) - {self.REFUSED} or set(dead) != {self.REFUSED}:
            wrong.append(f"taken: {taken}, dead: {dead}")
        return wrong


def samples():
    """The lines of samples.txt; if a word before the tool would start a server, ours replaces it."""
    result = []
    with open(os.path.join(LAWS, "samples.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            command, _, data = line.split(" ", 1)[1].strip().rpartition(" <")
            if "with-http-echo " in command:
                command = command.replace("with-http-echo ", "").replace("{0}", "{HTTP}/echo")
            # Retries come soon.
            command = command.replace("ws-cat ", "ws-cat --reconnect-delay 5ms ").replace("with-ws-echo ", "").replace("{0}", "{WS}").replace("laws/", LAWS + "/")
            result.append(Scenario(command.replace(LAWS + "/", ""), command, read(os.path.join(LAWS, data))))
    return result


def all_scenarios():
    import serving
    xml = b"<a><r>1</r><r>22</r><r>333</r></a>"
    parts = {f"part-{n}.xml": [None, b'<?xml version="1.0" encoding="UTF-8"?>\n<r>%s</r>\n' % (str(n).encode() * n)] for n in (1, 2, 3)}
    return samples() + [
        Repeated("in place", "jpatch -i -e " + shlex.quote(PATCH.decode()) + " doc", files={"doc": OLD}, states={"doc": [OLD, NEW]}),
        InPlace(),
        Repeated(
            "merge in place", "jpatch --three-way -i base ours theirs",
            files={"base": NEW, "ours": NEW.replace(b"2", b"3"), "theirs": THEIRS},
            states={"ours": [NEW.replace(b"2", b"3"), MERGED]}),
        Scenario(
            "marks in place", "jpatch --three-way -i --backup .bak --conflict mark base ours theirs",
            files={"base": OLD, "ours": NEW.replace(b"2", b"3"), "theirs": THEIRS},
            states={"ours": [NEW.replace(b"2", b"3"), MARKED], "ours.bak": [None, NEW.replace(b"2", b"3")]}),
        Repeated(
            "comments in place", "jpatch --jsonc -i -e " + shlex.quote(PATCH.decode()) + " doc",
            files={"doc": b"// x\n" + OLD}, states={"doc": [b"// x\n" + OLD, b"// x\n" + NEW]}),
        Records(),
        Documents(),
        Feeds("jdiff --follow --records-in"),
        Feeds("jpatch --follow --records"),
        Delivered(),
        Repeated("files", "xml-split --files part-%d.xml r", xml, states=parts),
        Repeated("durable files", "xml-split --durable --files part-%d.xml r", xml, states=parts),
        Scenario("connect once", "sse-cat --no-reconnect {HTTP}/all"),
        Scenario("after a redirect", "sse-cat --no-reconnect {HTTP}/moved"),
        Scenario("reconnect", "sse-cat --reconnect-delay 5ms {HTTP}/events"),
        Stream(),
        Scenario("one body", "http-cat {HTTP}/board"),
        Polled(),
        Scenario("a stream of bytes", "http-cat --stream --no-reconnect --as bytes {HTTP}/lines"),
        Scenario("a stream of lines", "http-cat --stream --no-reconnect {HTTP}/lines"),
        Scenario("three pages", "paginate --items /items --id-from /id --next /next {HTTP}/feed"),
        Scenario("after a redirect", "paginate --records --items /items --id-from /id --next /next {HTTP}/moved"),
        Store(),
        Store("durable store", "--durable"),
        Reader(),
        Scenario("echo", "ws-cat --reconnect-delay 5ms --close-after 0 {WS}", b'{"a":1}\ntext\n{"b":[2]}\n'),
        serving.Served("a client", "sse-serve --port-file port 0"),
        serving.Served("plain events", "sse-serve --plain --add-ids --port-file port 0"),
        serving.Served(
            "a client of one of several streams, in gzip, with a token",
            "sse-serve --stream-from /source --gzip --token-file token --port-file port 0", "/streams/a",
            "Accept-Encoding: gzip\r\nAuthorization: Bearer secret\r\n", {"token": b"secret\n"}),
        serving.ServedByManager("a client of a socket that is passed", "sse-serve fd:{FD}"),
        serving.ServedBySocket("a client of a Unix socket", f"sse-serve --socket-owner :{os.getgid()} unix:feed.sock"),
    ]
