#!/usr/bin/env python3
"""A STAND-IN for Apple, for tests on one machine: gives the page its script, and tokens that `paytoken-testing` makes.

usage: wallet.py SETTINGS    SETTINGS is a JSON file that start.py writes
"""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).parent
SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
PKI = pathlib.Path(SETTINGS["pki"])


class Wallet(http.server.BaseHTTPRequestHandler):
    """The customer's wallet: makes a token for the amount on the sheet."""

    timeout = 30

    def reply(self, status, body=b"", kind="application/json"):
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", len(body)), ("Cache-Control", "no-store"),
                            ("Access-Control-Allow-Origin", self.page())):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def page(self):
        """Returns the origin of the page, if it is one of the shop's."""
        origin = self.headers.get("Origin")
        return origin if origin in SETTINGS["shops"] else SETTINGS["shops"][0]

    def body(self):
        length = self.headers.get("Content-Length", "")
        return self.rfile.read(int(length)) if re.fullmatch("[0-9]{1,4}", length) else b""

    def do_GET(self):
        if urllib.parse.urlsplit(self.path).path != "/apple-pay-session.js":
            return self.reply(404)
        self.reply(200, (HERE / "apple-pay-session.js").read_bytes(), "text/javascript; charset=utf-8")

    def do_POST(self):
        fields = urllib.parse.parse_qs(self.body().decode("latin-1"))
        amount, currency = (fields.get(name, [""])[0] for name in ("amount", "currency"))
        parts = re.fullmatch(r"([0-9]{1,9})\.([0-9]{2})", amount)
        if self.path != "/token" or not parts or not re.fullmatch("[A-Z]{3}", currency):
            return self.reply(400)
        words = ["--amount", str(int(parts[1] + parts[2])), "--currency", currency, "--wrapper", "token"]
        if fields.get("merchantToken") == ["merchant-token-1"]:
            words += ["--merchant-token", "merchant-token-1"]
        made = subprocess.run([SETTINGS["maker"], "token", "--pki", PKI, "--for", PKI / "merchants/one.cert.pem", *words],
                              capture_output=True, timeout=60)
        self.reply(500 if made.returncode else 200, made.stdout)


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", SETTINGS["port"]), Wallet).serve_forever()
