"""What is wrong with a run in which one call failed."""
import re
import signal

import calls


def injected(hit):
    """The call, its first argument and its error or count, from strace's line."""
    match = re.match(r"(?:\d+ +)?(\w+)\(([^,)]*).*= (-?\d+)(?: (E\w+))?.*\(INJECTED", hit)
    return match.groups() if match else ("", "", "", None)


def without(whole, part, count):
    """Whether `part` is `whole` with `count` bytes missing at one place."""
    if len(whole) - len(part) != count:
        return False
    return any(part == whole[:index] + whole[index + count:] for index in range(len(part) + 1))


def printed(outcome):
    """The output with zeros in place of IDs that are the time."""
    return re.sub(rb"(?<![0-9])[0-9]{16}(?![0-9])", b"0" * 16, outcome.output)


def judge(scenario, base, outcome):
    """A list of complaints; empty if nothing is wrong."""
    if outcome.hit and any(re.search(pattern, outcome.hit) for pattern in calls.EXCUSED):
        return []
    if outcome.hangs:
        return ["it hangs"]
    call, first, answer, error = injected(outcome.hit or "")
    is_count = outcome.hit is not None and error is None
    # If the kernel writes another port to the file than asked, no client finds the server.
    wrong = list(outcome.notes) if not is_count else []
    status = outcome.status
    if status < 0:
        if -status == signal.SIGPIPE and error == "EPIPE":
            return wrong + leftovers(outcome, call)
        return [f"died of signal {-status} ({signal.Signals(-status).name})"]
    if is_count and call in ("read", "recvfrom", "pread64", "pwrite64", "sendto", "sendmsg"):
        # The kernel lied, and the effect is unknown. So only an end of the run, and a message, can be required.
        return wrong if status in (0, 1) or outcome.error else wrong + [f"status {status} without a word"]
    lost = int(answer) if is_count and call in ("write", "writev") else 0
    if status == base.status:
        is_told = scenario.forgets and outcome.error or scenario.is_server and is_count
        wanted, found = printed(base), printed(outcome)
        if found != wanted and not is_told and not (lost and first == "1" and without(wanted, found, lost)):
            wrong.append(f"status {status} with other output")
        for name in sorted(set(base.files) | set(outcome.files)):
            old, new = base.files.get(name), outcome.files.get(name)
            if old != new and not (lost and old and new is not None and without(old, new, lost)):
                # Temporary files are another complaint; checkpoints and stores are checked by the next run.
                if not (is_temporary(name) or name.startswith(("state", "store"))):
                    wrong.append(f"status {status}, and the file {name} is another")
    else:
        if status == 0:
            wrong.append("status 0 where it is not")
        if status not in (0, 2, 3, 4):
            wrong.append(f"status {status}")
        if not outcome.error and not (first == "2" and call.startswith("write")) and error != "EPIPE":
            wrong.append(f"status {status} without a word")
        elif outcome.error and not outcome.error.startswith((scenario.tool + ": ").encode()):
            wrong.append("words that are not its own")
        if not printed(base).startswith(printed(outcome)) and not lost:
            wrong.append("what was printed is no beginning of the whole")
        for name, allowed in scenario.states.items():
            found = outcome.files.get(name)
            if found not in allowed and not (lost and any(x and found is not None and without(x, found, lost) for x in allowed)):
                wrong.append(f"{name} is neither old nor new: {found!r}")
    if outcome.error.count(b"\n") > 8:
        wrong.append("more than words on standard error")
    return wrong + leftovers(outcome, call)


def leftovers(outcome, call):
    """A run that ended by itself leaves no temporary files, if it was able to remove them."""
    if call in ("unlink", "unlinkat"):
        return []
    return [f"{name} was left behind" for name in outcome.files if is_temporary(name)]


def is_temporary(name):
    """`.NAME.PID.tmp`, and the second name of a file during its replacement, `.NAME.PID.old`."""
    return name.startswith(".") and name.endswith((".tmp", ".old"))
