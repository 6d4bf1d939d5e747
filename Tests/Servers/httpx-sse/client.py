"""client.py URL: prints the data of the events, and connects again after the last one, as the page of httpx-sse says."""
import sys
import time

import httpx
from httpx_sse import connect_sse

last = {}
# sse-serve may be silent for 15 seconds.
with httpx.Client(timeout=30) as client:
    while True:
        try:
            with connect_sse(client, "GET", sys.argv[1], headers=last) as source:
                for event in source.iter_sse():
                    print(event.data, flush=True)
                    last = {"Last-Event-ID": event.id}
        except httpx.HTTPError:
            pass
        time.sleep(1)
