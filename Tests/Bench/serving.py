"""sse-serve with many clients on one machine, beside nchan and the least that a server in C does: how long an event
takes to reach all, the CPU time of the server, and the memory for a quiet client. The clients are of two processes and
two addresses. They count each byte, so a run ends only if each event has reached each client once."""

import contextlib
import http.client
import os
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from Support.served import PATIENCE, Relay, Server, Stream, until

KIBIBYTE = " ".join("%s %d" % ("news about line of the feed".split()[n * n % 6], n * 7919 % 10_007) for n in range(100))[:990]
ROUNDS = 15
NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so"


def cpu(process):
    """Seconds of CPU time of a process, by its clock (clock_getcpuclockid(3) of Linux)."""
    return time.clock_gettime((~process << 3) | 2)


class SSEServe(Server):
    def __init__(self, count, *options):
        super().__init__("--max-clients", str(count), "--plain", "--keepalive", "3600", *options)

    def publish(self):
        self.record("tick", KIBIBYTE)


class Bare(Server):
    """bare.c; PROGRAM is what it was compiled to."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def publish(self):
        self.write(b"event: tick\ndata: " + KIBIBYTE.encode() + b"\n\n")


class Nchan(Server):
    """nginx with nchan, as one process."""

    def __init__(self, count):
        self.folder = tempfile.TemporaryDirectory()
        with socket.create_server(("127.0.0.1", 0)) as chosen:
            self.port = chosen.getsockname()[1]
        paths = "".join("%s_temp_path %s/%s;" % (name, self.folder.name, name)
                        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # nginx closes connections when a sixteenth is left.
        files = count * 5 // 4 + 100
        with open(os.path.join(self.folder.name, "nginx.conf"), "w", encoding="ascii") as file:
            file.write("""
load_module %s;
daemon off; master_process off; worker_processes 1; worker_rlimit_nofile %d;
pid %s/pid; error_log %s/errors;
events { worker_connections %d; }
http {
  access_log off; %s nchan_shared_memory_size 512M;
  server {
    listen 127.0.0.1:%d backlog=4096;
    location = /publish { nchan_publisher; nchan_channel_id feed; }
    location = / { nchan_subscriber eventsource; nchan_channel_id feed; nchan_subscriber_first_message newest; }
  }
}""" % (NCHAN, files, self.folder.name, self.folder.name, files, paths, self.port))
        self.process = subprocess.Popen(
            ["nginx", "-p", self.folder.name, "-c", "nginx.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.publisher = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        until(self.listens)

    def listens(self):
        with contextlib.suppress(OSError), self.connect():
            return True

    def publish(self):
        self.publisher.request("POST", "/publish", KIBIBYTE)
        self.publisher.getresponse().read()


def drained(client):
    """The number of bytes that come until nothing comes for a while."""
    size = 0
    while select.select([client], [], [], 0.5)[0]:
        size += len(client.recv(1 << 16))
    return size


class Crowd:
    """Clients of a server, in processes with an address each. PROGRAM is what crowd.c was compiled to."""

    def __init__(self, program, server, count, field=None):
        self.server, self.count = server, count
        before = server.memory()
        shares = [count // 2, count - count // 2]
        self.processes = [
            subprocess.Popen([program, "127.0.1.%d" % (number + 1), str(server.port), str(share), "/", *([field] if field else [])],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
            for number, share in enumerate(shares)]
        for process in self.processes:
            assert process.stdout.readline() == "ready\n", "the clients cannot connect"
        self.memory = (server.memory() - before) / count
        self.size = self.measured(field)

    def measured(self, field):
        """The bytes of an event after the first one, as one more client gets it. The others forget both."""
        self.witness = self.server.ask("/", "Accept: text/event-stream\r\n" + (field + "\r\n" if field else ""))
        drained(self.witness)
        for _ in range(2):
            self.server.publish()
            size = drained(self.witness)
        self.tell(0)
        self.heard()
        return size

    def tell(self, size):
        for process in self.processes:
            process.stdin.write("%d\n" % size)

    def heard(self):
        """When the last client had its bytes."""
        return max(float(process.stdout.readline()) for process in self.processes)

    def reach(self):
        """Seconds from the start of an event to its last byte at the last client."""
        self.tell(self.size)
        start = time.monotonic()
        self.server.publish()
        return self.heard() - start

    def close(self):
        self.witness.close()
        for process in self.processes:
            process.kill()
            process.communicate()
        self.server.kill()


class Figures:
    """The median and the worst of the rounds in seconds, CPU seconds of the server for a million deliveries and for an
    event, and KiB for a quiet client. With `stuck`, one more client reads nothing, and misses all events from its ID on."""

    def __init__(self, program, server, count, field=None, stuck=None):
        with contextlib.closing(Crowd(program, server, count, field)) as crowd:
            if stuck:
                silent = server.ask("/", "Last-Event-ID: %s\r\n" % stuck, server.connect(small=True))
                drained(crowd.witness)
            crowd.reach()
            before = cpu(server.process.pid)
            seconds = [crowd.reach() for _ in range(ROUNDS)]
            spent = cpu(server.process.pid) - before
            if stuck:
                silent.close()
        self.median, self.worst, self.memory = statistics.median(seconds), max(seconds), crowd.memory
        self.event, self.million = spent / ROUNDS, spent / ROUNDS / count * 1e6


class Middle:
    """The medians of several figures."""

    def __init__(self, figures):
        for name in ("median", "worst", "memory", "event", "million"):
            setattr(self, name, statistics.median(getattr(figure, name) for figure in figures))


def raise_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def compared(available, count, times):
    """{name: Middle} of sse-serve, bare C and nchan with this number of clients, in turns."""
    contenders = {"sse-serve": lambda: SSEServe(count + 10)}
    contenders["bare C"] = lambda: Bare(available["bare"])
    if os.path.exists(NCHAN):
        contenders["nchan"] = lambda: Nchan(count)
    figures = {name: [] for name in contenders}
    for _ in range(times):
        for name, start in contenders.items():
            figures[name].append(Figures(available["crowd"], start(), count))
    return {name: Middle(some) for name, some in figures.items()}


def alone(available, count, *options, field=None):
    return Figures(available["crowd"], SSEServe(count + 10, *options), count, field)


def beside_stuck(available, count):
    """With a client that does not read, and has missed more than the buffers of the system hold."""
    server = SSEServe(count + 10, "--replay", "64M", "--client-buffer", "1G")
    for number in range(16_000):
        server.record("tick", KIBIBYTE, number)
    server.answer("/healthz")
    return Figures(available["crowd"], server, count, stuck="0")


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


