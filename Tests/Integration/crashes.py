#!/usr/bin/env python3
"""Kills a shop with SIGKILL at nine points between claim and answer, at every gateway, and recovers as a shop
must that claims tokens with `decrypt --ledger` and sends requests by its own means. Afterwards, the gateway's own books must show that every order was charged once, also if
the customer then pays again in the same slot, and no claim may be open. Takes the folder of the programs.
"""
import contextlib
import json
import os
import re
import select
import signal
import sys
import time

sys.dont_write_bytecode = True
from gateways import GATEWAYS  # noqa: E402
from programs import LIMIT, Program, check, folder, run  # noqa: E402
from shop import EXIT, Payment, Shop, for_each, forking  # noqa: E402

# The points, with the amount that makes the gateway behave so, and what it has then.
POINTS = (
    ("after the claim", 71_929, "nothing"), ("after the transaction was stored", 71_929, "nothing"),
    ("after the request was written", 71_929, "nothing"), ("while it is sent", 71_929, "nothing"),
    ("before the gateway reads it", 71_929, "payment"), ("after the gateway booked it", 40_800, "payment"),
    ("after the answer", 71_929, "payment"), ("after a refusal", 40_200, "refusal"),
    ("after the confirmation", 71_929, "payment"),
)
CLAIMED, STORED, WRITTEN, SENDING, SENT, BOOKED, ANSWERED, REFUSED, CONFIRMED = range(len(POINTS))


def ledger(payment, *words):
    """Runs a command of the ledger and returns its lines."""
    done = run([payment.shop.paytoken, "ledger", *words, "--ledger", payment.folder / "ledger"])
    check(done.returncode == 0, f"ledger {' '.join(words)}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def claim(payment):
    """Claims the transaction of the customer's token, and returns its identifier and the claim's serial."""
    opened = run([payment.shop.paytoken, "decrypt", *payment.token, *payment.price, "--ledger", payment.folder / "ledger"])
    check(opened.returncode == 0, opened.stderr.decode())
    answer = json.loads(opened.stdout)
    return answer["transactionId"], answer["serial"]


def finish_claim(payment, verb, transaction, serial):
    """Confirms or releases a claim."""
    ledger(payment, verb, transaction, "--serial", serial)


def work(payment, point, reports):
    """Claims, stores the transaction, writes the request, sends it, reads the answer, and confirms, as a shop does.

    At the point, writes the point's number and waits to be killed; this process then leads a group.
    """
    os.setpgrp()

    def reach(*points):
        if point in points:
            os.write(reports, bytes([point]))
            time.sleep(600)

    own = claim(payment)
    reach(CLAIMED)
    (payment.folder / "stored").write_text(" ".join(own))
    reach(STORED)
    step, request = payment.request("payment")
    (payment.folder / "request").write_bytes(request)
    reach(WRITTEN)
    # Dintero's answers before the payment are there.
    answer_file = payment.folder / "answer"
    answer_file.unlink(missing_ok=True)
    # With this header curl sends the head of the request, and waits before it sends the body.
    slowly = ("--header", "Expect: 100-continue", "--expect100-timeout", "600") if point == SENDING else ()
    curl = Program(["curl", "-q", "-i", "--config", payment.folder / "request", *slowly], stdout=answer_file)
    reach(SENDING, SENT, BOOKED)
    check(curl.finish() == 0, "curl failed")
    answer = payment.answer(step)
    expected = payment.gateway.answers["decline" if point == REFUSED else "payment"].split()[0]
    check(answer["outcome"] == expected, f"the payment is {answer['outcome']}")
    reach(ANSWERED, REFUSED)
    # It was sent, whatever came of it.
    finish_claim(payment, "confirm", *own)
    reach(CONFIRMED)


def wait_until(is_done, message):
    """Waits until a function returns true for ten times in a row."""
    steady, limit = 0, time.monotonic() + 60
    while steady < 10:
        check(time.monotonic() < limit, message)
        steady = steady + 1 if is_done() else 0
        time.sleep(0.03)


def is_sent(origin, is_read):
    """Returns whether the sandbox at an address has connections, all of whose bytes it has read or some it has not."""
    port = f"{int(origin.rpartition(':')[2]):04X}"
    with open("/proc/net/tcp", encoding="ascii") as connections:
        waiting = re.findall(rf"(?m)^\s*\d+: \S+:{port} \S+ 01 \S+:(\S+)", connections.read())
    return bool(waiting) and is_read == all(int(count, 16) == 0 for count in waiting)


@contextlib.contextmanager
def stopped(sandbox):
    """Stops the sandbox for a `with` block."""
    sandbox.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        sandbox.send_signal(signal.SIGCONT)


def kill_at(payment, point):
    """Starts the shop in a process group that is killed at the point."""
    is_stopped = point in (SENDING, SENT)
    reader, reports = os.pipe()
    with stopped(payment.shop.sandbox) if is_stopped else contextlib.nullcontext():
        process = forking.Process(target=work, args=(payment, point, reports))
        process.start()
        os.close(reports)
        try:
            reached = select.select([reader], [], [], LIMIT)[0] and os.read(reader, 1)
            check(reached == bytes([point]), f"{payment.gateway.name}: the shop ended before the point {POINTS[point][0]}")
            if is_stopped or point == BOOKED:
                wait_until(lambda: is_sent(payment.shop.origin, is_read=not is_stopped), "the request is not sent")
        finally:
            # A shop that failed at once does not lead a group yet.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.join(LIMIT)
            os.close(reader)
        check(process.exitcode == -signal.SIGKILL, "the shop was not killed")
    # The shop waits until no request can be on its way any more.
    if point == SENT:
        wait_until(payment.books, "the gateway does not book the request")


def ask(payment, expected):
    """Asks the gateway for the order by its reference, or by the identifier in a later answer; None if it cannot be asked."""
    gateway = payment.gateway
    if "question" not in gateway.steps or not (gateway.by_reference or payment.id):
        return None
    return payment.expect("search" if "search" in gateway.steps else "question", expected)


def send_again(payment, has):
    """Sends the payment again: the same request with the same key where the gateway keeps its first answers."""
    # Worldline Direct does not keep refusals, and refuses another payment.
    if has == "refusal":
        payment.id = None
    name = {"nothing": "payment", "payment": "repeated", "refusal": "decline"}[has]
    payment.expect("payment", payment.gateway.answers[name])


def settle(payment, transaction, has):
    """Follows the documentation for an open claim, and returns what was done."""
    gateway, answers = payment.gateway, payment.gateway.answers
    name = {"nothing": "absent", "payment": "settled", "refusal": "declined"}[has]
    answer = ask(payment, answers.get(name))
    known = "cannot be asked"
    if answer:
        known = f"asked: {answer['outcome']}"
        # An outcome that the gateway states is final; that it does not have the payment is not.
        if answer["outcome"] in ("paid", "authorized", "refused"):
            return known
        check(answer["exit"] == EXIT["unknown"], f"{gateway.name}: exit {answer['exit']}")
    record = ledger(payment, "show", transaction)[0]
    check(record["state"] == "claimed", f"{gateway.name}: the claim is {record['state']}")
    # A repetition with the same key is safe, whatever the gateway has. At the others, a person looks in the gateway's
    # books before the payment is sent again.
    if not gateway.has_keys and payment.books():
        return f"{known}; a person found it"
    send_again(payment, has)
    ask(payment, answers.get("declined" if has == "refusal" else "settled"))
    return f"{known}; " + ("repeated" if gateway.has_keys else "a person found nothing, sent again")


def tap_again(payment, has):
    """Pays again, with another token of the customer.

    In the same slot the key is the same, so that nothing is charged twice; a refusal closes the slot, and the next one
    has another reference and key, so that the gateway decides again.
    """
    if not payment.gateway.has_keys and has != "refusal":
        return
    payment.tap()
    if has == "refusal":
        payment.reference += ".r2"
        payment.id = None
        payment.prepare()
    own = claim(payment)
    payment.expect("payment", payment.gateway.answers["decline" if has == "refusal" else "tapped"])
    finish_claim(payment, "confirm", *own)


def recover(payment, point):
    """Settles the payment of a shop that was killed, and checks the books and the ledger."""
    gateway = payment.gateway
    name, amount, has = POINTS[point]
    line = f"{gateway.name}, killed {name}"
    # The shop stored the transaction, unless it was killed before.
    own = (payment.folder / "stored").read_text().split() if point > CLAIMED else None
    # Open claims come after a line about the ledger.
    found = [(record["state"], record["transactionId"], record["serial"]) for record in ledger(payment, "show")[1:]]
    is_open = point < CONFIRMED
    check(len(found) == is_open and all(state == "claimed" and (not own or claimed == own) for state, *claimed in found),
          f"{line}: open claims are not as expected")
    payment.expect_books(*(gateway.booked(amount) if has == "payment" else ()))
    done = "nothing to do"
    if not own:
        # The shop stores it before it charges, so nothing was sent: the claim is released, and the token can be used.
        finish_claim(payment, "release", *found[0][1:])
        own = claim(payment)
        send_again(payment, has)
        finish_claim(payment, "confirm", *own)
        done = "not stored; released, paid"
    elif is_open:
        done = f"{settle(payment, own[0], has)}; confirmed"
        finish_claim(payment, "confirm", *own)
    tap_again(payment, has)
    payment.expect_books(*(gateway.booked(amount) if has != "refusal" else ()))
    ask(payment, gateway.answers.get("declined" if has == "refusal" else "settled"))
    record = ledger(payment, "show", own[0])[0]
    check(record["state"] == "confirmed", f"{line}: the claim is {record['state']}")
    check(not ledger(payment, "show")[1:], f"{line}: a claim is open")
    print(f"{line}: {'claimed' if is_open else 'confirmed'}, {done}", flush=True)


def main(programs):
    def crash(gateway):
        # Each has its own sandbox, which is stopped for a while.
        with Shop.open(programs) as shop:
            for point, (_, amount, _) in enumerate(POINTS):
                payment = Payment(shop, gateway, amount)
                ledger(payment, "init", "--window", "300")
                payment.prepare()
                kill_at(payment, point)
                recover(payment, point)

    gateways = [gateway for gateway in GATEWAYS if not gateway.is_card]
    for_each(gateways, crash)
    print(f"\nkilled at {len(POINTS)} points with {len(gateways)} gateways:"
          " by the gateways' books, every order that was not refused is charged once")


main(folder())
