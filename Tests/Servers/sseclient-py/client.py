"""client.py requests|httpx URL: prints the data of the events, as the page of sseclient-py does, and connects again."""
import sys
import time

import httpx
import requests
import sseclient


def with_requests(url, headers):
    with requests.get(url, headers=headers, stream=True) as response:
        yield from sseclient.SSEClient(response).events()


def with_httpx(url, headers):
    with httpx.stream("GET", url, headers=headers, timeout=None) as response:
        yield from sseclient.SSEClient(response.iter_bytes()).events()


events = {"requests": with_requests, "httpx": with_httpx}[sys.argv[1]]
last = {}
while True:
    try:
        for event in events(sys.argv[2], last):
            print(event.data, flush=True)
            last = {"Last-Event-ID": event.id}
    except (httpx.HTTPError, requests.RequestException):
        pass
    time.sleep(1)
