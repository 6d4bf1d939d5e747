"""What Tests/Bench/serving.py needs of Support/served.py."""
import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)) + "/..")
from Support.served import PATIENCE, Relay, Server, Stream, until  # noqa: F401
