"""client.py URL: prints the data of the events, as the page of sseclient-py does, and connects again."""
import sys
import time

import requests
import sseclient

last = {}
while True:
    try:
        with requests.get(sys.argv[1], headers=last, stream=True) as response:
            for event in sseclient.SSEClient(response).events():
                print(event.data, flush=True)
                last = {"Last-Event-ID": event.id}
    except requests.RequestException:
        pass
    time.sleep(1)
