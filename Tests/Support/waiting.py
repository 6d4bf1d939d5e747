"""Waits for what must happen, and never for a time that should be enough."""
import threading
import time

from Support.driver import Failed

PATIENCE = 60


class Late(Failed, TimeoutError):
    """It has not happened."""


def until(holds, what="what the driver waits for", unless=(), every=0.01):
    """Waits until `holds` returns something true, and returns it. Fails if a process of `unless` ends before. `what` is
    a text, or a function that says in the end what is missing."""
    end = time.monotonic() + PATIENCE
    while not (result := holds()):
        for process in unless:
            if process.poll() is not None:
                raise Failed("%s has ended with %d, before %s" % (process.args[0], process.returncode, what))
        if time.monotonic() > end:
            raise Late("not within %d s: %s" % (PATIENCE, what() if callable(what) else what))
        time.sleep(every)
    return result


def begin(*works):
    """Does works in threads, which end with the driver. Returns the threads."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads
