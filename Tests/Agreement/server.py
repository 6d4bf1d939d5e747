"""One HTTP and WebSocket server for all cells of a table. The first part of a path says which cell asks: its script
has the answers, in order."""
import os
import re
import socket
import struct
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Fixtures/bin"))
import wsframes  # noqa: E402

ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"0": b"\0", b"\\": b"\\", b"'": b"'"}
ENDS = {"close", "chunked", "cut", "reset", "stall", "drop", "head", "refuse"}
WORD = re.compile(r"\[([\w-]+): ?([^]]*)\]|'((?:[^'\\]|\\.)*)'|(\S+)")


def unescape(text):
    """The bytes of a quoted text."""
    return re.sub(rb"\\(?:x([0-9a-fA-F]{2})|(.))", lambda match: bytes([int(match[1], 16)]) if match[1]
                  else ESCAPES.get(match[2], match[0]), text.encode(), flags=re.DOTALL)


class Answer:
    """One answer of a script. `number` counts the answers from 1 and stands for {n} in a body."""

    def __init__(self, text, feed, number, words):
        self.status, self.headers, self.body, self.end, self.is_feed, self.code = None, [], None, "", False, 1000
        self.delay, more = 0.0, ""
        tokens = list(WORD.finditer(text))
        for index, token in enumerate(tokens):
            header, value, quoted, word = token.groups()
            if header:
                self.headers.append((header, value))
            elif quoted is not None and index and tokens[index - 1][4] == "with":
                more = quoted
            elif quoted is not None:
                self.body = quoted
            elif word == "feed":
                self.is_feed = True
            elif word in ENDS:
                self.end = word
            elif word.isdigit():
                self.status = int(word)
            elif word.startswith("code="):
                self.code = int(word[5:])
            elif word.startswith("delay="):
                self.delay = float(word[6:])
            elif word != "with":
                raise ValueError(f"no such word of an answer: {word}")
        self.is_web_socket = self.is_feed and feed[0] == "websocket" and self.status is None
        if self.is_feed and self.body is None:
            self.body = feed[1]
            if feed[0] != "websocket" and not any(name.lower() == "content-type" for name, _ in self.headers):
                self.headers.append(("Content-Type", feed[0]))
        text = (self.body or "").replace("{with}", more).replace("{n}", str(number))
        for word, value in words.items():
            text = text.replace("{%s}" % word, value)
        self.body = unescape(text) if self.body is not None else None
        self.status = self.status or 200

    def head(self, method):
        lines = [f"HTTP/1.1 {self.status} Status"] + [f"{name}: {value}" for name, value in self.headers]
        has_body = self.status >= 200 and self.status not in (204, 304)
        if self.end in ("chunked", "cut", "reset", "stall") and has_body:
            lines.append("Transfer-Encoding: chunked")
        elif self.end == "close":
            lines.append("Connection: close")
        elif has_body:
            lines.append(f"Content-Length: {len(self.body or b'')}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"), has_body and method != "HEAD"


class Server:
    def __init__(self):
        self.scripts, self.counts, self.lock = {}, {}, threading.Lock()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        # Nobody listens there, and no other program gets the port.
        self.refusing = socket.socket()
        self.refusing.bind(("127.0.0.1", 0))
        self.port, self.refusing_port = (each.getsockname()[1] for each in (self.socket, self.refusing))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection = self.socket.accept()[0]
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        stream = connection.makefile("rb")
        try:
            while self.answer(connection, stream):
                pass
        except (OSError, wsframes.Gone, ValueError):
            pass  # A client may leave at any time.
        finally:
            stream.close()
            connection.close()

    def answer(self, connection, stream):
        """Answers a request. Returns whether the connection stays open."""
        line, headers = wsframes.read_head(stream)
        method, path = line.split(" ")[:2]
        fields = dict(headers)
        if fields.get("expect"):
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in fields.get("transfer-encoding", ""):
            while size := int(stream.readline(), 16):
                stream.read(size + 2)
            stream.readline()
        stream.read(int(fields.get("content-length", 0)))
        cell = re.match(r"\w+", path.removeprefix("http://").partition("/")[2])[0]
        with self.lock:
            count = self.counts[cell] = self.counts.get(cell, 0) + 1
            script = self.scripts[cell]
        answer = script[min(count, len(script)) - 1]
        if answer.delay:
            threading.Event().wait(answer.delay)
        if answer.end == "drop":
            return False
        if answer.end == "head":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Ty")
            return False
        if answer.is_web_socket:
            return self.speak(connection, stream, headers, answer)
        head, has_body = answer.head(method)
        body = answer.body or b"" if has_body else b""
        if b"chunked" in head and body:
            body = b"%x\r\n%s\r\n" % (len(body), body)
        connection.sendall(head + body + (b"0\r\n\r\n" if has_body and answer.end == "chunked" else b""))
        if answer.end == "stall":
            stream.read(1)
        if answer.end == "reset":
            threading.Event().wait(0.1)  # so that the data is not dropped with the connection
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return answer.end in ("", "chunked")

    @staticmethod
    def speak(connection, stream, headers, answer):
        """A connection of a WebSocket: one message for each line of the body, then its end."""
        messages = [wsframes.frame(wsframes.TEXT, line) for line in answer.body.split(b"\n") if line]
        connection.sendall(wsframes.switch(headers) + b"".join(messages))
        if answer.end == "cut":
            return False
        if answer.end == "reset":
            threading.Event().wait(0.1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if answer.end != "stall":
            connection.sendall(wsframes.frame(wsframes.CLOSE, struct.pack(">H", answer.code)))
        while True:
            opcode, payload = wsframes.read_frame(stream)
            if opcode == wsframes.CLOSE:
                if answer.end == "stall":
                    connection.sendall(wsframes.frame(wsframes.CLOSE, payload))
                return False
            if opcode == wsframes.PING:
                connection.sendall(wsframes.frame(wsframes.PONG, payload))
