"""How a driver begins and ends: its command line, its report, and that nothing of it is left behind.

    drive(main, rounds=20, seed=1)

calls main(options) in a process and a folder of its own, and prints what it returns. `Failed` ends it with a message
and status 1. When it has ended, in whatever way, all processes that it has started are killed, and its folder is
removed.
"""
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import traceback

NAME = os.path.basename(sys.argv[0])
ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


class Failed(Exception):
    """What the driver proves is not so."""


def check(holds, text):
    if not holds:
        raise Failed(text)


def options(usage, defaults):
    """The command line. A default says the type: False is a switch, and a list has the allowed names, of which the user
    may give some. An option that is not in the usage as `--name` is a number or word without a name."""
    import argparse
    line = next(text.strip() for text in usage.split("\n")[1:] if text.strip())
    parser = argparse.ArgumentParser(usage=line, description=usage.split("\n")[0])
    for name, default in defaults.items():
        option = "--" + name.replace("_", "-")
        if default is False:
            parser.add_argument(option, action="store_true")
        elif isinstance(default, list):
            parser.add_argument(name, nargs="*", metavar=name.upper())
        elif option in line:
            parser.add_argument(option, type=type(default), default=default, metavar="N")
        else:
            parser.add_argument(name, nargs="?", type=type(default), default=default, metavar=name.upper())
    found = parser.parse_intermixed_args()
    for name, default in defaults.items():
        if isinstance(default, list):
            wrong = set(getattr(found, name)) - set(default)
            if wrong:
                parser.error("one of %s is expected, not %s" % (", ".join(default), ", ".join(wrong)))
            setattr(found, name, getattr(found, name) or default)
    return found


def drive(main, *parts, **defaults):
    """Runs the driver. `parts` are functions that it starts as processes of their own: see `part`."""
    for function in parts:
        if sys.argv[1:2] == ["--" + function.__name__]:
            return function(*sys.argv[2:])
    found = options(sys.modules["__main__"].__doc__, defaults)
    status = kept(lambda: main(found))
    if status == 1 and not os.environ.get("FEEDUTILS_KEEP"):
        print("%s: FEEDUTILS_KEEP=FOLDER keeps the files of a failure there" % NAME, file=sys.stderr)
    if -status in ENDING:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status if status >= 0 else 128 - status)


def part(function, *arguments):
    """The command for a function of the driver that is one of its `parts`."""
    return [sys.executable, "-S", "-B", os.path.abspath(sys.modules["__main__"].__file__), "--" + function.__name__,
            *map(str, arguments)]


def each(names, work):
    """Calls `work` with one name after another, each in a process and a folder of its own. Fails if one does."""
    wrong = [name for name in names if kept(lambda: work(name))]
    check(not wrong, "failed: " + " ".join(map(str, wrong)))


def kept(work):
    """Calls `work` in a process and a folder of its own. Returns its status; negative for a signal that ended it.

    The processes that it started become children of this one when their parents end, so none of them escapes. A signal
    to this process ends all of it.
    """
    child, ended_by = 0, 0

    def stop(number, _):
        nonlocal ended_by
        ended_by = number
        # A second signal may come when the child has ended.
        with contextlib.suppress(ProcessLookupError):
            if child:
                os.kill(child, signal.SIGKILL)

    before = {number: signal.signal(number, stop) for number in ENDING}
    folder = os.path.realpath(tempfile.mkdtemp(prefix=NAME + "-"))
    sys.stdout.flush()
    control(PR_SET_CHILD_SUBREAPER, 1)
    if not ended_by:
        child = os.fork()
        if not child:
            control(PR_SET_PDEATHSIG, signal.SIGKILL)
            os._exit(perform(work, folder))
        if ended_by:
            os.kill(child, signal.SIGKILL)
    status = 0
    while child:
        # Others are orphans that have ended.
        ended, status = os.waitpid(-1, 0)
        if ended == child:
            break
    end_children(child)
    status = os.waitstatus_to_exitcode(status)
    if status and not ended_by and os.environ.get("FEEDUTILS_KEEP"):
        keep(folder)
    shutil.rmtree(folder, ignore_errors=True)
    for number, handler in before.items():
        signal.signal(number, handler)
    return -ended_by or status


def perform(work, folder):
    """Calls `work`, and returns the status."""
    # A ^C on a terminal is for the process that waits.
    os.setpgid(0, 0)
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    os.mkdir(folder + "/work")
    os.chdir(folder + "/work")
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    status = 1
    # A thread that fails, such as a response of a server, fails the driver. Its traceback says where.
    wrong, tell = [], threading.excepthook
    threading.excepthook = lambda thread: (wrong.append(thread.exc_value), tell(thread))
    try:
        report = work()
        check(not wrong, "a thread has failed: %r" % wrong[:1])
        if report is not None:
            print(report)
        status = 0
    except Failed as error:
        print("%s: %s" % (NAME, error), file=sys.stderr)
        tell_errors()
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        tell_errors()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    return status


def start_afresh():
    """Empties the folder of the driver, by leaving it for another one."""
    os.chdir(tempfile.tempdir)
    shutil.rmtree("work", ignore_errors=True)
    os.mkdir("work")
    os.chdir("work")


def tell_errors():
    """The ends of the files in which processes of the driver have written messages."""
    for name in sorted(os.listdir(".")):
        if name.endswith("errors") and os.path.isfile(name):
            with open(name, encoding="utf-8", errors="replace") as file:
                text = file.read()[-2000:]
            if text:
                print("--- %s\n%s" % (name, text), file=sys.stderr)


def keep(folder):
    """Copies the files of a failure; sockets and the like cannot be copied."""
    def ignored(place, names):
        return [name for name in names if not os.path.isfile(os.path.join(place, name))
                and not os.path.isdir(os.path.join(place, name))]
    place = os.path.join(os.environ["FEEDUTILS_KEEP"], os.path.basename(folder))
    shutil.copytree(folder + "/work", place, ignore=ignored)
    print("%s: kept in %s" % (NAME, place), file=sys.stderr)


def control(option, value):
    """prctl(2), where there is one."""
    if sys.platform == "linux":
        import ctypes
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_children(group):
    """Kills all that are left, and waits for them."""
    while True:
        try:
            with open("/proc/self/task/%d/children" % os.getpid(), encoding="ascii") as file:
                for word in file.read().split():
                    os.kill(int(word), signal.SIGKILL)
        except FileNotFoundError:
            # Elsewhere, those that have made no group of their own.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
