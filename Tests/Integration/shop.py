"""A shop that pays orders at gateway-sandbox with the built command."""
import contextlib
import dataclasses
import itertools
import json
import multiprocessing
import os
import pathlib
import select
import sqlite3
import subprocess
import sys
import tempfile
import time

from programs import LIMIT, Program, check, order_of, run

# The exit status for each state of an order and of an operation; see the page Outcomes.
EXIT = {
    "paid": 0, "done": 0, "refused": 1, "returned": 1, "failed": 3, "pending": 4, "action-required": 4, "returning": 4,
    "unknown": 5, "authorized": 6, "partly-authorized": 6, "partly-paid": 6, "partly-returned": 6,
}

# The seconds after which other processes ask about an attempt whose owner is silent.
LEASE = 150


@dataclasses.dataclass(frozen=True)
class Gateway:
    """A gateway of the sandbox that makes payments."""

    name: str
    # The members of a payment that only reserves the amount; nothing if a gateway's file has no such members.
    reserves: dict = None
    # No payment is captured at once.
    only_reserves: bool = False
    # It can be asked about a payment whose answer was lost.
    can_ask: bool = False
    # A repeated request with the same key gets the first answer.
    has_keys: bool = False
    # The members of a payment with which the gateway stores the card; nothing if it stores none.
    stores: dict = None
    # The word with which an order is paid later by a stored card.
    initiator: str = "recurring"

    @property
    def booked(self):
        """The state of a payment that succeeds."""
        return "authorized" if self.only_reserves else "paid"


GATEWAYS = (
    Gateway("worldline-direct", {"authorizationMode": "PRE_AUTHORIZATION"}, has_keys=True,
            stores={"applePay": {"tokenize": True}}),
    Gateway("worldline-connect", {"authorizationMode": "PRE_AUTHORIZATION"}, can_ask=True, has_keys=True,
            stores={"tokenize": True}),
    Gateway("bepaid", {"kind": "authorization"}, can_ask=True, has_keys=True, stores={"contract": ["recurring"]}),
    Gateway("dintero", only_reserves=True, can_ask=True, stores={"generatesPaymentToken": True}, initiator="unscheduled"),
    Gateway("rbs", {"preAuth": True}, can_ask=True, stores={"storedCredential": "RI"}),
    Gateway("cybersource", only_reserves=True),
    Gateway("checkout", can_ask=True, has_keys=True),
    Gateway("adyen", only_reserves=True, has_keys=True),
    Gateway("paypal", has_keys=True),
)


class Shop:
    """The sandbox, its gateway files, and a PKI for tokens, in a temporary folder."""

    def __init__(self, programs, work, sandbox):
        self.programs, self.work, self.sandbox = programs, work, sandbox
        self.paytoken = programs / "paytoken"
        self.paytokend = programs / "paytokend"
        self.numbers = itertools.count(1)
        check(select.select([sandbox.stdout], [], [], LIMIT)[0], "the sandbox does not start")
        self.origin = sandbox.stdout.readline().decode().strip() or sys.exit("the sandbox does not start")
        pki = run([programs / "paytoken-testing", "pki", "--out", work / "pki"])
        check(pki.returncode == 0, "there is no PKI")

    @classmethod
    @contextlib.contextmanager
    def open(cls, programs, *options):
        """Opens a shop for a `with` block, with options of the sandbox."""
        with tempfile.TemporaryDirectory() as work:
            words = [programs / "gateway-sandbox", "--port", "0", "--files", f"{work}/gateways", *options]
            with Program(words, stdout=subprocess.PIPE) as sandbox:
                yield cls(programs, pathlib.Path(work), sandbox)

    def fetch(self, *words):
        """Returns what curl receives, and the HTTP status."""
        done = run(["curl", "-q", "-s", "-w", "\n%{http_code}", *words])
        check(done.returncode == 0, f"curl {words}: exit {done.returncode}")
        body, _, status = done.stdout.decode().rpartition("\n")
        return body, int(status)

    def books(self):
        """Returns all payments in the gateways' own books."""
        body, status = self.fetch(f"{self.origin}/sandbox/payments")
        check(status == 200, "the books cannot be read")
        return json.loads(body)

    def visit(self, url, decision="confirm"):
        """Opens the address at which the customer ends a payment, and returns the page."""
        body, status = self.fetch(f"{url}?decision={decision}")
        check(status == 200, f"{url} cannot be opened: {status}")
        return body


class Till:
    """A ledger of orders at one gateway, the file of an account there, and the command with both."""

    def __init__(self, shop, gateway, name="orders", **members):
        self.shop, self.gateway = shop, gateway
        self.ledger = shop.work / f"{name}-{gateway.name}"
        self.file = shop.work / f"gateways/{gateway.name}.json"
        self.file = self.account(self.ledger.with_name(f"{self.ledger.name}.json"), **members)
        made = run([shop.paytoken, "ledger", "init", "--window", "300", "--ledger", self.ledger])
        check(made.returncode == 0, made.stderr.decode())

    def account(self, file, **members):
        """Writes the gateway's file with some members changed to another file, which it returns."""
        file.write_text(json.dumps({**json.loads(self.file.read_text()), **members}))
        return file

    def order(self, amount, **members):
        return Order(self, amount, **members)

    @classmethod
    def storing(cls, shop, gateway, name):
        """Returns a till whose account stores the cards of its payments."""
        payment = json.loads((shop.work / f"gateways/{gateway.name}.json").read_text()).get("payment", {})
        return cls(shop, gateway, name, payment={**payment, **gateway.stores})

    def stored_card(self, amount):
        """Pays an order with a token, and returns the card that the gateway stored."""
        order = self.order(amount, customerReference="customer-1")
        order.pay(self.gateway.booked)
        found = order.show(self.gateway.booked)
        check("card" in found, f"{self.gateway.name} stored no card: {found}")
        return found["card"]

    def words(self, *words):
        """Returns a command with the gateway's file and the ledger."""
        return [self.shop.paytoken, *words, "--gateway", self.file, "--ledger", self.ledger]

    def command(self, *words, **options):
        """Runs a command; returns the members of its object, with `exit`."""
        ended = run(self.words(*words), **options)
        check(ended.stdout, f"{self.gateway.name} {words}: {ended.stderr.decode()}")
        return {**json.loads(ended.stdout), "exit": ended.returncode}

    def list(self):
        """Returns what is not settled, by reference."""
        ended = run([self.shop.paytoken, "payments", "list", "--ledger", self.ledger])
        check(ended.returncode == 0, ended.stderr.decode())
        return {line["reference"]: line for line in map(json.loads, ended.stdout.splitlines())}

    def recover(self, expected):
        """Asks about what is due, and compares the numbers that are expected."""
        found = self.command("payments", "recover")
        is_right = all(found[name] == number for name, number in expected.items())
        check(found["exit"] == 0 and is_right, f"recover: {found}")

    def wait_for(self, state):
        """Waits until an attempt has a state in the ledger."""
        limit = time.monotonic() + 30
        while True:
            with contextlib.closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True, timeout=10)) as database:
                found = database.execute("SELECT count(*) FROM apple_pay_attempts WHERE state = ?", (state,)).fetchone()
            if found[0]:
                return
            check(time.monotonic() < limit, f"no attempt is {state}")
            time.sleep(0.02)

    def age(self, seconds=LEASE + 1, columns=("changed_at", "question_at"), has_requests=False):
        """Lets all attempts be older, as if their owners had been silent for some time, or also their requests."""
        changes = ", ".join(f"{column} = {column} - ?1" for column in columns)
        with contextlib.closing(sqlite3.connect(self.ledger, timeout=10)) as database, database:
            database.execute(f"UPDATE apple_pay_attempts SET {changes} WHERE question_at IS NOT NULL", (seconds,))
            if has_requests:
                database.execute(
                    """UPDATE apple_pay_attempts SET contents = json_replace(contents, '$.requests.last',
                    json_extract(contents, '$.requests.last') - ?1) WHERE question_at IS NOT NULL""", (seconds,))


class Order:
    """An order at a till: with a new token, and a reference that no other order has."""

    def __init__(self, till, amount, **members):
        number = f"{os.getpid()}-{next(till.shop.numbers)}"
        self.till, self.shop, self.gateway, self.amount = till, till.shop, till.gateway, amount
        self.reference = f"order-{number}"
        self.folder = self.shop.work / number
        self.folder.mkdir()
        self.file, self.token = self.folder / "order.json", self.folder / "token"
        self.file.write_text(json.dumps({"reference": self.reference, "amount": amount, "currency": "EUR",
                                         "description": "Order", "returnURL": "https://shop.example/r", **members}))
        self.tap()

    def tap(self):
        """Creates another token for the same order: the customer pays again."""
        made = run([self.shop.programs / "paytoken-testing", "token", "--pki", self.shop.work / "pki", "--for",
                    self.shop.work / "pki/merchants/one.cert.pem", "--amount", str(self.amount), "--currency", "EUR"])
        check(made.returncode == 0, made.stderr.decode())
        self.token.write_bytes(made.stdout)

    def words(self, name="pay"):
        """Returns a command about the token and the order, with what opens the token."""
        return [name, self.token, "--keys", self.shop.work / "pki/merchants", "--test-trust-anchor",
                self.shop.work / "pki/root.pem", "--order", self.file]

    def start(self, file=None):
        """Starts paying, perhaps with another gateway file; the process's output goes to the order's folder."""
        words = [self.shop.paytoken, *self.words(), "--gateway", file or self.till.file, "--ledger", self.till.ledger]
        return Program(words, stdout=self.folder / "output", stderr=self.folder / "messages")

    def output(self):
        """Returns what a started process printed; nothing if that is nothing."""
        text = (self.folder / "output").read_text()
        return json.loads(text.splitlines()[-1]) if text else None

    def pay(self, outcome, *more, **members):
        """Pays, and checks what is printed, the exit status, and the gateway's books."""
        return self.expect(self.till.command(*self.words(), *more), outcome, **members)

    def show(self, outcome, **members):
        """Asks for the state, and checks the same."""
        return self.expect(self.till.command("payments", "show", self.reference), outcome, **members)

    def expect(self, found, outcome, **members):
        """Checks an object that the command has printed: the outcome, the exit status, other members, and the books."""
        where = f"{self.gateway.name}, amount {self.amount}: {json.dumps(found)}"
        check(found.get("outcome") == outcome, f"not {outcome}: {where}")
        is_operator = outcome == "refused" and found.get("origin") == "operator"
        if "exit" in found:
            check(found["exit"] == (3 if is_operator else EXIT[outcome]), f"the exit status does not fit: {where}")
        check(found["reference"] == self.reference and found["amount"] == self.amount, f"another order: {where}")
        check(found["isRecorded"], f"not recorded: {where}")
        check(all(found.get(key) == value for key, value in members.items()), f"not {members}: {where}")
        self.expect_one_charge(outcome, found)
        return found

    def expect_refusal(self, code, *more, name="pay"):
        """Expects that paying, or another command, is refused with a code, before anything is sent."""
        before = self.books()
        found = self.till.command(*self.words(name), *more)
        check((found.get("status"), found.get("code"), found["exit"]) == ("error", code, 1),
              f"{self.gateway.name}: {json.dumps(found)} in place of {code}")
        check(self.books() == before, f"{self.gateway.name}: a payment that is refused was sent")
        return found

    def expect_one_charge(self, outcome, found):
        """Compares an outcome with the gateway's own books, which never have two charges of an order."""
        books = self.books()
        check(all(entry["requests"] == 1 for entry in books), f"charged twice: {books}")
        captured = sum((entry["captured"] or 0) - (entry["refunded"] or 0) for entry in books)
        reserved = sum(entry["authorized"] or 0 for entry in books)
        check(captured + reserved <= self.amount, f"charged twice: {books}")
        right = {"paid": captured == self.amount, "authorized": captured + reserved == self.amount,
                 "refused": captured + reserved == 0, "returned": captured + reserved == 0,
                 "action-required": captured + reserved == 0,
                 "partly-authorized": 0 < captured + reserved < self.amount, "partly-paid": 0 < captured < self.amount,
                 "partly-returned": 0 < captured < self.amount}
        check(right.get(outcome, True), f"the books differ from {json.dumps(found)}: {books}")

    def expect_books(self, *amounts):
        """Expects the books to have one payment, made by one request, with authorized, captured and refunded amount."""
        names = ("authorized", "captured", "refunded", "requests")
        found = [tuple(entry[name] for name in names) for entry in self.books()]
        check(found == [(*amounts, 1)], f"{self.gateway.name}, amount {self.amount}: {found} in place of {amounts}")

    def books(self):
        """Returns the gateway's payments of the order, in all of its slots."""
        return [entry for entry in self.shop.books() if entry["gateway"] == self.gateway.name
                and order_of(entry.get("reference")) == self.reference]

    def operate(self, verb, name, amount=None, *more):
        """Captures, cancels or refunds under a name, twice: it is the same operation, which is done by then."""
        part = () if amount is None else ("--amount", str(amount))
        words = ("payments", verb, self.reference, "--operation", name, *part, *more)
        first, again = self.till.command(*words), self.till.command(*words)
        where = f"{self.gateway.name}: {verb} is {json.dumps(first)}, then {json.dumps(again)}"
        check(first["operation"] in ("done", "pending") and first["exit"] == EXIT[first["operation"]], where)
        check(again["operation"] == "done" and again["exit"] == 0, where)
        check(all(found["kind"] == {"cancel": "cancellation"}.get(verb, verb) and found["name"] == name
                  and found.get("amount") in (None, amount or found.get("amount")) for found in (first, again)), where)


class CardOrder(Order):
    """An order at a till that a stored card pays: the file of the card takes the place of the token."""

    def __init__(self, till, amount, card, **members):
        self.card = till.shop.work / f"card-{till.gateway.name}-{next(till.shop.numbers)}.json"
        self.card.write_text(json.dumps(card))
        super().__init__(till, amount, **members)

    def tap(self):
        """Does nothing: the card stays the same."""

    def words(self, name="pay"):
        return [name, "--card", self.card, "--initiator", self.gateway.initiator, "--order", self.file]

    def change_card(self, state):
        """Lets the gateway's card be expired, revoked, or without the agreement for later payments."""
        body = {"gateway": self.gateway.name, "identifier": json.loads(self.card.read_text())["identifier"],
                "state": state}
        _, status = self.shop.fetch(f"{self.shop.origin}/sandbox/cards", "--json", json.dumps(body))
        check(status == 200, f"{self.gateway.name}: the card is not known")


# Only forked processes can run local functions.
forking = multiprocessing.get_context("fork")


def for_each(gateways, work):
    """Runs a function with each gateway, in processes that run at the same time; ends the script if any fails."""
    running = {gateway.name: forking.Process(target=work, args=(gateway,)) for gateway in gateways}
    for process in running.values():
        process.start()
    for process in running.values():
        process.join()
    failed = sorted(name for name, process in running.items() if process.exitcode != 0)
    check(not failed, f"these gateways failed: {', '.join(failed)}")
