#!/usr/bin/env python3
"""Kills and stops `paytoken pay` and `payments recover` at random system calls, and lets gateways lose answers and book late.

Each round pays one order with three tokens, at one of five gateways, with a ledger in SQLite or PostgreSQL, while
messages of the gateway arrive. The gateway makes the payment with one of the tokens late, and another channel pays with
the order's reference, or is refused. In addition, a round may have one kind of trouble: connections to the gateway or to
PostgreSQL are cut, PostgreSQL is restarted, the disk of SQLite is full, or a backup of SQLite without the order's attempts
is restored; in the last rounds, a standby of PostgreSQL takes over, for which the primary waited. Afterwards the gateway's
own books alone decide: we must not charge an order more than once, and its recorded state must be that of the books, or
`payments list` must name it for a person, who decides in most rounds. Takes the folder of the programs; ROUNDS and
SEED from the environment.

A stopped process sees the time jump by more than lease and sending limit, as after a real stop of that length.
"""
import collections
import contextlib
import json
import multiprocessing.pool
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from cuts import Allowance, CuttingServer  # noqa: E402
from messages import Hook, http  # noqa: E402
from programs import LIMIT, Program, check, folder, order_of, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GATEWAYS = ("worldline-direct", "bepaid", "dintero", "rbs", "checkout")

# The amounts and what the gateway does with them; see gateway-sandbox --help.
AMOUNTS = {"success": 71_929, "decline": 40_200, "pending": 20_200, "no answer": 40_800, "lost": 40_801,
           "error page": 50_200, "late": 50_400, "unavailable": 50_300}
# The seconds after which a late payment is made, and those for which a silent gateway is waited for.
LATE, SILENCE = 5, 3
# The gateways at which a payment is ours by the suffix of its reference.
MARKED_BY_REFERENCE = ("bepaid", "checkout")

# System calls of a payment: of the ledger, of the connection, of the program's threads.
CALLS = ("fdatasync,fsync", "pwrite64", "write,writev", "connect", "sendto,sendmsg", "recvfrom,recvmsg", "poll,ppoll",
         "futex", "openat", "clone3,clone", "epoll_wait,epoll_pwait", "close", "fcntl,flock")
# The trouble of a round with each kind of ledger.
TROUBLES = {"sqlite": (None, "gateway cut", "full disk", "restored backup"),
            "postgresql": (None, "gateway cut", "ledger cut", "fast restart", "immediate restart")}
# A server pair serves so many rounds, and fails over once.
ROUNDS_OF_FAILOVER = 8
# The options of a person's decision.
DECISION = ("--by", "Ada", "--because", "books")
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

    def __init__(self, shop, number, ledger=None):
        self.shop, self.number = shop, number
        self.random = random.Random(f"{shop.seed} {number}")
        # Of its own, because connections come at any time.
        self.cuts = random.Random(f"{shop.seed} {number} cuts")
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
        kind = sorted(shop.ledgers)[number // len(GATEWAYS) % len(shop.ledgers)]
        self.trouble = "failover" if ledger else self.random.choice(TROUBLES[kind])
        self.is_troubled = False
        self.ledger = ledger or shop.ledgers[kind]
        if self.trouble == "restored backup":
            self.ledger = self.folder / "own/ledger"
            self.ledger.parent.mkdir(0o700)
            shop.open(self.ledger)
            with contextlib.closing(sqlite3.connect(self.ledger)) as database:
                database.execute("VACUUM INTO ?", (str(self.folder / "backup"),))
        self.file = self.folder / "gateway.json"
        self.account = shop.hook.account(shop.work / f"gateways/{self.gateway}.json")
        self.file.write_text(json.dumps(self.account))
        # When another channel pays; its payment, and those that pay the order because a person says so.
        self.moment = self.random.choice(("before", "during", "after", "at last"))
        self.foreign = None
        self.adopted = set()
        # The token whose payment is late.
        self.late = self.random.choice((1, 1, 2, 3))
        self.course = []

    def jump(self, seconds=JUMP):
        """Lets the clock of this order's processes jump."""
        self.offset += seconds
        self.clock.write_bytes(struct.pack("q", self.offset))

    def words(self, *words):
        return [self.shop.paytoken, *words, "--gateway", self.file, "--ledger", self.ledger]

    @contextlib.contextmanager
    def troubled(self):
        """Makes the round's trouble until the end of a `with` block."""
        file, ledger = self.file, self.ledger
        with contextlib.ExitStack() as stack:
            if self.trouble == "gateway cut":
                server = stack.enter_context(CuttingServer(self.shop.address, self.allow_exchange))
                self.file = self.folder / "cut.json"
                self.file.write_text(json.dumps({**self.account, "origin": f"http://127.0.0.1:{server.port}"}))
            elif self.trouble == "ledger cut":
                server = stack.enter_context(CuttingServer(self.shop.socket, self.allow_statements))
                self.ledger = f"postgresql://ledger@127.0.0.1:{server.port}/postgres"
            elif self.trouble and self.trouble.endswith("restart"):
                stack.enter_context(self.shop.restarted(self.trouble.split()[0], self.random.uniform(0, 2)))
            self.is_troubled = True
            yield
            self.is_troubled = False
            if self.trouble == "full disk":
                output = (self.folder / "output").read_bytes()
                self.shop.faults[self.trouble] += output.count(b"disk is full") + output.count(b'"isRecorded":false')
            elif self.trouble:
                self.shop.faults[self.trouble] += server.cuts if self.trouble.endswith("cut") else 1
        self.file, self.ledger = file, ledger

    def allow_exchange(self):
        """Cuts half of the connections: before the first byte, in the request, or in the answer."""
        is_request = self.cuts.random() < 0.5
        count = self.cuts.choice((0, self.cuts.randint(1, 1_000), None, None))
        return Allowance(count, is_sent_counted=is_request, is_answer_counted=not is_request)

    def allow_statements(self):
        """Cuts a connection anywhere from the first message to about fifty statements later."""
        return Allowance(self.cuts.randint(1, self.cuts.choice((400, 4_000, 40_000))))

    def environment(self, call=None):
        """Returns the environment of a process for which the disk is full from a call on."""
        libraries = [self.shop.clock]
        more = {}
        if call:
            libraries.append(self.shop.disk)
            more = {"FAULT_FOLDER": str(self.ledger.parent), "FAULT_KIND": "full", "FAULT_CALL": str(call)}
            self.course.append(f"full disk from call {call}")
        return {**os.environ, **more, "LD_PRELOAD": " ".join(map(str, libraries)), "CLOCK_OFFSET": str(self.clock),
                "CLOCK_BOOT": "1"}

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
        is_disk_full = self.trouble == "full disk" and self.is_troubled and self.random.random() < 0.7
        # Of about 190 calls for a payment that is booked, the first 80 open the ledger.
        environment = self.environment(self.random.randint(20, 190) if is_disk_full else None)
        if fault:
            calls = self.random.choice(CALLS)
            when = self.random.randint(1, self.random.choice((3, 12, 60)))
            words = ["strace", "-f", "-qqq", "-e", f"trace={calls}", "-e", f"inject={calls}:signal={fault}:when={when}",
                     "-o", os.devnull, *words]
            self.course.append(f"{fault} at {calls} {when}")
        with open(self.folder / "output", "ab") as output:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    env=environment, start_new_session=True)

    def tap(self, token, fault=None):
        """Starts to pay with one of the order's tokens."""
        if token == self.late:
            self.shop.ask("late", {"reference": self.reference, "seconds": self.random.randint(1, 2 * LATE)})
        return self.start(self.payment(token), fault)

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
        """Runs a command to its end; again if another round has restarted the ledger, or has stopped who has its lock."""
        limit = time.monotonic() + LIMIT
        while True:
            done = run(self.words(*words), env=self.environment())
            # The status is also that of an order that was refused for the operator.
            if done.returncode != 3 or b'"outcome"' in done.stdout or time.monotonic() > limit:
                return done
            time.sleep(0.2)

    def recover(self, fault=None):
        process = self.start(self.words("payments", "recover"), fault)
        self.finish(process)

    def messages(self):
        """Returns files with messages of the gateway's: about each payment in the books, and about another channel's refused one."""
        if self.gateway not in Hook.GATEWAYS:
            return []
        refused = [self.foreign] if self.foreign and self.foreign["state"] == "refused" else []
        files = []
        for entry in self.books() + refused:
            file = self.folder / f"message-{entry['id']}"
            amount = self.foreign["amount"] if entry.get("isForeign") else self.amount
            file.write_bytes(http(*self.shop.hook.message(self.gateway, entry, amount)))
            files.append(file)
            self.shop.faults["messages"] += 1
        return files

    def books(self):
        """Returns the payments with the order's references in the gateway's books: ours, and those of another channel."""
        return [entry for entry in self.shop.ask("payments") if order_of(entry["reference"]) == self.reference]

    def wait_for_late(self):
        """Waits until the gateway has made the order's late payments."""
        limit = time.monotonic() + LIMIT
        while any(order_of(reference) == self.reference for reference in self.shop.ask("late")):
            check(time.monotonic() < limit, f"{self}: a late payment is not made")
            time.sleep(0.2)

    def pay_elsewhere(self, moment):
        """Lets another channel pay, if it is its moment: with the order's reference, or with one that we sent."""
        if moment != self.moment:
            return
        references = {self.reference, *(entry["reference"] for entry in self.books())}
        payment = {"gateway": self.gateway, "reference": self.random.choice(sorted(references)), "currency": "EUR",
                   "amount": self.random.choice((self.amount, self.amount, 1_000)),
                   "state": self.random.choice(("refused", "refused", "authorized", "captured"))}
        made = self.shop.ask("payments", payment)
        # RBS accepts a reference once.
        self.foreign = made and {**payment, **made}
        self.shop.faults[f"foreign {payment['state']}" if made else "foreign not accepted"] += 1
        self.course.append(f"{moment} {self.foreign}")

    def run(self):
        with self.troubled():
            self.pay()
        self.jump()
        self.pay_elsewhere("after")
        # The trouble is over, so what was disturbed is repaired.
        self.wait_for_late()
        if self.trouble == "restored backup":
            self.restore()
        for _ in range(3):
            self.jump(30_000)
            done = self.command("payments", "recover")
            check(done.returncode == 0, f"{self}: recover: {done.stderr.decode()}")
        self.pay_elsewhere("at last")
        self.end(2)
        if self.random.random() < 0.7 and self.decide():
            self.end(4)

    def end(self, token):
        """Pays once more, tells of all payments in the books, and judges."""
        self.finish(self.tap(token))
        self.wait_for_late()
        # An order without an attempt would not be told of a payment of another channel's.
        for message in self.messages():
            done = self.command("receive", message)
            check(done.returncode == 0, f"{self}: {message}: {done.stdout.decode()}{done.stderr.decode()}")
        self.judge()

    def pay(self):
        """Pays with three tokens and recovers in between, with faults."""
        self.pay_elsewhere("before")
        kind = self.random.choice(("KILL", "STOP", "STOP", None))
        first = self.tap(1, kind)
        if kind == "STOP":
            # Time for the process to reach its call; then others go on, long after.
            time.sleep(self.random.uniform(0.1, 1.5))
            self.jump()
        else:
            time.sleep(self.random.uniform(0, 0.5))
        self.pay_elsewhere("during")
        others = [self.tap(2),
                  self.start(self.words("payments", "recover"), self.random.choice((None, "KILL", "STOP"))),
                  *(self.start(self.words("receive", message)) for message in self.messages())]
        time.sleep(self.random.uniform(0, 1))
        for process in others + [first]:
            self.finish(process)
        # A second token after each recovery.
        self.jump()
        self.recover(self.random.choice((None, None, "KILL", "STOP")))
        self.finish(self.tap(3))

    def restore(self):
        """Restores the backup from before the first payment, as the documents describe."""
        for file in self.ledger.parent.iterdir():
            file.unlink()
        shutil.copyfile(self.folder / "backup", self.ledger)
        self.ledger.chmod(0o600)
        done = run([self.shop.paytoken, "ledger", "init", "--window", "300", "--ledger", self.ledger],
                   env=self.environment())
        check(done.returncode == 0, f"{self}: {done.stderr.decode()}")
        # Gateways without keys are asked before anything is sent, after 15 minutes and for a day.
        self.jump()
        self.finish(self.start(self.payment(2)))

    def show(self):
        """Returns the state of the order after the gateway was asked; one without members if it has no attempt."""
        shown = self.command("payments", "show", self.reference)
        check(any(word in shown.stdout for word in (b'"outcome"', b'"no-payment"')), f"{self}: {shown.stderr.decode()}")
        return json.loads(shown.stdout) if b'"outcome"' in shown.stdout else {}

    def judge(self):
        """Compares the record with the gateway's books."""
        # The question about a payment in progress ends it.
        shown, entries = self.show(), self.books()
        charged = sum(spent(entry) for entry in entries if not entry.get("isForeign"))
        check(charged <= self.amount, f"{self}: {charged} is reserved or captured for an order of {self.amount}: {entries}")
        outcome = shown.get("outcome", "none")
        listed = self.command("payments", "list")
        check(listed.returncode == 0, f"{self}: {listed.stderr.decode()}")
        is_listed = any(json.loads(line)["reference"] == self.reference for line in listed.stdout.splitlines())
        # All money that is held must be known, and only ours pays the order.
        money = sum(spent(entry) - entry["refunded"] for entry in entries)
        ours = sum(spent(entry) - entry["refunded"] for entry in entries if self.is_ours(entry))
        if shown.get("reason") == "second-payment":
            outcome = "second-payment"
            is_listed = is_listed and any(entry["id"] == shown["secondPaymentId"] and spent(entry) > entry["refunded"]
                                          for entry in entries)
        elif outcome in ("unknown", "pending"):
            # Money that is ours by its mark, but not the order's amount, is unknown and stated.
            is_listed = is_listed and ours in (0, sum(shown.get(member) or 0 for member in ("captured", "authorized")))
        is_right = {"paid": money == ours == self.amount, "authorized": money == ours == self.amount, "refused": money == 0,
                    "returned": money == 0, "none": ours == 0 or self.is_forgotten}.get(outcome, is_listed)
        check(is_right, f"{self}: {outcome}, listed: {is_listed}, in the books: {entries}, recorded: {shown}")
        self.shop.outcomes[f"{outcome}{', listed' if is_listed else ''}"] += 1

    def is_ours(self, entry):
        """Returns whether a payment pays the order: it is ours, or nobody can tell, or a person says so."""
        is_marked = self.gateway in MARKED_BY_REFERENCE and entry["reference"] != self.reference
        return not entry.get("isForeign") or is_marked or entry["id"] in self.adopted

    @property
    def is_forgotten(self):
        """Whether the attempts are lost, and the gateway cannot be asked for them: `pay` sends nothing until a person decides."""
        return self.trouble == "restored backup" and self.gateway == "worldline-direct"

    def decide(self):
        """Lets a person decide about all money that does not pay the order; returns whether there is any."""
        shown = self.show()
        if not shown and self.is_forgotten:
            lost = [entry["id"] for entry in self.books() if not entry.get("isForeign")]
            check(all(map(self.adopt, lost)), f"{self}: a lost payment cannot be adopted")
            return bool(lost)
        is_decided = False
        while shown.get("reason") == "second-payment":
            entries = [entry for entry in self.books() if spent(entry) > entry["refunded"]]
            payment = shown["secondPaymentId"]
            # It can pay the order if no attempt of ours does, or may.
            if len(entries) > 1 or self.random.random() < 0.5 or not self.adopt(payment):
                self.give_back(payment, shown["serial"])
            is_decided, shown = True, self.show()
        return is_decided

    def give_back(self, payment, serial):
        """Lets a person give a payment back at the gateway, and state that."""
        check(self.shop.ask("returns", {"gateway": self.gateway, "id": payment}) is not None, f"{self}: there is no {payment}")
        done = self.command("payments", "resolve", self.reference, "--serial", serial, "--returned", "--payment-id", payment,
                            "--confirmed", *DECISION)
        self.course.append(f"returned {payment}")
        # Another round's recovery asks about this order, too, and a ledger that was restarted may have stored the decision.
        is_repeated = b"nothing is to be decided" in done.stdout and self.show().get("secondPaymentId") != payment
        check(done.returncode in (0, 5) or b"changed meanwhile" in done.stdout or is_repeated,
              f"{self}: {done.stdout.decode()}{done.stderr.decode()}")
        self.shop.faults["returned"] += 1

    def adopt(self, payment):
        """Lets a person state that a payment pays the order; returns whether no attempt of ours does, or may."""
        done = self.command("payments", "adopt", self.reference, "--payment-id", payment, "--order",
                            self.folder / "order.json", *DECISION)
        self.course.append(f"adopt {payment}: {done.stdout.decode().strip()}")
        if done.returncode not in (0, 6):
            return False
        self.adopted.add(payment)
        self.shop.faults["adopted"] += 1
        return True

    def __str__(self):
        return (f"round {self.number} (SEED={self.shop.seed}): {self.scenario} at {self.gateway}, "
                f"{str(self.ledger)[:10]}, {self.trouble}, {'; '.join(self.course)}")


def spent(entry):
    """Returns the amount of a payment in the books that was reserved or captured, also if it was given back."""
    return entry["authorized"] + entry["captured"]


class Shop:
    """The sandbox, the ledgers, and a PKI for tokens, in a temporary folder."""

    def __init__(self, programs, work, sandbox, seed):
        self.programs, self.work, self.seed = programs, work, seed
        self.paytoken = programs / "paytoken"
        self.origin = sandbox.stdout.readline().decode().strip() or sys.exit("the sandbox does not start")
        self.address = ("127.0.0.1", int(self.origin.rpartition(":")[2]))
        self.clock, self.disk = work / "jumping-clock.so", work / "failing-calls.so"
        self.hook = Hook(work)
        self.outcomes, self.faults = collections.Counter(), collections.Counter()
        for library in (self.clock, self.disk):
            self.do(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", HERE / f"{library.stem}.c", "-ldl", "-o",
                     library])
        self.do([programs / "paytoken-testing", "pki", "--out", work / "pki"])
        (work / "sqlite").mkdir()
        self.ledgers = {"sqlite": work / "sqlite/ledger"}
        self.open(self.ledgers["sqlite"])
        self.socket = f"{work}/server/.s.PGSQL.5432"
        self.turn = threading.Lock()
        if self.server_does('[ -n "$programs" ] && [ -x "$programs/initdb" ] || exit 9').returncode == 9:
            print("without PostgreSQL: its programs are not installed")
            return
        self.do_server("make_server $work/server")
        server = f"postgresql:///postgres?host={work}/server&user=ledger"
        done = run([self.paytoken, "ledger", "show", "--ledger", server])
        if b"built without PostgreSQL" in done.stderr:
            print("without PostgreSQL: paytoken was built without it")
            return
        self.open(server)
        self.ledgers["postgresql"] = server

    def ask(self, path, members=None):
        """Returns a list of the sandbox's, or its answer to an order of a test; None if it refuses that."""
        words = ["curl", "-q", "-s", "-f", f"{self.origin}/sandbox/{path}"]
        if members is not None:
            words += ["-H", "Content-Type: application/json", "--data-binary", json.dumps(members)]
        done = run(words)
        # 22 is curl's status for an HTTP status above 399.
        check(done.returncode in (0, 22), "the sandbox does not answer")
        return json.loads(done.stdout) if done.returncode == 0 else None

    @staticmethod
    def do(words):
        done = run(words)
        check(done.returncode == 0, f"{words}: {done.stderr.decode()}{done.stdout.decode()}")

    def open(self, ledger):
        self.do([self.paytoken, "ledger", "init", "--window", "300", "--ledger", ledger])

    def server_does(self, script):
        """Runs commands with the functions of postgresql-server.sh, and the variable `work`."""
        return run(["bash", "-euc", f"work={self.work}; . {HERE}/postgresql-server.sh; {script}"])

    def do_server(self, script):
        done = self.server_does(script)
        check(done.returncode == 0, f"{script}: {done.stderr.decode()}{done.stdout.decode()}")

    @contextlib.contextmanager
    def later(self, seconds, script):
        """Runs commands for servers after some seconds, during a `with` block; their failure ends the block."""
        failures = []

        def act():
            time.sleep(seconds)
            try:
                with self.turn:
                    self.do_server(script)
            except SystemExit as failure:
                failures.append(failure)

        thread = threading.Thread(target=act)
        thread.start()
        try:
            yield
        finally:
            thread.join()
        check(not failures, f"{failures}")

    def restarted(self, mode, seconds):
        """Restarts the PostgreSQL server after some seconds, during a `with` block."""
        return self.later(seconds, f"restart_server $work/server {mode}")

    def make_pair(self):
        """Starts a primary and a standby that it waits for, and returns their URI."""
        self.do_server("for server in primary standby; do stop_server $work/$server; rm -rf $work/$server; done;"
                       " make_server $work/primary")
        self.open(f"postgresql://ledger@/postgres?host={self.work}/primary")
        self.do_server("add_standby; make_primary_wait")
        return f"postgresql://ledger@/postgres?host={self.work}/primary,{self.work}/standby"

    def stop(self):
        self.server_does("for server in server primary standby; do stop_server $work/$server; done")


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

            def one(number, ledger=None):
                try:
                    Round(shop, number, ledger).run()
                except SystemExit as failure:
                    failures.append(failure)
                    print(failure, flush=True)

            # The last rounds are those of failovers, about one in 30.
            failovers = max(count // 250, 1) if "postgresql" in shop.ledgers else 0
            single = max(count - failovers * ROUNDS_OF_FAILOVER, 0)
            try:
                with multiprocessing.pool.ThreadPool(16) as pool:
                    pool.map(one, range(single), chunksize=1)
                    for first in range(single, count, ROUNDS_OF_FAILOVER):
                        pair = shop.make_pair()
                        with shop.later(random.Random(f"{seed} {first}").uniform(0.5, 3), "fail_over"):
                            pool.map(lambda number, pair=pair: one(number, pair),
                                     range(first, min(first + ROUNDS_OF_FAILOVER, count)), chunksize=1)
            finally:
                shop.stop()
            print(f"{count} rounds: " + ", ".join(f"{number} {name}" for name, number in sorted(shop.outcomes.items())))
            print("faults: " + ", ".join(f"{number} {name}" for name, number in sorted(shop.faults.items())))
            check(min(shop.faults["killed"], shop.faults["stopped"]) > count // 20, "too few faults")
            names = {name for kind in shop.ledgers for name in TROUBLES[kind] if name}
            names |= {"foreign refused", "foreign authorized", "foreign captured", "adopted", "returned"}
            check(count < 500 or all(shop.faults[name] for name in names), "a kind of trouble never came")
            check(not failures, f"{len(failures)} rounds failed")


main()
