"""`paytokend` of a shop at gateway-sandbox, for the scripts that test the service: the running service, an order
and its token, a server in Apple's place, and what the customer and the gateway do.
"""
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from messages import Hook  # noqa: E402
from orders import is_whole  # noqa: E402
from programs import LIMIT, Program, check, order_of, run  # noqa: E402
from unix_http import Connection  # noqa: E402


def wait_until(is_true, message, seconds=20):
    limit = time.monotonic() + seconds
    while not is_true():
        check(time.monotonic() < limit, message)
        time.sleep(0.02)


def free_port():
    """Returns a port of 127.0.0.1 on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def is_open(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


def server_certificate(folder, host):
    """Creates a certificate for a host, which is its own authority; returns its file and that of its key."""
    certificate, key = folder / "server.pem", folder / "server.key"
    made = run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-keyout", key,
                "-out", certificate])
    check(made.returncode == 0, made.stderr.decode())
    return certificate, key


class Apple:
    """A server in Apple's place for merchant sessions, which accepts one merchant identity certificate.

    `words` are the options of `paytokend send` for it. While `held` is true, requests arrive and are not answered.
    """

    # The body of a request to the service.
    PAGE = {"domain": "shop.example", "displayName": "Shop"}
    # Spaces, a line feed and the form of numbers must arrive unchanged.
    SESSION = (f'{{ "epochTimestamp":{int(time.time() * 1000)},\n "expiresAt":{int(time.time() * 1000) + 3600000},'
               '"merchantSessionIdentifier":"TEST ONLY","nonce":"6f1","signature":"30\\u0038","other":[1.50],'
               '"merchantIdentifier":"merchant.example.one","domainName":"shop.example","displayName":"Shop" }').encode()

    def __init__(self, shop):
        self.folder = shop.work / f"apple-{next(shop.numbers)}"
        self.folder.mkdir()
        certificate, key = server_certificate(self.folder, "localhost")
        # In a folder of its own, which neither process needs.
        self.identity = self.folder / "identity.key.pem"
        shutil.copy(shop.work / "pki/identity/one.key.pem", self.identity)
        identity = shop.work / "pki/identity/one.cert.pem"
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.context.load_verify_locations(identity)
        self.context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.server = socket.create_server(("127.0.0.1", 0))
        self.words = ["--identity", self.identity, "--certificate", identity, "--test-host",
                      f"localhost:{self.server.getsockname()[1]}", "--test-trust-anchor", certificate]
        self.status, self.body, self.held, self.requests = 200, self.SESSION, False, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.server.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with contextlib.suppress(OSError), self.context.wrap_socket(connection, server_side=True) as client:
            request = receive(client)
            self.requests.append((request.split(b"\r\n")[0].decode(), json.loads(request.partition(b"\r\n\r\n")[2])))
            wait_until(lambda: not self.held, "the request is held for too long", LIMIT)
            head = b"HTTP/1.1 %d Reason\r\nContent-Length: %d\r\n\r\n" % (self.status, len(self.body))
            client.sendall(head + self.body)


class Service:
    """A running service of a shop with accounts at several gateways, in a folder of its own.

    `changes` has members of gateway files, by the names of the accounts; an account with another name than its gateway's
    has both there. `sending` has options of the process that sends,
    which is started on its own if `split` is true.
    """

    def __init__(self, shop, *options, accounts=("bepaid", "worldline-direct"), changes=None, has_keys=True,
                 split=False, sending=(), environment=None, relay=None):
        self.shop = shop
        self.folder = pathlib.Path(os.path.realpath(shop.work)) / f"service-{next(shop.numbers)}"
        self.folder.mkdir()
        (self.folder / "ledger").mkdir(mode=0o700)
        (self.folder / "run").mkdir(mode=0o755)
        self.socket = self.folder / "run/socket"
        self.ledger = self.folder / "ledger/orders"
        made = run([shop.paytoken, "ledger", "init", "--window", "300", "--ledger", self.ledger])
        check(made.returncode == 0, made.stderr.decode())
        hook = Hook(self.folder)
        for name in accounts:
            members = (changes or {}).get(name, {})
            account = {**hook.account(shop.work / f"gateways/{members.get('gateway', name)}.json"), **members}
            if relay:
                account["origin"] = relay.origin
            (self.folder / f"{name}.json").write_text(json.dumps(account))
        self.hook = hook
        keys = self.folder / "keys"
        subprocess.run(["cp", "-R", shop.work / "pki/merchants", keys], check=True)
        self.words = ["--socket", self.socket, "--ledger", self.ledger, "--test-trust-anchor",
                      shop.work / "pki/root.pem", *(["--keys", keys] if has_keys else []), *options]
        for name in accounts:
            self.words += ["--gateway", self.folder / f"{name}.json"]
        self.sender = None
        self.split, self.sending, self.environment = split, sending, environment or {}
        self.start()

    def start(self):
        environment = {**os.environ, **self.environment}
        if self.split:
            path = self.start_sender()
            self.process = Program([self.shop.paytokend, *self.words, "--sender", path], stdout=self.folder / "audit",
                                   stderr=self.folder / "messages", env=environment)
        else:
            self.process = Program([self.shop.paytokend, *self.words], stdout=self.folder / "audit",
                                   stderr=self.folder / "messages", env=environment)
        wait_until(self.is_ready, f"the service does not start: {self.messages()}")

    def start_sender(self):
        """Starts the process that sends; returns the path of its socket."""
        path = self.folder / "run/sender"
        path.unlink(missing_ok=True)
        self.sender = Program([self.shop.paytokend, "send", "--socket", path, *self.sending],
                              stderr=self.folder / "sender-messages", env={**os.environ, **self.environment})
        wait_until(path.exists, "the sender does not start")
        return path

    def messages(self):
        file = self.folder / "messages"
        return file.read_text() if file.exists() else ""

    def is_ready(self):
        check(self.process.poll() is None, f"the service ended: {self.messages()}")
        with contextlib.suppress(OSError):
            return self.ask("GET", "/readyz")[0] == 200
        return False

    def ask(self, method, target, body=None, timeout=LIMIT):
        connection = Connection(self.socket, timeout)
        try:
            return connection.ask(method, target, body)
        finally:
            connection.close()

    def expect(self, status, method, target, body=None, /, **members):
        found = self.ask(method, target, body)
        check(found[0] == status, f"{method} {target}: {found[0]} {found[1]}, not {status}")
        check(all(found[1].get(name) == value for name, value in members.items()),
              f"{method} {target}: {found[1]}, not {members}")
        return found[1]

    def pass_on(self, gateway, received, **members):
        """Passes on what the shop's server received, and expects members of the answer."""
        return self.expect(200, "POST", f"/v1/messages/{gateway}", received, **members)

    def children(self):
        """Returns the numbers of the process with the keys and of the sender."""
        if self.split:
            return self.process.pid, self.sender.pid
        found = {}
        with contextlib.suppress(OSError):
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
            for number in map(int, children.split()):
                with contextlib.suppress(OSError):
                    words = pathlib.Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
                    if words[0] == b"paytokend":
                        found["send" if words[1:2] == [b"send"] else "keys"] = number
        return found.get("keys"), found.get("send")

    def kill_one(self, part):
        """Kills the process with the keys (0) or the one that sends (1), which are started again."""
        process = self.children()[part]
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: self.children()[part] not in (process, None) and self.is_ready(),
                   "no process is started again")

    def audit(self, event=None):
        """Returns the lines of the audit log, or those of an event, without time and process."""
        lines = [json.loads(line) for line in (self.folder / "audit").read_text().splitlines()]
        return [{name: value for name, value in line.items() if name not in ("time", "process")}
                for line in lines if event in (None, line["event"])]

    def wait_until_logged(self, event, **members):
        """Waits for a line of the audit log, which is written after the answer unless --audit-required is given."""
        wait_until(lambda: any(members.items() <= line.items() for line in self.audit(event)),
                   f"no {event} with {members} is logged: {self.audit()}")

    def stop(self, status=0):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.finish() == status, f"the service ends with {self.process.returncode}: {self.messages()}")
        if self.sender:
            self.sender.send_signal(signal.SIGTERM)
            check(self.sender.finish() == 0, "the sender does not end well")

    def __enter__(self):
        return self

    def kill(self):
        for process in filter(None, (self.process, self.sender)):
            process.kill()
            process.wait()

    def __exit__(self, *exception):
        self.kill()


class Purchase:
    """An order, its token, and the body of its payment."""

    def __init__(self, service, amount, gateway="bepaid", merchant="one"):
        self.service, self.amount, self.gateway, self.merchant = service, amount, gateway, merchant
        self.reference = f"order-{os.getpid()}-{next(service.shop.numbers)}"
        # What a client was told last.
        self.outcome = None
        self.tap()

    def tap(self, *options, pki=None):
        pki = pki or self.service.shop.work / "pki"
        made = run([self.service.shop.programs / "paytoken-testing", "token", "--pki", pki, "--for",
                    pki / f"merchants/{self.merchant}.cert.pem", "--amount", str(self.amount), "--currency", "EUR",
                    *options])
        check(made.returncode == 0, made.stderr.decode())
        self.token = json.loads(made.stdout)

    def body(self, **changes):
        order = {"reference": self.reference, "amount": self.amount, "currency": "EUR", "description": "Order",
                 "returnURL": "https://shop.example/r"}
        return {"token": self.token, "order": {**order, **changes}, "gateway": self.gateway}

    def page_body(self, **changes):
        """Returns the body for a page on which the customer pays the order."""
        return {name: value for name, value in self.body(**changes).items() if name != "token"}

    def claim_body(self):
        """Returns the body that claims the token."""
        return {"token": self.token, "claim": True, "order": {"amount": self.amount, "currency": "EUR"}}

    def pay(self, outcome, **members):
        found = self.service.expect(200, "POST", "/v1/pay", {**self.body(), **members}, outcome=outcome,
                                    reference=self.reference)
        self.expect_one_charge(outcome)
        return found

    def books(self):
        return read_books(self.service.shop).get(self.reference, [])

    def expect_one_charge(self, outcome=None, books=None):
        """Compares the order with its part of the gateway's books, which is read now if it is not given."""
        books = self.books() if books is None else books
        check(all(entry["requests"] == 1 for entry in books), f"charged twice: {books}")
        captured, reserved = (sum(entry[name] or 0 for entry in books) for name in ("captured", "authorized"))
        check(captured + reserved <= self.amount, f"charged twice: {books}")
        if outcome == "paid":
            check(captured == self.amount, f"paid, and not charged: {books}")
        if outcome == "authorized":
            check(reserved == self.amount, f"authorized, and not reserved: {books}")
        if outcome in ("refused", "action-required"):
            check(captured + reserved == 0, f"{outcome}, and charged: {books}")


def hold(relay, line):
    """Has the relay keep the answers to requests that begin with a line, until it is released."""
    relay.held_line = line
    relay.held.clear()
    relay.released.clear()


def open_page(url, decision="confirm"):
    """Decides as the customer at an address of the sandbox; returns the address to which they return, or None."""
    read = run(["curl", "-q", "-s", "-f", f"{url}?decision={decision}"])
    check(read.returncode == 0, f"{url} cannot be opened")
    found = re.search(rb'href="([^"]+)"', read.stdout)
    return found and found[1].decode()


def read_books(shop):
    """Returns the gateway's payments, by the order's reference."""
    read = run(["curl", "-q", "-s", "-f", f"{shop.origin}/sandbox/payments"])
    check(read.returncode == 0, "the books cannot be read")
    books = {}
    for entry in json.loads(read.stdout):
        books.setdefault(order_of(entry.get("reference")), []).append(entry)
    return books


def message(headers, body=b"", target="/hook", method="POST"):
    """Returns the body that passes on what the shop's server received: a gateway's message or a customer's return."""
    return {"method": method, "target": target, "headers": [{"name": name, "value": value} for name, value in headers],
            "body": base64.b64encode(body).decode()}


def receive(client):
    """Receives an answer."""
    answer = b""
    while not is_whole(answer):
        more = client.recv(1 << 16)
        check(more, f"the answer ends early: {answer}")
        answer += more
    return answer
