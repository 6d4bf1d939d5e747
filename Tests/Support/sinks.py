"""Sinks of deliver with their real servers: the writers, the faults, and the records that have arrived. All files are
in the current folder."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

from Support.kit import Server, check, start, until

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

    def __init__(self, dice):
        self.dice = dice

    def run(self, *command, log="server.log", **more):
        """A child process; its output goes to a file."""
        return start(list(command), **{"stdout": log, "stderr": log, **more})

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
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def restart(self, sign):
        self.process.send_signal(sign)
        self.process.wait()
        time.sleep(self.dice.choice([0, 0.1, 0.5]))
        self.start()

    def lines(self):
        """The lines that have arrived, in order."""
        return Path("arrived").read_bytes().splitlines() if os.path.exists("arrived") else []

    def data(self):
        """The data that has arrived, without the record around it; None if it is not a record."""
        return [data_of(line) for line in self.lines()]

    def is_settled(self, count):
        """Whether the last record has arrived, if that takes time."""
        return True

    def check(self, kills):
        """Checks what else must be true at the end, and returns a part of the report."""
        return ""


def data_of(line):
    try:
        return json.loads(line)["data"]
    except ValueError:
        return None


class Redis(Sink):
    needs = ["redis-server", "redis-cli"]
    command = [str(EXAMPLES / "redis/sink"), "feed"]

    def start(self):
        os.environ["REDIS_SOCKET"] = os.path.abspath("socket")
        self.process = self.run(
            "redis-server", "--port", "0", "--unixsocket", os.environ["REDIS_SOCKET"], "--save", "",
            "--appendonly", "yes", "--appendfsync", "always")

    def wait_for(self):
        until(lambda: self.ask("PING") == b"PONG\n", "Redis", [self.process])

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-s", "socket", "--raw", *words], capture_output=True).stdout

    def fill(self, seconds):
        """Has no memory left for a while."""
        self.ask("CONFIG", "SET", "maxmemory", "1")
        time.sleep(seconds)
        self.ask("CONFIG", "SET", "maxmemory", "0")

    def disturb(self):
        kind = self.dice.choice(["kill", "kill", "freeze", "full"])
        if kind == "kill":
            self.restart(signal.SIGKILL)
        else:
            (self.freeze if kind == "freeze" else self.fill)(self.dice.uniform(0, 0.5))

    def lines(self):
        self.wait_for()
        return self.ask("XRANGE", "feed", "-", "+").splitlines()[2::3]


class RedisSeen(Redis):
    command = [*Redis.command, "seen"]


class SQLite(Sink):
    needs = ["sqlite3"]
    command = [str(EXAMPLES / "sqlite/sink"), "q.db"]

    def set_key(self, columns):
        """Which records are the same, if not those that `schema.sql` says."""
        schema = (EXAMPLES / "sqlite/schema.sql").read_text(encoding="utf-8")
        self.ask(schema.replace("UNIQUE (id, event, data)", "UNIQUE (%s)" % columns))

    def ask(self, text):
        # A COMMAND that has outlived its deliver may hold the lock.
        command = ["sqlite3", "-cmd", ".timeout 60000", "q.db"]
        return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout

    def disturb(self):
        # Another writer, which is slow.
        self.ask("BEGIN IMMEDIATE;\n.shell sleep %.2f\nCOMMIT;\n" % self.dice.uniform(0, 0.5))

    def lines(self):
        return self.ask("SELECT line FROM record ORDER BY rowid").splitlines()


class Webhook(Sink):
    """A server that recognises keys, and answers at random."""

    needs = ["curl"]
    options = ["--raw"]
    batches = [1]
    rate = 5
    poison = 7  # each multiple of this is refused
    ways = ["taken"] * 40 + ["500", "503", "301", "308", "408", "425", "429", "gone", "late", "silent", "half"]
    command = [str(EXAMPLES / "webhook/sink"), "--max-time", "1", "--unix-socket", "socket", "http://hook/new"]

    def __init__(self, dice):
        super().__init__(dice)
        self.kept, self.again, self.untold, self.gets = {}, 0, 0, 0

    def start(self):
        self.server = Server(self.answer, path="socket")

    def stop(self):
        self.server.stop()
        os.unlink("socket")

    def disturb(self):
        self.stop()
        time.sleep(self.dice.uniform(0, 0.5))
        self.start()

    def answer(self, request):
        request.closes = True
        with request.server.lock:
            way, key, body = self.dice.choice(self.ways), request.headers["idempotency-key"], request.body
            self.gets += request.method != "POST"
            if way == "gone" or len(body) < int(request.headers["content-length"]):
                return None
            if way.isdigit():
                return b"", int(way), *["Location: http://hook/elsewhere"] * (way[0] == "3")
            if int(key) % self.poison == 0:
                return 404
            self.again += key in self.kept
            self.untold += way != "taken"
            self.kept.setdefault(key, body)
            if way == "taken":
                return self.dice.choice([200, 201, 202, 204])
        if way == "half":
            # The response ends inside its head.
            return request.send(b"HTTP/1.1 200 OK\r\nContent-")
        if way == "late":
            time.sleep(1.5)
            return 200
        return None

    def data(self):
        return [json.loads(body) if body.endswith(b"\n") else None for body in self.kept.values()]

    def check(self, kills):
        check(self.again <= self.untold + kills,
              "%d came again, with %d that were not told and %d kills" % (self.again, self.untold, kills))
        check(not self.gets, "a request that is no POST")
        return "%d came again, " % self.again


class Broker(Sink):
    """A broker with a consumer that reads along."""

    rate = 200
    may_double = True
    reader = None

    def stop(self):
        self.reader.kill()
        self.reader.wait()
        super().stop()

    def is_settled(self, count):
        check(self.reader.poll() is None, "the consumer has ended")
        return len({json.dumps(data) for data in self.data()}) >= count


class Kafka(Broker):
    """The mock cluster inside librdkafka. It keeps 5 MB, so the consumer fails if it is too slow.

    One partition, or a key, keeps the order.
    """

    needs = ["kcat"]
    largest = 200_000

    @property
    def command(self):
        return [
            "env", "KAFKA_BROKERS=" + self.brokers, str(EXAMPLES / "kafka/sink"), "feed", "0",
            "-X", "message.timeout.ms=2000"]

    def start(self):
        self.process = self.run("kcat", "-P", "-b", "mock", "-t", "feed", "-X", "test.mock.num.brokers=1", "-d", "mock",
                                stdin=subprocess.PIPE)
        pattern, log = re.compile(rb"bootstrap\.servers=(\S+)"), Path("server.log")
        self.brokers = until(lambda: pattern.search(log.read_bytes()), "Kafka", [self.process])[1].decode()
        self.reader = self.run(
            "kcat", "-C", "-q", "-u", "-b", self.brokers, "-t", "feed", "-p", "0", "-o", "beginning",
            "-X", "reconnect.backoff.max.ms=100", "-X", "topic.auto.offset.reset=error", log="reader-errors",
            stdout="arrived")

    def disturb(self):
        self.freeze(self.dice.uniform(0, self.dice.choice([0.5, 3])))


def accepts(path):
    """Whether somebody listens at a Unix socket: it is there a moment before."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        return True


class MQTT(Broker):
    """The broker keeps acknowledged messages in memory until it ends, so it is ended, not killed.

    mosquitto_pub -l never ends after losing its broker, even if the broker returns: hence --timeout. If deliver
    alone is killed, its --timeout is gone and the next deliver waits: hence timeout(1).
    """

    needs = ["mosquitto", "mosquitto_pub", "mosquitto_sub"]
    options = ["--timeout", "2"]
    command = ["env", "MQTT_TIMEOUT=4", str(EXAMPLES / "mqtt/sink"), "--unix", "socket", "-t", "feed"]

    def start(self):
        Path("conf").write_text(
            "listener 0 %s/socket\nallow_anonymous true\npersistence true\npersistence_location %s/\nuser root\n"
            "max_queued_messages 0\n" % (os.getcwd(), os.getcwd()))
        self.process = self.run("mosquitto", "-c", "conf")
        if self.reader is None:
            until(lambda: accepts("socket"), "mosquitto", [self.process])
            self.reader = self.run(
                "mosquitto_sub", "--unix", "socket", "-t", "feed", "-q", "1", "-c", "-i", "reader", log="reader-errors",
                stdout="arrived")

    def disturb(self):
        if self.dice.random() < 0.5:
            self.freeze(self.dice.uniform(0, 0.5))
        else:
            self.restart(signal.SIGTERM)


SINKS = {"redis": Redis, "redis-seen": RedisSeen, "sqlite": SQLite, "webhook": Webhook, "kcat": Kafka,
         "mosquitto": MQTT}
