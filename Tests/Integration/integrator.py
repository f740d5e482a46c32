#!/usr/bin/env python3
"""Runs the integrator's program of the folder Consumer at Worldline Direct and bePaid, in every scenario of gateway-sandbox.

Each scenario has two orders. One is paid with a token, with the same token again, and after a recovery with another one;
the first payer of the other is killed once its request has arrived. Messages arrive, too. By the gateway's own books, no
order may be charged twice, and its state must be the expected one, and that of the books, or `paytoken payments list` must
name it. Takes the folder of the programs and the integrator's program.
"""
import json
import multiprocessing.pool
import pathlib
import re
import sys
import time

sys.dont_write_bytecode = True
from messages import Hook  # noqa: E402
from orders import Relay  # noqa: E402
from programs import LIMIT, Program, check, run  # noqa: E402
from shop import GATEWAYS, Shop, Till, for_each  # noqa: E402

# The seconds after which a silent gateway ends a connection, and after which a late payment is made.
SILENCE, LATE = 3, 25
# The amounts of scenarios: a success, one in which the customer must act, and one with a late payment.
SUCCESS, ACTION, LATER = 71_929, 30_300, 50_400
# The last state of an order by its amount; all others are paid. What the gateway never decided stays unknown.
STATES = {40_200: "refused", 40_801: "unknown", 40_900: "unknown", 50_000: "unknown", 50_300: "unknown"}
# The exceptions of a gateway.
OWN_STATES = {"bepaid": {60_100: "returned"}, "worldline-direct": {}}


class Shopper:
    """One scenario at one gateway: a ledger, and a folder in which the integrator's program runs."""

    def __init__(self, shop, gateway, program, amount):
        self.gateway, self.program, self.amount = gateway, program, amount
        self.folder = shop.work / f"{gateway.name}-{amount}"
        self.folder.mkdir()
        for name in ("pki", "shop.pem"):
            (self.folder / name).symlink_to(shop.work / name)
        self.till = Till(shop, gateway, f"{self.folder.name}/integrator")
        self.origin = shop.origin

    def words(self, *words, origin=None):
        return [self.program, self.gateway.name, origin or self.origin, *map(str, words)]

    def call(self, *words, body=b""):
        """Runs the program, and returns the line that it prints."""
        ended = run(self.words(*words), input=body, cwd=self.folder)
        check(ended.returncode == 0, f"{self}: {words}: exit {ended.returncode}: {ended.stderr.decode()}")
        return ended.stdout.decode().strip()

    def pay(self, order):
        """Pays, and compares the state with the books."""
        state = self.call("pay", order.reference, order.amount, body=order.token.read_bytes())
        order.expect_one_charge(state, {"scenario": str(self)})
        return state

    def recover(self):
        self.till.age()
        self.call("recover")

    def receive(self, order, hook):
        """Receives a message about each payment in the books, and one that is forged."""
        for entry in order.books():
            headers, body = hook.message(self.gateway.name, entry, order.amount)
            words = [word for header in headers for word in header]
            status = self.call("receive", *words, body=body)
            check(status == "200", f"{self}: a message is answered with {status}")
            status = self.call("receive", *words, body=body.replace(order.reference.encode(), b"order-0"))
            check(status == "400", f"{self}: a forged message is answered with {status}")

    def kill(self, order):
        """Starts to pay, and kills the program once the gateway has its request."""
        relay = Relay(self.origin)
        words = self.words("pay", order.reference, order.amount, origin=relay.origin)
        with Program(words, stdin=order.token, cwd=self.folder) as process:
            check(relay.held.wait(LIMIT), f"{self}: no request came")
            process.kill()
            process.finish()

    def act(self, order):
        """Opens the page at which the customer confirms the payment, if the ledger has its identifier."""
        found = self.till.list()[order.reference].get("paymentId")
        if found:
            order.shop.visit(f"{self.origin}/customer/{self.gateway.name}/{found}")

    def run(self, hook):
        """Pays both orders, checks their last states, and returns all states."""
        order, other = self.till.order(self.amount), self.till.order(self.amount)
        states = [self.pay(order), self.pay(order)]
        self.kill(other)
        self.recover()
        for one in (order, other):
            one.tap()
            states.append(self.pay(one))
            if self.amount == ACTION:
                self.act(one)
        if self.amount == LATER:
            time.sleep(LATE)
        right = {**STATES, **OWN_STATES[self.gateway.name]}
        for one in (order, other):
            self.receive(one, hook)
            self.recover()
            state = self.pay(one)
            states.append(state)
            check(state == right.get(self.amount, "paid"), f"{self}: {' '.join(states)}")
            check(state in ("paid", "refused", "returned") or one.reference in self.till.list(),
                  f"{self}: {state}, and not listed")
        return states

    def __str__(self):
        return f"{self.gateway.name}, amount {self.amount}"


def scenarios(programs):
    """Returns the amounts of the scenarios, from the help of gateway-sandbox."""
    shown = run([programs / "gateway-sandbox", "--help"]).stdout.decode()
    amounts = [int(amount) for amount in re.findall(r"(?m)^ +(\d{5})  ", shown)]
    check(len(amounts) > 10, "gateway-sandbox --help lists no amounts")
    return [SUCCESS, *amounts]


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} FOLDER-OF-PROGRAMS PROGRAM")
    programs, program = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with Shop.open(programs, "--silence", str(SILENCE), "--late", str(LATE)) as shop:
        hook = Hook(shop.work)

        def run_all(gateway):
            def one(amount):
                shopper = Shopper(shop, gateway, program, amount)
                try:
                    print(f"{shopper}: {' '.join(shopper.run(hook))}", flush=True)
                except SystemExit as failure:
                    return failure

            with multiprocessing.pool.ThreadPool(8) as pool:
                failures = [failure for failure in pool.map(one, scenarios(programs), chunksize=1) if failure]
            check(not failures, "\n".join(map(str, failures)))

        for_each([gateway for gateway in GATEWAYS if gateway.name in Hook.GATEWAYS], run_all)
    print("\nno order was charged twice, and each has the expected state")


main()
