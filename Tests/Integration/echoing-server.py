#!/usr/bin/env python3
"""Asks PostgreSQL clients for their password and repeats it in the refusal; prints its port, and ends after a minute."""
import contextlib
import signal
import socket
import struct

server = socket.create_server(("127.0.0.1", 0), backlog=64)
print(server.getsockname()[1], flush=True)
signal.alarm(60)
while True:
    client, _ = server.accept()
    # A client may leave at any time.
    with client, client.makefile("rb") as sent, contextlib.suppress(OSError, struct.error):
        while head := sent.read(8):
            length, code = struct.unpack("!II", head)
            sent.read(length - 8)
            # Decline requests for encryption, which are recognized by their codes.
            if code > 80877100:
                client.sendall(b"N")
                continue
            client.sendall(b"R" + struct.pack("!II", 8, 3))
            password = sent.read(struct.unpack("!xI", sent.read(5))[0] - 4)
            fields = b"SFATAL\0C28P01\0Mnot " + password + b"\0"
            client.sendall(b"E" + struct.pack("!I", 4 + len(fields)) + fields)
            break
