"""Servers for http-cat: one that answers 304 a number of times and then 410, a hundred URLs, and a body of 1 GiB.

usage: polls.py confirm N      a separate process, so that it is not measured; prints its port
       polls.py crowd N        N ports, each of which answers 304 to clients with its tag
       polls.py flood BYTES    a body of this many bytes
"""

import os
import re
import socket
import subprocess
import sys
import threading
import time

POLLS = 720
URLS = 100
BYTES = 1 << 30
FRESH = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: "v"\r\nContent-Length: 8\r\n\r\n{"a": 1}'
SAME = b'HTTP/1.1 304 Not Modified\r\nETag: "v"\r\n\r\n'
GONE = b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"


class Server:
    """One of the servers above."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-I", __file__, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        self.urls = ["http://127.0.0.1:%s/" % port for port in self.process.stdout.readline().split()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def requests(connection):
    text = b""
    while piece := connection.recv(65536):
        text += piece
        while b"\r\n\r\n" in text:
            request, _, text = text.partition(b"\r\n\r\n")
            yield request


def confirm(connection, left):
    for request in requests(connection):
        left[0] -= 1
        known = b'If-None-Match: "v"' in request
        # Repeated for every further client.
        if left[0] < 0:
            left[0] = POLLS
            connection.sendall(GONE)
        else:
            connection.sendall(SAME if known else FRESH)


def flood(connection, count):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % count)
    chunk = (b"x" * 1023 + b"\n") * 1024
    for _ in range(count // len(chunk)):
        connection.sendall(chunk)
    connection.close()


def listen(serve, ports=1):
    def accept(listener):
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=guarded, args=[serve, connection], daemon=True).start()

    listeners = [socket.create_server(("127.0.0.1", 0), backlog=64) for _ in range(ports)]
    for listener in listeners:
        threading.Thread(target=accept, args=[listener], daemon=True).start()
    print(*[listener.getsockname()[1] for listener in listeners], flush=True)
    threading.Event().wait()


def guarded(serve, connection):
    try:
        serve(connection)
    except OSError:
        pass


def tree(leader):
    """CPU seconds of all processes of a session, and their MiB: private memory, and their shares of shared memory."""
    cpu = memory = 0
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % number, encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            if int(fields[3]) != leader:
                continue
            with open("/proc/%s/smaps_rollup" % number, encoding="ascii") as file:
                memory += int(re.search(r"Pss:\s*(\d+)", file.read())[1]) / 1024
            cpu += sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        except (OSError, TypeError):
            continue
    return cpu, memory


def crowd(command, seconds):
    """The cost of a command and all its children in some seconds: CPU seconds and MiB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        time.sleep(seconds)
        return tree(process.pid)
    finally:
        os.killpg(process.pid, 15)
        process.wait()


if __name__ == "__main__":
    what, number = sys.argv[1], int(sys.argv[2])
    if what == "flood":
        listen(lambda connection: flood(connection, number))
    elif what == "crowd":
        listen(lambda connection: confirm(connection, [1 << 60]), number)
    else:
        left = [number]
        listen(lambda connection: confirm(connection, left))
