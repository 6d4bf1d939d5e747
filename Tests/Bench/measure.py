"""Costs of whole processes: CPU time, wall time, peak memory, as counted by the kernel."""

import os
import re
import shutil
import statistics
import subprocess
import sys


SPAWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spawn.py")


class Run:
    def __init__(self, wall, user, system, memory, status):
        self.wall, self.cpu, self.system = float(wall), float(user) + float(system), float(system)
        # In KiB; on macOS in bytes.
        self.memory = int(memory) / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        self.status = int(status)


def run(command, stdin=None, to_pipe=False):
    """Runs a command with its output to /dev/null, or through a pipe to a reader that drops it."""
    answer, descriptor = os.pipe()
    drain = None
    if to_pipe:
        drain = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    with open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", SPAWN, str(descriptor), *command],
            stdin=source, stdout=drain.stdin if drain else subprocess.DEVNULL, pass_fds=[descriptor])
    os.close(descriptor)
    if drain:
        drain.stdin.close()
    with open(answer, "r", encoding="ascii") as file:
        result = file.read().split()
    process.wait()
    if drain:
        drain.wait()
    return Run(*result) if result else Run(0, 0, 0, 0, 127)


class Summary:
    """The medians of several runs, or what `of` makes of them."""

    def __init__(self, runs, good=(0,), of=statistics.median):
        for name in ("wall", "cpu", "system"):
            setattr(self, name, of([getattr(r, name) for r in runs]))
        self.memory = max(r.memory for r in runs)
        self.failed = next((r.status for r in runs if r.status not in good), 0)


def interleaved(contenders, times, good=(0,), of=statistics.median, **how):
    """Runs each contender `times` times, in turns, so that noise affects all of them.

    contenders: {name: command} or {name: (command, stdin)}. good: the statuses of success. of: which of
    the runs counts. Returns {name: Summary}.
    """
    runs = {name: [] for name in contenders}
    for _ in range(times):
        for name, contender in contenders.items():
            command, stdin = contender if isinstance(contender, tuple) else (contender, None)
            runs[name].append(run(command, stdin, **how))
    return {name: Summary(list_of_runs, good, of) for name, list_of_runs in runs.items()}


def instructions(command, stdin=None):
    """How many instructions a command executes in user mode, which depends on no clock; None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    with open(stdin or os.devnull, "rb") as source:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], stdin=source,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    counted = re.search(r"Collected : (\d+)", result.stderr)
    return int(counted[1]) if counted else None


def shell(command):
    return ["sh", "-c", command]
