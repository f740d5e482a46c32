#!/usr/bin/env python3
"""Cuts the connections of a ledger in PostgreSQL after random numbers of bytes, in both directions, while 4 processes
claim with attempts and without, send and release; then compares their logs with the ledger.

Takes the folder of ledger-race, the folder of the server's socket, and the number of cuts.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from cuts import Allowance, CuttingServer  # noqa: E402

race = os.path.realpath(sys.argv[1]) + "/ledger-race"
wanted = int(sys.argv[3])
direct = f"postgresql://ledger@/postgres?host={sys.argv[2]}"


def allow():
    """The cut can occur anywhere from the first message to about fifty statements later."""
    return Allowance(int(random.choice((400, 4_000, 40_000)) * random.random()) + 1)


rounds = 0
claims = 0
with CuttingServer(sys.argv[2] + "/.s.PGSQL.5432", allow) as server, tempfile.TemporaryDirectory() as folder:
    proxied = f"postgresql://ledger@127.0.0.1:{server.port}/postgres"
    while server.cuts < wanted:
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
print(f"{server.cuts} cuts in {rounds} rounds, {claims} claims: none twice, none lost")
