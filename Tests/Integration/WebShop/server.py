#!/usr/bin/env python3
"""The shop's application server: has the prices and the orders, and pays them through `paytokend`.

usage: server.py SETTINGS    SETTINGS is a JSON file; README.md lists its members

The browser names an article and an order, never an amount. The server passes the token on as the browser sent it, asks the
service for the state of an order, and believes no address to which a customer returns.
"""
import base64
import contextlib
import http.client
import http.server
import json
import pathlib
import re
import secrets
import socket
import sqlite3
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
# The payment sheet's code as the documentation shows it.
SHEET = HERE.parents[2] / "Examples/Shop/apple-pay.js"
SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
ARTICLES = {article["id"]: article for article in json.loads((HERE / "articles.json").read_text())}
SCRIPTS = "'self' {0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(SETTINGS["applePayScript"]))
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
           "Content-Security-Policy": f"default-src 'none'; img-src data:; style-src 'self'; script-src {SCRIPTS}; "
                                      f"connect-src {SCRIPTS}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"}
# The state on the page, order.html, for each outcome of the service; all others are being checked.
STATES = {"paid": "paid", "authorized": "authorized", "partly-returned": "paid", "action-required": "action", "returned": "returned",
          "no-payment": "open"}
# Only in these states the customer may pay: nothing is charged, and nothing is being charged.
PAYABLE = ("open", "not-accepted", "refused-by-issuer", "refused-by-customer", "refused-by-operator")
BODY_LIMIT = 200_000
PAY_SECONDS = 25  # Apple's sheet waits 30 seconds for the result of a payment.


def service(method, target, body=None, seconds=70):
    """Asks the service; returns the status and the members of its answer, or 0 and no members if no answer came."""
    status, text = ask(method, target, body, seconds)
    try:
        return status, json.loads(text)
    except ValueError:
        return 0, {}


def ask(method, target, body=None, seconds=70):
    """Asks the service; returns the status and the text of its answer, or 0 and no text if no answer came."""
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    with contextlib.closing(connection):
        try:
            connection.sock.settimeout(seconds)
            connection.sock.connect(SETTINGS["service"])
            headers = {"Paytoken-Request": "true", "Content-Type": "application/json"}
            connection.request(method, target, body and json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""


def database(statement, *values):
    with contextlib.closing(sqlite3.connect(SETTINGS["orders"], timeout=10)) as orders, orders:
        return orders.execute(statement, values).fetchall()


def shown(order, answer=None):
    """Returns what the page shows about an order, after the service's answer to pay or to the question for its state."""
    answer = answer or service("GET", f"/v1/payments/{order[0]}")[1]
    outcome = answer.get("outcome", answer.get("code"))
    state = f"refused-by-{answer.get('origin', 'operator')}" if outcome == "refused" else STATES.get(outcome, "checking")
    is_recurring = any(article["name"] == order[2] and article.get("isRecurring") for article in ARTICLES.values())
    return {"reference": order[0], "amount": order[1], "article": order[2], "currency": SETTINGS["currency"], "state": state,
            "isRecurring": is_recurring, "payable": state in PAYABLE, "url": answer.get("url") if state == "action" else None}


def pay(order, token):
    """Pays an order with a token; the service does so once, however often it is asked."""
    stated = {"reference": order[0], "amount": order[1], "currency": SETTINGS["currency"], "description": order[2],
              "returnURL": f"{SETTINGS['origin']}/order/{order[0]}"}
    status, answer = service("POST", "/v1/pay", {"token": token, "order": stated, "gateway": SETTINGS["gateway"]}, PAY_SECONDS)
    if status == 200:
        return shown(order, answer)
    # The service refused this token, or its answer is lost: the state of the order decides, not the answer.
    view = shown(order)
    if status and (view["state"] == "open" or view["state"].startswith("refused")):
        view["state"] = "not-accepted" if status < 500 else "refused-by-operator"
    return view


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 30

    def reply(self, status, body=b"", kind="application/json", **headers):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": len(body), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def file(self, name, kind):
        text = (HERE / "Pages" / name).read_text().replace("APPLE_PAY_SCRIPT", SETTINGS["applePayScript"])
        self.reply(200, text.encode(), f"text/{kind}; charset=utf-8")

    def customer(self):
        found = re.search(r"(?:^|; )customer=([\w-]{43})(?:;|$)", self.headers.get("Cookie", ""))
        return found[1] if found else secrets.token_urlsafe(32)

    def order(self, reference):
        """Returns reference, amount and article of an order of this customer; None for any other."""
        columns = "SELECT reference, amount, article FROM orders WHERE reference = ? AND customer = ?"
        return next(iter(database(columns, reference, self.customer())), None)

    def do_GET(self):
        match urllib.parse.urlsplit(self.path).path.split("/")[1:]:
            case [""]: self.file("index.html", "html")
            case [("index.js" | "money.js" | "order.js") as name]: self.file(name, "javascript")
            case ["apple-pay.js"]: self.reply(200, SHEET.read_bytes(), "text/javascript; charset=utf-8")
            case ["style.css" as name]: self.file(name, "css")
            case ["articles"]: self.reply(200, [{**article, "currency": SETTINGS["currency"]} for article in ARTICLES.values()])
            case ["order", reference] if self.order(reference): self.file("order.html", "html")
            case ["orders", reference] if order := self.order(reference): self.reply(200, shown(order))
            case _: self.reply(404)

    def do_POST(self):
        length, path = self.headers.get("Content-Length", ""), self.path.split("/")[1:]
        if not re.fullmatch("[0-9]{1,6}", length) or int(length) > BODY_LIMIT:
            return self.reply(413)
        body = self.rfile.read(int(length))
        # A page of another origin must not order or pay for a customer; a gateway's message proves itself.
        if self.headers.get("Origin") != SETTINGS["origin"] and path[0] != "messages":
            return self.reply(403)
        match path:
            case ["buy", article] if article in ARTICLES: self.begin(ARTICLES[article])
            case ["orders", reference, "session"] if self.order(reference):
                # Apple's answer goes to Apple's script unchanged.
                body = {name: SETTINGS[name] for name in ("domain", "displayName")}
                status, session = ask("POST", "/v1/session", body)
                self.reply(200 if status == 200 else 502, session)
            case ["orders", reference, "pay"] if order := self.order(reference):
                self.reply(200, pay(order, body.decode(errors="replace")))
            case ["messages", gateway]: self.receive(urllib.parse.quote(gateway, safe=""), body)
            case _: self.reply(404)

    def begin(self, article):
        """Begins an order with a reference of its own, at the server's price."""
        reference, customer = f"shop-{secrets.token_hex(12)}", self.customer()
        database("INSERT INTO orders VALUES (?, ?, ?, ?)", reference, article["amount"], article["name"], customer)
        secure = "; Secure" if SETTINGS["origin"].startswith("https:") else ""
        self.reply(303, **{"Location": f"/order/{reference}",
                           "Set-Cookie": f"customer={customer}; Path=/; HttpOnly; SameSite=Lax{secure}"})

    def receive(self, gateway, body):
        """Passes a gateway's message on; the service verifies it, and decides the answer."""
        message = {"target": self.path, "body": base64.b64encode(body).decode(),
                   "headers": [{"name": name, "value": value} for name, value in self.headers.items()]}
        status, answer = service("POST", f"/v1/messages/{gateway}", message)
        self.reply(answer["status"] if status == 200 else 503, (answer.get("body") or "").encode(), "text/plain")


if __name__ == "__main__":
    database("CREATE TABLE IF NOT EXISTS orders (reference PRIMARY KEY, amount, article, customer)")
    http.server.ThreadingHTTPServer(("127.0.0.1", SETTINGS["port"]), Handler).serve_forever()
