"""Runs one cell of a table: a tool, against the answers of a row."""
import itertools
import os
import re
import selectors
import shlex
import signal
import subprocess
import time

from server import Answer, unescape

PATIENCE = 60
numbers = itertools.count(1)
# After a failure; the end of a complete response is none.
RETRY = re.compile(r"^(?!.*closed by the server).*; (?:retrying|reconnecting) (?:at once|in ([0-9.]+) s)", re.MULTILINE)
TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
# In seconds. A shorter wait has a random part in some tools, and is not shown.
LONG_WAIT = 30


class Run:
    """A process, and what it prints."""

    def __init__(self, command, stdin, folder, ends_at):
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        environment.update(LC_ALL="C.UTF-8", TERM="dumb", SWIFT_BACKTRACE="enable=no", HOME=folder)
        words = ["sh", "-c", command] if re.search(r"[|<>;&]", command) else shlex.split(command)
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=folder, env=environment, start_new_session=True)
        self.texts, self.ends_at = {1: b"", 2: b""}, ends_at
        if stdin:
            # Smaller than a pipe's buffer.
            try:
                self.process.stdin.write(stdin)
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self.read(time.monotonic() + PATIENCE)
        self.status = self.process.wait()
        if self.status < 0:
            self.status = 128 - self.status

    def read(self, deadline):
        """Reads what is printed, to the end. Ends the process as soon as `ends_at` says so."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ, 1)
            selector.register(self.process.stderr, selectors.EVENT_READ, 2)
            while selector.get_map():
                if time.monotonic() > deadline:
                    self.end(signal.SIGKILL)
                    raise TimeoutError(f"still running after {PATIENCE} s: {self.texts}")
                for key, _ in selector.select(1):
                    piece = os.read(key.fd, 1 << 16)
                    self.texts[key.data] += piece
                    if not piece:
                        selector.unregister(key.fileobj)
                        key.fileobj.close()
                if self.ends_at(self):
                    self.ends_at = lambda run: False
                    self.end(signal.SIGTERM)

    def end(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    @property
    def output(self):
        return self.texts[1]

    @property
    def words(self):
        return self.texts[2].decode("utf-8", "replace")


def play(table, row, column, server, folder):
    """The parts of the cell that came."""
    cell = "c%d" % next(numbers)
    own = os.path.join(folder, cell)
    os.mkdir(own)
    script = row.script or column.script or row.section.script
    is_refused = False
    words = dict(row.section.words, **column.words, row=row.name, cell=cell)
    if script:
        script = fill(script, words)
        is_refused = "refuse" in script.split()
        words["url"] = url = address(column, server, cell, is_refused)
        kind, _, body = (column.feed or "text/plain ''").partition(" ")
        feed = kind, fill(body.strip()[1:-1], words)
        answers = [Answer(text, feed, number, words) for number, text in enumerate(script.split(" / "), 1)]
        server.scripts[cell] = answers
    stdin = column.stdin or row.get("stdin")
    data = b"" if not stdin else answers[0].body if stdin == "body" else unescape(stdin[1:-1])
    options = " ".join(row.section.options + row.options)
    command = fill(column.run, dict(words, options=fill(options, words)))
    if "{" in re.sub(r"'[^']*'", "", command):
        raise ValueError(f"no word for a name in {command}")
    stop = row.get("stop")
    is_probe = "verdict" in table.parts

    def ends_at(run):
        return stop and re.search(stop, run.words) or is_probe and RETRY.search(run.words)

    run = Run(command, data, own, ends_at)
    requests = server.counts.get(cell, 0)
    if not script:
        return parts(table, run, None, "", None)
    probe = [index for index, text in enumerate((row.script or row.section.script or "{row}").split(" / "), 1)
             if "{row}" in text]
    number = probe[0] if probe else 1
    verdict = judge(run, requests, number) if is_probe else None
    if verdict == "retried":
        # A fast tool may ask again before it is ended.
        requests = min(requests, number)
    return parts(table, run, requests, url, verdict)


def address(column, server, cell, is_refused):
    scheme = "ws" if (column.feed or "").startswith("websocket") else "http"
    return f"{scheme}://127.0.0.1:{server.refusing_port if is_refused else server.port}/{cell}"


def judge(run, requests, probe):
    """What the tool makes of the answer with the number `probe`."""
    if re.search(r"\b%d\b" % probe, run.output.decode("utf-8", "replace")):
        return "taken"
    if RETRY.search(run.words):
        return "retried"
    if requests > probe:
        return "again"
    return "final" if run.status else "nothing"


def parts(table, run, requests, url, verdict):
    """The parts of a cell, as the table wants them."""
    text = run.words.replace(url, "URL") if url else run.words
    lines = [re.sub(r"^[\w-]+: (?:(?:URL|-): )?", "", line) for line in text.splitlines()]
    lines = [re.sub(r"\bin [0-9]+\.[0-9] s", "in ~ s", line) for line in lines]
    status = str(run.status)
    if verdict == "retried":
        wait = float(RETRY.search(run.words)[1] or 0)
        status = "%.0fs" % wait if wait >= LONG_WAIT else None
    have = {
        "verdict": verdict, "status": status, "requests": "x%d" % requests if requests is not None else None,
        "output": "'%s'" % escaped(run.output), "message": " / ".join(lines)}
    return [have[part] for part in table.parts if have[part]]


def escaped(data):
    """As it is typed in a table."""
    text = TIME.sub("TIME", data.decode("utf-8", "backslashreplace")).replace("'", "\\'")
    for char, escape in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\0", "\\0")):
        text = text.replace(char, escape)
    return re.sub(r"[\x01-\x1f\x7f]", lambda match: "\\x%02x" % ord(match[0]), text)


def fill(text, words):
    """Puts the values of names in braces."""
    for _ in range(3):
        text = re.sub(r"\{([a-z][a-z-]*)\}", lambda match: words.get(match[1], match[0]), text)
    return text
