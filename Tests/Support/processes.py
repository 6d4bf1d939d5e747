"""Tools and pipelines of them: start, kill, wait, and look into. They end with the driver, whatever it forgets."""
import contextlib
import os
import re
import select
import signal
import subprocess
import threading
import time

from Support.driver import Failed
from Support.waiting import PATIENCE, until

# Mostly -9, which no process can prepare for.
KILLS = [signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]
# How a process of a pipeline may end in which one was killed.
KILLED = {0, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGPIPE}
# 2 is for a record that the kill has cut.
CUT = KILLED | {2}


def start(command, stdin=subprocess.DEVNULL, stdout=None, stderr="errors", **more):
    """A process. A stream that is a text is a file, to which the process adds."""
    with contextlib.ExitStack() as stack:
        def opened(stream):
            return stack.enter_context(open(stream, "ab")) if isinstance(stream, str) else stream
        return subprocess.Popen(command, stdin=stdin, stdout=opened(stdout), stderr=opened(stderr), **more)


class Pipeline:
    """Commands of which each reads what the one before it prints."""

    def __init__(self, *commands, stdin=subprocess.DEVNULL, stdout=None, **more):
        self.parts = []
        for number, command in enumerate(commands, 1):
            out = stdout if number == len(commands) else subprocess.PIPE
            self.parts.append(start(command, stdin, out, **more))
            if number > 1:
                stdin.close()
            stdin = self.parts[-1].stdout

    def is_whole(self):
        return all(part.poll() is None for part in self.parts)

    def kill(self, dice, signals=KILLS):
        """Sends a signal to one process or to all."""
        for victim in dice.choice([self.parts, *([part] for part in self.parts)]):
            victim.send_signal(dice.choice(signals))

    def end(self):
        for part in self.parts:
            part.kill()
            part.wait()

    def wait(self, allowed=KILLED):
        """Waits for the end of all, and returns their statuses. `allowed` are those that no failure has."""
        statuses = [part.wait(PATIENCE) for part in self.parts]
        for part, status in zip(self.parts, statuses):
            if status not in allowed:
                raise Failed("%s has ended with %d" % (part.args[0], status))
        return statuses


def kill_rounds(rounds, begin, moment, dice, signals=KILLS, allowed=KILLED):
    """Begins a pipeline, and kills it or a part of it after some moment, so many times. Returns one that goes on.

    `begin` takes the number of the round and returns a pipeline, which `moment` takes.
    """
    for number in range(rounds):
        line = begin(number)
        moment(line)
        line.kill(dice, signals)
        line.wait(allowed)
    return begin(rounds)


def start_nginx(http, name="nginx"):
    """nginx with these lines in its block `http`. All its files are in the current folder, and begin with the name."""
    here = os.path.abspath(name)
    paths = "".join("%s_temp_path %s-%s; " % (kind, here, kind)
                    for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(name + ".conf", "w", encoding="utf-8") as file:
        file.write("daemon off; pid %s.pid; error_log %s.errors; events { worker_connections 4096; }\n"
                   "http { %s\n%s\n}\n" % (here, here, paths, http))
    return start(["nginx", "-p", os.getcwd(), "-c", here + ".conf"], stdout=name + ".errors", stderr=name + ".errors")


class Tap(threading.Thread):
    """A process, and a reader of what it prints: to the end, fast, or slowly through a small pipe; or it goes away."""

    def __init__(self, command, is_slow=False):
        super().__init__(daemon=True)
        self.process = start(command, stdout=subprocess.PIPE, pipesize=4096 if is_slow else -1)
        self.is_slow, self.parts, self.count, self.goes_away = is_slow, [], 0, False
        self.start()

    def run(self):
        with self.process.stdout as pipe:
            while True:
                if select.select([pipe], [], [], 0.002)[0]:
                    part = os.read(pipe.fileno(), 1000 if self.is_slow else 65536)
                    if not part:
                        break
                    self.parts.append(part)
                    self.count += len(part)
                    if self.is_slow and not self.goes_away:
                        time.sleep(0.0002)
                elif self.goes_away:
                    break

    def leave(self):
        """The reader goes away. The process is stopped first, so that nothing remains in the pipe. Returns whether it
        had not ended before."""
        self.process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            self.process.returncode = os.waitstatus_to_exitcode(status)
            return False
        self.goes_away = True
        self.join()
        self.process.send_signal(signal.SIGCONT)
        self.process.wait(PATIENCE)
        return True

    def finish(self):
        """Waits for the end. Returns the status, the whole lines, and what was torn."""
        status = self.process.wait(PATIENCE)
        self.join()
        *lines, torn = b"".join(self.parts).split(b"\n")
        return status, lines, torn


def start_group(command, **more):
    """A process in a group of its own, or a shell line if it is a text."""
    return start(["sh", "-c", command] if isinstance(command, str) else command, start_new_session=True, **more)


def kill_group(process, number=signal.SIGKILL):
    """Kills a process with its group, and waits for all of it: a shell may end before the others."""
    signal_group(process.pid, number)
    process.wait()
    until(lambda: not group(process.pid), "the end of a process group")


def signal_group(number, sign):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(number, sign)


def group(number):
    """Whether a process of the group has not ended."""
    listing = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return any(words[0] == str(number) and words[1][0] != "Z" for words in map(str.split, listing.splitlines()))


def children(process):
    """The process numbers of the children."""
    return [int(word) for word in subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True).stdout.split()]


def signal_children(process, sign):
    """A signal to the groups of the children. The process must go on by SIGCONT; until then it starts no others."""
    process.send_signal(signal.SIGSTOP)
    for number in children(process):
        signal_group(number, sign)


def memory(process, what="VmRSS"):
    """Resident KiB, now or at the peak (VmHWM)."""
    with open("/proc/%d/status" % process.pid, encoding="ascii") as file:
        return int(re.search(what + r":\s*(\d+)", file.read())[1])


def cpu(process):
    """Seconds."""
    with open("/proc/%d/stat" % process.pid, encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def files(process):
    """How many files it has open."""
    return len(os.listdir("/proc/%d/fd" % process.pid))
