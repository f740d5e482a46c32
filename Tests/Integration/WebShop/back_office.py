#!/usr/bin/env python3
"""The page of the shop's operators: the last orders, each with its state at the service, captures and refunds.

usage: back_office.py SETTINGS    the settings of server.py, with the members backOfficePort and backOfficeOrigin

It is another server, so that a real shop runs it as another user with the role `operate`, after a login. The server that
customers reach needs the role `pay` only, and cannot refund.
"""
import html
import http.server
import urllib.parse

from server import HEADERS, HERE, SETTINGS, database, service

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Back office – Test shop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">Test shop: back office</a></header>
<main>
<h1>Orders</h1>
<p class="test">The last 20 orders that were paid or tried.</p>
{notice}
<table>
<thead><tr><th>Order</th><th>Article</th><th>Amount</th><th>State</th><th></th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</main>
</body>
</html>
"""
ROW = """<tr id="{reference}"><td><code>{reference}</code></td><td>{article}</td><td class="amount">{amount}</td>\
<td>{outcome}</td><td>{form}</td></tr>"""
FORM = '<form method="post" action="/{operation}/{reference}"><button>{title}</button></form>'
# What the operator can do with an order in a state of the service's.
OPERATIONS = {"paid": "refund", "authorized": "capture"}


def orders():
    """Returns a row for each order, the newest first, and those without a payment not at all."""
    rows = []
    for reference, amount, article in database("SELECT reference, amount, article FROM orders ORDER BY rowid DESC LIMIT 20"):
        status, found = service("GET", f"/v1/payments/{reference}")
        if found.get("code") == "no-payment":
            continue
        outcome = found["outcome"] if status == 200 else "the service does not answer"
        reason = found.get("text") or found.get("reason")
        fields = {"reference": reference, "article": article, "amount": f"{amount / 100:.2f} {SETTINGS['currency']}",
                  "outcome": f"{outcome} ({reason})" if reason else outcome}
        operation = OPERATIONS.get(outcome)
        form = FORM.format(operation=operation, reference=reference, title=operation.title()) if operation else ""
        rows.append(ROW.format(**{name: html.escape(text) for name, text in fields.items()}, form=form))
    return "\n".join(rows)


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 30

    def reply(self, status, text, kind="html"):
        body = text.encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": f"text/{kind}; charset=utf-8", "Content-Length": len(body)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def page(self, notice=""):
        self.reply(200, PAGE.format(rows=orders(), notice=notice and f'<p role="status">{html.escape(notice)}</p>'))

    def do_GET(self):
        match self.path:
            case "/": self.page()
            case "/style.css": self.reply(200, (HERE / "Pages/style.css").read_text(), "css")
            case _: self.reply(404, "")

    def do_POST(self):
        if self.headers.get("Origin") != SETTINGS["backOfficeOrigin"]:
            return self.reply(403, "")
        match self.path.split("/")[1:]:
            case [("refund" | "capture") as operation, reference]:
                # The name of the operation is the same however often the button is pressed: the money moves once.
                status, found = service("POST", f"/v1/payments/{urllib.parse.quote(reference, safe='')}/{operation}",
                                        {"operation": f"{operation}-all", "reason": "back office"})
                result = found.get("operation") if status == 200 else found.get("message", "the service does not answer")
                self.page(f"{operation.title()} of {reference}: {result}")
            case _: self.reply(404, "")


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", SETTINGS["backOfficePort"]), Handler).serve_forever()
