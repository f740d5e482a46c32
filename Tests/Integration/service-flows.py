#!/usr/bin/env python3
"""Runs every flow of the documents of bePaid, Dintero, Intergiro, RBS and Worldline Direct over HTTP, at
`paytokend` with gateway-sandbox: payments with decrypted and with encrypted tokens, captures, cancellations,
refunds, states and messages; hosted pages and the customer's return; bePaid's checkout and its merchant session; a
session of Dintero's that the app made; a card for Apple Wallet; two accounts of one gateway; the messages that the sandbox
sends; and the shop in PHP of the folder Examples/Shop. Each is compared with the gateway's books.
Takes the folder of the programs. Needs PHP with its extension curl.
"""
import base64
import concurrent.futures
import dataclasses
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import sys
import threading
import time
import urllib.request

sys.dont_write_bytecode = True
from orders import Relay  # noqa: E402
from programs import LIMIT, Program, check, folder, order_of, run  # noqa: E402
from serving import Apple, Purchase, Service, free_port, hold, is_open, message, open_page, wait_until  # noqa: E402
from shop import Shop  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The sandbox accepts this secret for every account.
SECRET = "sandbox-secret"
# The address that Apple's script gives to a page.
VALIDATION = "https://apple-pay-gateway.apple.com/paymentservices/startSession"
PAYMENTS = "/v1/payments"


@dataclasses.dataclass
class Gateway:
    """A gateway that takes payments, with what differs between these.

    `reserves` has the members of its file with which it only reserves amounts, unless it always does so. `operation` is
    the state of an operation that it accepts. The capture of a part releases the rest if `is_final` is true.
    """

    name: str
    reserves: dict = None
    operation: str = "done"
    is_final: bool = False
    has_messages: bool = True


WORLDLINE, BEPAID, DINTERO, RBS = GATEWAYS = (
    Gateway("worldline-direct", {"payment": {"authorizationMode": "PRE_AUTHORIZATION"}}, operation="pending"),
    Gateway("bepaid", {"payment": {"kind": "authorization"}}),
    Gateway("dintero"),
    Gateway("rbs", {"payment": {"preAuth": True}}, is_final=True, has_messages=False),
)


class Order(Purchase):
    """An order whose description has the amount, which RBS's sandbox reads there if the token is encrypted."""

    def __init__(self, service, amount, gateway):
        super().__init__(service, amount, gateway.name)

    def body(self, **changes):
        return super().body(**{"description": f"amount {self.amount} EUR", **changes})

    def state(self, outcome, **members):
        found = self.service.expect(200, "GET", f"{PAYMENTS}/{self.reference}", outcome=outcome, **members)
        self.expect_one_charge(outcome)
        return found

    def operate(self, verb, state, amount=None):
        """Performs an operation twice under the same name, of which the second one is not sent, and finds it done."""
        body = {"operation": f"{verb}-{amount}", "reason": "a test", **({"amount": amount} if amount else {})}
        for expected in (state, "done"):
            self.service.expect(200, "POST", f"{PAYMENTS}/{self.reference}/{verb}", body, operation=expected)

    def expect_books(self, *amounts):
        """Expects one payment in the gateway's books, with amounts that are authorized, captured and refunded."""
        found = [tuple(entry[name] for name in ("authorized", "captured", "refunded")) for entry in self.books()]
        check(found == [amounts], f"{self.gateway}: the books have {found}, not {amounts}")

    def refuse(self, reason=None, code="unsupported-value", **members):
        """Expects the gateway to refuse the payment, for which nothing is charged and the token stays unused."""
        found = self.service.expect(422, "POST", "/v1/pay", {**self.body(), **members}, stage="gateway", code=code)
        check(reason is None or reason in found["message"], f"{self.gateway}: {found['message']}, not {reason}")
        check(not self.books(), f"charged: {self.books()}")


def open_service(shop, form, has_keys, reserves=True, relay=None):
    """Returns a service with all gateways, in whose files tokens have a form and amounts may only be reserved."""
    secret = shop.work / "callback-secret"
    secret.write_text(SECRET)
    changes = {gateway.name: {"token": form, **(reserves and gateway.reserves or {})} for gateway in GATEWAYS}
    changes["dintero"] = {"webhooks": {"callbackSecret": {"file": str(secret)}}}
    return Service(shop, "--allow", f"{os.getuid()}=operate", accounts=[*changes, "intergiro"], changes=changes,
                   has_keys=has_keys, relay=relay)


def ask(shop, method, path, body=None, **headers):
    """Sends the shop's or the app's own request to the gateway; returns the members of the answer."""
    request = urllib.request.Request(f"{shop.origin}{path}", body and json.dumps(body).encode(), method=method,
                                     headers={"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=LIMIT) as answer:
        return json.load(answer)


def basic(user):
    return "Basic " + base64.b64encode(f"{user}:{SECRET}".encode()).decode()


def checkout(shop, reference, amount, **changes):
    """Creates a checkout at bePaid, as the shop does before it has a token; returns its token."""
    order = {"amount": amount, "currency": "EUR", "description": "Order", "tracking_id": reference}
    body = {"checkout": {"transaction_type": "payment", "test": True, "order": order, **changes}}
    return ask(shop, "POST", "/ctp/api/checkouts", body, Authorization=basic("361"))["checkout"]["token"]


def app_session(shop, reference, amount, account="T12345678"):
    """Creates a session at Dintero for an app; returns its identifier."""
    body = {"grant_type": "client_credentials", "audience": f"{shop.origin}/v1/accounts/{account}"}
    token = ask(shop, "POST", f"/v1/accounts/{account}/auth/token", body, Authorization=basic("shop"))["access_token"]
    order = {"amount": amount, "currency": "EUR", "merchant_reference": reference}
    body = {"url": {"return_url": "app://r"}, "order": order, "configuration": {"channel": "in_app"}}
    return ask(shop, "POST", "/v1/sessions", body, Authorization=f"Bearer {token}")["id"]


def callback(entry, secret=SECRET):
    """Returns what the shop's server receives from Dintero about a payment in the sandbox's books."""
    query = f"merchant_reference={entry['reference']}&transaction_id={entry['id']}"
    seconds = int(time.time())
    text = "\n".join((str(seconds), "T12345678", "GET", "shop.example", "/hook", query))
    code = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    headers = [("Host", "shop.example"), ("Dintero-Signature", f"t={seconds},v0-hmac-sha256={code}")]
    return message(headers, target=f"/hook?{query}", method="GET")


class Receiver(http.server.ThreadingHTTPServer):
    """The shop's server for messages, which passes them on to the service once it runs, and keeps what was answered.

    It answers the next `faults` messages with 503, and each after so many seconds as `silence` says.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.service, self.faults, self.silence, self.received = None, 0, 0, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body, server = self.rfile.read(int(self.headers["Content-Length"])), self.server
            time.sleep(server.silence)
            found = {"status": 503}
            if server.faults:
                server.faults -= 1
            elif server.service:
                gateway = self.path.partition("?")[0].rpartition("/")[2]
                sent = message(self.headers.items(), body, self.path)
                found = server.service.pass_on(gateway, sent)
            server.received.append((self.path, list(self.headers.items()), body, found))
            self.send_response(found["status"])
            self.send_header("Content-Length", 0)
            self.end_headers()

        def log_message(self, *_):
            pass

    def wait_for(self, order, outcome):
        """Waits for a message after which the service reports an outcome of an order; returns the message."""
        def found():
            return next((sent for *sent, answer in self.received
                         if answer.get("reference") == order.reference and answer.get("outcome") == outcome), None)
        wait_until(found, f"{order.gateway}: no message after which an order is {outcome}")
        return found()


# The flows.

def pay_and_operate(service, gateway, is_signed):
    """An order is reserved once, captured in parts and refunded in parts; another one is canceled."""
    order = Order(service, 1_000, gateway)
    for _ in range(2):
        order.pay("authorized")
        order.tap()
    order.state("authorized", isAmountSigned=is_signed)
    order.expect_books(1_000, 0, 0)
    order.operate("capture", gateway.operation, 400)
    order.state("partly-paid", captured=400)
    captured = 400
    if not gateway.is_final:
        order.operate("capture", gateway.operation)
        order.state("paid", captured=1_000)
        captured = 1_000
    order.expect_books(0, captured, 0)
    # At bePaid, a refund is one of a single capture; this amount has only the second one.
    part = captured * 3 // 5
    order.operate("refund", gateway.operation, part)
    order.state("partly-returned", refunded=part)
    order.operate("refund", gateway.operation)
    order.state("returned", refunded=captured)
    order.expect_books(0, captured, captured)
    order = Order(service, 1_001, gateway)
    order.pay("authorized")
    order.operate("cancel", gateway.operation)
    order.state("returned")
    order.expect_books(0, 0, 0)


def authenticate(service, gateway):
    """The customer authenticates; a genuine message or a question shows the outcome, a forged message does not."""
    order = Order(service, 30_300, gateway)
    url = order.pay("action-required")["url"]
    entry = {"id": url.rpartition("/")[2], "reference": order.reference}

    def sent():
        """Returns a genuine message and a forged one."""
        if gateway is DINTERO:
            return callback(entry), callback(entry, "another-secret")
        headers, body = service.hook.message(gateway.name, entry, order.amount)
        return message(headers, body), message(headers, body + b" ")
    if gateway.has_messages:
        genuine, forged = sent()
        found = service.pass_on(gateway.name, forged, status=400)
        check("outcome" not in found, f"a forged message is answered with {found}")
        # It proves itself, and reports something else than the gateway, which is asked.
        found = service.pass_on(gateway.name, genuine, status=200)
        check(found["outcome"] in ("action-required", "pending"), f"{gateway.name}: {found}")
        order.expect_one_charge("action-required")
    else:
        found = service.pass_on(gateway.name, message([]), status=500)
        check("no key for them is configured" in found["reason"], f"{gateway.name}: {found}")
    open_page(url)
    if gateway.has_messages:
        service.pass_on(gateway.name, sent()[0], status=200, outcome="authorized", reference=order.reference)
    order.state("authorized")
    order.expect_books(30_300, 0, 0)


def decline(service, gateway):
    """The bank declines, then the customer pays with another card, in a payment of its own."""
    order = Order(service, 40_200, gateway)
    first = order.pay("refused")
    order.state("refused")
    order.tap()
    second = order.pay("refused")
    check(first["slot"] == 1 and second["slot"] == 2, f"{gateway.name}: {first} {second}")


def sell(shop):
    """Amounts that are charged at once are refunded, and cannot be captured."""
    with open_service(shop, "decrypted", True, reserves=False) as service:
        for gateway in WORLDLINE, BEPAID, RBS:
            order = Order(service, 1_100, gateway)
            order.pay("paid")
            path = f"{PAYMENTS}/{order.reference}/capture"
            service.expect(422, "POST", path, {}, stage="gateway", code="unsupported-amount")
            order.operate("refund", gateway.operation)
            order.state("returned", refunded=1_100)
            order.expect_books(0, 1_100, 1_100)
        service.stop()


def pages(shop):
    """The customer pays on a page of Worldline's; the return is verified, and the payment is captured and refunded."""
    with open_service(shop, "decrypted", True) as service:
        def create(amount=1_200):
            order = Order(service, amount, WORLDLINE)
            return order, service.expect(200, "POST", "/v1/page", order.page_body(), outcome="action-required")["url"]

        def come_back(address, status, **members):
            target = address.removeprefix("https://shop.example")
            back = message([], target=target, method="GET")
            return service.pass_on("worldline-direct", back, status=status, **members)
        order, url = create()
        address = open_page(url)
        service.expect(200, "POST", "/v1/pay", order.body(), outcome="authorized", isAmountSigned=False)
        come_back(address, 200, outcome="authorized", reference=order.reference)
        order.expect_books(1_200, 0, 0)
        order.operate("capture", "pending", 500)
        order.operate("capture", "pending")
        order.state("paid", captured=1_200)
        order.operate("refund", "pending")
        order.state("returned", refunded=1_200)
        order.expect_books(0, 1_200, 1_200)
        # Worldline's message about a payment on a page.
        order, url = create(1_201)
        open_page(url)
        headers, body = service.hook.message("worldline-direct", order.books()[0], order.amount)
        service.pass_on("worldline-direct", message(headers, body), status=200, outcome="authorized",
                        reference=order.reference)
        # The customer comes back without having paid, and with forged addresses, which say nothing.
        order, url = create()
        other = open_page(create()[1])
        code, page = re.fullmatch(r"https://shop\.example/r\?RETURNMAC=(.+)&hostedCheckoutId=(.+)", other).groups()
        own = url.rpartition("/")[2]
        for query in (f"RETURNMAC={code}&hostedCheckoutId={own}", f"RETURNMAC={code}x&hostedCheckoutId={page}",
                      f"RETURNMAC=&hostedCheckoutId={own}", f"RETURNMAC={code}",
                      f"RETURNMAC={code}&RETURNMAC={code}&hostedCheckoutId={page}"):
            found = come_back(f"/r?{query}", 400)
            check("outcome" not in found, f"a forged return is answered with {found}")
        order.state("action-required", url=url)
        # The customer's card is declined, and they may try again there: nothing else pays the order.
        come_back(open_page(url, "decline"), 200, outcome="action-required", url=url)
        service.expect(200, "POST", "/v1/pay", order.body(), outcome="action-required", url=url)
        check(not order.books(), f"charged: {order.books()}")
        # The customer cancels: then a token pays, and a page is not created any more.
        order, url = create()
        come_back(open_page(url, "cancel"), 200, outcome="refused")
        check(order.pay("authorized")["slot"] == 2, "the same payment")
        found = service.expect(200, "POST", "/v1/page", order.page_body(), outcome="authorized")
        check("url" not in found, f"a page for a paid order: {found}")
        order.expect_books(1_200, 0, 0)
        body = Order(service, 1_202, WORLDLINE).page_body()
        del body["order"]["returnURL"]
        service.expect(422, "POST", "/v1/page", body, stage="gateway", code="unsupported-value")
        for gateway in BEPAID, DINTERO, RBS:
            other = Order(service, 1_203, gateway)
            service.expect(422, "POST", "/v1/page", other.page_body(), stage="gateway", code="unsupported-operation")
            other.pay("authorized")
        service.stop()


def checkouts(shop):
    """An app or a page pays in a checkout of bePaid's, with its merchant session; one of another order is refused."""
    for form, has_keys in (("decrypted", True), ("encrypted", True), ("encrypted", False)):
        with open_service(shop, form, has_keys, reserves=False) as service:
            def session(status, url=VALIDATION, **members):
                body = {"gateway": "bepaid", "validationURL": url, **members}
                return service.expect(status, "POST", "/v1/session", body)
            order = Order(service, 1_300, BEPAID)
            own = checkout(shop, order.reference, order.amount)
            for members in ({}, {"session": own}):
                check(session(200, **members) == {"epochTimestamp": 1, "domainName": "shop.example"}, "another session")
            for url in ("https://apple.com.evil.example/s", "http://apple-pay-gateway.apple.com/s",
                        "https://evil.example/.apple.com", "https://apple-pay-gateway.apple.com:1/s",
                        "https://x@apple-pay-gateway.apple.com/s", "https://.apple.com/s"):
                check(session(422, url)["code"] == "unsupported-value", f"{url} is accepted")
            check(session(503, session="none")["code"] == "not-sent", "another checkout has a session")
            for _ in range(2):
                order.pay("paid", session=own)
                order.tap()
            order.state("paid", isAmountSigned=has_keys)
            order.expect_books(0, 1_300, 0)
            # Another order is refused, and its token then pays it.
            other = Order(service, 1_301, BEPAID)
            other.refuse("it was used already", session=own)
            other.refuse("its amount or currency is not the order's", session=checkout(shop, other.reference, 1_302))
            other.refuse("its tracking_id is not", session=checkout(shop, "another-order", 1_301))
            other.refuse("it is for real payments", session=checkout(shop, other.reference, 1_301, test=False))
            other.refuse(session="a b", code="unsupported-character")
            service.expect(400, "POST", "/v1/pay", {**other.body(), "session": "x" * 256}, code="invalid-body", member="session")
            other.refuse("there is no such checkout", session="none")
            other.pay("paid")
            # The answer is lost: the payment is found by its checkout and its reference, and not sent again.
            lost = Order(service, 50_200, BEPAID)
            lost.pay("paid", session=checkout(shop, lost.reference, lost.amount))
            lost.expect_books(0, 50_200, 0)
            declined = Order(service, 40_200, BEPAID)
            declined.pay("refused", session=checkout(shop, declined.reference, declined.amount))
            declined.state("refused")
            declined.tap()
            other = checkout(shop, "another-order", declined.amount)
            declined.refuse(f"its tracking_id is not {declined.reference}", session=other)
            again = declined.pay("refused", session=checkout(shop, declined.reference, declined.amount))
            check(again["slot"] == 2, f"the same payment: {again}")
            for gateway in WORLDLINE, RBS:
                Order(service, 1_303, gateway).refuse(session=own, code="unsupported-operation")
            service.stop()


def given_sessions(shop):
    """An app pays in a session of Dintero's that it made; a session of another order is refused."""
    for has_keys in (True, False):
        with open_service(shop, "encrypted", has_keys) as service:
            order = Order(service, 1_400, DINTERO)
            session = app_session(shop, order.reference, order.amount)
            for _ in range(2):
                order.pay("authorized", session=session)
                order.tap()
            order.state("authorized", isAmountSigned=has_keys)
            order.expect_books(1_400, 0, 0)
            order.operate("capture", "done")
            order.state("paid")
            other = Order(service, 1_401, DINTERO)
            other.refuse("it has a payment already", session=session)
            other.refuse("its order is another one", session=app_session(shop, "another-order", 1_401))
            other.refuse("its amount or currency is not the order's", session=app_session(shop, other.reference, 1_402))
            foreign = app_session(shop, other.reference, 1_401, "T87654321")
            other.refuse("there is no such session", session=foreign)
            check(not other.books(), "paid in another account")
            other.pay("authorized")
            declined = Order(service, 40_200, DINTERO)
            declined.pay("refused", session=app_session(shop, declined.reference, declined.amount))
            declined.state("refused")
            declined.tap()
            again = declined.pay("refused", session=app_session(shop, declined.reference, declined.amount))
            check(again["slot"] == 2, f"the same payment: {again}")
            service.stop()


def interrupted(shop):
    """A process is killed while an order is paid in a checkout or a session: it is paid once, although there is no key."""
    relay = Relay(shop.origin)
    with open_service(shop, "decrypted", True, reserves=False, relay=relay) as service, \
            concurrent.futures.ThreadPoolExecutor(1) as clients:
        for part in 0, 1:
            for gateway, create, line, outcome in ((BEPAID, checkout, "POST /ctp/api/apple_pay/payment ", "paid"),
                                                   (DINTERO, app_session, "POST /v1/sessions/", "authorized")):
                order = Order(service, 1_700, gateway)
                body = {**order.body(), "session": create(shop, order.reference, order.amount)}
                hold(relay, line)
                asking = clients.submit(service.ask, "POST", "/v1/pay", body)
                check(relay.held.wait(LIMIT), f"{line}does not come")
                service.kill_one(part)
                relay.release()
                if part == 0:
                    ended = asking.exception(LIMIT)
                    check(isinstance(ended, (OSError, http.client.HTTPException)), f"an answer: {asking}")
                else:
                    check(asking.result(LIMIT)[1].get("outcome") == outcome, f"not {outcome}: {asking.result()}")
                order.state(outcome)
                order.tap()
                order.pay(outcome)
                check(len(order.books()) == 1, f"paid twice: {order.books()}")
        service.stop()


def cards(shop):
    """A card of Intergiro's is added in the app or in the browser, and has nothing to do with payments."""
    with open_service(shop, "decrypted", True) as service:
        def add(status, card="card-1", **members):
            return service.expect(status, "POST", "/v1/cards", {"card": card, "gateway": "intergiro", **members})
        app = add(200)
        check(app["outcome"] == "launch" and app["token"] and app["consentId"], f"the app gets {app}")
        browser = add(200, returnURL="https://shop.example/r")
        check(browser["outcome"] == "browser" and "token" not in browser, f"the browser gets {browser}")
        check(browser["url"].endswith(browser["consentId"]), f"the browser gets another address: {browser}")
        # The sandbox refuses and fails without JSON, so that another server may have answered.
        for card in ("card-40200", "card-50000"):
            check(add(200, card)["outcome"] == "unknown", f"{card} is added")
        check(add(400, "")["member"] == "card", "a card without an identifier is added")
        service.expect(404, "POST", "/v1/cards", {"card": "card-1", "gateway": "bepaid"}, code="unknown-gateway")
        order = Purchase(service, 1_500, "intergiro")
        service.expect(404, "POST", "/v1/pay", order.body(), code="unknown-gateway")
        check("intergiro" not in service.expect(200, "GET", "/readyz")["gateways"], "Intergiro takes payments")
        for outcome in ("launch", "browser", "unknown"):
            service.wait_until_logged("card", gateway="intergiro", outcome=outcome)
        log = (service.folder / "audit").read_text()
        check(app["token"] not in log and browser["url"] not in log, f"the audit log has what adds the card: {log}")
        service.stop()


def accounts(shop):
    """Three accounts of one gateway in one service: each pays its orders, and what exists finds its own account."""
    merchants = {"shop-1": ("m-1", "test"), "shop-2": ("m-2", "test"), "shop-live": ("m-1", "live")}
    changes = {name: {"gateway": WORLDLINE.name, "name": name, "account": {"merchantId": merchant},
                      "environment": environment, **WORLDLINE.reserves}
               for name, (merchant, environment) in merchants.items()}
    relay = Relay(shop.origin)
    relay.release()
    with Service(shop, "--allow", f"{os.getuid()}=operate", accounts=[*changes], changes=changes, relay=relay) as service:
        check(service.expect(200, "GET", "/readyz")["gateways"] == [*changes], "other gateways are ready")
        orders = {name: Order(service, 1_800, dataclasses.replace(WORLDLINE, name=name)) for name in changes}
        for name, order in orders.items():
            merchant = merchants[name][0]
            relay.lines.clear()
            check(order.pay("authorized")["gateway"] == WORLDLINE.name, f"{name} is another gateway")
            order.operate("capture", "pending", 400)
            check(order.state("partly-paid", captured=400)["gateway"] == WORLDLINE.name, f"{name} is another gateway")
            check(relay.lines and all(f"/v2/{merchant}/" in line for line in relay.lines), f"{name}: {relay.lines}")
            service.wait_until_logged("pay", gateway=name, reference=order.reference, outcome="authorized")
            service.wait_until_logged("capture", gateway=name, reference=order.reference)
        first, second = orders["shop-1"], orders["shop-2"]
        # Neither another account nor the live one of the same merchant pays the order, and a name that no file has pays nothing.
        for name in ("shop-2", "shop-live"):
            service.expect(422, "POST", "/v1/pay", {**first.body(), "gateway": name}, code="reference-changed")
        for name, status in ((None, 400), (WORLDLINE.name, 404)):
            body = {member: value for member, value in {**first.body(), "gateway": name}.items() if value}
            service.expect(status, "POST", "/v1/pay", body, code="unknown-gateway")
        # A message is for the account that its address names.
        waiting = Order(service, 30_300, dataclasses.replace(WORLDLINE, name="shop-2"))
        url = waiting.pay("action-required")["url"]
        listed = {line["reference"]: (line["gateway"], line["account"], line["isTest"])
                  for line in service.expect(200, "GET", "/v1/payments")["payments"]}
        wanted = {order.reference: (WORLDLINE.name, *account) for order, account in (
            (first, ("m-1", True)), (second, ("m-2", True)), (orders["shop-live"], ("m-1", False)), (waiting, ("m-2", True)))}
        check(listed == wanted, f"listed as {listed}, not {wanted}")
        open_page(url)
        headers, body = service.hook.message(WORLDLINE.name, waiting.books()[0], waiting.amount, "m-2")
        found = service.pass_on("shop-1", message(headers, body), status=400)
        check("outcome" not in found, f"a message for another account is answered with {found}")
        service.pass_on("shop-2", message(headers, body), status=200, outcome="authorized", reference=waiting.reference)
        service.expect(404, "POST", f"/v1/messages/{WORLDLINE.name}", message(headers, body), code="unknown-gateway")
        metrics = service.ask("GET", "/metrics")[1]
        for name in changes:
            for kind, outcome in ("pay", "authorized"), ("capture", "pending"):
                part = f'paytoken_outcomes_total{{gateway="{name}",kind="{kind}",outcome="{outcome}",origin=""}} '
                check(part in metrics, f"{part} is missing: {metrics}")
        service.stop()
        # Two files have the same name.
        copy = service.folder / "copy.json"
        copy.write_text((service.folder / "shop-2.json").read_text())
        made = run([shop.paytokend, *service.words, "--gateway", copy])
        wanted = f'{copy} is a second file with the name shop-2; give one of them another "name".'
        check(made.returncode == 2 and wanted in made.stderr.decode(), f"the same name twice: {made}")
        # Without the file of its account, an order shows what is recorded, and nobody is asked.
        place = service.words.index(service.folder / "shop-2.json")
        service.words = service.words[:place - 1] + service.words[place + 1:]
        service.start()
        relay.lines.clear()
        service.expect(200, "GET", f"{PAYMENTS}/{second.reference}", outcome="partly-paid")
        found = service.expect(503, "POST", f"{PAYMENTS}/{second.reference}/refund", {"reason": "x"}, code="unknown-gateway")
        check(f"{WORLDLINE.name} (test, m-2)" in found["message"] and not relay.lines, f"{found}, {relay.lines}")
        first.operate("refund", "pending", 100)
        service.stop()


def sent_messages(programs):
    """The sandbox's own messages show what happened, with the keys of its files; a server that fails or is silent delays nothing."""
    connect = dataclasses.replace(WORLDLINE, name="worldline-connect")
    with Receiver() as receiver, Shop.open(
            programs, "--notify", f"http://127.0.0.1:{receiver.server_port}/hook/", "--late", "1") as shop:
        def own(gateway):
            keys = json.loads((shop.work / f"gateways/{gateway.name}.json").read_text())["webhooks"]
            return {"webhooks": keys, **(gateway.reserves or {})}
        changes = {gateway.name: own(gateway) for gateway in (WORLDLINE, connect, BEPAID, DINTERO)}
        with Service(shop, "--allow", f"{os.getuid()}=operate", accounts=changes, changes=changes) as service:
            receiver.service = service
            for gateway in WORLDLINE, connect, BEPAID, DINTERO:
                order = Order(service, 1_000, gateway)
                order.pay("authorized")
                path, headers, body = receiver.wait_for(order, "authorized")
                # The message as `paytoken receive` takes it, and one that somebody changed.
                text = f"POST {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
                made = run([shop.paytoken, "receive", "--gateway", service.folder / f"{gateway.name}.json", "--ledger",
                            service.ledger], input=text.encode() + body)
                check(json.loads(made.stdout).get("outcome") == "authorized", f"{gateway.name}: {made}")
                changed = message(headers, body.replace(b"1000", b"1001"), path.replace("T12345678", "T12345679"))
                found = service.pass_on(gateway.name, changed, status=400)
                check("not a valid signature" in found["reason"], f"{gateway.name}: {found}")
                for verb, amount, outcome in (("capture", 400, "partly-paid"), ("capture", 600, "paid"),
                                              ("refund", 500, "partly-returned")):
                    body = {"operation": f"{verb}-{amount}", "amount": amount, "reason": "a test"}
                    service.expect(200, "POST", f"{PAYMENTS}/{order.reference}/{verb}", body)
                    # Connect's message about a refund does not name the payment.
                    if (gateway, verb) != (connect, "refund"):
                        receiver.wait_for(order, outcome)
                order.expect_books(0, 1_000, 500)
                order = Order(service, 30_300, gateway)
                url = order.pay("action-required")["url"]
                open_page(url, "decline")
                receiver.wait_for(order, "refused")
                order = Order(service, 40_200, gateway)
                order.pay("refused")
                receiver.wait_for(order, "refused")
            # The shop's server fails, then accepts the same message.
            receiver.faults = 1
            order = Order(service, 1_001, BEPAID)
            order.pay("authorized")
            sent = receiver.wait_for(order, "authorized")
            check(sum(body == sent[2] for _, _, body, _ in receiver.received) == 2, "the message came once")
            # A late payment, about which nothing else asks.
            card = {"token": "$begateway_apple_pay_1_0_0$e30="}
            late = {"amount": 50_400, "currency": "EUR", "description": "Late", "tracking_id": "late-1", "credit_card": card}
            _, status = shop.fetch("-u", f"361:{SECRET}", "-H", "Content-Type: application/json", "-d",
                                   json.dumps({"request": late}), f"{shop.origin}/transactions/payments")
            check(status == 504, f"the payment is not late: {status}")
            wait_until(lambda: any(b"late-1" in body for _, _, body, _ in receiver.received), "no message about a late payment")
            receiver.silence = 5
            begin = time.monotonic()
            Order(service, 1_002, BEPAID).pay("authorized")
            check(time.monotonic() - begin < 4, "an answer waits for the message")
            service.stop()


def php_shop(programs):
    """The shop in PHP of the folder Examples/Shop: a session, payments, 3-D Secure with its webhook, a capture, refunds and a
    subscription."""
    port = free_port()
    with Shop.open(programs, "--notify", f"http://127.0.0.1:{port}/webhook.php") as shop:
        apple = Apple(shop)
        keys = json.loads((shop.work / "gateways/bepaid.json").read_text())["webhooks"]
        with Service(shop, "--allow", f"{os.getuid()}=operate", accounts=["bepaid"], split=True, sending=apple.words,
                     changes={"bepaid": {"webhooks": keys, "payment": {
                         **BEPAID.reserves["payment"], "contract": ["recurring"]}}}) as service:
            environment = {**os.environ, "SOCKET": str(service.socket), "ORDERS": str(service.folder)}
            options = {"cwd": ROOT / "Examples/Shop", "env": environment}
            with Program(["php", "-S", f"127.0.0.1:{port}"], stderr=service.folder / "php", **options):
                def page(reference, path="", body=None, status=200):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
                    connection.request("GET" if body is None else "POST", f"/order.php/{reference}{path}", body)
                    answer = connection.getresponse()
                    text = answer.read()
                    check(answer.status == status, f"{reference}{path}: {answer.status} {text}")
                    return json.loads(text)

                def expect(found, text, payable=False, url=None):
                    wanted = {"text": text, "payable": payable, "url": url}
                    check(wanted.items() <= found.items(), f"the page shows {found}, not {wanted}")

                def begin(amount):
                    order = Order(service, amount, BEPAID)
                    (service.folder / f"{order.reference}.json").write_text(json.dumps(order.body()["order"]))
                    return order

                def operate(status, printed, *words, program="operate.php"):
                    made = run(["php", program, *words], **options)
                    check((made.returncode, made.stdout.decode()) == (status, f"{printed}\n"), f"{words}: {made}")

                wait_until(lambda: is_open(port), "PHP's server does not start")
                for unknown in "order-1", "a%00b", "":
                    check(page(unknown, status=404) == [], f"an order {unknown}")
                order = begin(1_000)
                expect(page(order.reference), "Your order is not paid yet.", payable=True)
                check(page(order.reference, "/session", "") == json.loads(apple.SESSION), "another session")
                other = json.dumps(begin(1_001).token)
                for wrong in "", "{", other:
                    expect(page(order.reference, "/pay", wrong), "This payment was not accepted. Nothing was charged.", payable=True)
                for _ in range(2):
                    expect(page(order.reference, "/pay", json.dumps(order.token)), "Thank you. You are charged when it is sent.")
                order.expect_books(1_000, 0, 0)
                for _ in range(2):
                    operate(0, "done", "capture", order.reference, "shipped")
                expect(page(order.reference), "Thank you. Your order is paid.")
                for _ in range(2):
                    operate(0, "done", "refund", order.reference, "refund-1", "400")
                expect(page(order.reference), "A part of your money was returned.")
                order.expect_books(0, 1_000, 400)
                unknown = ("There is no such payment: the ledger has no payment of the order order-1; give the order's reference as "
                           "it was paid, not the gateway's identifier.")
                operate(2, unknown, "refund", "order-1", "refund-1")
                order = begin(1_003)
                page(order.reference, "/pay", json.dumps(order.token))
                for _ in range(2):
                    operate(0, "authorized", order.reference, "2026-12", program="renew.php")
                books = [entry for entry in shop.books() if order_of(entry["reference"]) == f"{order.reference}-2026-12"]
                check(len(books) == 1 and books[0]["authorized"] == 1_003, f"the subscription is not charged once: {books}")
                operate(2, unknown, "order-1", "2026-12", program="renew.php")
                order = begin(40_200)
                expect(page(order.reference, "/pay", json.dumps(order.token)), "The payment was declined. Nothing was charged.",
                       payable=True)
                order = begin(30_300)
                found = page(order.reference, "/pay", json.dumps(order.token))
                expect(found, "Your bank asks you to confirm this payment.", url=found["url"])
                open_page(found["url"])
                service.wait_until_logged("message", reference=order.reference, outcome="authorized")
                expect(page(order.reference), "Thank you. You are charged when it is sent.")
                made = run(["curl", "-q", "-s", "-w", "%{http_code}", "-d", "{}", f"http://127.0.0.1:{port}/webhook.php/bepaid"])
                check(made.stdout == b"400", f"a forged webhook is answered with {made.stdout}")
                order = begin(1_002)
                service.kill()
                expect(page(order.reference, "/pay", json.dumps(order.token)),
                       "We are checking your payment. Please do not pay again.")


def main():
    with Shop.open(folder()) as shop:
        for form, has_keys in (("decrypted", True), ("encrypted", True), ("encrypted", False)):
            with open_service(shop, form, has_keys) as service:
                begin = time.monotonic()
                for gateway in GATEWAYS:
                    pay_and_operate(service, gateway, has_keys)
                    authenticate(service, gateway)
                    decline(service, gateway)
                order = Order(service, 1_600, WORLDLINE)
                if has_keys:
                    other = order.body(amount=1_601)
                    service.expect(422, "POST", "/v1/pay", other, stage="order", code="order-mismatch")
                else:
                    service.expect(503, "POST", "/v1/decrypt", {"token": order.token}, code="no-keys")
                service.stop()
                keys = "" if has_keys else ", without keys"
                print(f"{form} tokens{keys}: {len(GATEWAYS)} gateways ({time.monotonic() - begin:.1f} s)", flush=True)
        for flow in (sell, pages, checkouts, given_sessions, interrupted, cards, accounts):
            begin = time.monotonic()
            flow(shop)
            print(f"{flow.__name__}: {flow.__doc__} ({time.monotonic() - begin:.1f} s)", flush=True)
    for flow in (sent_messages, php_shop):
        begin = time.monotonic()
        flow(folder())
        print(f"{flow.__name__}: {flow.__doc__} ({time.monotonic() - begin:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
