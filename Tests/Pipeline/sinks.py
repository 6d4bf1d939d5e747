"""Sinks of deliver with their real servers: the writers, the faults, and the records that have arrived."""

import json
import os
import re
import signal
import socketserver
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from served import until

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Sink:
    """`command` writes a batch; `options` are those of deliver. For a server that can be stopped, `process` is the
    last one."""

    options = []
    batches = [7, 30, 100, 1000]
    rate = 300  # records per second
    largest = 1_000_000  # bytes of a record
    process = None
    may_double = False

    def __init__(self, folder, dice):
        self.folder, self.dice = folder, dice

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, name="server", **more):
        """A child process; its output goes to a file."""
        with open(self.path(name + ".log"), "ab") as log:
            return subprocess.Popen(command, stderr=log, **{"stdout": log, "stdin": subprocess.DEVNULL, **more})

    def start(self):
        pass

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def disturb(self):
        """Disturbs the server. The fault ends before this returns, or soon after."""

    def freeze(self, seconds):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(self.dice.uniform(0, seconds))
        self.process.send_signal(signal.SIGCONT)

    def restart(self, sign):
        self.process.send_signal(sign)
        self.process.wait()
        time.sleep(self.dice.choice([0, 0.1, 0.5]))
        self.start()

    def lines(self):
        """The lines that have arrived, in order."""
        try:
            with open(self.path("arrived"), "rb") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def data(self):
        """The data that has arrived, without the record around it; None if it is not a record."""
        return [data_of(line) for line in self.lines()]

    def is_settled(self, count):
        """Whether the last record has arrived, if that takes time."""
        return True

    def check(self, kills):
        """What else must be true at the end."""


def data_of(line):
    try:
        return json.loads(line)["data"]
    except ValueError:
        return None


class Redis(Sink):
    needs = ["redis-server", "redis-cli"]
    command = [str(EXAMPLES / "redis/sink"), "feed"]

    def start(self):
        os.environ["REDIS_SOCKET"] = self.path("socket")
        self.process = self.run(
            "redis-server", "--port", "0", "--unixsocket", self.path("socket"), "--dir", self.folder, "--save", "",
            "--appendonly", "yes", "--appendfsync", "always")

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-s", self.path("socket"), "--raw", *words], capture_output=True).stdout

    def disturb(self):
        kind = self.dice.choice(["kill", "kill", "freeze", "full"])
        if kind == "kill":
            self.restart(signal.SIGKILL)
        elif kind == "freeze":
            self.freeze(0.5)
        else:
            self.ask("CONFIG", "SET", "maxmemory", "1")
            time.sleep(self.dice.uniform(0, 0.5))
            self.ask("CONFIG", "SET", "maxmemory", "0")

    def lines(self):
        until(lambda: self.ask("PING") == b"PONG\n")
        return self.ask("XRANGE", "feed", "-", "+").splitlines()[2::3]


class RedisSeen(Redis):
    command = [*Redis.command, "seen"]


class SQLite(Sink):
    needs = ["sqlite3"]

    @property
    def command(self):
        return [str(EXAMPLES / "sqlite/sink"), self.path("q.db")]

    def disturb(self):
        # Another writer, which is slow.
        words = "BEGIN IMMEDIATE;\n.shell sleep %.2f\nCOMMIT;\n" % self.dice.uniform(0, 0.5)
        subprocess.run(["sqlite3", self.path("q.db")], input=words.encode(), stderr=subprocess.DEVNULL)

    def lines(self):
        return subprocess.run(
            ["sqlite3", self.path("q.db"), "SELECT line FROM record ORDER BY rowid"], capture_output=True).stdout.splitlines()


class Webhook(Sink):
    """A server that recognises keys, and answers at random."""

    needs = ["curl"]
    options = ["--raw"]
    batches = [1]
    rate = 5
    poison = 7  # each multiple of this is refused

    def __init__(self, folder, dice):
        super().__init__(folder, dice)
        self.kept, self.again, self.untold, self.lock = {}, 0, 0, threading.Lock()
        self.server = None

    @property
    def command(self):
        return [str(EXAMPLES / "webhook/sink"), "--max-time", "1", "--unix-socket", self.path("socket"), "http://hook/new"]

    def start(self):
        self.server = Hooks(self.path("socket"), Hook)
        self.server.sink = self
        threading.Thread(target=self.server.serve_forever, args=[0.01], daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        os.unlink(self.path("socket"))

    def disturb(self):
        self.stop()
        time.sleep(self.dice.uniform(0, 0.5))
        self.start()

    def keep(self, key, body, is_told):
        with self.lock:
            self.again += key in self.kept
            self.untold += not is_told
            self.kept.setdefault(key, body)

    def data(self):
        return [json.loads(body) if body.endswith(b"\n") else None for body in self.kept.values()]

    def check(self, kills):
        if self.again > self.untold + kills:
            raise SystemExit("%d came again, with %d that were not told and %d kills" % (self.again, self.untold, kills))
        return "%d came again, " % self.again


class Hooks(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass  # clients that are killed are the point


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        sink, key = self.server.sink, self.headers["Idempotency-Key"]
        with sink.lock:
            way = sink.dice.choice(["taken"] * 40 + ["500", "503", "301", "308", "408", "425", "429", "gone", "late", "silent", "half"])
        if way == "gone":
            return None
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) < int(self.headers["Content-Length"]):
            return None
        if way.isdigit():
            return self.answer(way)
        if int(key) % sink.poison == 0:
            return self.answer("404")
        sink.keep(key, body, way == "taken")
        if way == "taken":
            return self.answer(sink.dice.choice(["200", "201", "202", "204"]))
        if way == "half":
            # The answer ends inside its head.
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-")
            return None
        if way == "late":
            time.sleep(1.5)
            return self.answer("200")
        return None

    def answer(self, status):
        location = "Location: http://hook/elsewhere\r\n" if status[0] == "3" else ""
        self.wfile.write(("HTTP/1.1 %s \r\nContent-Length: 0\r\nConnection: close\r\n%s\r\n" % (status, location)).encode())

    def do_GET(self):
        raise SystemExit("a GET")

    def log_message(self, *arguments):
        pass


class Kafka(Sink):
    """The mock cluster inside librdkafka. It keeps 5 MB, so a consumer reads along, and fails if it is too slow.

    One partition, or a key, keeps the order.
    """

    needs = ["kcat"]
    rate = 200
    largest = 200_000
    may_double = True
    reader = None

    @property
    def command(self):
        return [
            "env", "KAFKA_BROKERS=" + self.brokers, str(EXAMPLES / "kafka/sink"), "feed", "0",
            "-X", "message.timeout.ms=2000"]

    def start(self):
        self.process = self.run(
            "kcat", "-P", "-b", "mock", "-t", "feed", "-X", "test.mock.num.brokers=1", "-d", "mock", stdin=subprocess.PIPE)
        found = until(lambda: re.search(rb"bootstrap\.servers=(\S+)", Path(self.path("server.log")).read_bytes()))
        self.brokers = found[1].decode()
        with open(self.path("arrived"), "ab") as file:
            self.reader = self.run(
                "kcat", "-C", "-q", "-u", "-b", self.brokers, "-t", "feed", "-p", "0", "-o", "beginning",
                "-X", "reconnect.backoff.max.ms=100", "-X", "topic.auto.offset.reset=error", name="reader", stdout=file)

    def stop(self):
        self.reader.kill()
        self.reader.wait()
        super().stop()

    def disturb(self):
        self.freeze(self.dice.choice([0.5, 3]))

    def is_settled(self, count):
        if self.reader.poll() is not None:
            raise SystemExit("the consumer has ended: " + Path(self.path("reader.log")).read_text())
        return len({json.dumps(data) for data in self.data()}) >= count


class MQTT(Sink):
    """The broker keeps acknowledged messages in memory until it ends, so it is ended, not killed.

    mosquitto_pub -l never ends after losing its broker, even if the broker returns: hence --timeout. If deliver
    alone is killed, its --timeout is gone and the next deliver waits: hence timeout(1).
    """

    needs = ["mosquitto", "mosquitto_pub", "mosquitto_sub"]
    options = ["--timeout", "2"]
    rate = 200
    may_double = True
    reader = None
    is_settled = Kafka.is_settled

    @property
    def command(self):
        return ["env", "MQTT_TIMEOUT=4", str(EXAMPLES / "mqtt/sink"), "--unix", self.path("socket"), "-t", "feed"]

    def start(self):
        with open(self.path("conf"), "w", encoding="utf-8") as file:
            file.write("listener 0 %s\nallow_anonymous true\npersistence true\npersistence_location %s/\nuser root\n" % (
                self.path("socket"), self.folder) + "max_queued_messages 0\n")
        self.process = self.run("mosquitto", "-c", self.path("conf"))
        if self.reader is None:
            until(lambda: os.path.exists(self.path("socket")))
            with open(self.path("arrived"), "ab") as file:
                self.reader = self.run(
                    "mosquitto_sub", "--unix", self.path("socket"), "-t", "feed", "-q", "1", "-c", "-i", "reader",
                    name="reader", stdout=file)

    def stop(self):
        self.reader.kill()
        self.reader.wait()
        super().stop()

    def disturb(self):
        if self.dice.random() < 0.5:
            self.freeze(0.5)
        else:
            self.restart(signal.SIGTERM)


SINKS = {"redis": Redis, "redis-seen": RedisSeen, "sqlite": SQLite, "webhook": Webhook, "kcat": Kafka, "mosquitto": MQTT}
