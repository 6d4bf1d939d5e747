"""Headless Chromium, driven by its DevTools protocol over a pair of pipes: JSON that ends in NUL."""

import json
import os
import queue
import shutil
import subprocess
import tempfile

from Support.kit import PATIENCE, begin, check, start, until

NAME = "chromium-headless-shell"


def optional(name, found):
    """Whether a program or library was found. In CI it must be."""
    check(found or os.environ.get("CI") != "true", name + " is missing, and CI=true")
    return bool(found)


def has_browser():
    return optional(NAME, shutil.which(NAME))


class Browser:
    """It ends with the driver."""

    def __init__(self):
        reading, self.writer = os.pipe()
        self.reader, writing = os.pipe()
        # Chromium reads from descriptor 3, and writes to 4.
        command = 'exec 3<&%d 4>&%d; exec %s "$@"' % (reading, writing, NAME)
        start(["bash", "-c", command, "bash", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               "--no-proxy-server", "--user-data-dir=" + tempfile.mkdtemp(), "--remote-debugging-pipe"],
              pass_fds=(reading, writing), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(reading)
        os.close(writing)
        self.answers = queue.Queue()
        self.number, self.pages = 0, {}
        begin(self.read)

    def read(self):
        rest = b""
        while piece := os.read(self.reader, 1 << 16):
            *messages, rest = (rest + piece).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.answers.put(message)
                elif message.get("sessionId") in self.pages:
                    self.pages[message["sessionId"]].take(message["method"], message["params"])

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        answer = self.answers.get(timeout=PATIENCE)
        if "navigated or closed" in answer.get("error", {}).get("message", ""):
            raise Left
        assert answer["id"] == self.number and "error" not in answer, (method, answer)
        return answer["result"]


class Left(Exception):
    """The document in which a script ran has been left for another one."""


class Page:
    """A page of its own. What it complains of is in `complaints`."""

    def __init__(self, browser, url, width=1280):
        self.browser = browser
        self.complaints = []
        self.loads = queue.Queue()
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
        self.call("Page.navigate", url=url)
        self.loads.get(timeout=PATIENCE)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def take(self, method, parameters):
        if method == "Page.loadEventFired":
            self.loads.put(None)
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("a dialog: " + parameters["message"])
        elif method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            self.complaints.append(json.dumps(parameters))

    def value(self, script):
        """The value of an expression; of a promise, what it becomes."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (script, answer)
        return answer["result"].get("value")

    def until(self, script):
        def is_so():
            try:
                return self.value(script)
            except Left:
                return None
        return until(is_so, lambda: "%s: %s %s" % (
            script, self.value("document.body.innerText"), self.complaints), every=0.02)

    def click(self, element):
        """A click as by a mouse, in the middle of the element of an expression."""
        place = self.value(
            "(() => { const e = %s; e.scrollIntoView({block: 'center'}); const r = e.getClientRects()[0];"
            " return [r.x + r.width / 2, r.y + r.height / 2] })()" % element)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
