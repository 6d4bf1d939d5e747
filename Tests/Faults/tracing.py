"""Runs a command under strace: to see its calls, and to make one of them fail."""
import os
import re
import signal
import subprocess
import time

PATIENCE = 10
ENTRY = re.compile(r"^(?:(\d+) +)?(?:\d+\.\d+ )?([a-z_0-9]+)\((.*)$")


class Outcome:
    """How a run ended, and what it left."""

    def __init__(self):
        self.status = None  # negative: died of this signal
        self.output = self.error = b""
        self.hangs = False
        self.hit = None  # the line of the log with the failed call
        self.log = []
        self.files = {}
        self.notes = []  # a scenario's own complaints

    def __str__(self):
        return f"status {self.status}, stdout {self.output[:300]!r}, stderr {self.error[:600]!r}, files {sorted(self.files)}"


def environment(extra=None):
    """No proxies, plain messages; the PATH already has what the fixtures need."""
    result = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    result.update(LC_ALL="C.UTF-8", SWIFT_BACKTRACE="enable=no")
    result.update(extra or {})
    return result


class Process:
    """A command in its own group, so that all of it can be ended; under strace to see a call or make it fail."""

    def __init__(self, command, folder, fault=None, is_traced=False, stdin=subprocess.PIPE, extra=None, pass_fds=()):
        self.log_path = os.path.join(folder, "..", "strace.log") if fault or is_traced else None
        # The calls of deliver's COMMAND do not matter.
        follow = [] if command[0] == "deliver" else ["-f"]
        words = ["strace", *follow, "-qq", "-e", "signal=none", "-o", self.log_path] if self.log_path else []
        if fault:
            words += ["-e", "trace=" + fault.call, "-e", f"inject={fault.call}:{fault.answer}:when={fault.number}"]
        self.deadline = time.monotonic() + PATIENCE
        self.popen = subprocess.Popen(
            words + command, cwd=folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env=environment(extra), pass_fds=pass_fds)

    def left(self):
        return max(0.1, self.deadline - time.monotonic())

    def end(self, outcome, data=None):
        """Feeds standard input, waits for the end, and records the result."""
        try:
            outcome.output, outcome.error = self.popen.communicate(data, timeout=self.left())
        except subprocess.TimeoutExpired:
            outcome.hangs = True
            os.killpg(self.popen.pid, signal.SIGKILL)
            outcome.output, outcome.error = self.popen.communicate()
        # strace has the exit status of its command.
        outcome.status = self.popen.returncode
        if self.log_path:
            self.read_log(outcome)
        return outcome

    def read_log(self, outcome):
        with open(self.log_path, errors="replace") as file:
            outcome.log = file.read().splitlines()
        for line in outcome.log:
            if "(INJECTED" in line:
                outcome.hit = line


class Fault:
    """The `number`th call of this kind answers like this."""

    def __init__(self, call, number, answer):
        self.call, self.number, self.answer = call, number, answer


def loaded(log):
    """The line after the loader's last, in which it frees the list of libraries; 0 for a static tool."""
    cache = None
    for index, line in enumerate(log):
        if "/etc/ld.so.cache" in line and "openat(" in line:
            cache = index
        elif cache is not None and "mmap(" in line:
            address = line.rpartition("= ")[2].strip()
            for end in range(index, len(log)):
                if f"munmap({address}" in log[end]:
                    return end + 1
            return 0
    return 0


def count_calls(log):
    """For each kind of call, the first and last number that are ours; strace counts in each thread."""
    start = loaded(log)
    counts, first = {}, {}
    for index, line in enumerate(log):
        match = ENTRY.match(line)
        if not match:
            continue
        thread, call, _ = match.groups()
        key = (thread, call)
        counts[key] = counts.get(key, 0) + 1
        if index >= start:
            first.setdefault(key, counts[key])
    result = {}
    for (thread, call), number in first.items():
        low, high = result.get(call, (number, 0))
        result[call] = (min(low, number), max(high, counts[(thread, call)]))
    return result
