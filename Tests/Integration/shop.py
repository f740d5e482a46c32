"""A shop that pays at gateway-sandbox with the built command and curl."""
import contextlib
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile

from programs import LIMIT, Program, check, run

# The exit status of `paytoken answer` for each state of an order and of an operation; see the page Outcomes.
EXIT = {
    "paid": 0, "done": 0, "refused": 1, "returned": 1, "failed": 3, "pending": 4, "action-required": 4, "returning": 4,
    "browser": 4, "unknown": 5, "authorized": 6, "partly-authorized": 6, "partly-paid": 6, "partly-returned": 6,
}

# The members of an answer that state amounts.
AMOUNTS = ("ordered", "authorized", "captureRequested", "captured", "refundRequested", "refunded", "operationAmount")


class Shop:
    """The sandbox, its gateway files, and a PKI for tokens, in a temporary folder."""

    def __init__(self, programs, work, sandbox):
        self.programs, self.work, self.sandbox = programs, work, sandbox
        self.paytoken = programs / "paytoken"
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


class Payment:
    """The payment of an order: with a new token, and a reference that no other order has."""

    def __init__(self, shop, gateway, amount):
        number = f"{os.getpid()}-{next(shop.numbers)}"
        self.shop, self.gateway, self.amount = shop, gateway, amount
        self.reference = f"order-{number}"
        self.folder = shop.work / number
        self.folder.mkdir()
        self.file = shop.work / f"gateways/{gateway.name}.json"
        self.course = []
        # The identifiers of the payment and of a capture, the last operation's words, and its amount if it is a part.
        self.id = self.capture = self.part = None
        self.operation = ()
        # The access token of a login.
        self.access_token = "sandbox-secret"
        self.access = ("--access-token-env", "SHOP_ACCESS_TOKEN")
        self.price = ("--amount", str(amount), "--currency", "EUR")
        # The words for a step with the token: the token, and what opens it.
        self.token = (self.folder / "token", "--keys", shop.work / "pki/merchants", "--test-trust-anchor",
                      shop.work / "pki/root.pem")
        self.tap()

    def tap(self):
        """Creates another token for the same order: the customer pays again."""
        made = run([self.shop.programs / "paytoken-testing", "token", "--pki", self.shop.work / "pki", "--for",
                    self.shop.work / "pki/merchants/one.cert.pem", *self.price])
        check(made.returncode == 0, made.stderr.decode())
        self.token[0].write_bytes(made.stdout)

    def order(self, **changes):
        """Writes a file with the order, or with a change of it, and returns the words that name the file."""
        order = {"reference": self.reference, "amount": self.amount, "currency": "EUR", "description": "Order",
                 "returnURL": "https://shop.example/r", **changes}
        (self.folder / "order.json").write_text(json.dumps(order))
        return "--order", self.folder / "order.json"

    def account(self, group, members):
        """Writes the gateway file with members of a group changed, and returns the new file."""
        account = json.loads(self.file.read_text())
        account[group] = {**account.get(group, {}), **members}
        file = self.folder / f"{group}.json"
        file.write_text(json.dumps(account))
        return file

    def use_example(self):
        """Uses the file that `paytoken gateway example` prints, with the sandbox's address and secrets.

        Returns whether it only reserves amounts, unlike the sandbox's own file.
        """
        made = run([self.shop.paytoken, "gateway", "example", self.gateway.name])
        check(made.returncode == 0, made.stderr.decode())

        def with_secrets(example, sandbox):
            if not isinstance(example, dict):
                return example
            return sandbox if "env" in example else {name: with_secrets(value, sandbox.get(name, {}))
                                                     for name, value in example.items()}
        own = json.loads(self.file.read_text())
        account = with_secrets(json.loads(made.stdout), own)
        self.file = self.folder / "example.json"
        self.file.write_text(json.dumps({**account, "origin": self.shop.origin}))
        return bool(self.gateway.reserves) and account.get("payment") != own.get("payment")

    def reserve(self):
        """Has the gateway only reserve the amounts of payments."""
        self.file = self.account("payment", self.gateway.reserves)

    def request(self, name):
        """Returns a step, and its request as a configuration for curl; the step is named in the gateways' table."""
        step, *options = self.gateway.steps[name](self)
        order = () if self.gateway.is_card or step == "login" else self.order()
        made = run([self.shop.paytoken, "request", step, *options, "--gateway", self.file, *order, "--curl"],
                   env={**os.environ, "SHOP_ACCESS_TOKEN": self.access_token})
        check(made.returncode == 0, f"{self.gateway.name} {step}: {made.stderr.decode()}")
        return step, made.stdout

    def send(self, name, limit=None):
        """Sends a step's request with curl, and returns what `paytoken answer` concludes.

        With a limit in seconds, curl is expected to reach it.
        """
        step, request = self.request(name)
        sent = run(["curl", "-q", "-i", "--config", "-", *(("--max-time", str(limit)) if limit else ())], input=request)
        check(sent.returncode == (28 if limit else 0), f"{self.gateway.name} {step}: curl ended with {sent.returncode}")
        (self.folder / "answer").write_bytes(sent.stdout)
        self.body = sent.stdout.partition(b"\r\n\r\n")[2].decode()
        return self.answer(step)

    def answer(self, step):
        """Reads the answer to a step: its outcome, the gateway's word, and the exit status."""
        compared = () if self.gateway.is_card else self.order()
        if compared and step in ("capture", "cancel", "refund"):
            compared += self.operation
        read = run([self.shop.paytoken, "answer", step, "--gateway", self.file, *compared, self.folder / "answer"])
        check(read.stdout, f"{self.gateway.name} {step}: {read.stderr.decode()}")
        return {**json.loads(read.stdout), "exit": read.returncode}

    def expect_no_other_order(self, name):
        """Expects the last answer to be unknown if it is compared with another order.

        The other order has another reference, amount or currency, or, where an answer states that the payment is a
        test, is read for a live account.
        """
        step = self.gateway.steps[name](self)[0]
        others = [{"reference": f"{self.reference}x"}, {"reference": f"{self.reference}.r2"},
                  {"amount": self.amount - 1}, {"amount": self.amount + 1}, {"currency": "USD"}]
        for change in others + ([{}] if self.gateway.live else []):
            file = self.file if change else self.account("account", self.gateway.live)
            read = run([self.shop.paytoken, "answer", step, "--gateway", file, *self.order(**change),
                        self.folder / "answer"])
            outcome = json.loads(read.stdout)["outcome"]
            # Where an approval may be of a part, an answer states the approved amount only.
            may_be_part = "part" in self.gateway.answers and change.get("amount", 0) > self.amount
            is_part = may_be_part and outcome in ("partly-authorized", "partly-paid")
            check((is_part or outcome == "unknown") and read.returncode == EXIT[outcome],
                  f"{self.gateway.name} {step}, read as {json.dumps(change)}: {outcome}, exit {read.returncode}")

    def books(self):
        """Returns the payments of the order in the gateway's own books."""
        read = run(["curl", "-q", "-s", "-f", f"{self.shop.origin}/sandbox/payments"])
        check(read.returncode == 0, "the books cannot be read")
        return [entry for entry in json.loads(read.stdout) if entry.get("reference") == self.reference]

    def expect(self, name, expected, limit=None):
        """Sends a step, and checks outcome, gateway's word and exit status, which are written as in `paid CAPTURED`.

        Compares what the answer states with the order and with the gateway's books.
        """
        answer = self.send(name, limit)
        line = f"{self.gateway.name} {answer['step']}, amount {self.amount}"
        state = answer["outcome"] if "outcome" in answer else answer["operation"]
        found = f"{state} {'-' if answer.get('status') is None else answer['status']}"
        details = f"\n{json.dumps(answer)}\n{self.body}"
        check(found == expected, f"{line}: {found} in place of {expected}{details}")
        # The shop, and not the customer, can do something about what the operator has to repair.
        is_operator = answer.get("outcome") == "refused" and answer.get("origin") == "operator"
        check(answer["exit"] == (3 if is_operator else EXIT[state]), f"{line}: exit {answer['exit']} after {state}")
        check(answer["gateway"] == self.gateway.name, f"{line}: the answer names {answer['gateway']}")
        self.course.append(f"{answer['step']}: {found}")
        try:
            self.compare(answer, state)
        except SystemExit as fault:
            sys.exit(f"{line}, {state}: {fault}{details}")
        return answer

    def compare(self, answer, state):
        """Compares an answer with the order, with earlier answers, and with the books, which have one payment at most."""
        books = self.books()
        check(len(books) <= 1, f"the order was charged {len(books)} times")
        entry = books[0] if books else {"requests": 1, "currency": "EUR"}
        check(entry["requests"] == 1, f"the order was charged {entry['requests']} times")
        check(entry["currency"] == "EUR", f"the books have {entry['currency']}")
        authorized, captured, refunded = (entry.get(name) or 0 for name in ("authorized", "captured", "refunded"))
        if answer.get("paymentId"):
            self.id = self.id or answer["paymentId"]
            check(answer["paymentId"] == self.id, f"it is about another payment than {self.id}")
        # Only what an answer states is compared.
        right = {"reference": self.reference, "currency": "EUR",
                 "operationAmount": self.amount if self.part is None else self.part}
        for name, value in right.items():
            check(answer.get(name) in (None, value), f"{name} is {answer.get(name)} in place of {value}")
        if "operation" in answer or state == "unknown":
            return
        stated = {name: answer[name] for name in AMOUNTS if answer.get(name) is not None}
        requested = stated.get("captureRequested", 0)
        booked = {"ordered": self.amount, "authorized": authorized, "captured": captured, "refunded": refunded}
        for name in stated.keys() & booked.keys():
            # A part that is requested is in none of the books' amounts, and a total of 0 states nothing.
            check(abs(stated[name] - booked[name]) <= requested + stated.get("refundRequested", 0),
                  f"{name} is {stated[name]}, in the books {booked[name]}")
        charged, rest = authorized + captured, captured - refunded
        is_right = {
            "paid": rest == stated.get("captured", 0) == self.amount and not authorized,
            # A capture that is requested and not done is in none of the books' amounts.
            "authorized": self.amount in (charged, charged + requested) and not refunded,
            "partly-authorized": 0 < charged < self.amount and not refunded,
            "partly-paid": 0 < captured < self.amount and not refunded,
            "partly-returned": captured > 0 and refunded <= captured,
            "returned": not authorized and not rest, "refused": not charged, "action-required": not books,
        }
        check(is_right.get(state, True),
              f"in the books {authorized} is authorized, {captured} captured, {refunded} refunded")

    def expect_books(self, *expected):
        """Expects the books to have one payment of the order with authorized, captured and refunded amount; or none."""
        amounts = ("authorized", "captured", "refunded", "requests")
        found = ", ".join(" ".join(str(entry.get(name)) for name in amounts) for entry in self.books()) or "nothing"
        wanted = " ".join(map(str, (*expected, 1))) if expected else "nothing"
        check(found == wanted, f"{self.gateway.name}, amount {self.amount}: {found} in the books in place of {wanted}")

    def prepare(self):
        """Sends what comes before the payment."""
        for name, expected, *identifier in self.gateway.before:
            self.expect(name, expected)
            if identifier:
                attribute, pattern = identifier
                found = re.search(pattern, self.body)
                check(found, f"{self.gateway.name}: {pattern} is not in {self.body}")
                setattr(self, attribute, found[1])
            (self.folder / name).write_text(self.body)

    def pay(self, expected, limit=None):
        """Sends what comes before the payment, then the payment itself, or another step that reserves the amount."""
        self.prepare()
        return self.expect("payment", expected, limit)

    def operate(self, name, expected, operation, part=None):
        """Captures, cancels or refunds under a name; a part, if an amount is given."""
        self.operation = ("--operation", operation, *(() if part is None else ("--amount", str(part))))
        self.part = part
        answer = self.expect(name, expected)
        self.part = None
        return answer

    def visit(self, url):
        """Opens an address at which the customer ends a payment."""
        check(run(["curl", "-q", "-s", "-f", url]).returncode == 0, f"{url} cannot be opened")


# Only forked processes can run local functions.
forking = multiprocessing.get_context("fork")


def for_each(gateways, work):
    """Runs a function with each gateway, in processes that run at the same time; ends the script if any of them fails."""
    running = {gateway.name: forking.Process(target=work, args=(gateway,)) for gateway in gateways}
    for process in running.values():
        process.start()
    for process in running.values():
        process.join()
    failed = sorted(name for name, process in running.items() if process.exitcode != 0)
    check(not failed, f"these gateways failed: {', '.join(failed)}")
