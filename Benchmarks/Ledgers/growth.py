#!/usr/bin/env python3
"""Measures ledgers of increasing size: claims one at a time and 64 at a time, and PostgreSQL's prune of 5,000 rows. bench.sh
calls it.

Takes the folder of ledger-race and paytoken, an empty folder, the URI of a database server without the name of the
database, and the file to which it writes the results as JSON. Each round measures all sizes in turns, and a ratio is
taken within a round, so that a machine that changes its speed favors no size.
"""
import contextlib
import json
import os
import pathlib
import secrets
import sqlite3
import statistics
import subprocess
import sys
import time

products, folder, server, output = sys.argv[1:5]
sizes = [int(size) for size in os.environ.get("LEDGER_GROWTH_SIZES", "1000 10000 100000 1000000").split()]
rows = int(os.environ.get("LEDGER_GROWTH_ROWS", "10000000"))
rounds = int(os.environ.get("LEDGER_GROWTH_ROUNDS", "7"))
seconds = os.environ.get("LEDGER_GROWTH_SECONDS", "1")
window, group = 86_400, 64


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def query(database, *statements):
    commands = [word for statement in statements for word in ("-c", statement)]
    return run("psql", "-qAt", "-v", "ON_ERROR_STOP=1", location_of_database(database), *commands)


def location_of_database(name):
    return server.replace("/DATABASE", "/" + name)


class SQLite:
    """A ledger in a file."""

    kind = "SQLite"

    def __init__(self, size):
        self.size = size
        self.location = f"{folder}/{size}"

    def remove(self):
        for suffix in ("", "-wal", "-shm", ".lock"):
            pathlib.Path(self.location + suffix).unlink(missing_ok=True)

    def fill(self):
        self.remove()
        run(products + "/ledger-race", "present", self.location, "10")
        signed = int(time.time())
        with contextlib.closing(sqlite3.connect(self.location)) as connection, connection:
            connection.executemany(
                "INSERT INTO apple_pay_claims VALUES (?, ?, ?, 1)",
                ((secrets.token_bytes(32), secrets.token_hex(16), signed) for _ in range(10, self.size)))
        os.sync()


class PostgreSQL:
    """A ledger in a database."""

    kind = "PostgreSQL"

    def __init__(self, size):
        self.size = size
        self.name = f"ledger_{size}"
        self.location = location_of_database(self.name)
        query("postgres", f"CREATE DATABASE {self.name}")
        run(products + "/ledger-race", "present", self.location, "0")

    def fill(self):
        query(self.name, "TRUNCATE apple_pay_claims")
        run(products + "/ledger-race", "present", self.location, "10")
        insert(self.name, self.size - 10, "extract(epoch FROM now())::bigint")


def insert(database, count, signed):
    query(database, f"""INSERT INTO apple_pay_claims
        SELECT sha256(int8send(i)), md5(i::text), {signed}, true FROM generate_series(1, {count}) AS i""",
          "VACUUM ANALYZE apple_pay_claims", "CHECKPOINT")


def rate(ledger, tasks):
    return float(run(products + "/ledger-race", "rate", ledger.location, str(tasks), seconds))


os.makedirs(folder, 0o700)
result = {
    "labels": {
        "title": "Time per claim as the ledger grows", "subject": "Time per claim",
        "x": "number of claims that the ledger contains", "y": "time per claim, both axes by factors of ten",
    },
    "curves": [],
}
for kind in (SQLite, PostgreSQL):
    ledgers = [kind(size) for size in sizes]
    for ledger in ledgers:
        start = time.monotonic()
        ledger.fill()
        print(f"{ledger.kind}, {ledger.size:,} claims, filled in {time.monotonic() - start:.0f} s", flush=True)
    for tasks in (1, group):
        costs = {ledger.size: [] for ledger in ledgers}
        for _ in range(rounds):
            for ledger in ledgers:
                # A small ledger would otherwise grow by the claims of the rounds before.
                if ledger.size <= 100_000:
                    ledger.fill()
                costs[ledger.size].append(1e6 / rate(ledger, tasks))
        name = f"{ledger.kind}, {tasks} at a time"
        points = []
        for size in sizes:
            ratio = statistics.median(cost / first for cost, first in zip(costs[size], costs[sizes[0]]))
            cost = statistics.median(costs[size])
            points.append({"count": size, "microseconds": round(cost, 1), "ratio": round(ratio, 3)})
            print(f"{name}, {size:,} claims: {cost:.0f} µs per claim, {ratio:.2f} times", flush=True)
        result["curves"].append({"name": name, "points": points})
    for ledger in ledgers:
        if kind is SQLite:
            ledger.remove()
        else:
            query("postgres", f"DROP DATABASE {ledger.name}")

large = PostgreSQL(rows)
insert(large.name, rows - 5_000, "extract(epoch FROM now())::bigint - i % 80000")
prunes = []
for _ in range(5):
    query(large.name, """INSERT INTO apple_pay_claims
        SELECT sha256(int8send(-i)), md5(i::text), extract(epoch FROM now())::bigint - 1000000, true
        FROM generate_series(1, 5000) AS i""", "ANALYZE apple_pay_claims", "CHECKPOINT")
    start = time.monotonic()
    answer = run(products + "/paytoken", "ledger", "prune", "--ledger", large.location)
    prunes.append((time.monotonic() - start) * 1000)
    if json.loads(answer)["pruned"] != 5_000:
        sys.exit(f"prune answered {answer}")
result["prune"] = {"rows": rows, "pruned": 5_000, "milliseconds": round(statistics.median(prunes), 1)}
print(f"PostgreSQL, {rows:,} rows: prune of 5,000 {statistics.median(prunes):.1f} ms "
      f"({', '.join(f'{value:.0f}' for value in prunes)})")
with open(output, "w") as file:
    json.dump(result, file, indent=2, ensure_ascii=False)
    file.write("\n")
