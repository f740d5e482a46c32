#!/usr/bin/env python3
"""Pays orders at gateway-sandbox with the built command, which sends, records and asks by itself: payments, declines,
customers who must act, lost answers, second tokens, killed and interrupted processes, operations, and messages. After
each course the outcome, the exit status and the gateway's books are compared. Takes the folder of the programs.
"""
import contextlib
import json
import signal
import socket
import sqlite3
import sys
import threading
import time

sys.dont_write_bytecode = True
from gateways import GATEWAYS  # noqa: E402
from messages import Hook, http  # noqa: E402
from programs import LIMIT, Program, check, folder, run  # noqa: E402
from shop import EXIT, Payment, Shop, for_each  # noqa: E402

# The seconds after which other processes ask about an attempt whose owner is silent.
LEASE = 150


class Till:
    """A ledger of orders at one gateway, and the command with it."""

    def __init__(self, shop, gateway, name="orders"):
        self.shop, self.gateway = shop, gateway
        self.ledger = shop.work / f"{name}-{gateway.name}"
        made = run([shop.paytoken, "ledger", "init", "--window", "300", "--ledger", self.ledger])
        check(made.returncode == 0, made.stderr.decode())

    def order(self, amount):
        return Order(self, amount)

    def command(self, *words, file=None, **options):
        """Runs a command with the gateway's file and the ledger; returns the members of its object, with `exit`."""
        file = file or self.shop.work / f"gateways/{self.gateway.name}.json"
        ended = run([self.shop.paytoken, *words, "--gateway", file, "--ledger", self.ledger], **options)
        check(ended.stdout, f"{self.gateway.name} {words}: {ended.stderr.decode()}")
        return {**json.loads(ended.stdout), "exit": ended.returncode}

    def list(self):
        """Returns what is not settled, by reference."""
        ended = run([self.shop.paytoken, "payments", "list", "--ledger", self.ledger])
        check(ended.returncode == 0, ended.stderr.decode())
        return {line["reference"]: line for line in map(json.loads, ended.stdout.splitlines())}

    def recover(self, expected=None):
        """Asks about what is due, and compares the numbers that are expected."""
        found = self.command("payments", "recover")
        check(found["exit"] == 0, f"recover: {found}")
        check(all(found[name] == number for name, number in (expected or {}).items()), f"recover: {found}")
        return found

    def wait_for(self, state, count=1):
        """Waits until this number of attempts has a state in the ledger."""
        limit = time.monotonic() + 30
        while True:
            with contextlib.closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True, timeout=10)) as database:
                found = database.execute("SELECT count(*) FROM apple_pay_attempts WHERE state = ?", (state,)).fetchone()
            if found[0] >= count:
                return
            check(time.monotonic() < limit, f"no attempt is {state}")
            time.sleep(0.02)

    def age(self, seconds=LEASE + 1):
        """Lets all attempts be older, as if their owners had been silent for some time."""
        with contextlib.closing(sqlite3.connect(self.ledger, timeout=10)) as database, database:
            database.execute("UPDATE apple_pay_attempts SET changed_at = changed_at - ?, question_at = question_at - ?"
                             " WHERE question_at IS NOT NULL", (seconds, seconds))


class Order(Payment):
    """An order at a till; its words and files are those of a payment that is sent with curl."""

    def __init__(self, till, amount):
        super().__init__(till.shop, till.gateway, amount)
        self.till = till

    def words(self):
        return ["pay", *self.token, *self.order()]

    def start(self, file=None):
        """Starts paying, and returns the running process; its output goes to the order's folder."""
        words = [self.shop.paytoken, *self.words(), "--gateway", file or self.file, "--ledger", self.till.ledger]
        return Program(words, stdout=self.folder / "output", stderr=self.folder / "messages")

    def output(self):
        """Returns what a started process printed; nothing if that is nothing."""
        text = (self.folder / "output").read_text()
        return json.loads(text.splitlines()[-1]) if text else None

    def settle(self, outcome, name="pay", file=None, **members):
        """Pays, or asks with `show`; checks the outcome, the exit status, and the books, which never have two payments."""
        words = self.words() if name == "pay" else ["payments", name, self.reference]
        found = self.till.command(*words, file=file)
        self.expect_state(found, outcome, **members)
        return found

    def expect_state(self, found, outcome, **members):
        where = f"{self.gateway.name}, amount {self.amount}: {json.dumps(found)}"
        check(found.get("outcome") == outcome, f"not {outcome}: {where}")
        is_operator = outcome == "refused" and found.get("origin") == "operator"
        if "exit" in found:
            check(found["exit"] == (3 if is_operator else EXIT[outcome]), f"the exit status does not fit: {where}")
        check(found["reference"] == self.reference and found["amount"] == self.amount, f"another order: {where}")
        check(found["isRecorded"], f"not recorded: {where}")
        check(all(found.get(key) == value for key, value in members.items()), f"not {members}: {where}")
        self.expect_one_charge(outcome, found)

    def expect_one_charge(self, outcome, found):
        """Compares an outcome with the gateway's own books."""
        books = self.all_books()
        check(all(entry["requests"] == 1 for entry in books), f"charged twice: {books}")
        captured = sum((entry["captured"] or 0) - (entry["refunded"] or 0) for entry in books)
        reserved = sum(entry["authorized"] or 0 for entry in books)
        check(captured + reserved <= self.amount, f"charged twice: {books}")
        right = {"paid": captured == self.amount, "authorized": reserved == self.amount,
                 "refused": captured + reserved == 0, "returned": captured + reserved == 0,
                 "action-required": captured + reserved == 0}
        check(right.get(outcome, True), f"the books differ from {json.dumps(found)}: {books}")

    def all_books(self):
        """Returns the payments of the order in all of its slots."""
        read = run(["curl", "-q", "-s", "-f", f"{self.shop.origin}/sandbox/payments"])
        check(read.returncode == 0, "the books cannot be read")
        return [entry for entry in json.loads(read.stdout)
                if str(entry.get("reference")).split(".r")[0] == self.reference and entry["gateway"] == self.gateway.name]

    def operate(self, verb, outcome, name, amount=None, *more):
        """Captures, cancels or refunds under a name, and checks the result and the exit status."""
        part = () if amount is None else ("--amount", str(amount))
        found = self.till.command("payments", verb, self.reference, "--operation", name, *part, *more)
        check(found.get("operation") == outcome and found["exit"] == EXIT[outcome],
              f"{self.gateway.name}: {verb} is {json.dumps(found)} in place of {outcome}")
        return found


class Relay:
    """A server between the command and the sandbox, which holds back requests or answers.

    `held` is set once a request that begins with `held_line` has arrived. It is passed on if `passes` is true; its answer
    is kept until `release` is called.
    """

    def __init__(self, origin, held_line="POST", passes=True):
        self.address = ("127.0.0.1", int(origin.rpartition(":")[2]))
        self.held_line, self.passes = held_line, passes
        self.held, self.released = threading.Event(), threading.Event()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def release(self):
        self.released.set()

    def serve(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.exchange, args=(connection,), daemon=True).start()

    def exchange(self, connection):
        with connection:
            request = b""
            while not is_whole(request):
                more = connection.recv(1 << 16)
                if not more:
                    return
                request += more
            is_held = request.startswith(self.held_line.encode()) and not self.released.is_set()
            answer = b""
            if self.passes or not is_held:
                with socket.create_connection(self.address, timeout=LIMIT) as onward:
                    onward.sendall(request)
                    while more := onward.recv(1 << 16):
                        answer += more
                        if is_whole(answer):
                            break
            if is_held:
                self.held.set()
                self.released.wait(LIMIT)
            try:
                connection.sendall(answer)
            except OSError:
                pass

    def file(self, order):
        """Writes the order's gateway file with this server's address, and returns the new file."""
        file = order.folder / "relay.json"
        file.write_text(json.dumps({**json.loads(order.file.read_text()), "origin": self.origin}))
        return file


def is_whole(message):
    """Returns whether a message of HTTP with Content-Length is complete."""
    head, end, body = message.partition(b"\r\n\r\n")
    if not end:
        return False
    lengths = [line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return len(body) >= (int(lengths[0]) if lengths else 0)


# The courses. Each takes a till.

def booked(till):
    return "authorized" if till.gateway.only_reserves else "paid"


def paid(till):
    """Pays, again with the same token, and with another token of the customer: one charge."""
    order = till.order(71_929)
    first = order.settle(booked(till))
    order.settle(booked(till), serial=first["serial"])
    order.tap()
    order.settle(booked(till), serial=first["serial"])
    order.settle(booked(till), "show", serial=first["serial"])
    if booked(till) == "authorized":
        again = run([till.shop.paytoken, *order.words(), "--accept", "authorized", "--gateway", order.file, "--ledger",
                     till.ledger])
        check(again.returncode == 0, f"{till.gateway.name}: --accept authorized: exit {again.returncode}")


def declined(till):
    order = till.order(40_200)
    order.settle("refused", slot=1)
    order.tap()
    order.settle("refused", slot=2)


def customer(till):
    """The customer must act, which the next question finds."""
    order = till.order(30_300)
    found = order.settle("action-required")
    check(order.reference in till.list(), "the order is not listed")
    order.visit(f"{found['url']}?decision=confirm")
    order.settle(booked(till), "show")


def lost_answer(till):
    """The answer of the gateway, or that of a proxy, does not state what it booked; a second token charges nothing."""
    order = till.order(50_200)
    state = "paid" if till.gateway.has_keys or till.gateway.by_reference else "unknown"
    order.settle(booked(till) if state == "paid" else state)
    order.tap()
    order.settle(booked(till) if state == "paid" else state)


def killed(till):
    """A process is killed after its request has arrived: recovery finds the payment, and a second token does not pay."""
    order = till.order(71_934)
    relay = Relay(till.shop.origin)
    with order.start(relay.file(order)) as process:
        check(relay.held.wait(LIMIT), "no request came")
        process.kill()
        process.finish()
    check(order.output() is None, "an answer was printed")
    till.wait_for("sending")
    order.tap()
    waiting = till.command(*order.words())
    order.expect_state(waiting, "pending", reason="in-progress")
    till.age()
    can_ask = till.gateway.by_reference
    # Where the gateway cannot be asked, it is at least open now: its owner has ended.
    till.recover({"asked": 1, "changed": 1, "failed": 0})
    order.settle(booked(till) if can_ask else "unknown", "show")
    order.tap()
    order.settle(booked(till) if can_ask else "unknown")


def interrupted(till):
    """A signal while the answer is awaited does not end the process: it prints the state, and exits with it."""
    order = till.order(71_935)
    relay = Relay(till.shop.origin)
    with order.start(relay.file(order)) as process:
        check(relay.held.wait(LIMIT), "no request came")
        for number in (signal.SIGTERM, signal.SIGINT):
            process.send_signal(number)
        time.sleep(1.2)
        check(process.poll() is None, "a signal ended a process that was sending")
        relay.release()
        status = process.finish()
    order.expect_state({**order.output(), "exit": status}, booked(till))


def interrupted_before(till):
    """A signal before anything that can move money was sent ends the process, and its attempt is released."""
    order = till.order(71_936)
    relay = Relay(till.shop.origin, passes=False)
    with order.start(relay.file(order)) as process:
        check(relay.held.wait(LIMIT), "no request came")
        till.wait_for("claimed")
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        status = process.finish()
    check(status == 130 and time.monotonic() - start < 1.5, f"exit {status} after {time.monotonic() - start} s")
    check(order.output() is None and not till.list(), "the attempt is not released")
    check(not order.all_books(), "something was charged")
    order.settle(booked(till))


def unwritten(till):
    """An answer that cannot be written changes neither the exit status nor the record."""
    order = till.order(71_941)
    words = [till.shop.paytoken, *order.words(), "--gateway", order.file, "--ledger", till.ledger]
    with open("/dev/full", "wb") as full, Program(words, stdout=full, stderr=order.folder / "messages") as process:
        status = process.finish()
    messages = (order.folder / "messages").read_text()
    check(status == EXIT[booked(till)], f"exit {status}: {messages}")
    check(f"the state is {booked(till)}, which could not be written" in messages, messages)
    order.settle(booked(till), "show")


def interrupted_refund(till):
    """A signal while the answer to a refund is awaited does not end the process."""
    order = till.order(71_942)
    order.settle("paid")
    relay = Relay(till.shop.origin)
    words = [till.shop.paytoken, "payments", "refund", order.reference, "--reason", "returned", "--gateway",
             relay.file(order), "--ledger", till.ledger]
    with Program(words, stdout=order.folder / "output") as process:
        check(relay.held.wait(LIMIT), "no request came")
        process.send_signal(signal.SIGTERM)
        time.sleep(1.2)
        check(process.poll() is None, "a signal ended a process that was sending")
        relay.release()
        status = process.finish()
    found = order.output()
    check(found["operation"] in ("done", "pending") and status == EXIT[found["operation"]], f"exit {status}: {found}")
    order.settle("returned", "show", cause="refund")


def operations(till):
    """Refunds a part and the rest, each once, although it is requested twice."""
    order = till.order(71_937)
    order.settle("paid")
    more = ("--reason", "returned")
    first = till.command("payments", "refund", order.reference, "--operation", "refund-1", "--amount", "20000", *more)
    check(first["operation"] in ("done", "pending"), f"{till.gateway.name}: {first}")
    order.operate("refund", "done", "refund-1", 20_000, *more)
    order.settle("partly-returned", "show", refunded=20_000)
    refused = till.command("payments", "refund", order.reference, "--operation", "refund-2", "--amount", "71937", *more)
    check(refused["exit"] == 1 and refused["code"] == "unsupported-amount", f"{till.gateway.name}: {refused}")
    rest = till.command("payments", "refund", order.reference, "--operation", "refund-3", *more)
    check(rest["operation"] in ("done", "pending"), f"{till.gateway.name}: {rest}")
    found = order.settle("returned", "show", cause="refund")
    order.tap()
    order.settle("returned")
    paid_again = till.command(*order.words(), "--again", found["serial"])
    order.expect_state(paid_again, "paid", slot=2)


def reservation(till):
    """Reserves the amount, captures a part, and cancels another order."""
    file = till.order(1).account("payment", till.gateway.reserves) if till.gateway.reserves else None

    def till_command(*words):
        return till.command(*words, file=file)
    order = till.order(71_938)
    order.settle("authorized", file=file)
    capture = ("payments", "capture", order.reference, "--operation", "capture-1", "--amount", "20000")
    first = till_command(*capture)
    check(first["operation"] in ("done", "pending"), f"{till.gateway.name}: {first}")
    again = till_command(*capture)
    check(again["operation"] == "done", f"{till.gateway.name}: {again}")
    order.settle("partly-paid", "show", file=file, captured=20_000)
    order = till.order(71_939)
    order.settle("authorized", file=file)
    cancelled = till_command("payments", "cancel", order.reference)
    check(cancelled["operation"] in ("done", "pending"), f"{till.gateway.name}: {cancelled}")
    order.settle("returned", "show", file=file, cause="cancellation")


def message(till):
    """A message that is late, and one that is forged: the gateway's own word counts."""
    order = till.order(71_940)
    hook = Hook(order.folder, b"hello")
    file = order.folder / "hook.json"
    file.write_text(json.dumps(hook.account(order.file)))
    order.settle("paid")
    (order.folder / "forger").mkdir()
    for sender, status, ended in ((hook, 200, 0), (Hook(order.folder / "forger", b"other"), 400, 1)):
        sent = sender.message(till.gateway.name, order.all_books()[0], order.amount)
        reply = till.command("receive", file=file, input=http(*sent))
        check(reply["status"] == status and reply["exit"] == ended and reply["body"] == "", f"{reply}")
        if status == 200:
            order.expect_state({**reply, "exit": EXIT["paid"]}, "paid")
        else:
            check("outcome" not in reply and reply["reason"], f"{reply}")


# Each course with the gateways at which it is run.
COURSES = {
    paid: ("worldline-direct", "worldline-connect", "bepaid", "dintero", "cybersource", "adyen", "paypal"),
    declined: ("worldline-direct", "bepaid", "checkout"),
    customer: ("worldline-direct", "bepaid"),
    lost_answer: ("worldline-direct", "bepaid", "adyen"),
    killed: ("worldline-direct", "worldline-connect", "bepaid", "adyen"),
    interrupted: ("worldline-direct", "bepaid"),
    interrupted_before: ("dintero", "paypal"),
    unwritten: ("worldline-direct", "adyen"),
    interrupted_refund: ("worldline-direct",),
    operations: ("worldline-direct", "bepaid"),
    reservation: ("worldline-direct", "bepaid"),
    message: Hook.GATEWAYS,
}


def main(shop, courses=None):
    """Runs courses, each with a ledger of its own; the gateways at the same time."""
    courses = courses or COURSES

    def run_all(gateway):
        for course, names in courses.items():
            if gateway.name in names:
                start = time.monotonic()
                course(Till(shop, gateway, course.__name__))
                print(f"{gateway.name}: {course.__name__}, {time.monotonic() - start:.1f} s", flush=True)

    for_each([gateway for gateway in GATEWAYS if not gateway.is_card], run_all)
    print("\nevery order has the expected state, exit status and record, and was charged at most once")


if __name__ == "__main__":
    with Shop.open(folder()) as shop:
        main(shop)
