#!/usr/bin/env python3
"""Asks a test server for merchant sessions with `paytoken session`, and compares output, exit status and request.

usage: session.py FOLDER    FOLDER contains the programs paytoken and https-exchange; needs openssl

The server demands a client certificate of the test PKI, as Apple's does. Nothing here was tried against Apple.
"""
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # An old version of TLS is used on purpose.
PROGRAM, EXCHANGE = (str(pathlib.Path(sys.argv[1]) / name) for name in ["paytoken", "https-exchange"])
MERCHANT = "merchant.example.shop"
# Spaces, a line feed and an unknown member must arrive unchanged.
NOW = int(time.time() * 1000)
SESSION = (f'{{ "epochTimestamp":{NOW},\n "expiresAt":{NOW + 3600000},"nonce":"6f1","signature":"30\\u0038","other":[1.50],'
           '"merchantSessionIdentifier":"SSH1","merchantIdentifier":"merchant.example.shop","domainName":"shop.example",'
           '"displayName":"Shop" }').encode()
checks = failures = 0


def check(name, is_right, found):
    global checks, failures
    checks += 1
    if not is_right:
        failures += 1
        print(f"{name}: found {found}")


class PKI:
    """An authority with a server's certificate for localhost and certificates of merchants, made by openssl."""

    IDENTITY = "1.2.840.113635.100.6.46=ASN1:NULL\nextendedKeyUsage=clientAuth\nkeyUsage=critical,digitalSignature"
    PROCESSING = "1.2.840.113635.100.6.32=ASN1:FORMAT:HEX,OCT:" + "40" * 64 + "\nkeyUsage=critical,keyAgreement"

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ["root", "other"]:
            self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                         self / f"{name}.key.pem", "-out", self / f"{name}.pem", "-days", "30", "-subj", f"/CN=Test {name}")
        names = "subjectAltName=DNS:localhost"
        self.issue("server", "/CN=localhost", names)
        self.issue("foreign", "/CN=localhost", names, by="other")
        self.issue("ended", "/CN=localhost", names, "-not_before", "20200101000000Z", "-not_after", "20210101000000Z")
        merchant = f"/UID={MERCHANT}/CN=Apple Pay Merchant Identity:{MERCHANT}"
        self.issue("identity", merchant, self.IDENTITY, rsa=True)
        self.issue("rival", merchant, self.IDENTITY, rsa=True, by="other")
        self.issue("past", merchant, self.IDENTITY, "-not_before", "20200101000000Z", "-not_after", "20210101000000Z", rsa=True)
        self.issue("processing", f"/UID={MERCHANT}/CN=Apple Pay Payment Processing:{MERCHANT}", self.PROCESSING)
        self.openssl("pkcs12", "-export", "-inkey", self / "identity.key.pem", "-in", self / "identity.pem", "-out",
                     self / "identity.p12", "-passout", "pass:secret")

    def __truediv__(self, name):
        return str(self.folder / name)

    def openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, capture_output=True)

    def issue(self, name, subject, extensions, *validity, rsa=False, by="root"):
        kind = ["rsa:2048"] if rsa else ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        self.openssl("req", "-newkey", *kind, "-nodes", "-keyout", self / f"{name}.key.pem", "-out", self / "request", "-subj", subject)
        (self.folder / "extensions").write_text(extensions)
        if validity:  # x509 of OpenSSL 3.0 has no dates, ca has.
            (self.folder / "index").write_text("")
            (self.folder / "ca.cnf").write_text(
                f"[ca]\ndefault_ca=a\n[a]\ndatabase={self / 'index'}\nnew_certs_dir={self.folder}\ndefault_md=sha256\n"
                "rand_serial=yes\npolicy=p\nunique_subject=no\n[p]\nUID=optional\ncommonName=supplied\n")
            dates = [{"-not_before": "-startdate", "-not_after": "-enddate"}.get(word, word) for word in validity]
            self.openssl("ca", "-batch", "-config", self / "ca.cnf", "-in", self / "request", "-out", self / f"{name}.pem", "-notext",
                         "-cert", self / f"{by}.pem", "-keyfile", self / f"{by}.key.pem", "-extfile", self / "extensions", *dates)
        else:
            self.openssl("x509", "-req", "-in", self / "request", "-CA", self / f"{by}.pem", "-CAkey", self / f"{by}.key.pem",
                         "-CAcreateserial", "-days", "20", "-extfile", self / "extensions", "-out", self / f"{name}.pem")
        os.chmod(self / f"{name}.key.pem", 0o600)


class Server:
    """Answers every request on a port with `answer`, and keeps the last request and the client's certificate."""

    def __init__(self, pki, answer=b"", certificate="server", version=None, delay=0):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(pki / f"{certificate}.pem", pki / f"{certificate}.key.pem")
        self.context.load_verify_locations(pki / "root.pem")
        self.context.verify_mode = ssl.CERT_REQUIRED
        if version == ssl.TLSVersion.TLSv1_1:
            self.context.set_ciphers("ALL:@SECLEVEL=0")
            self.context.minimum_version = ssl.TLSVersion.TLSv1
        if version:
            self.context.maximum_version = version
        self.answer, self.delay, self.request, self.subject, self.count = answer, delay, b"", None, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            raw, _ = self.listener.accept()
            self.count += 1
            threading.Thread(target=self.reply, args=(raw,), daemon=True).start()

    def reply(self, raw):
        try:
            with self.context.wrap_socket(raw, server_side=True) as connection:
                self.subject = dict(part[0] for part in connection.getpeercert()["subject"])
                text = connection.recv(65536)
                length = re.search(rb"Content-Length: (\d+)", text)
                while length and int(length[1]) > len(text.partition(b"\r\n\r\n")[2]):
                    text += connection.recv(65536)
                self.request = text
                time.sleep(self.delay)
                connection.sendall(self.answer)
                connection.unwrap()
        except (OSError, TypeError):
            raw.close()


def http(status, body, *fields):
    head = [f"HTTP/1.1 {status} Reason", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def message(status, text):
    return http(status, json.dumps({"statusMessage": text, "statusCode": str(status)}).encode(), "Content-Type: application/json")


def main(pki):
    def session(server=None, identity="identity", *words, domain="shop.example", name="Shop", key=None, **environment):
        command = [PROGRAM, "session", "--identity", key or pki / f"{identity}.key.pem", "--display-name", name]
        command += [] if key else ["--certificate", pki / f"{identity}.pem"]
        command += ["--domain", domain] if domain is not None else []
        if server:
            command += ["--test-host", f"localhost:{server.port}", "--test-trust-anchor", pki / "root.pem"]
        return subprocess.run([*command, *words], capture_output=True, env={**os.environ, **environment}, timeout=60)

    def refused(name, result, status, *words):
        text = result.stderr.decode()
        if os.environ.get("SHOW_TEXTS"):
            print(f"{name}: {text}")
        check(name, result.returncode == status and result.stdout == b"" and all(word in text for word in words), (result.returncode, text))

    server = Server(pki, http(200, SESSION, "Content-Type: application/json"))
    result = session(server)
    check("a session", result.returncode == 0 and result.stdout == SESSION, result)
    check("the test server is named", b"--test-host" in result.stderr, result.stderr)
    head, _, body = server.request.partition(b"\r\n\r\n")
    check("the request line", head.startswith(b"POST /paymentservices/paymentSession HTTP/1.1\r\nHost: localhost:"), head)
    check("the type", b"\r\nContent-Type: application/json\r\n" in head, head)
    check("the body", body == b'{"merchantIdentifier":"merchant.example.shop","displayName":"Shop","initiative":"web",'
                              b'"initiativeContext":"shop.example"}', body)
    check("the certificate", server.subject.get("userId") == MERCHANT, server.subject)
    result = session(server, "identity", "--messages-gateway", "https://shop.example/pay", domain=None)
    check("Messages", result.stdout == SESSION and b'"initiative":"messaging","initiativeContext":"https://shop.example/pay"' in server.request,
          (result, server.request))
    for version in [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]:
        other = Server(pki, http(200, SESSION), version=version)
        check(version.name, session(other).stdout == SESSION, version)
    pem = pathlib.Path(pki / "identity.key.pem").read_text() + pathlib.Path(pki / "identity.pem").read_text()
    check("a variable", session(server, key="env:IDENTITY", IDENTITY=pem).stdout == SESSION, "no session")
    check("PKCS#12", session(server, "identity", "--passphrase-env", "WORD", key=pki / "identity.p12", WORD="secret").stdout == SESSION,
          "no session")
    check("64 characters", session(server, name="\u00e9" * 64).stdout == SESSION, "no session")

    count = server.count
    for domain in ["", "shop", "https://shop.example", "shop.example/", "shop.example:443", "Shop.example", "shop..example", ".shop.example",
                   "shop.example.", "-a.example", "a-.example", "192.0.2.1", "b\u00fccher.example", "a b.example", "a\n.example",
                   "x" * 64 + ".example", "a." * 126 + "example"]:
        refused(f"the domain {domain!r}", session(server, domain=domain), 2, "shop.example")
    for name in ["", "x" * 65, "Shop\n", "a\0b".replace("\0", "\u0085")]:
        refused(f"the name {name!r}", session(server, name=name), 2, "1 to 64")
    refused("an address", session(server, "identity", "https://evil.example/session"), 2, "no operand", "Apple's server is asked")
    refused("an address as --test-host", session(None, "identity", "--test-host", "evil.example"), 2, "belong together")
    refused("two initiatives", session(server, "identity", "--messages-gateway", "https://a.example"), 2, "leave out one")
    refused("plain http for Messages", session(server, "identity", "--messages-gateway", "http://a.example", domain=None), 2, "domain")
    refused("the other certificate", session(server, "processing"), 3, "Payment Processing", "Merchant Identity")
    refused("a certificate of the past", session(server, "past"), 3, "2020-01-01 to 2021-01-01", "clock", "25 months")
    swapped = session(server, "identity", "--certificate", pki / "identity.pem", key=pki / "rival.key.pem")
    refused("a key of another certificate", swapped, 3, "rival.key.pem", "identity.pem")
    refused("another merchant", session(server, "identity", "--merchant-id", "merchant.other"), 3, MERCHANT, "merchant.other")
    check("nothing of this was sent", server.count == count, server.count - count)

    sentence = "Payment Services Exception merchantId=AB12 not registered for domain=shop.example"
    refused("a domain that Apple does not know", session(Server(pki, message(400, sentence))), 3, "400", sentence, "Register and verify")
    sentence = "Payment Services Exception merchantId=AB12 unauthorized to process transactions on behalf of merchantId=CD34"
    refused("another merchant's certificate", session(Server(pki, message(417, sentence))), 3, "417", sentence, "this merchant's certificate")
    refused("403", session(Server(pki, http(403, b"<html>"))), 3, "403", "merchant identity certificate")
    refused("503", session(Server(pki, http(503, b"upstream"))), 3, "503", "Try again")
    refused("controls in Apple's sentence", session(Server(pki, message(400, "\x1b[2Jx" + "y" * 600))), 3, "[2Jx" + "y" * 400)
    redirected = Server(pki, http(200, SESSION))
    refused("a redirect", session(Server(pki, http(302, b"", f"Location: https://localhost:{redirected.port}/"))), 3, "302", "A proxy answered")
    refused("407", session(Server(pki, http(407, b"<html>"))), 3, "407", "A proxy answered")
    refused("an error with status 200", session(Server(pki, http(200, message(400, "not registered for domain=shop.example").partition(b"\r\n\r\n")[2]))), 3,
            "refused the request", "Register and verify the domain")
    refused("another domain", session(Server(pki, http(200, SESSION.replace(b"shop.example\"", b"other.example\"")))), 3, "domainName is not shop.example")
    for name in ["epochTimestamp", "expiresAt", "merchantSessionIdentifier", "nonce", "merchantIdentifier", "domainName", "displayName", "signature"]:
        refused(f"without {name}", session(Server(pki, http(200, SESSION.replace(name.encode(), b"x")))), 3, f"{name} is missing")
    ended = json.loads(SESSION) | {"epochTimestamp": 1632742000000, "expiresAt": 1632745600000}
    result = session(Server(pki, http(200, json.dumps(ended).encode())))
    check("a session that has ended", (result.returncode, result.stdout) == (0, json.dumps(ended).encode()) and b"check the clock" in result.stderr, result)
    check("no redirect is followed", redirected.count == 0, redirected.count)
    for name, answer in [("text", http(200, b"ok")), ("an array", http(200, b"[]")), ("too much", http(200, b'{"a":"' + b"x" * 65536 + b'"}')),
                         ("not HTTP", b"upstream request timeout"), ("a cut answer", http(200, SESSION)[:-1])]:
        refused(name, session(Server(pki, answer)), 3, "Apple Pay server")
    start = time.monotonic()
    refused("no answer", session(Server(pki, http(200, SESSION), delay=20)), 3, "10 s")
    check("the time limit", 9 < time.monotonic() - start < 14, time.monotonic() - start)
    refused("another authority's server", session(Server(pki, certificate="foreign")), 3, "proxy", "except Apple's hosts")
    refused("a certificate that has ended", session(Server(pki, certificate="ended")), 3, "clock")
    refused("TLS 1.1", session(Server(pki, version=ssl.TLSVersion.TLSv1_1)), 3, "TLS 1.2")
    for version in [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]:
        refused(f"a certificate that the server refuses, {version.name}", session(Server(pki, version=version), "rival"), 3, "the server may not accept")
    closed = socket.create_server(("127.0.0.1", 0))
    port = closed.getsockname()[1]
    closed.close()
    refused("nobody listens", session(None, "identity", "--test-host", f"localhost:{port}", "--test-trust-anchor", pki / "root.pem"), 3, "port 443")
    refused("no authorities", session(None, "identity", "--test-host", "localhost:1", "--test-trust-anchor", pki / "nothing"), 3, "nothing", "ca-certificates")


def merchant_tokens(pki):
    """Asks about merchant tokens, as Apple documents the two endpoints."""
    def ask(server, verb, identifier):
        words = [EXCHANGE, verb, identifier, f"localhost:{server.port}", pki / "root.pem", pki / "identity.key.pem", pki / "identity.pem"]
        return subprocess.run(words, capture_output=True, text=True, timeout=60).stdout.strip()

    body = {"eventType": "UNLINK", "merchantTokenIdentifier": "DNITHE1", "reason": "USER", "merchantTokenMetadata": {
        "cardArt": [], "cardMetadata": {"expirationDate": "2031-10", "fpanSuffix": "1234", "cardCountry": "FR", "shortDescription": "Card"}}}
    server = Server(pki, http(200, json.dumps(body).encode()))
    found = ask(server, "event", "e-1")
    check("an event", found == "UNLINK DNITHE1 USER 2031-10 1234 FR Card (MerchantTokenEvent(UNLINK, USER))", found)
    check("the request for an event", re.match(rb"GET /paymentservices/v1/merchantId/merchant\.example\.shop/merchantToken/event/e-1 HTTP/1\.1\r\n"
                                               rb"(?s:.*)\r\nx-request-id: [0-9a-f-]{36}\r\n", server.request), server.request)
    del body["merchantTokenMetadata"]
    found = ask(Server(pki, http(200, json.dumps(body).encode())), "event", "e-1")
    check("an event without a card", found.startswith("UNLINK DNITHE1 USER - - - -"), found)
    for name in body:
        for value in [None, 7, {}]:
            changed = {key: content for key, content in {**body, name: value}.items() if content is not None}
            found = ask(Server(pki, http(200, json.dumps(changed).encode())), "event", "e-1")
            check(f"{name} {value}", found.startswith("unreadable-answer") or value == 7, found)
    found = ask(server, "event", "../../paymentSession?a=b#c")
    check("a path in the identifier", b"/event/..%2F..%2FpaymentSession%3Fa%3Db%23c HTTP/1.1" in server.request, server.request)
    for identifier in ["", ".", "..", "x" * 257]:
        count = server.count
        found = ask(server, "event", identifier)
        check(f"the identifier {identifier!r}", found.startswith("invalid-identifier") and server.count == count, found)
    error = json.dumps({"errorMessage": "no such event", "statusCode": 400, "subStatusCode": 7}).encode()
    found = ask(Server(pki, http(400, error)), "event", "e-2")
    check("an unknown event", found.startswith("refused: ") and "HTTP status 400: no such event" in found, found)
    server = Server(pki, http(200, b""))
    found = ask(server, "unlink", "DNITHE1")
    check("unlink", found == "unlinked" and server.request.endswith(b'\r\n\r\n{"merchantTokenIdentifier":"DNITHE1"}')
          and server.request.startswith(b"POST /paymentservices/v1/merchantId/merchant.example.shop/merchantToken/unlink "), (found, server.request))
    found = ask(Server(pki, http(500, b"")), "unlink", "DNITHE1")
    check("unlink fails", found.startswith("refused: ") and "500" in found, found)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        pki = PKI(folder)
        main(pki)
        merchant_tokens(pki)
    print(f"{checks} checks of merchant sessions, {failures} failed")
    sys.exit(1 if failures else 0)
