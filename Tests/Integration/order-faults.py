#!/usr/bin/env python3
"""Kills and stops `paytoken pay` and `payments recover` at random system calls, and lets gateways lose answers and book late.

Each round pays one order with three tokens, at one of five gateways, with a ledger in SQLite or PostgreSQL. Afterwards
the gateway's own books alone decide: an order must not be charged more than once, and its recorded state must be that of
the books, or `payments list` must name it for a person. Takes the folder of the programs; ROUNDS and SEED from the
environment.

A stopped process sees the time jump by more than lease and sending limit, as after a real stop of that length.
"""
import collections
import contextlib
import json
import multiprocessing.pool
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from programs import LIMIT, Program, check, folder, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GATEWAYS = ("worldline-direct", "bepaid", "dintero", "rbs", "checkout")

# The amounts and what the gateway does with them; see gateway-sandbox --help.
AMOUNTS = {"success": 71_929, "decline": 40_200, "pending": 20_200, "no answer": 40_800, "lost": 40_801,
           "error page": 50_200, "late": 50_400, "unavailable": 50_300}
# The seconds after which a late payment is made, and those for which a silent gateway is waited for.
LATE, SILENCE = 5, 3

# System calls of a payment: of the ledger, of the connection, of the program's threads.
CALLS = ("fdatasync,fsync", "pwrite64", "write,writev", "connect", "sendto,sendmsg", "recvfrom,recvmsg", "poll,ppoll",
         "futex", "openat", "clone3,clone", "epoll_wait,epoll_pwait", "close", "fcntl,flock")
# The time jumps past lease and sending limit, and then past the questions' growing pauses.
JUMP = 1_000


def sessions():
    """Yields the state and the session of each process."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, session = path.read_text().rpartition(") ")[2].split()[:4]
            yield state, int(session)


class Round:
    """One order, and the processes that pay it."""

    def __init__(self, shop, number):
        self.shop, self.number = shop, number
        self.random = random.Random(f"{shop.seed} {number}")
        self.gateway = GATEWAYS[number % len(GATEWAYS)]
        self.scenario = self.random.choice(list(AMOUNTS))
        self.amount = AMOUNTS[self.scenario]
        self.reference = f"order-{os.getpid()}-{number}"
        self.folder = shop.work / f"round-{number}"
        self.folder.mkdir()
        self.clock = self.folder / "clock"
        self.clock.write_bytes(struct.pack("q", 0))
        self.offset = 0
        (self.folder / "order.json").write_text(json.dumps(
            {"reference": self.reference, "amount": self.amount, "currency": "EUR", "description": "Order",
             "returnURL": "https://shop.example/r"}))
        self.ledger = shop.ledgers[number // len(GATEWAYS) % len(shop.ledgers)]
        self.file = shop.work / f"gateways/{self.gateway}.json"
        self.course = []

    def jump(self, seconds=JUMP):
        """Lets the clock of this order's processes jump."""
        self.offset += seconds
        self.clock.write_bytes(struct.pack("q", self.offset))

    def words(self, *words):
        return [self.shop.paytoken, *words, "--gateway", self.file, "--ledger", self.ledger]

    def environment(self):
        return {**os.environ, "LD_PRELOAD": str(self.shop.library), "CLOCK_OFFSET": str(self.clock), "CLOCK_BOOT": "1"}

    def payment(self, token):
        """Returns the words that pay with one of the order's tokens."""
        file = self.folder / f"token-{token}"
        if not file.exists():
            made = run([self.shop.programs / "paytoken-testing", "token", "--pki", self.shop.work / "pki", "--for",
                        self.shop.work / "pki/merchants/one.cert.pem", "--amount", str(self.amount), "--currency", "EUR"])
            check(made.returncode == 0, made.stderr.decode())
            file.write_bytes(made.stdout)
        return self.words("pay", file, "--order", self.folder / "order.json", "--keys", self.shop.work / "pki/merchants",
                          "--test-trust-anchor", self.shop.work / "pki/root.pem", "--any-age")

    def start(self, words, fault=None):
        """Starts a process in a group of its own; with a fault, the signal comes at a random system call."""
        if fault:
            calls = self.random.choice(CALLS)
            when = self.random.randint(1, self.random.choice((3, 12, 60)))
            words = ["strace", "-f", "-qqq", "-e", f"trace={calls}", "-e", f"inject={calls}:signal={fault}:when={when}",
                     "-o", os.devnull, *words]
            self.course.append(f"{fault} at {calls} {when}")
        with open(self.folder / "output", "ab") as output:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    env=self.environment(), start_new_session=True)

    def finish(self, process):
        """Waits for a process, and continues it if it was stopped."""
        limit = time.monotonic() + LIMIT
        if self.is_stopped(process):
            self.course.append("stopped")
            self.shop.faults["stopped"] += 1
        while process.poll() is None:
            check(time.monotonic() < limit, f"{self}: a process does not end")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
            time.sleep(0.05)
        if process.returncode == -signal.SIGKILL:
            self.shop.faults["killed"] += 1
        self.course.append(f"exit {process.returncode}")

    @staticmethod
    def is_stopped(process):
        """Returns whether a process of a group is stopped for longer than strace stops it at a system call."""
        for _ in range(3):
            if not any(session == process.pid and state in "Tt" for state, session in sessions()):
                return False
            time.sleep(0.02)
        return True

    def command(self, *words):
        """Runs a command to its end; again if a stopped process of another round has the ledger's lock."""
        limit = time.monotonic() + LIMIT
        while True:
            done = run(self.words(*words), env=self.environment())
            if b"did not answer" not in done.stderr or time.monotonic() > limit:
                return done

    def recover(self, fault=None):
        process = self.start(self.words("payments", "recover"), fault)
        self.finish(process)

    def books(self):
        """Returns what the gateway's books have for all slots of the order: the amount that is reserved or captured."""
        read = run(["curl", "-q", "-s", "-f", f"{self.shop.origin}/sandbox/payments"])
        check(read.returncode == 0, "the books cannot be read")
        own = [entry for entry in json.loads(read.stdout)
               if (entry.get("reference") or "").split(".r")[0] == self.reference]
        return sum((entry["authorized"] or 0) + (entry["captured"] or 0) for entry in own), own

    def run(self):
        kind = self.random.choice(("KILL", "STOP", "STOP", None))
        first = self.start(self.payment(1), kind)
        if kind == "STOP":
            # Time for the process to reach its call; then others go on, long after.
            time.sleep(self.random.uniform(0.1, 1.5))
            self.jump()
        else:
            time.sleep(self.random.uniform(0, 0.5))
        others = [self.start(self.payment(2)), self.start(self.words("payments", "recover"),
                                                          self.random.choice((None, "KILL", "STOP")))]
        time.sleep(self.random.uniform(0, 1))
        for process in others + [first]:
            self.finish(process)
        # A second token after each recovery.
        self.jump()
        self.recover(self.random.choice((None, None, "KILL", "STOP")))
        self.finish(self.start(self.payment(3)))
        if self.scenario == "late":
            time.sleep(LATE + 1)
        for _ in range(3):
            self.jump(30_000)
            self.recover()
        self.finish(self.start(self.payment(2)))
        self.judge()

    def judge(self):
        """Compares the record with the gateway's books."""
        charged, entries = self.books()
        check(charged <= self.amount, f"{self}: {charged} is reserved or captured for an order of {self.amount}: {entries}")
        shown = self.command("payments", "show", self.reference)
        outcome = json.loads(shown.stdout)["outcome"] if shown.stdout and b"outcome" in shown.stdout else "none"
        listed = self.command("payments", "list")
        check(listed.returncode == 0, f"{self}: {listed.stderr.decode()}")
        is_listed = any(json.loads(line)["reference"] == self.reference for line in listed.stdout.splitlines())
        is_right = {"paid": charged == self.amount, "authorized": charged == self.amount, "refused": charged == 0,
                    "none": charged == 0}.get(outcome, is_listed)
        check(is_right, f"{self}: {outcome}, listed: {is_listed}, in the books: {entries}, {shown.stderr.decode()}")
        self.shop.outcomes[f"{outcome}{', listed' if is_listed else ''}"] += 1

    def __str__(self):
        return (f"round {self.number} (SEED={self.shop.seed}): {self.scenario} at {self.gateway}, "
                f"{str(self.ledger)[:10]}, {'; '.join(self.course)}")


class Shop:
    """The sandbox, the ledgers, and a PKI for tokens, in a temporary folder."""

    def __init__(self, programs, work, sandbox, seed):
        self.programs, self.work, self.seed = programs, work, seed
        self.paytoken = programs / "paytoken"
        self.origin = sandbox.stdout.readline().decode().strip() or sys.exit("the sandbox does not start")
        self.library = work / "jumping-clock.so"
        self.outcomes, self.faults = collections.Counter(), collections.Counter()
        for words in (["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", HERE / "jumping-clock.c", "-ldl", "-o",
                       self.library],
                      [programs / "paytoken-testing", "pki", "--out", work / "pki"]):
            done = run(words)
            check(done.returncode == 0, done.stderr.decode())
        (work / "sqlite").mkdir()
        self.ledgers = [work / "sqlite/ledger"]
        server = self.start_server()
        if server:
            self.ledgers.append(server)
        for ledger in list(self.ledgers):
            done = run([self.paytoken, "ledger", "init", "--window", "300", "--ledger", ledger])
            if b"built without PostgreSQL" in done.stderr:
                print("without PostgreSQL: paytoken was built without it")
                self.ledgers.remove(ledger)
                continue
            check(done.returncode == 0, f"{ledger}: {done.stderr.decode()}")

    def start_server(self):
        """Starts a PostgreSQL server, and returns its URI; nothing without PostgreSQL's programs."""
        script = f'. {HERE}/postgresql-server.sh; [ -n "$programs" ] && [ -x "$programs/initdb" ] || exit 9; make_server {self.work}/server'
        done = run(["bash", "-euc", script])
        if done.returncode == 9:
            print("without PostgreSQL: its programs are not installed")
            return None
        check(done.returncode == 0, done.stderr.decode() + done.stdout.decode())
        return f"postgresql:///postgres?host={self.work}/server&user=ledger"

    def stop(self):
        run(["bash", "-uc", f". {HERE}/postgresql-server.sh; stop_server {self.work}/server"])


def main():
    programs = folder()
    count, seed = int(os.environ.get("ROUNDS", "60")), os.environ.get("SEED", "1")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        # The server runs as another user.
        work.chmod(0o755)
        words = [programs / "gateway-sandbox", "--port", "0", "--silence", str(SILENCE), "--late", str(LATE),
                 "--files", work / "gateways"]
        with Program(words, stdout=subprocess.PIPE, stderr=None) as sandbox:
            shop = Shop(programs, work, sandbox, seed)
            failures = []

            def one(number):
                try:
                    Round(shop, number).run()
                except SystemExit as failure:
                    failures.append(failure)
                    print(failure, flush=True)

            try:
                with multiprocessing.pool.ThreadPool(8) as pool:
                    pool.map(one, range(count), chunksize=1)
            finally:
                shop.stop()
            print(f"{count} rounds: " + ", ".join(f"{number} {name}" for name, number in sorted(shop.outcomes.items())))
            print(f"{shop.faults['killed']} processes were killed, {shop.faults['stopped']} stopped")
            check(min(shop.faults["killed"], shop.faults["stopped"]) > count // 20, "too few faults")
            check(not failures, f"{len(failures)} rounds failed")


main()
