"""Runs one command and writes its cost: wall, user and system seconds, peak memory in KiB, status.

usage: spawn.py DESCRIPTOR COMMAND...

A separate process with almost nothing loaded. Linux counts the memory of the starting process as the command's
(getrusage(2), ru_maxrss is kept over execve), so no figure is below the few MiB of this one.
"""

import os
import sys
from time import monotonic

descriptor, command = int(sys.argv[1]), sys.argv[2:]
start = monotonic()
process = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, descriptor)])
_, status, usage = os.wait4(process, 0)
wall = monotonic() - start
result = (wall, usage.ru_utime, usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
os.write(descriptor, " ".join(map(str, result)).encode())
