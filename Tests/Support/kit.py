"""All that drivers use, so that they need one import."""
from Support.comparing import Comparison, Counts, read_lines, read_records  # noqa: F401
from Support.driver import Failed, check, drive, each, part, start_afresh  # noqa: F401
from Support.processes import (  # noqa: F401
    CUT, KILLED, KILLS, Pipeline, Tap, children, cpu, files, kill_group, kill_rounds, memory, signal_children,
    signal_group, start, start_group, start_nginx)
from Support.serving import Request, Server, free_port, is_listening, read_head, reset_at_close  # noqa: F401
from Support.waiting import PATIENCE, Late, begin, until  # noqa: F401
