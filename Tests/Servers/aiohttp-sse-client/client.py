"""client.py URL: prints the data of the events. The same EventSource connects again, and knows the last event."""
import asyncio
import datetime
import sys

import aiohttp
from aiohttp_sse_client.client import EventSource


async def main(url):
    # By default, aiohttp ends each response after five minutes.
    timeout = aiohttp.ClientTimeout(total=None)
    second = datetime.timedelta(seconds=1)
    async with EventSource(url, reconnection_time=second, timeout=timeout) as source:
        while True:
            try:
                async for event in source:
                    print(event.data, flush=True)
            except (ConnectionError, aiohttp.ClientError):
                pass


asyncio.run(main(sys.argv[1]))
