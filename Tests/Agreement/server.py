"""One HTTP and WebSocket server for all cells of a table. The first part of a path says which cell asks: its script
has the answers, in order."""
import os
import re
import socket
import struct
import sys
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, TESTS + "/Fixtures/bin"]
import wsframes  # noqa: E402
from Support import serving  # noqa: E402

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

    def send(self, request):
        """The head, and a body where there may be one."""
        has_body = self.status >= 200 and self.status not in (204, 304)
        is_chunked = self.end in ("chunked", "cut", "reset", "stall")
        body = self.body or b""
        fields = [f"{name}: {value}" for name, value in self.headers]
        if has_body and is_chunked:
            fields.append("Transfer-Encoding: chunked")
        elif self.end == "close":
            fields.append("Connection: close")
        elif has_body:
            fields.append(f"Content-Length: {len(body)}")
        request.send(request.head(f"{self.status} Status", *fields))
        if has_body and request.method != "HEAD":
            (request.chunk if is_chunked else request.send)(body)
            if self.end == "chunked":
                request.end()


class Server(serving.Server):
    def __init__(self):
        self.scripts, self.counts = {}, {}
        # Nobody listens there, and no other program gets the port.
        self.refusing = socket.socket()
        self.refusing.bind(("127.0.0.1", 0))
        self.refusing_port = self.refusing.getsockname()[1]
        super().__init__(self.play)

    def play(self, request):
        """Gives the next answer of a script."""
        try:
            # Before the response.
            bool(request.body)
            cell = re.match(r"\w+", request.target.removeprefix("http://").partition("/")[2])[0]
            with self.lock:
                count = self.counts[cell] = self.counts.get(cell, 0) + 1
                script = self.scripts[cell]
            answer = script[min(count, len(script)) - 1]
            time.sleep(answer.delay)
            request.closes = answer.end not in ("", "chunked")
            if answer.end == "head":
                request.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
            elif answer.is_web_socket:
                self.speak(request, answer)
            elif answer.end != "drop":
                answer.send(request)
                if answer.end == "stall":
                    request.stall()
            if answer.end == "reset":
                time.sleep(0.1)  # so that the data is not dropped with the connection
                request.reset()
        except (wsframes.Gone, ValueError):
            # A client may leave at any time.
            request.cut()

    @staticmethod
    def speak(request, answer):
        """A connection of a WebSocket: one message for each line of the body, then its end."""
        request.closes = True
        messages = [wsframes.frame(wsframes.TEXT, line) for line in answer.body.split(b"\n") if line]
        request.send(wsframes.switch(request.headers) + b"".join(messages))
        if answer.end in ("cut", "reset"):
            return
        if answer.end != "stall":
            request.send(wsframes.frame(wsframes.CLOSE, struct.pack(">H", answer.code)))
        opcode = None
        while opcode != wsframes.CLOSE:
            opcode, payload = wsframes.read_frame(request.stream)
            if opcode == wsframes.PING:
                request.send(wsframes.frame(wsframes.PONG, payload))
        if answer.end == "stall":
            request.send(wsframes.frame(wsframes.CLOSE, payload))
