#!/usr/bin/env python3
"""Kills `paytoken pay` with SIGKILL at five points, at every gateway of gateway-sandbox, with a token and with a stored
card, and recovers as a shop does: with `payments recover`, with another token of the customer or the same card, and,
where the gateway cannot tell, with a person's decision by the gateway's books. Afterwards these books must show that each order was charged once, and nothing may be left open.
Takes the folder of the programs.
"""
import contextlib
import fcntl
import signal
import sys
import time

sys.dont_write_bytecode = True
from orders import Relay  # noqa: E402
from programs import LIMIT, Piped, check, folder  # noqa: E402
from shop import GATEWAYS, CardOrder, Shop, Till, for_each  # noqa: E402

# The points, with whether the gateway has the payment then.
POINTS = {
    "before the payment is sent": False, "before the gateway gets it": False, "after the gateway booked it": True,
    "after the answer, which is not recorded": True, "after the state was recorded": True,
}
CLAIMED, _, _, ANSWERED, RECORDED = POINTS
# The beginning of the request that makes a payment, at the gateways at which others come before.
PAYMENTS = {"dintero": "POST /v1/sessions/", "paypal": "POST /v2/checkout/orders"}


@contextlib.contextmanager
def locked(till):
    """Keeps all others from writing to the ledger during a `with` block."""
    with open(f"{till.ledger}.lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def kill_at(order, point):
    """Pays, and kills the process at a point."""
    if point == RECORDED:
        # The state does not fit into the pipe.
        with Piped(order.till.words(*order.words()), filled=4096) as process:
            process.wait_until_blocked()
        check(process.returncode == -signal.SIGKILL, f"{order.gateway.name}: the process was not killed")
        return
    held = "POST" if point == CLAIMED else PAYMENTS.get(order.gateway.name, "POST")
    relay = Relay(order.shop.origin, held, passes=POINTS[point])
    with order.start(relay.file(order)) as process:
        check(relay.held.wait(LIMIT), f"{order.gateway.name}: no request came")
        order.till.wait_for("claimed" if point == CLAIMED else "sending")
        if point == ANSWERED:
            with locked(order.till):
                relay.release()
                time.sleep(0.5)
                check(process.poll() is None, f"{order.gateway.name}: the process did not wait for the ledger")
                process.kill()
                process.finish()
    check(process.returncode == -signal.SIGKILL, f"{order.gateway.name}: the process was not killed")
    check(order.output() is None, f"{order.gateway.name}: a state was printed")


def recover(order, point):
    """Pays again and recovers, and checks the state, the books and the ledger; returns what was done."""
    till, gateway = order.till, order.gateway
    first = None if isinstance(order, CardOrder) else order.token.read_bytes()
    order.tap()
    if point == RECORDED:
        order.pay(gateway.booked)
        return "was recorded"
    order.pay("pending", reason="in-progress")
    till.age()
    till.recover({"released": 1, "asked": 0} if point == CLAIMED else {"asked": 1, "released": 0, "failed": 0})
    check(len(order.books()) == POINTS[point], f"{gateway.name}: recovering has charged: {order.books()}")
    if point == CLAIMED:
        if first:
            # The claim of the first token is final, because only its owner would have known that it sent nothing.
            other = order.token.read_bytes()
            order.token.write_bytes(first)
            order.expect_refusal("already-claimed")
            order.token.write_bytes(other)
        order.pay(gateway.booked, slot=1)
        return "released, paid again"
    found = till.command("payments", "show", order.reference)
    if POINTS[point] and gateway.can_ask:
        order.expect(found, gateway.booked)
        done = "found"
    else:
        done = decide(order, found)
    order.tap()
    again = order.till.command(*order.words())
    # An answer to a key that was used before may be an old one, so a person looks at it, too.
    if again["outcome"] == "pending" and "has to be asked" in again["reason"]:
        done += f", then {decide(order, again)}"
        again = order.till.command("payments", "show", order.reference)
    elif again["outcome"] == "authorized" != gateway.booked:
        # The amount is captured after the answer.
        again = order.till.command("payments", "show", order.reference)
    if "--paid" in done:
        # By a person's word, also where the amount is only reserved.
        check((again["outcome"], again["exit"]) == ("paid", 0), f"{gateway.name}: {again}")
    else:
        order.expect(again, gateway.booked)
    return done


def decide(order, found):
    """Decides as a person does who looks in the gateway's books; returns what was decided."""
    till, gateway = order.till, order.gateway
    order.expect(found, found["outcome"])
    check(found["outcome"] in ("unknown", "pending"), f"{gateway.name}: {found}")
    check(order.reference in till.list(), f"{gateway.name}: {found}, and not listed")
    books = order.books()
    decision = ("--paid", books[0]["id"]) if books else ("--refused",)
    words = ("payments", "resolve", order.reference, "--serial", found["serial"], *decision, "--by", "Jane",
             "--because", "the gateway's books", "--confirmed")
    resolved = till.command(*words)
    if not books and resolved.get("code") == "decision-refused":
        # No key prevents that a request which is under way is carried out, so the decision has to wait for a day.
        check("a day after it began" in resolved["message"], f"{gateway.name}: {resolved}")
        till.age(86_400, ["begun_at"], has_requests=True)
        resolved = till.command(*words)
        decision = ("--refused after a day",)
    right = "paid" if books else "refused"
    check((resolved.get("outcome"), resolved["exit"]) == (right, 0), f"{gateway.name}: {resolved}")
    return f"a person decided {decision[0]}"


def crash(order, point):
    """Kills the payment of an order at a point, recovers, and looks at the books and the ledger."""
    name = f"{order.gateway.name}{', stored card' if isinstance(order, CardOrder) else ''}, killed {point}"
    kill_at(order, point)
    done = recover(order, point)
    check(len(order.books()) == 1, f"{name}: {order.books()}")
    left = [attempt for attempt in order.till.list().values() if attempt["outcome"] != "authorized"]
    check(not left, f"{name}: {left}")
    print(f"{name}: {done}", flush=True)


def main(programs):
    def crash_all(gateway):
        points = [point for point in POINTS if point != CLAIMED or gateway.name in PAYMENTS]
        for number, point in enumerate(points):
            crash(Till(shop, gateway, f"crash-{number}").order(71_929), point)
        if not gateway.stores:
            return
        card = Till.storing(shop, gateway, "cards").stored_card(71_900)
        for number, point in enumerate(points):
            # At bePaid, the same card and the same amount within 30 seconds are a duplicate.
            crash(CardOrder(Till(shop, gateway, f"card-crash-{number}"), 71_901 + number, card), point)

    with Shop.open(programs) as shop:
        for_each(GATEWAYS, crash_all)
    stored = sum(1 for gateway in GATEWAYS if gateway.stores)
    print(f"\nkilled at {len(POINTS)} points at {len(GATEWAYS)} gateways, with a stored card at {stored}: by their books, every "
          "order is charged once")


main(folder())
