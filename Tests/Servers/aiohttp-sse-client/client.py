"""client.py URL: prints the data of the events. After an error, a new EventSource begins with the last ID."""
import asyncio
import datetime
import sys

import aiohttp
from aiohttp_sse_client.client import EventSource


async def main(url):
    # By default, aiohttp ends each response after five minutes.
    timeout = aiohttp.ClientTimeout(total=None)
    second = datetime.timedelta(seconds=1)
    headers = {}
    while True:
        try:
            async with EventSource(url, reconnection_time=second, timeout=timeout, headers=headers) as source:
                async for event in source:
                    print(event.data, flush=True)
                    headers = {"Last-Event-ID": event.last_event_id}
        except (ConnectionError, aiohttp.ClientError):
            await asyncio.sleep(1)


asyncio.run(main(sys.argv[1]))
