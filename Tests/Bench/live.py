"""Costs between two programs: how long an event takes through a pipe or a connection, and what waiting costs."""

import os
import signal
import socket
import statistics
import subprocess
import threading
import time

EVENTS = 2000
DOCUMENT = b'data: {"n":0,"results":["a","b"]}\n\n'


class Unavailable(Exception):
    """The tool cannot do this (yet)."""


class Latency:
    def __init__(self, seconds):
        seconds = sorted(seconds)
        self.median = statistics.median(seconds)
        self.p99 = seconds[len(seconds) * 99 // 100]


def parses_events():
    """Whether the built sse-cat works on standard input."""
    try:
        result = subprocess.run(["sse-cat"], input=b"data: 1\n\n", capture_output=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.stdout == b'{"event":"message","data":"1"}\n'


def event(number):
    return b'event: patch\nid: %d\ndata: [{"op":"replace","path":"/n","value":%d}]\n\n' % (number, number)


def status(number):
    return b"\r\n<status><id>%d</id><text>a &amp; b</text><user><name>ada</name></user></status>" % number


def rounds(send, output, item=event):
    """Sends items one at a time, the last byte of each separately, and waits for the line of each."""
    times = []
    if item == event:
        send(b"event: data\n" + DOCUMENT)
        if not output.readline():
            raise Unavailable("no line came out")
    for number in range(EVENTS):
        block = item(number)
        head, last = block[:-1], block[-1:]
        send(head)
        time.sleep(0.0002)
        start = time.perf_counter()
        send(last)
        if not output.readline():
            raise Unavailable("the output ended")
        times.append(time.perf_counter() - start)
    return Latency(times[100:])


def latency(command, item=event):
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True)
    output = os.fdopen(os.dup(process.stdout.fileno()), "rb", buffering=65536)

    def send(data):
        os.write(process.stdin.fileno(), data)

    try:
        if command == ["cat"]:
            return floor(send, output)
        return rounds(send, output, item)
    finally:
        process.stdin.close()
        end(process)


def floor(send, output):
    times = []
    for _ in range(EVENTS):
        time.sleep(0.0002)
        start = time.perf_counter()
        send(b"\n")
        output.readline()
        times.append(time.perf_counter() - start)
    return Latency(times[100:])


class Server:
    """One connection of an event stream on the loopback interface."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(5)
        self.url = "http://127.0.0.1:%d/" % self.socket.getsockname()[1]
        self.connection = None
        self.opened = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            connection, _ = self.socket.accept()
        except OSError:
            return
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\r\n")
        self.connection = connection
        self.opened.set()

    def send(self, data):
        self.connection.sendall(data)

    def close(self):
        if self.connection:
            self.connection.close()
        self.socket.close()


def connected(command=("sse-cat",)):
    server = Server()
    process = subprocess.Popen(
        [*command, server.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    if not server.opened.wait(5):
        server.close()
        end(process)
        raise Unavailable("%s does not connect to URLs" % command[0])
    return server, process


def line(number):
    return b'{"n":%d}\n' % number


def latency_http(command=("sse-cat",), item=event):
    server, process = connected(command)
    try:
        return rounds(server.send, process.stdout, item)
    finally:
        server.close()
        end(process)


def idle_cpu(seconds):
    """The CPU seconds that an open connection without events uses in `seconds`."""
    server, process = connected()
    try:
        server.send(DOCUMENT)
        process.stdout.readline()
        before = cpu(process.pid)
        time.sleep(seconds)
        return cpu(process.pid) - before
    finally:
        server.close()
        end(process)


def cpu(pid):
    """CPU seconds of all threads of a process; in nanoseconds if the kernel has them."""
    total = 0
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/schedstat" % (pid, task), encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total / 1e9
    except OSError as error:
        raise Unavailable("no CPU times of a running process here") from error


def end(process):
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    process.wait()
