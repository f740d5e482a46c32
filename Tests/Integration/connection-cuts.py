#!/usr/bin/env python3
"""Cuts the connections of a ledger in PostgreSQL after random numbers of bytes, in both directions, while 4 processes claim,
confirm and release; then compares their logs with the ledger.

Takes the folder of ledger-race, the folder of the server's socket, and the number of cuts.
"""
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

race = os.path.realpath(sys.argv[1]) + "/ledger-race"
server = sys.argv[2] + "/.s.PGSQL.5432"
wanted = int(sys.argv[3])
direct = f"postgresql://ledger@/postgres?host={sys.argv[2]}"
cuts = 0
lock = threading.Lock()


def copy(source, target, allowance):
    """Copies bytes until one side closes, or the allowed number of bytes in either direction is reached."""
    global cuts
    try:
        while True:
            data = source.recv(4096)
            with lock:
                part = data[:max(allowance[0], 0)]
                allowance[0] -= len(data)
                is_cut = bool(data) and allowance[0] <= 0 and not allowance[1]
                if is_cut:
                    allowance[1] = True
                    cuts += 1
            if part:
                target.sendall(part)
            if not data or allowance[1]:
                break
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(listener):
    while True:
        client, _ = listener.accept()
        upstream = socket.socket(socket.AF_UNIX)
        upstream.connect(server)
        # The cut can occur anywhere from the first message to about fifty statements later.
        allowance = [int(random.choice((400, 4_000, 40_000)) * random.random()) + 1, False]
        for ends in ((client, upstream), (upstream, client)):
            threading.Thread(target=copy, args=(*ends, allowance), daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0), backlog=128)
threading.Thread(target=serve, args=(listener,), daemon=True).start()
proxied = f"postgresql://ledger@127.0.0.1:{listener.getsockname()[1]}/postgres"
rounds = 0
claims = 0
with tempfile.TemporaryDirectory() as folder:
    while cuts < wanted:
        group = int(time.time() * 1000)
        logs = [f"{folder}/{group}.{number}" for number in range(4)]
        workers = [subprocess.Popen([race, "worker", proxied, log, "100", str(group), str(number), "0", "mixed"])
                   for number, log in enumerate(logs)]
        statuses = [worker.wait(timeout=600) for worker in workers]
        if any(statuses):
            sys.exit(f"a worker ended with {statuses}")
        checked = subprocess.run([race, "check", direct, "100", str(group)] + logs, check=True, capture_output=True, text=True)
        claims += int(checked.stdout.split()[0])
        rounds += 1
print(f"{cuts} cuts in {rounds} rounds, {claims} claims: none twice, none lost")
