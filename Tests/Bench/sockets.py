"""A WebSocket server that prepares all its data before anybody connects, and a client for comparison.

usage: sockets.py serve MESSAGES FOLDER      prints three ports: plain, TLS with an authority in FOLDER/ca.pem, compressed
"""

import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fixtures", "bin"))
import wsframes

MESSAGES = 1_000_000
QUOTE = b'{"t":"trading.quote","body":{"securityId":"sb%05d","currentPrice":"%d.%02d"}}'

# What a script would do: parse every message as text and write it as a line.
READS = """
import asyncio, ssl, sys, websockets
async def main(url, authority):
    context = ssl.create_default_context(cafile=authority) if authority else None
    write = sys.stdout.write
    async with websockets.connect(url, compression='deflate', max_size=None, ssl=context) as connection:
        async for message in connection:
            write(message)
            write("\\n")
asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
"""


def certificates(folder):
    def openssl(*words, **how):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder, **how)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *curve, "-days", "30", "-subj", "/CN=Bench", "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", *curve, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30", "-extfile",
            "/dev/stdin", "-out", "server.pem", input=b"subjectAltName=DNS:localhost")


def messages(count):
    return (QUOTE % (n % 90000, n % 1000, n % 100) for n in range(count))


def compressed(texts):
    packer = zlib.compressobj(wbits=-15)
    for text in texts:
        yield wsframes.frame(wsframes.TEXT, (packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4], flags=4)


def answer(connection, data, extension):
    try:
        stream = connection.makefile("rb")
        _, headers = wsframes.read_head(stream)
        connection.sendall(wsframes.switch(headers, **({"Sec-WebSocket-Extensions": extension} if extension else {})))
        connection.sendall(data)
        connection.sendall(wsframes.frame(wsframes.CLOSE, struct.pack(">H", 1000)))
        wsframes.read_frame(stream)
    except (OSError, wsframes.Gone, ValueError):
        pass
    connection.close()


def listen(server, data, context=None, extension=None):
    while True:
        connection, _ = server.accept()
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        threading.Thread(target=answer, args=(connection, data, extension), daemon=True).start()


def main():
    count, folder = int(sys.argv[2]), sys.argv[3]
    certificates(folder)
    data = b"".join(wsframes.frame(wsframes.TEXT, text) for text in messages(count))
    packed = b"".join(compressed(messages(count)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    plain, secure, smaller = (socket.create_server(("127.0.0.1", 0)) for _ in range(3))
    print(*(server.getsockname()[1] for server in (plain, secure, smaller)), flush=True)
    threading.Thread(target=listen, args=(plain, data), daemon=True).start()
    threading.Thread(target=listen, args=(smaller, packed, None, "permessage-deflate"), daemon=True).start()
    listen(secure, data, context)


if __name__ == "__main__":
    main()
