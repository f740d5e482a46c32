#!/usr/bin/env python3
"""Runs the flows of five gateways' documents from the shell, at gateway-sandbox: payments with decrypted and encrypted
tokens, captures, cancellations, refunds, customers who must act, messages, pages and returns, checkouts and sessions that
an app made, requests that a client of the shop's own sends, and cards for Wallet. After each step the gateway's word, the
exit status and the gateway's books are compared. Takes the folder of the programs.

The documents are those of Worldline Direct, bePaid, Dintero, RBS and Intergiro about Apple Pay.
"""
import base64
import hashlib
import hmac
import html
import json
import re
import sys
import time
import urllib.parse
from email.utils import formatdate
from http.client import HTTPConnection

sys.dont_write_bytecode = True
from messages import Hook, http  # noqa: E402
from programs import check, folder, run  # noqa: E402
from shop import GATEWAYS, Gateway, Shop, Till, for_each  # noqa: E402

SECRET = b"sandbox-secret"
PART = 20_000
# The gateway's words for the states of an order.
WORDS = {
    "worldline-direct": {
        "paid": "CAPTURED", "authorized": "PENDING_CAPTURE", "partly-paid": "PENDING_CAPTURE",
        "partly-returned": "CAPTURED", "returned": "REFUNDED", "cancelled": "CANCELLED", "refused": "REJECTED",
        "action-required": "REDIRECTED"},
    "bepaid": {
        "paid": "successful", "authorized": "successful", "partly-paid": "successful", "partly-returned": "successful",
        "returned": "successful", "cancelled": "successful", "refused": "failed", "action-required": "incomplete"},
    "dintero": {
        "paid": "CAPTURED", "authorized": "AUTHORIZED", "partly-paid": "PARTIALLY_CAPTURED",
        "partly-returned": "PARTIALLY_REFUNDED", "returned": "REFUNDED", "cancelled": "AUTHORIZATION_VOIDED",
        "refused": "FAILED", "action-required": "INITIATED"},
    "rbs": {
        "paid": "2", "authorized": "1", "partly-paid": "2", "partly-returned": "4", "returned": "4", "cancelled": "3",
        "refused": "6", "action-required": "5"},
}
# The beginning of the token in a payment's body, for each form.
CLIENT_BODIES = {
    "worldline-direct": {"decrypted": b'"decryptedPaymentData":{"dpan":"4', "encrypted": b'"encryptedPaymentData":"'},
    "bepaid": {"decrypted": b'"$begateway_apple_pay_decrypted_1_0_0$', "encrypted": b'"$begateway_apple_pay_1_0_0$'},
}


def word(gateway, state):
    """Returns the members for a state: the gateway's word."""
    return {"status": WORDS[gateway.name][state]}


def reserving(gateway):
    """Returns the members of a gateway's file with which payments only reserve their amounts."""
    return {"payment": gateway.reserves} if gateway.reserves else {}


# Payments and operations.

def decrypted(shop, gateway):
    """Pays with the card data of a token."""
    pay(Till(shop, gateway, "decrypted"), 71_929)


def encrypted(shop, gateway):
    """Pays with a token that the gateway decrypts."""
    members = {"token": "encrypted"} if gateway.name != "dintero" else {}
    # RBS reads the amount in the token. The sandbox cannot decrypt it, and reads the description.
    pay(Till(shop, gateway, "encrypted", **members), 71_929, description="amount 71929 EUR")


def pay(till, amount, **members):
    order, booked = till.order(amount, **members), till.gateway.booked
    order.pay(booked, **word(till.gateway, booked))
    order.show(booked, **word(till.gateway, booked))
    order.expect_books(*((amount, 0, 0) if booked == "authorized" else (0, amount, 0)))


def captured(shop, gateway):
    """Reserves the amount, captures a part and, where that does not release the rest, the rest."""
    amount = 71_930
    till = Till(shop, gateway, "captured", **reserving(gateway))
    order = till.order(amount)
    order.pay("authorized", **word(gateway, "authorized"))
    order.expect_books(amount, 0, 0)
    order.operate("capture", "capture-1", PART)
    order.show("partly-paid", captured=PART, **word(gateway, "partly-paid"))
    if gateway.name == "rbs":
        return order.expect_books(0, PART, 0)
    order.expect_books(amount - PART, PART, 0)
    order.operate("capture", "capture-2")
    order.show("paid", captured=amount, **word(gateway, "paid"))
    order.expect_books(0, amount, 0)


def cancelled(shop, gateway):
    till = Till(shop, gateway, "cancelled", **reserving(gateway))
    order = till.order(71_931)
    order.pay("authorized", **word(gateway, "authorized"))
    order.operate("cancel", "cancel-1")
    order.show("returned", cause="cancellation", **word(gateway, "cancelled"))
    order.expect_books(0, 0, 0)


def refunded(shop, gateway):
    """Refunds a part, not more than is left, and the rest."""
    amount = 71_932
    till = Till(shop, gateway, "refunded")
    order = till.order(amount)
    order.pay(gateway.booked)
    if gateway.only_reserves:
        order.operate("capture", "capture-1")
    more = ("--reason", "returned")
    order.operate("refund", "refund-1", PART, *more)
    order.show("partly-returned", refunded=PART, **word(gateway, "partly-returned"))
    order.expect_books(0, amount, PART)
    refused = till.command("payments", "refund", order.reference, "--operation", "refund-2", "--amount", str(amount),
                           *more)
    check(refused["exit"] == 1 and refused["code"] == "unsupported-amount", f"{gateway.name}: {refused}")
    order.expect_books(0, amount, PART)
    order.operate("refund", "refund-3", None, *more)
    order.show("returned", cause="refund", **word(gateway, "returned"))
    order.expect_books(0, amount, amount)


def customer(shop, gateway):
    """The customer must act: they confirm one order, and decline the other."""
    till = Till(shop, gateway, "customer")
    for decision, state in (("confirm", gateway.booked), ("decline", "refused")):
        order = till.order(30_300)
        found = order.pay("action-required", **word(gateway, "action-required"))
        check(order.reference in till.list(), f"{gateway.name}: an order that waits for its customer is not listed")
        shop.visit(found["url"], decision)
        order.show(state, **word(gateway, state))


# Messages, pages and returns.

def message(shop, gateway):
    """Receives a message twice, and one that somebody changed."""
    place = shop.work / f"hook-{gateway.name}"
    place.mkdir()
    hook = Hook(place, SECRET)
    if gateway.name == "dintero":
        till = Till(shop, gateway, "message", webhooks={"callbackSecret": {"file": str(place / "hook")}})
    else:
        account = hook.account(shop.work / f"gateways/{gateway.name}.json")
        till = Till(shop, gateway, "message", webhooks=account["webhooks"])
    order = till.order(71_933)
    order.pay(gateway.booked)
    [entry] = order.books()
    sent = callback(entry) if gateway.name == "dintero" else http(*hook.message(gateway.name, entry, order.amount))
    for _ in range(2):
        order.expect(receive(till, sent, 200), gateway.booked)
    found = receive(till, sent.replace(order.reference.encode(), b"order-0"), 400)
    check("outcome" not in found and "not a valid signature" in found["reason"], f"{gateway.name}: {found}")


def callback(entry):
    """Returns Dintero's callback about a payment in the books, whose query is signed."""
    query = f"merchant_reference={entry['reference']}&transaction_id={entry['id']}"
    seconds = int(time.time())
    text = f"{seconds}\nT12345678\nGET\nshop.example\n/hook\n{query}"
    code = hmac.new(SECRET, text.encode(), hashlib.sha256).hexdigest()
    return (f"GET /hook?{query} HTTP/1.1\r\nHost: shop.example\r\n"
            f"Dintero-Signature: t={seconds},v0-hmac-sha256={code}\r\n\r\n").encode()


def receive(till, sent, status):
    """Passes on a request to the shop's server; returns what is found, with the exit status of its state."""
    found = till.command("receive", input=sent)
    check(found["status"] == status and found["exit"] == (0 if status == 200 else 1) and found["body"] == "",
          f"{till.gateway.name}: {found}")
    del found["exit"], found["status"]
    return found


def page(shop, gateway):
    """The customer pays on a page of Worldline's; their return is verified by the page's code."""
    till = Till(shop, gateway, "page")
    order, other = till.order(71_934), till.order(71_934)
    first = order.expect(till.command("page", "--order", order.file), "action-required")
    # An order has one page.
    again = till.command("page", "--order", order.file)
    order.expect(again, "action-required", url=first["url"], serial=first["serial"])
    shown = html.unescape(shop.visit(first["url"]))
    [address] = set(re.findall(r'href="https://shop\.example(/r\?[^"]+)"', shown))
    returned = f"GET {address} HTTP/1.1\r\nHost: shop.example\r\n\r\n".encode()
    forged = re.sub(rb"RETURNMAC=[^&]+", b"RETURNMAC=00000000-0000-0000-0000-000000000000", returned)
    found = receive(till, forged, 400)
    check("outcome" not in found and "from no page" in found["reason"], f"{found}")
    order.expect(receive(till, returned, 200), "authorized")
    # A token does not pay it a second time.
    order.pay("authorized", serial=first["serial"])
    order.operate("capture", "capture-1")
    order.show("paid", **word(gateway, "paid"))
    order.expect_books(0, order.amount, 0)
    # The customer leaves the other page without a payment.
    left = other.expect(till.command("page", "--order", other.file), "action-required")
    shop.visit(left["url"], "cancel")
    other.show("refused")


# Checkouts and sessions that an app or a page made.

def checkout(shop, gateway):
    """A page of the shop's own pays in a checkout of bePaid, with the checkout's merchant session."""
    till = Till(shop, gateway, "checkout", token="encrypted")
    order, other = till.order(71_935), till.order(71_936)

    def make(order, amount):
        body = {"checkout": {"transaction_type": "payment", "test": True, "order": {
            "amount": amount, "currency": "EUR", "description": "Order", "tracking_id": order.reference}}}
        return post(shop, "/ctp/api/checkouts", body, "-u", f"361:{SECRET.decode()}")["checkout"]["token"]

    def merchant_session(address, *more):
        made = run([shop.paytoken, "session", "--gateway", till.file, "--validation-url", address, *more])
        return made.returncode, json.loads(made.stdout)

    token = make(order, order.amount)
    for own in ((), ("--session", token)):
        status, session = merchant_session("https://apple-pay-gateway.apple.com/paymentservices/startSession", *own)
        check(status == 0 and session["domainName"] == "shop.example", f"{session}")
    status, refused = merchant_session("https://apple.com.shop.example/")
    check(status == 1 and refused["code"] == "unsupported-value", f"{refused}")
    order.pay("paid", "--session", token, status="successful")
    order.show("paid")
    order.expect_books(0, order.amount, 0)
    # A used checkout, another order's and one of another amount pay nothing, so that the token can pay afterwards.
    for wrong, reason in ((token, "used already"), (make(order, other.amount), f"tracking_id is not {other.reference}"),
                          (make(other, other.amount - 1), "amount or currency is not the order's")):
        found = other.expect_refusal("unsupported-value", "--session", wrong)
        check(reason in found["message"], f"{found}")
    other.pay("paid", "--session", make(other, other.amount))


def app_session(shop, gateway):
    """Pays in a session of Dintero's that the shop's server made for its app."""
    till = Till(shop, gateway, "app")
    order, other = till.order(71_937), till.order(71_937)
    account = f"{shop.origin}/v1/accounts/T12345678"
    login = post(shop, "/v1/accounts/T12345678/auth/token", {"grant_type": "client_credentials", "audience": account},
                 "-u", f"shop:{SECRET.decode()}")
    body = {"url": {"return_url": "app://return"}, "configuration": {"channel": "in_app"}, "order": {
        "amount": order.amount, "currency": "EUR", "merchant_reference": order.reference}}
    session = post(shop, "/v1/sessions", body, "-H", f"Authorization: Bearer {login['access_token']}")["id"]
    order.pay("authorized", "--session", session, status="AUTHORIZED")
    order.operate("capture", "capture-1")
    order.show("paid", status="CAPTURED")
    found = other.expect_refusal("unsupported-value", "--session", session)
    check("has a payment already" in found["message"], f"{found}")
    found = other.expect_refusal("unsupported-value", "--session", session.partition(".")[0] + ".none")
    check("no such session" in found["message"], f"{found}")
    # The token of an attempt that sent nothing pays.
    other.pay("authorized")


def post(shop, path, body, *words):
    """Sends JSON with curl, as a server of the shop's own does, and returns the JSON of the answer."""
    answer, status = shop.fetch("-H", "Content-Type: application/json", "-d", json.dumps(body), *words,
                                f"{shop.origin}{path}")
    check(200 <= status < 300, f"{path}: {status} {answer}")
    return json.loads(answer)


# Requests for a client of the shop's own.

def own_client(shop, gateway):
    """Sends the body that `request` prints with credentials of the shop's own, for both forms of tokens."""
    for form, mark in CLIENT_BODIES[gateway.name].items():
        till = Till(shop, gateway, f"client-{form}", token=form)
        order = till.order(71_938)
        made = run(till.words(*order.words("request")))
        check(made.returncode == 0 and b"your credentials. The transaction is claimed" in made.stderr, f"{made}")
        check(mark in made.stdout, f"{made}")
        check(not order.books(), f"{gateway.name}: `request` has sent something")
        first = send(shop, gateway, made)
        order.expect_books(0, order.amount, 0)
        # The claim is final. Another tap gives another body with the same key, to which the gateway repeats its answer.
        order.expect_refusal("already-claimed", name="request")
        order.tap()
        other = run(till.words(*order.words("request")))
        check(other.stdout != made.stdout and send(shop, gateway, other) == first, f"{gateway.name}: {other}")
        order.expect_books(0, order.amount, 0)


def send(shop, gateway, made):
    """Sends a body to the address and with the headers that `request` names; returns the identifier in the answer."""
    [sentence] = re.findall(r"send it with (.*) and your credentials", made.stderr.decode())
    line, *fields = sentence.split(", ")
    method, url = line.split(" ")
    headers = dict(field.split(": ") for field in fields)
    path = urllib.parse.urlsplit(url).path
    if gateway.name == "bepaid":
        headers["Authorization"] = "Basic " + base64.b64encode(b"361:" + SECRET).decode()
    else:
        headers["Date"] = formatdate(usegmt=True)
        key = headers["X-GCS-Idempotence-Key"]
        text = (f"{method}\n{headers['Content-Type']}\n{headers['Date']}\nx-gcs-idempotence-key:{key}\n{path}\n")
        signature = base64.b64encode(hmac.digest(SECRET, text.encode(), hashlib.sha256)).decode()
        headers["Authorization"] = f"GCS v1HMAC:key-1:{signature}"
    connection = HTTPConnection(urllib.parse.urlsplit(shop.origin).netloc, timeout=60)
    connection.request(method, path, made.stdout, headers)
    answer = connection.getresponse()
    body = json.loads(answer.read())
    check(200 <= answer.status < 300, f"{gateway.name}: {answer.status} {body}")
    payment = body["transaction"] if gateway.name == "bepaid" else body["payment"]
    check(payment["status"] == WORDS[gateway.name]["paid"], f"{gateway.name}: {body}")
    return payment["uid" if gateway.name == "bepaid" else "id"]


def no_client(shop, gateway):
    """The request needs earlier answers, or contains credentials: only `pay` sends it."""
    till = Till(shop, gateway, "client")
    order = till.order(71_939)
    refused = run(till.words(*order.words("request")))
    check(refused.returncode == 2 and not refused.stdout and b"only pay can send" in refused.stderr, f"{refused}")
    # Nothing was claimed.
    order.pay(gateway.booked)


# Cards.

def card(shop, gateway):
    """Begins to add cards to Wallet: for the app with its SDK, and in the browser."""
    def add(name, *more):
        return run([shop.paytoken, "card", "add", name, "--gateway", shop.work / "gateways/intergiro.json", *more])

    for outcome, more in (("launch", ()), ("browser", ("--return-url", "https://shop.example/r"))):
        added = add("card-71929", *more)
        found = json.loads(added.stdout)
        check(added.returncode == 4 and found["outcome"] == outcome and found["consentId"], f"{added}")
        check(bool(found.get("token")) == (outcome == "launch"), f"{found}")
        shop.visit(found["url"])
    # Intergiro answers 403 without a body.
    refused = add("card-40200")
    check((refused.returncode, json.loads(refused.stdout)["outcome"]) == (5, "unknown"), f"{refused}")
    order = Till(shop, gateway, "card").order(71_940)
    refused = run([shop.paytoken, *order.words(), "--gateway", shop.work / "gateways/intergiro.json", "--ledger",
                   order.till.ledger])
    check(refused.returncode == 2 and b"makes no payments" in refused.stderr, f"{refused}")


PAYMENTS = (encrypted, captured, cancelled, refunded, customer)
# The flows of each document.
FLOWS = {
    "worldline-direct": (decrypted, *PAYMENTS, message, page, own_client),
    "bepaid": (decrypted, *PAYMENTS, message, checkout, own_client),
    "dintero": (*PAYMENTS, message, app_session, no_client),
    "rbs": (decrypted, *PAYMENTS, no_client),
    "intergiro": (card,),
}


def main(shop):
    def run_all(gateway):
        for flow in FLOWS[gateway.name]:
            start = time.monotonic()
            flow(shop, gateway)
            print(f"{gateway.name}: {flow.__name__}, {time.monotonic() - start:.1f} s", flush=True)

    for_each([gateway for gateway in (*GATEWAYS, Gateway("intergiro")) if gateway.name in FLOWS], run_all)
    print(f"\n{sum(map(len, FLOWS.values()))} flows of {len(FLOWS)} gateways: every word, exit status and amount in the"
          " books is as expected")


with Shop.open(folder()) as shop:
    main(shop)
