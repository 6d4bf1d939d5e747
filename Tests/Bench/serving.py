"""sse-serve with many clients on one machine: how long an event takes to reach all, and the cost of a quiet client and
of a stuck one. The clients are one process with one poll, which is half of the measured cost."""

import os
import resource
import select
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Pipeline"))
from served import Relay, Server, Stream

KIBIBYTE = "x" * 950


class Crowd:
    """Clients of a server that only count bytes."""

    def __init__(self, count):
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        count = min(count, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
        self.server = Server("--max-clients", str(count + 10), "--plain", "--keepalive", "3600",
                             "--replay", "64M", "--client-buffer", "1G")
        # The events that a returning client has missed: more than the system's buffers hold.
        for number in range(16_000):
            self.server.record("tick", KIBIBYTE, number)
        self.server.answer("/healthz")
        self.before = self.server.memory()
        self.clients = {}
        self.poll = select.epoll()
        for _ in range(count):
            client = self.server.ask("/")
            client.recv(65536)
            client.setblocking(False)
            self.clients[client.fileno()] = client
            self.poll.register(client.fileno(), select.EPOLLIN)
        self.memory = (self.server.memory() - self.before) / count
        self.number = 0

    def reach(self):
        """Seconds from one event's record to its last byte at the last client."""
        self.number += 1
        left = {}
        size = None
        start = time.perf_counter()
        self.server.record("tick", KIBIBYTE, 100_000 + self.number)
        size = len("event: tick\nid: \ndata: \n\n") + len(str(100_000 + self.number)) + len(KIBIBYTE)
        done = 0
        clients, received = self.clients, left
        while done < len(clients):
            for number, _ in self.poll.poll(60, 4096):
                count = received.get(number, 0) + len(os.read(number, 65536))
                received[number] = count
                if count == size:
                    done += 1
        return time.perf_counter() - start

    def close(self):
        for client in self.clients.values():
            client.close()
        self.server.process.kill()
        self.server.wait()


def over_hops(count, times=500):
    """Seconds (median) from a record to its event at a client that is `count` relays away from the server."""
    servers = [Server("--plain", "--add-ids")]
    try:
        for _ in range(count):
            servers.append(Relay(servers[-1], "--plain"))
        client = Stream(servers[-1])
        seconds = []
        # The first ones give the relays time to connect.
        while len(seconds) < times + 10:
            start = time.perf_counter()
            servers[0].record("tick", KIBIBYTE)
            seen = len(client.events)
            while len(client.events) == seen:
                if not select.select([client.socket], [], [], 1)[0]:
                    break
                client.read()
            seconds.append(time.perf_counter() - start)
        return statistics.median(seconds[10:])
    finally:
        for server in servers:
            server.kill()


def figures(count, times=15):
    """The number of clients, seconds to reach all (median, worst) without and with a stuck client, and KiB for a quiet
    one."""
    crowd = Crowd(count)
    try:
        crowd.reach()
        alone = [crowd.reach() for _ in range(times)]
        stuck = crowd.server.ask("/", "Last-Event-ID: 0\r\n", crowd.server.connect(small=True))
        for _ in range(5):
            crowd.reach()
        beside = [crowd.reach() for _ in range(times)]
        stuck.close()
        return (len(crowd.clients), statistics.median(alone), max(alone), statistics.median(beside), crowd.memory)
    finally:
        crowd.close()
