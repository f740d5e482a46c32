#!/usr/bin/env python3
"""Pays orders at gateway-sandbox with the built command: each scenario of the sandbox at each gateway, second tokens
and slots, lost answers, interrupted processes. After each course the outcome, the exit status and the gateway's books
are compared. Takes the folder of the programs.
"""
import concurrent.futures
import json
import re
import signal
import socket
import sys
import threading
import time

sys.dont_write_bytecode = True
from programs import LIMIT, Program, check, folder, run  # noqa: E402
from shop import EXIT, GATEWAYS, CardOrder, Shop, Till, for_each  # noqa: E402

# The seconds after which a silent gateway ends a connection, and after which a late payment is made.
SILENCE, LATE = 1, 2


class Relay:
    """A server between the command and the sandbox, which holds back requests or answers.

    `held` is set once a request that begins with `held_line` has arrived. It is passed on if `passes` is true; its
    answer is kept until `release` is called. `change` returns the answer that the command gets.
    """

    def __init__(self, origin, held_line="POST", passes=True):
        self.address = ("127.0.0.1", int(origin.rpartition(":")[2]))
        self.held_line, self.passes, self.change = held_line, passes, lambda answer: answer
        # The first lines of the requests.
        self.lines = []
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
            self.lines.append(request.partition(b"\r\n")[0].decode())
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
                connection.sendall(self.change(answer))
            except OSError:
                pass

    def file(self, order):
        """Writes the order's gateway file with this server's address, and returns the new file."""
        return order.till.account(order.folder / "relay.json", origin=self.origin)


def is_whole(message):
    """Returns whether a message of HTTP with Content-Length is complete."""
    head, end, body = message.partition(b"\r\n\r\n")
    if not end:
        return False
    lengths = [line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return len(body) >= (int(lengths[0]) if lengths else 0)


# The courses. Each takes a till.

def paid(till):
    """Pays, again with the same token, and with another token of the customer: one charge."""
    order, booked = till.order(71_929), till.gateway.booked
    first = order.pay(booked)
    order.pay(booked, serial=first["serial"])
    order.tap()
    order.pay(booked, serial=first["serial"])
    order.show(booked, serial=first["serial"])
    if booked == "authorized":
        again = till.command(*order.words(), "--accept", "authorized")
        check(again["exit"] == 0, f"{till.gateway.name}: --accept authorized: exit {again['exit']}")


def replayed(till):
    """A token that paid an order pays no other one."""
    order, other = till.order(71_930), till.order(71_930)
    order.pay(till.gateway.booked)
    other.token.write_bytes(order.token.read_bytes())
    other.expect_refusal("already-claimed")


def declined(till):
    order = till.order(40_200)
    order.pay("refused", slot=1, origin="issuer")
    order.show("refused", slot=1)
    order.tap()
    order.pay("refused", slot=2, origin="issuer")


def returned(till):
    """An order of which all was returned is paid again only if the call says so."""
    order = till.order(71_937)
    order.pay("paid")
    order.operate("refund", "refund-1", None, "--reason", "returned")
    found = order.show("returned", cause="refund")
    order.tap()
    order.pay("returned", serial=found["serial"])
    order.pay("paid", "--again", found["serial"], slot=2)


def away(till):
    """An order that may be paid keeps its state while the gateway is away, also with a token that is too old."""
    order = till.order(40_900)
    order.pay("unknown")
    till.age()
    till.file = till.account(till.ledger.with_name(f"{till.ledger.name}-away.json"), origin="http://127.0.0.1:1")
    for more in ((), ("--at", "2040-01-01T00:00:00Z")):
        order.tap()
        found = order.pay("unknown", *more, isAnswered=False)
        # The next token is only looked at where the payment cannot be asked for, and goes on with it.
        cause = "before its receipt" if more and not till.gateway.can_ask else "127.0.0.1:1: Connection refused"
        check(cause in found["unanswered"], f"{till.gateway.name}: {found}")
        check("do not let the customer pay in another way" in found["advice"], f"{till.gateway.name}: {found}")
    till.age()
    found = till.command("payments", "recover")
    is_asked = till.gateway.can_ask
    check((found["exit"], found["unanswered"]) == ((3, 1) if is_asked else (0, 0)), f"{till.gateway.name}: {found}")
    check(not is_asked or "127.0.0.1:1: Connection refused" in found["reason"], f"{till.gateway.name}: {found}")


def scenarios(till):
    """Pays in each scenario of the sandbox: `show` finds the state of the books, or the order is listed."""
    shown = run([till.shop.programs / "gateway-sandbox", "--help"]).stdout.decode()
    amounts = [int(amount) for amount in re.findall(r"(?m)^ +(\d{5})  ", shown)]
    check(len(amounts) > 10, "gateway-sandbox --help lists no amounts")

    def course(amount):
        order = till.order(amount)
        till.command(*order.words())
        if amount == 50_400:
            time.sleep(LATE + 1)
        found = till.command("payments", "show", order.reference)
        state = found["outcome"]
        order.expect(found, state)
        is_open = state in ("pending", "unknown", "action-required", "returning")
        check(not is_open or order.reference in till.list(), f"{till.gateway.name}, {amount}: {found}, and not listed")
        # A gateway that can be asked or repeats its first answer reports what it booked; one word is unknown.
        is_found = (till.gateway.can_ask or till.gateway.has_keys) and found["status"] != "SANDBOX_WORD"
        check(not is_found or not order.books() or state not in ("pending", "unknown"),
              f"{till.gateway.name}, {amount}: {found} in place of {order.books()}")
        return state

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        states = list(pool.map(course, amounts))
    print(f"{till.gateway.name}: {', '.join(f'{amount} {state}' for amount, state in zip(amounts, states))}", flush=True)


def lost_answer(till):
    """A proxy's answer does not state what the gateway booked; a second token charges nothing."""
    order = till.order(50_200)
    state = till.gateway.booked if till.gateway.can_ask or till.gateway.has_keys else "unknown"
    first = order.pay(state)
    order.tap()
    order.pay(state, serial=first["serial"])


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
    order.expect({**order.output(), "exit": status}, till.gateway.booked)


def interrupted_before(till):
    """A signal before anything that can move money was sent ends the process, which releases its attempt.

    The same token pays afterwards.
    """
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
    check(not order.books(), "something was charged")
    order.pay(till.gateway.booked)


def unwritten(till):
    """An answer that cannot be written changes neither the exit status nor the record."""
    order = till.order(71_941)
    with open("/dev/full", "wb") as full, \
            Program(till.words(*order.words()), stdout=full, stderr=order.folder / "messages") as process:
        status = process.finish()
    messages = (order.folder / "messages").read_text()
    check(status == EXIT[till.gateway.booked], f"exit {status}: {messages}")
    check(f"the state is {till.gateway.booked}, which could not be written" in messages, messages)
    order.show(till.gateway.booked)


def interrupted_refund(till):
    """A signal while the answer to a refund is awaited does not end the process."""
    order = till.order(71_942)
    order.pay("paid")
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
    order.show("returned", cause="refund")


def subscribed(till):
    """A card that the gateway stored pays later orders, each once, until it expires, has no agreement, or is revoked."""
    gateway, shop = till.gateway, till.shop
    storing = Till.storing(shop, gateway, "subscribed-first")
    card = storing.stored_card(71_940)
    check((card["gateway"], card["isTest"]) == (gateway.name, True), f"{gateway.name}: {card}")
    for number in (1, 2):
        order = CardOrder(till, 71_940 + number, card)
        found = order.pay(gateway.booked, initiator=gateway.initiator, isAmountSigned=False)
        check("transactionId" not in found, f"{gateway.name}: {found}")
        order.pay(gateway.booked, serial=found["serial"])
        check(len(order.books()) == 1, f"{gateway.name}: {order.books()}")
    for number, state in enumerate(("expired", "no-agreement", "revoked")):
        order = CardOrder(till, 71_950 + number, card)
        order.change_card(state)
        found = till.command(*order.words())
        # No error of RBS's about a card proves that nothing was charged.
        wanted = "unknown" if (gateway.name, state) == ("rbs", "revoked") else "refused"
        check(found["outcome"] == wanted and not order.books(), f"{gateway.name}, {state}: {found}")
        check(found["origin"] == "issuer" or state == "revoked", f"{gateway.name}, {state}: {found}")
        check(card["identifier"] not in json.dumps(found), f"{gateway.name}, {state}: the identifier is shown")
        # The same order is paid with a token then; but the first answer to a key is kept where the card is not known.
        if wanted == "unknown" or state == "revoked" and gateway.has_keys:
            continue
        other = till.order(order.amount, customerReference="customer-1")
        other.reference, other.file = order.reference, order.file
        other.pay(gateway.booked)
    other = till.account(till.ledger.with_name(f"{till.ledger.name}-other.json"), account=other_account(till))
    order = CardOrder(till, 71_960, card)
    words = [shop.paytoken, *order.words(), "--gateway", other, "--ledger", till.ledger]
    refused = run(words)
    check((refused.returncode, json.loads(refused.stdout)["code"]) == (2, "unsupported-value"), f"{gateway.name}: {refused}")


def other_account(till):
    """Returns the account of the till's file with another identifier."""
    account = json.loads(till.file.read_text())["account"]
    name = next(iter(account))
    return {**account, name: f"{account[name]}9"}


# Each course with the gateways at which it is run; nothing for all.
COURSES = {
    paid: ("worldline-direct", "worldline-connect", "bepaid", "dintero", "rbs", "cybersource", "adyen", "paypal"),
    replayed: ("bepaid", "dintero"),
    declined: ("worldline-direct", "bepaid", "dintero", "rbs", "checkout"),
    returned: ("worldline-direct", "bepaid"),
    away: ("worldline-direct", "bepaid"),
    lost_answer: ("worldline-direct", "bepaid", "adyen", "cybersource"),
    interrupted: ("worldline-direct", "bepaid"),
    interrupted_before: ("dintero", "paypal"),
    unwritten: ("worldline-direct", "adyen"),
    interrupted_refund: ("worldline-direct",),
    subscribed: tuple(gateway.name for gateway in GATEWAYS if gateway.stores),
    scenarios: (),
}


def main(shop):
    """Runs the courses, each with a ledger of its own; the gateways at the same time."""
    def run_all(gateway):
        for course, names in COURSES.items():
            if not names or gateway.name in names:
                start = time.monotonic()
                course(Till(shop, gateway, course.__name__))
                print(f"{gateway.name}: {course.__name__}, {time.monotonic() - start:.1f} s", flush=True)

    for_each(GATEWAYS, run_all)
    print("\nevery order has the expected state, exit status and record, and was charged at most once")


if __name__ == "__main__":
    with Shop.open(folder(), "--silence", str(SILENCE), "--late", str(LATE)) as shop:
        main(shop)
