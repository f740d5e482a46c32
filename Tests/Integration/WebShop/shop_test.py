#!/usr/bin/env python3
"""Buys in the shop with headless Chromium, at the width of a phone and of a desktop, in every scenario; compares the text that
the customer sees, the state of the order at the service, and the gateway's books; and tries to lose money as an integrator
would.

usage: shop_test.py FOLDER [PICTURES]    needs chromium, chromium-driver, curl, openssl and PHP; PICTURES is a folder for pictures
"""
import base64
import concurrent.futures
import http.client
import json
import pathlib
import re
import signal
import sys
import time
import urllib.parse

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402
from start import GATEWAY, WebShop  # noqa: E402
from programs import check, run  # noqa: E402

WIDTHS = {"phone": (390, 844), "desktop": (1280, 800)}
TEXTS = {
    "paid": "Thank you. Your order is paid.",
    "authorized": "Thank you. Your order is confirmed. You are charged when it is sent.",
    "checking": "We are checking your payment. Please do not pay again; this page shows the result.",
    "action": "Your bank asks you to confirm this payment.",
    "returned": "Your money was returned.",
    "declined": "Your bank declined the payment. Nothing was charged. You can pay with another card.",
    "canceled": "The payment was canceled. Nothing was charged. You can pay again.",
    "failed": "We cannot take payments now. Nothing was charged. Please try again later.",
    "not-accepted": "This payment was not accepted. Nothing was charged.",
    "offline": "The shop does not answer. This page tries again.",
    "open": "Your order is not paid yet.",
}
AUTHORIZE, CANCEL = "#apple-pay-stand-in button:first-of-type:enabled", "#apple-pay-stand-in button:last-of-type"


class Customer:
    """A browser in the shop, and the order that it has open."""

    def __init__(self, shop, browser, name, pictures):
        self.shop, self.browser, self.name, self.pictures = shop, browser, name, pictures

    def picture(self, name):
        if self.pictures:
            for scheme in ("light", "dark"):
                self.browser.picture(self.pictures / f"{self.name}-{name}-{scheme}.png", is_dark=scheme == "dark")

    def order(self, article):
        """Begins an order: its page offers Apple Pay."""
        self.browser.visit(self.shop.origin)
        self.browser.click(f"form[action='/buy/{article}'] button")
        self.expect("open")
        self.reference = self.browser.address().rpartition("/")[2]
        return self.reference

    def open_sheet(self):
        self.browser.click("#apple-pay")
        self.browser.element(AUTHORIZE)

    def pay(self):
        self.open_sheet()
        self.browser.click(AUTHORIZE)

    def expect(self, *texts):
        """Waits for a text, checks that the page offers a payment only if nothing is charged, and returns the text's name."""
        wanted = {TEXTS[name]: name for name in texts}
        found = []

        def is_shown():
            if self.browser.is_shown("#state") and not self.browser.is_shown("#apple-pay-stand-in"):
                found[:] = [self.browser.text("#state")]
                return found[0] in wanted
        self.browser.wait(is_shown, lambda: f"{self.name}: the customer reads {found}, not {texts}")
        name = wanted[found[0]]
        offers = name in ("open", "declined", "canceled", "failed", "not-accepted")
        check(self.browser.is_shown("#apple-pay") == offers, f"{self.name}, {name}: is a payment offered? {not offers}")
        check(self.browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{name}: the page is too wide")
        return name

    def expect_state(self, outcome, captured, refunded=0, reference=None):
        """Compares the order at the service, and all its payments in the gateway's books."""
        reference = reference or self.reference
        status, found, _ = self.shop.service.ask("GET", f"/v1/payments/{reference}")
        state = found["outcome"] if status == 200 else found["code"]
        check(state == outcome, f"{self.name}: the order is {found}, not {outcome}")
        expect_books(self.shop, reference, captured, refunded)


def books(shop, reference):
    read = run(["curl", "-q", "-s", "-f", f"{shop.shop.origin}/sandbox/payments"])
    check(read.returncode == 0, "the books cannot be read")
    # The reference of a further attempt ends with .r2 and so on; at some gateways each ends with a mark of ten digits.
    return [entry for entry in json.loads(read.stdout)
            if re.sub(r"\.(r\d+|[0-9a-f]{10})$", "", str(entry["reference"])) == reference]


def expect_books(shop, reference, captured, refunded=0):
    found = books(shop, reference)
    check(all(entry["requests"] == 1 for entry in found), f"charged twice: {found}")
    sums = [sum(entry[name] or 0 for entry in found) for name in ("captured", "refunded")]
    check(sums == [captured, refunded], f"the books of {reference} have {sums}, not {[captured, refunded]}: {found}")


# What customers do. Each takes a customer.

def buys(customer):
    """is paid once: also after a double click, a reload, the back button, and another token for the same order"""
    browser = customer.browser
    browser.visit(customer.shop.origin)
    customer.picture("articles")
    customer.order("tea")
    customer.picture("order")
    browser.double_click("#apple-pay")
    browser.element(AUTHORIZE)
    browser.run("document.querySelector('#apple-pay').click()")
    customer.picture("sheet")
    browser.double_click(AUTHORIZE)
    customer.expect("paid")
    customer.picture("paid")
    browser.send("POST", "/refresh")
    customer.expect("paid")
    browser.send("POST", "/back")
    browser.send("POST", "/forward")
    customer.expect("paid")
    replayed = requests(customer).pay(customer.reference, token(customer.shop, "10.99"))
    check(replayed["state"] == "paid", f"another token: {replayed}")
    customer.expect_state("paid", 1099)


def subscribes(customer):
    """is charged for the first month with a merchant token, and for the next one with the card that the gateway stored"""
    reference = customer.order("membership")
    customer.pay()
    customer.expect("paid")
    customer.picture("membership")
    customer.expect_state("paid", 999)
    status, first, _ = customer.shop.service.ask("GET", f"/v1/payments/{reference}")
    check(status == 200 and "card" in first and "advice" not in first, f"no card: {first}")
    order = {"reference": f"{reference}-2", "amount": 999, "currency": "EUR", "description": "Membership"}
    for _ in range(2):
        status, next_month, _ = customer.shop.service.ask(
            "POST", "/v1/pay", {"card": first["card"], "initiator": "recurring", "order": order})
        check(status == 200 and next_month["outcome"] == "paid", f"the next month: {next_month}")
    customer.expect_state("paid", 999, reference=f"{reference}-2")


def cancels_the_sheet(customer):
    """is not charged, and can pay after all"""
    customer.order("tea")
    customer.open_sheet()
    customer.browser.click(CANCEL)
    customer.expect("open")
    customer.expect_state("no-payment", 0)
    customer.pay()
    customer.expect("paid")
    customer.expect_state("paid", 1099)


def is_declined(customer):
    """is not charged, and is offered another payment"""
    customer.order("kettle")
    for _ in range(2):
        customer.pay()
        customer.expect("declined")
        customer.expect_state("refused", 0)
    customer.picture("declined")


def authenticates(customer):
    """is sent to the bank and comes back; the answer of the bank counts, whatever the address of the return claims"""
    for decision, text, outcome, amount in (("confirm", "paid", "paid", 30300), ("decline", "declined", "refused", 0),
                                            ("cancel", "canceled", "refused", 0)):
        customer.order("lamp")
        customer.pay()
        customer.browser.element("a[href='?decision=confirm']")
        customer.picture("bank")
        customer.expect_state("action-required", 0)
        # The customer returns without having decided, with an address that claims the opposite.
        customer.browser.visit(f"{customer.shop.origin}/order/{customer.reference}?status=successful&paid=true")
        customer.expect("action")
        customer.picture("action")
        customer.browser.click("#action a")
        customer.browser.click(f"a[href='?decision={decision}']")
        customer.browser.click("a[href^='http']")
        customer.expect(text)
        customer.expect_state(outcome, amount)


def loses_the_answer(customer):
    """is told not to pay again until the gateway was asked, and is charged once"""
    customer.order("chair")
    customer.pay()
    customer.expect("paid")
    customer.expect_state("paid", 50200)
    customer.order("table")
    customer.pay()
    customer.expect("checking")
    customer.picture("checking")
    again = requests(customer).pay(customer.reference, token(customer.shop, "504.00"))
    check(again["state"] == "checking", f"paid again: {again}")
    customer.expect("paid")
    customer.expect_state("paid", 50400)
    customer.order("clock")
    customer.pay()
    customer.expect("paid")
    customer.expect_state("paid", 20200)


def leaves_while_paying(customer):
    """leaves the page while the gateway is silent, comes back, pays again, and is charged once"""
    customer.order("bicycle")
    customer.pay()
    customer.browser.wait(lambda: books(customer.shop, customer.reference), "nothing was sent")
    again = requests(customer).pay(customer.reference, token(customer.shop, "408.00"))
    check(again["state"] in ("checking", "paid"), f"paid again: {again}")
    customer.browser.visit(customer.shop.origin)
    customer.browser.visit(f"{customer.shop.origin}/order/{customer.reference}")
    customer.expect("checking", "paid")
    customer.expect("paid")
    customer.expect_state("paid", 40800)


def meets_a_fault(customer):
    """is not charged, and is told that the payment is being checked, while the gateway fails"""
    customer.order("radio")
    customer.pay()
    customer.expect("checking")
    expect_books(customer.shop, customer.reference, 0)


def is_refunded(customer):
    """gets the money back once, although the operator presses the button twice, and again from an old page"""
    browser = customer.browser
    customer.order("tea")
    customer.pay()
    customer.expect("paid")
    browser.visit(customer.shop.back_office)
    browser.double_click(f"[id='{customer.reference}'] button")
    browser.wait(lambda: browser.is_shown("[role=status]"), "no answer")
    customer.picture("back-office")
    office = Requests(customer.shop, None, customer.shop.back_office)
    status, page = office.ask("POST", f"/refund/{customer.reference}")
    check(status == 200 and f"Refund of {customer.reference}: done" in page.decode(), f"not done: {status} {page}")
    browser.visit(f"{customer.shop.origin}/order/{customer.reference}")
    customer.expect("returned")
    customer.picture("returned")
    customer.expect_state("returned", 1099, 1099)


def is_charged_later(customer):
    """reads thanks, and not that the payment is checked, while the amount is reserved; and is charged when the operator captures"""
    shop, browser = customer.shop, customer.browser
    file = shop.service.folder / f"{GATEWAY}.json"
    account = file.read_text()

    def reload(text):
        count = shop.service.messages().count("were reloaded")
        file.write_text(text)
        shop.service.process.send_signal(signal.SIGHUP)
        browser.wait(lambda: shop.service.messages().count("were reloaded") > count, "the account is not reloaded")
    reload(json.dumps({**json.loads(account), "payment": {"kind": "authorization"}}))
    customer.order("tea")
    customer.pay()
    customer.expect("authorized")
    customer.picture("authorized")
    customer.expect_state("authorized", 0)
    again = requests(customer).pay(customer.reference, token(shop, "10.99"))
    check(again["state"] == "authorized", f"paid again: {again}")
    browser.visit(shop.back_office)
    browser.double_click(f"[id='{customer.reference}'] button")
    browser.wait(lambda: browser.is_shown("[role=status]"), "no answer")
    browser.visit(f"{shop.origin}/order/{customer.reference}")
    customer.expect("paid")
    customer.expect_state("paid", 1099)
    reload(account)


def outlives_the_service(customer):
    """can pay after all if the service was down, and is charged once if it is killed while it pays"""
    service = customer.shop.service
    customer.order("tea")
    service.kill()
    customer.browser.click("#apple-pay")
    customer.expect("failed")
    # Reads the log, so that this answer is not taken for a fault of the page.
    faults = customer.browser.faults()
    check(len(faults) == 1 and "/session - " in faults[0], f"the browser reports {faults}")
    service.start()
    customer.open_sheet()
    service.kill()
    customer.browser.click(AUTHORIZE)
    customer.expect("checking")
    service.start()
    customer.expect("open")
    customer.pay()
    customer.expect("paid")
    customer.expect_state("paid", 1099)
    customer.order("bicycle")
    customer.pay()
    customer.browser.wait(lambda: books(customer.shop, customer.reference), "nothing was sent")
    service.kill()
    customer.expect("checking")
    service.start()
    customer.expect("checking", "paid")
    customer.expect("paid")
    customer.expect_state("paid", 40800)


def outlives_the_shop(customer):
    """is charged once if the shop's own server is killed while it pays, and reads so when it runs again"""
    shop = customer.shop
    customer.order("bicycle")
    customer.pay()
    customer.browser.wait(lambda: books(shop, customer.reference), "nothing was sent")
    shop.server.kill()
    shop.server.wait()
    customer.expect("offline")
    with shop.launch("server.py", shop.settings):
        customer.expect("checking", "paid")
        customer.expect("paid")
        customer.expect_state("paid", 40800)


def uses_the_documented_page(customer):
    """pays on the page of the documentation, under its policy: with a sheet, with a code for the iPhone, and at the bank"""
    browser, shop = customer.browser, customer.shop

    def begin(amount, status="paymentCredentialsAvailable"):
        customer.reference = shop.documented_order(amount)
        browser.visit(f"{shop.php}/page.html?{customer.reference}")
        browser.run("sessionStorage.setItem('paymentCredentialStatus', arguments[0])", status)
        browser.send("POST", "/refresh")
        expect("Your order is not paid yet.", status != "applePayUnsupported")

    def expect(text, offers):
        browser.wait(lambda: browser.is_shown("#text") and browser.text("#text") == text,
                     lambda: f"{customer.name}: the page shows {browser.text('#text')!r}, not {text!r}")
        browser.wait(lambda: browser.is_shown("#button") == offers, f"{customer.name}, {text}: is a payment offered? {not offers}")

    for status in "paymentCredentialsAvailable", "paymentCredentialStatusUnknown", "paymentCredentialsUnavailable":
        begin(1_099, status)
        browser.click("#button")
        browser.element(AUTHORIZE)
        customer.picture(f"documented-{status}")
        browser.click(AUTHORIZE)
        expect("Thank you. Your order is paid.", False)
        customer.expect_state("paid", 1_099)
    begin(1_099, "applePayUnsupported")
    browser.element("#unavailable")
    customer.picture("documented-unsupported")
    begin(40_200)
    browser.click("#button")
    browser.click(CANCEL)
    expect("Your order is not paid yet.", True)
    browser.click("#button")
    browser.click(AUTHORIZE)
    expect("The payment was declined. Nothing was charged.", True)
    customer.picture("documented-declined")
    begin(30_300)
    browser.click("#button")
    browser.click(AUTHORIZE)
    browser.click("a[href='?decision=confirm']")
    browser.click("a[href^='http']")
    expect("Thank you. Your order is paid.", False)
    customer.picture("documented-paid")
    customer.expect_state("paid", 30_300)
    begin(1_099)
    browser.run("const image = new Image(); image.src = 'http://127.0.0.2/x'; document.body.append(image)")
    browser.wait(lambda: any("Content Security Policy" in fault for fault in browser.faults()), "the page has no policy")


# What an integrator, a customer or a stranger could try. Each takes a customer.

def changed_amount(customer):
    """a customer who changes the amount in the browser: refused, and nothing is charged"""
    customer.order("tea")
    customer.browser.run("order.amount = 1")
    customer.pay()
    customer.expect("not-accepted")
    customer.picture("not-accepted")
    customer.expect_state("no-payment", 0)


def replayed_token(customer):
    """a token that paid another order: refused, and nothing is charged"""
    shop, made = customer.shop, token(customer.shop, "10.99")
    first, second = customer.order("tea"), customer.order("tea")
    client = requests(customer)
    check(client.pay(first, made)["state"] == "paid", "not paid")
    check(client.pay(second, made)["state"] == "not-accepted", "the token paid twice")
    check(client.pay(second, "{")["state"] == "not-accepted", "no token paid")
    customer.expect_state("no-payment", 0, reference=second)
    expect_books(shop, first, 1099)


def other_return(customer):
    """the return address of another order, and another customer's order: each shows its own state, or nothing"""
    shop = customer.shop
    confirmed, waiting = customer.order("lamp"), customer.order("lamp")
    client = requests(customer)
    urls = [client.pay(reference, token(shop, "303.00"))["url"] for reference in (confirmed, waiting)]
    check(run(["curl", "-q", "-s", "-f", f"{urls[0]}?decision=confirm"]).returncode == 0, "not confirmed")
    uid = books(shop, confirmed)[0]["id"]
    customer.browser.visit(f"{shop.origin}/order/{waiting}?status=successful&uid={uid}")
    customer.expect("action")
    customer.expect_state("action-required", 0, reference=waiting)
    customer.expect_state("paid", 30300, reference=confirmed)
    stranger = Requests(shop, "x" * 43)
    for method, path in (("GET", "order/{}"), ("GET", "orders/{}"), ("POST", "orders/{}/pay"), ("POST", "orders/{}/session")):
        check(stranger.ask(method, f"/{path.format(confirmed)}")[0] == 404, f"a stranger may {method} {path}")


def foreign_page(customer):
    """a page of another origin that orders, pays or refunds with the customer's cookie: refused"""
    customer.order("tea")
    client = requests(customer)
    for path in ("/buy/tea", f"/orders/{customer.reference}/pay"):
        check(client.ask("POST", path, "{}", Origin="https://evil.example")[0] == 403, f"{path} from another origin")
    office = Requests(customer.shop, None, customer.shop.back_office)
    check(office.ask("POST", f"/refund/{customer.reference}", Origin="https://evil.example")[0] == 403, "refunded")


def forged_message(customer):
    """a forged webhook that reports a payment: refused, and the order stays as it is; a genuine one is accepted"""
    shop = customer.shop
    hook = shop.service.hook
    reference = customer.order("lamp")
    client = requests(customer)
    url = client.pay(reference, token(shop, "303.00"))["url"]
    entry = {"id": url.rpartition("/")[2], "reference": reference}
    headers, body = hook.message(GATEWAY, entry, 30300)
    forger = dict(headers)
    forger["Content-Signature"] = base64.b64encode(bytes(256)).decode()
    for name, sent, text in (("without a signature", {}, body), ("with another signature", forger, body),
                             ("with another body", dict(headers), body + b" ")):
        status, _ = client.ask("POST", f"/messages/{GATEWAY}", text, **sent)
        check(status == 400, f"a message {name}: {status}")
        customer.expect_state("action-required", 0)
    # The gateway signed it, and says that it is paid; the service asks the gateway, which does not know that.
    check(client.ask("POST", f"/messages/{GATEWAY}", body, **dict(headers))[0] == 200, "a genuine message is refused")
    customer.expect_state("action-required", 0)


# Those of a group follow one another, those of other groups run at the same time.
GROUPS = ((buys, subscribes, cancels_the_sheet, is_declined, authenticates, is_refunded), (uses_the_documented_page,),
          (loses_the_answer, leaves_while_paying, meets_a_fault),
          (changed_amount, replayed_token, other_return, foreign_page, forged_message))


class Requests:
    """Requests to the shop without a browser, with a customer's cookie."""

    def __init__(self, shop, cookie, origin=None):
        self.origin, self.cookie = origin or shop.origin, cookie

    def ask(self, method, path, body="", **headers):
        connection = http.client.HTTPConnection(self.origin.removeprefix("http://"), timeout=60)
        connection.request(method, path, body, {"Origin": self.origin, "Cookie": f"customer={self.cookie}", **headers})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def pay(self, reference, made):
        status, text = self.ask("POST", f"/orders/{reference}/pay", made)
        check(status == 200, f"{status} {text}")
        return json.loads(text)


def requests(customer):
    cookie = customer.browser.send("GET", "/cookie/customer")
    check(cookie["httpOnly"] and cookie["sameSite"] == "Lax", f"the cookie can be stolen: {cookie}")
    return Requests(customer.shop, cookie["value"])


def token(shop, amount):
    """Returns a token from the stand-in."""
    body = urllib.parse.urlencode({"amount": amount, "currency": "EUR"})
    status, text = Requests(shop, None, shop.wallet).ask("POST", "/token", body)
    check(status == 200, f"no token: {status}")
    return text


def visit(shop, name, courses, pictures):
    """Runs courses in a browser of a width."""
    with Browser.open(*WIDTHS[name]) as browser:
        customer = Customer(shop, browser, name, pictures)
        for course in courses:
            begin = time.monotonic()
            course(customer)
            what = course.__name__.replace("_", " ")
            print(f"{name}: {what}: {course.__doc__} ({time.monotonic() - begin:.1f} s)", flush=True)
        # A server that was killed is no fault of the page.
        faults = [fault for fault in browser.faults() if "net::ERR_" not in fault
                  and fault.startswith((shop.origin, shop.back_office, shop.wallet, shop.php))]
        check(not faults, f"{name}: the browser reports {faults[:3]}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {sys.argv[0]} FOLDER-OF-PROGRAMS [FOLDER-FOR-PICTURES]")
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with WebShop.open(pathlib.Path(sys.argv[1]).resolve(), "--silence", "3", "--late", "10") as shop:
        with shop.documented(), concurrent.futures.ThreadPoolExecutor() as threads:
            visits = [threads.submit(visit, shop, name, group, pictures) for group in GROUPS for name in WIDTHS]
            for ended in concurrent.futures.as_completed(visits):
                ended.result()
        visit(shop, "phone", (is_charged_later, outlives_the_service, outlives_the_shop), pictures)


if __name__ == "__main__":
    main()
