#!/usr/bin/env python3
"""Runs `paytokend` with gateway-sandbox: payments, operations and messages; claims; merchant sessions; roles;
faults of clients and load; keys that change; processes that are killed, stopped or lie; systemd's protocols; and what
the confined processes cannot do. service-flows.py has what differs between gateways.
Takes the folder of the programs. Tests of other users' roles need root.
"""
import concurrent.futures
import contextlib
import ctypes
import errno
import fcntl
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import resource
import select
import signal
import socket
import sqlite3
import ssl
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from messages import Hook  # noqa: E402
from orders import Relay  # noqa: E402
from programs import LIMIT, Program, check, folder, run  # noqa: E402
from service_clients import COMMANDS, Client  # noqa: E402
from serving import (  # noqa: E402
    Apple, Purchase, Service, hold, message, open_page, read_books, receive, server_certificate, wait_until)
from shop import Shop  # noqa: E402
from unix_http import Connection  # noqa: E402

HERE = pathlib.Path(__file__).parent
OTHER_USER = 65534


# The courses. Each takes a shop.

def payments(shop):
    """Orders are paid once, refused, refunded; answers are those of the command."""
    with Service(shop, "--allow", f"{os.getuid()}=operate") as service:
        for gateway in ("bepaid", "worldline-direct"):
            order = Purchase(service, 71_929, gateway)
            first = order.pay("paid")
            order.tap()
            check(order.pay("paid")["serial"] == first["serial"], "a second attempt")
            service.expect(422, "POST", "/v1/pay", order.body(amount=1), stage="order", code="reference-changed")
            service.expect(200, "GET", f"/v1/payments/{order.reference}", outcome="paid", serial=first["serial"])
            Purchase(service, 40_200, gateway).pay("refused")
        order = Purchase(service, 71_930)
        order.pay("paid")
        refund = {"amount": 100, "operation": "refund-1", "reason": "returned"}
        for _ in range(2):
            service.expect(200, "POST", f"/v1/payments/{order.reference}/refund", refund, operation="done", name="refund-1")
        check(order.books()[0]["refunded"] == 100, f"refunded twice: {order.books()}")
        listed = service.expect(200, "GET", "/v1/payments")["payments"]
        check(listed == [], f"a payment of which a part was given back is open: {listed}")
        # A stale claim of the same token, by another order.
        other = Purchase(service, 71_930)
        other.token = order.token
        service.expect(422, "POST", "/v1/pay", other.body(), stage="replay", code="already-claimed")
        strange = Purchase(service, 100)
        strange.reference = "a/b c%ü"
        strange.pay("paid")
        service.expect(200, "GET", "/v1/payments/a%2Fb%20c%25%C3%BC", outcome="paid")
        found = service.expect(404, "GET", "/v1/payments/none", stage="order", code="no-payment", advice=(
            "Check the order's reference, that this is the ledger with which it was paid, and the serial or the operation if you "
            "named one."))
        check("the ledger has no payment of the order none; give the order's reference as it was paid, not the gateway's "
              "identifier." in found["message"], f"{found}")
        found = service.expect(404, "GET", "/v1/payments/a/b", code="unknown-path")
        check("after the reference comes capture, cancel, refund, resolve or adopt, and a slash in a reference is %2F, as in "
              "/v1/payments/a%2Fb." in found["message"], f"{found}")
        shown = run([shop.paytoken, "payments", "show", order.reference, "--ledger", service.ledger, "--gateway",
                     service.folder / "bepaid.json"])
        asked = service.expect(200, "GET", f"/v1/payments/{order.reference}")
        check(json.loads(shown.stdout) == asked, f"the command prints another object: {shown.stdout} {asked}")
        service.wait_until_logged("pay", outcome="paid")
        service.wait_until_logged("refund", outcome="done")
        check("applicationPrimaryAccountNumber" not in (service.folder / "audit").read_text(), "card data in the log")
        service.stop()


def tokens(shop):
    """Tokens are verified and decrypted as by the command; bodies and roles are checked."""
    with Service(shop) as service:
        order = Purchase(service, 500)
        service.expect(200, "POST", "/v1/verify", {"token": order.token}, status="ok", version="EC_v1")
        text = service.expect(200, "POST", "/v1/verify", {"token": json.dumps(order.token)}, unwrapped=[])
        check(text["status"] == "ok", f"{text}")
        shown_token = service.expect(200, "POST", "/v1/decrypt", {"token": order.token})
        shown = shown_token["paymentData"]
        check("•" in shown["applicationPrimaryAccountNumber"], "the account number is not masked")
        service.expect(403, "POST", "/v1/decrypt", {"token": order.token, "reveal": True}, code="role-missing")
        service.expect(422, "POST", "/v1/decrypt", {"token": order.token, "order": {"amount": 501, "currency": "EUR"}},
                       stage="order", code="order-mismatch", disposition="customer")
        altered = {**order.token, "data": "AAAA" + order.token["data"][4:]}
        service.expect(422, "POST", "/v1/verify", {"token": altered}, stage="signature", disposition="rejected")
        service.expect(403, "POST", f"/v1/payments/{order.reference}/refund", {}, code="role-missing")
        for body, member in (({"token": order.token}, "order"), ({"order": {}}, "order.amount"), ({"x": 1}, "x"),
                             ({"token": 1}, "token"), ([], None), (order.body(amount="1"), "order.amount"),
                             (order.body(reference=""), "order.reference"), ({**order.body(), "again": 5}, "again"),
                             ({**order.body(), "again": None}, "again"), ({**order.body(), "gatway": "bepaid"}, "gatway")):
            service.expect(400, "POST", "/v1/pay", body, code="invalid-body", member=member) if member \
                else service.expect(400, "POST", "/v1/pay", body, code="invalid-body")
        for body, message in (
                ([], "The body must be an object. Send one object with token and order."),
                (order.body(amount="1099"), "The member order.amount must be a whole number of minor units, such as 1099 for "
                 "10.99 EUR, without quotation marks."),
                (order.body(amount=1099.5), "The member order.amount must be a whole number of minor units, such as 1099 for "
                 "10.99 EUR, without a decimal point or an exponent."),
                ({**order.body(), "again": 5}, "The member again must be a string: the serial of the last attempt, to pay the order again "
                 "after all of it was returned."),
                ({**order.body(), "gatway": "bepaid"}, "The member gatway is unknown; did you mean gateway? the body can have "
                 "token, order, card, initiator, session, gateway, again.")):
            service.expect(400, "POST", "/v1/pay", body, code="invalid-body", message=message)
        service.expect(400, "POST", "/v1/pay", {**order.body(), "gateway": None}, member="gateway")
        service.expect(404, "POST", "/v1/pay", {**order.body(), "gateway": "adyen"}, code="unknown-gateway")
        service.expect(404, "GET", "/v1/pay/x", code="unknown-path")
        service.expect(405, "GET", "/v1/pay", code="wrong-method")
        check(not order.books(), "something was charged")
        service.expect(422, "POST", "/v1/decrypt", {"token": altered}, stage="signature")
        identity = {name: shown_token[name] for name in ("transactionId", "publicKeyHash")}
        client = {"event": "decrypt", "user": os.getuid()}
        wait_until(lambda: len(service.audit("decrypt")) == 3, f"not three decryptions are logged: {service.audit()}")
        masked, mismatch, forged = service.audit("decrypt")
        check(masked == {**client, **identity, "revealed": False}, f"another line: {masked}")
        check(mismatch == {**client, **identity, "code": "order/order-mismatch", "disposition": "customer",
                           "reason": "the token has 500 minor units of EUR, the order 501 of EUR"},
              f"another line: {mismatch}")
        # Nothing states which token it is before its signature was verified.
        check(forged == {**client, "code": "signature/message-digest-mismatch", "disposition": "rejected"},
              f"another line: {forged}")
        refused = {"event": "refused", "user": os.getuid(), "code": "role-missing"}
        found, wanted = service.audit("refused"), [
            {**refused, "path": "/v1/decrypt"},
            {**refused, "path": "/v1/payments/{reference}/refund", "reference": order.reference}]
        check(found == wanted, f"refused access is logged as {found}")
    with Service(shop, "--allow", f"{os.getuid()}=reveal") as service:
        shown = service.expect(200, "POST", "/v1/decrypt", {"token": order.token, "reveal": True})["paymentData"]
        check(shown["applicationPrimaryAccountNumber"].isdigit(), "the account number is masked")
        wait_until(lambda: service.audit("decrypt"), "not in the audit log")
        check(service.audit("decrypt") == [{**client, **identity, "revealed": True}], f"{service.audit()}")
        check(shown["applicationPrimaryAccountNumber"] not in (service.folder / "audit").read_text(), "card data in the log")


def show_claim(service, order):
    """Returns what `paytoken ledger show` prints about an order's token."""
    words = ["ledger", "show", order.token["header"]["transactionId"], "--ledger", service.ledger]
    shown = run([service.shop.paytoken, *words])
    check(shown.returncode == 0, shown.stderr.decode())
    return json.loads(shown.stdout)


def claims(shop):
    """A token is claimed before its payment data is answered, once and for good; a claimed one pays no order."""
    with Service(shop, "--allow", f"{os.getuid()}=reveal") as service:
        order = Purchase(service, 700)
        body = order.claim_body()

        def is_claimed():
            return show_claim(service, order)["claimed"]
        without = {"token": order.token, "claim": True}
        service.expect(400, "POST", "/v1/decrypt", without, code="invalid-body", member="order")
        service.expect(400, "POST", "/v1/verify", without, code="invalid-body", member="claim")
        other = {**body, "order": {"amount": 701, "currency": "EUR"}}
        service.expect(422, "POST", "/v1/decrypt", other, stage="order", code="order-mismatch")
        seen = service.expect(200, "POST", "/v1/decrypt", {**body, "claim": False})
        check("claimed" not in seen and not is_claimed(), f"claimed without a claim: {seen}")
        found = service.expect(200, "POST", "/v1/decrypt", {**body, "reveal": True}, claimed=True)
        shown = found["paymentData"]["applicationPrimaryAccountNumber"]
        check(shown.isdigit() and is_claimed(), f"not revealed, or not claimed: {found}")
        replay = {"stage": "replay", "code": "already-claimed", "disposition": "rejected"}
        service.expect(422, "POST", "/v1/decrypt", body, **replay)
        service.expect(422, "POST", "/v1/pay", order.body(), **replay)
        check(not order.books(), "a claimed token paid")
        service.expect(404, "GET", f"/v1/payments/{order.reference}", code="no-payment")
        identity = {name: found[name] for name in ("transactionId", "publicKeyHash")}
        client = {"event": "decrypt", "user": os.getuid(), **identity}
        wait_until(lambda: len(service.audit("decrypt")) == 4, f"not four decryptions are logged: {service.audit()}")
        logged = service.audit("decrypt")[1:]
        check(logged == [{**client, "revealed": False}, {**client, "revealed": True, "claimed": True},
                         {**client, "code": "replay/already-claimed", "disposition": "rejected"}], f"other lines: {logged}")
        # Another tap pays the order, and a token that paid cannot be claimed.
        order.tap()
        order.pay("paid")
        service.expect(422, "POST", "/v1/decrypt", order.claim_body(), **replay)
        # Of several claims at the same time one succeeds, and of a claim and a payment.
        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            for _ in range(5):
                order.tap()
                statuses = sorted(found[0] for found in clients.map(
                    lambda body: service.ask("POST", "/v1/decrypt", body), [order.claim_body()] * 8))
                check(statuses == [200] + [422] * 7, f"eight claims: {statuses}")
                other = Purchase(service, 701)
                paying = clients.submit(service.ask, "POST", "/v1/pay", other.body())
                claimed = service.ask("POST", "/v1/decrypt", other.claim_body())[0]
                paid = paying.result()
                check((claimed, paid[0]) in ((200, 422), (422, 200)), f"a claim and a payment: {claimed} {paid}")
                other.expect_one_charge("paid" if paid[0] == 200 else "refused")
        service.stop()


def decisions(shop):
    """A person's decision, and one that is refused, are in the audit log: which attempt, what, who and why."""
    with Service(shop, "--allow", f"{os.getuid()}=operate") as service:
        order = Purchase(service, 30_300)
        paid = order.pay("action-required")
        serial = paid["serial"]
        path = f"/v1/payments/{order.reference}/resolve"
        # The second number is where the logged text ends.
        why = {"serial": serial, "by": "Jane \x1b[1m",
               "because": "lost, card 4111 1111 1111 1111 " + "x" * 231 + "4111111111111111" + "x" * 300}
        service.expect(422, "POST", path, {**why, "paid": "p-1"}, stage="order", code="decision-refused")
        reason = f"no attempt of the order {order.reference} has the serial 5e5e; the one that decides has {serial}"
        service.expect(404, "POST", path, {**why, "serial": "5e5e", "returned": True}, code="no-payment",
                       message=f"There is no such payment: {reason}.")
        # The gateway has a payment, which the customer can still make.
        refused = {"refused": True, "confirmed": True}
        found = service.expect(422, "POST", path, {**why, **refused}, code="decision-refused")
        check("can still be made" in found["message"], f"{found}")
        lost = Purchase(service, 50_300)
        unknown = lost.pay("unknown")
        service.expect(200, "POST", f"/v1/payments/{lost.reference}/resolve",
                       {**why, **refused, "serial": unknown["serial"]}, outcome="refused")
        wait_until(lambda: len(service.audit("resolve")) == 4, f"not four decisions are logged: {service.audit()}")
        common = {"event": "resolve", "user": os.getuid(), "reference": order.reference, "gateway": "bepaid", "serial": serial,
                  "by": "Jane \x1b[1m", "because": "lost, card … " + "x" * 231 + "…" + "x" * 10, "confirmed": False}
        paid, missing, undecided, refused = service.audit("resolve")
        check(paid.pop("reason") and "can still be made" in undecided["reason"], f"no reason: {paid}, {undecided}")
        check("paymentId" not in undecided and undecided["code"] == "order/decision-refused", f"{undecided}")
        rejected = {**common, "disposition": "rejected"}
        check(paid == {**rejected, "decision": "paid", "paymentId": "p-1", "code": "order/decision-refused"}, f"{paid}")
        check(missing == {**rejected, "decision": "returned", "serial": "5e5e", "code": "order/no-payment", "reason": reason},
              f"{missing}")
        wanted = {**common, "reference": lost.reference, "serial": unknown["serial"], "decision": "refused", "confirmed": True,
                  "outcome": "refused", "isRecorded": True, "reason": common["because"]}
        check(refused == {**wanted, "transactionId": unknown["transactionId"]}, f"{refused}")

        # The ledger has attempts of the order, so nobody decides about it as a whole.
        body = {"order": lost.body()["order"], "gateway": "bepaid", "by": "Jane", "because": "books",
                "refused": True, "confirmed": True}
        found = service.expect(422, "POST", f"/v1/payments/{lost.reference}/resolve", body, code="decision-refused")
        check("by its serial" in found["message"], f"{found}")
        service.expect(400, "POST", path, body, code="invalid-body", member="order.reference")


def changed(shop):
    """Orders whose outcomes changed are listed after a cursor, which is refused if it is not of this ledger."""
    with Service(shop, "--allow", f"{os.getuid()}=operate") as service:
        start = service.expect(200, "GET", "/v1/changes", orders=[])["cursor"]
        order = Purchase(service, 1_700)
        paid = order.pay("paid")
        found = service.expect(200, "GET", f"/v1/changes?after={start}")
        listed = [(line["reference"], line["outcome"], line["serial"]) for line in found["orders"]]
        check(listed == [(order.reference, "paid", paid["serial"])], f"other orders: {found}")
        service.expect(200, "GET", "/v1/changes?after=0", orders=found["orders"], cursor=found["cursor"])
        service.expect(200, "GET", f"/v1/changes?after={found['cursor']}", orders=[], cursor=found["cursor"])
        for after in f"1.{'5e' * 16}", f"9{found['cursor']}":
            refused = service.expect(409, "GET", f"/v1/changes?after={after}", code="unknown-cursor", member="after")
            check("begin at 0: leave out after, or give 0." in refused["message"], f"{refused}")
        for path in "/v1/changes?after=x", "/v1/changes?after=1", "/v1/changes?after=", "/v1/payments?after=1.2.x":
            service.expect(400, "GET", path, code="invalid-parameter", member="after")
        for path in "/v1/changes?next=0", "/healthz?after=0", f"/v1/payments/{order.reference}?after=0":
            service.expect(400, "GET", path, code="unknown-parameter")
        check(service.ask("GET", "/v1/payments")[1].get("next") is None, "a page after the last one")

        # Nothing is adopted for an order that is paid, or under another order's reference.
        body = {"paymentId": paid["paymentId"], "order": order.body()["order"], "gateway": "bepaid", "by": "Jane",
                "because": "books"}
        path = f"/v1/payments/{order.reference}/adopt"
        service.expect(422, "POST", path, body, stage="order", code="decision-refused")
        service.expect(400, "POST", "/v1/payments/another/adopt", body, code="invalid-body", member="order.reference")
        wait_until(lambda: service.audit("adopt"), "the decision is not logged")
        [line] = service.audit("adopt")
        check(line == {"event": "adopt", "user": os.getuid(), "reference": order.reference, "gateway": "bepaid",
                       "paymentId": paid["paymentId"], "by": "Jane", "because": "books",
                       "code": "order/decision-refused", "disposition": "rejected",
                       "reason": "an attempt pays the order, or may; decide about it first"}, f"{line}")


def unlogged(shop):
    """With --audit-required, a log that cannot be written refuses requests until it can be written, and no line is lost."""
    with Service(shop, "--audit-required") as service:
        Purchase(service, 1_600).pay("paid")
        wait_until(lambda: service.audit("pay"), "the payment is not logged")
        # The disk is full: the log may grow by 20 bytes, and no other file is as long (setrlimit(2), RLIMIT_FSIZE).
        log, length = service.folder / "audit", 1 << 26
        os.truncate(log, length)
        server, _ = service.children()
        resource.prlimit(server, resource.RLIMIT_FSIZE, (length + 20, resource.RLIM_INFINITY))
        decided, refused = Purchase(service, 1_601), Purchase(service, 1_602)
        service.expect(500, "POST", "/v1/pay", decided.body(), code="audit-failed")
        decided.expect_one_charge("paid")
        check(service.ask("GET", "/readyz")[0] == 503, "the service is ready without its log")
        check(service.ask("GET", "/readyz")[1]["faults"] == ["decisions cannot be logged"], "another fault")
        status, found, headers = service.ask("POST", "/v1/pay", refused.body())
        check((status, found["code"], headers["Retry-After"]) == (503, "audit-failed", "5"), f"not refused: {status} {found}")
        service.expect(503, "GET", f"/v1/payments/{decided.reference}", code="audit-failed")
        service.expect(200, "GET", "/healthz", status="ok")
        text = service.ask("GET", "/metrics")[1]
        check("\npaytoken_audit_lines_waiting 1\n" in text and "\npaytoken_audit_lines_lost_total 0\n" in text, text)
        check(not refused.books(), "something was charged")
        # There is space again. No request is needed for the service to notice.
        resource.prlimit(server, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait_until(service.is_ready, "the service does not recover")
        refused.pay("paid")
        decided.tap()
        decided.pay("paid")
        service.stop()
        check("could not be written" not in service.messages(), f"lines are lost: {service.messages()}")
        with log.open("rb") as file:
            file.seek(length)
            cut, *lines = file.read().decode().splitlines()
        check(len(cut) == 20, f"no line was cut: {cut}")
        logged = [(line["event"], line["reference"], line["outcome"]) for line in map(json.loads, lines)]
        expected = [("pay", order.reference, "paid") for order in (decided, refused, decided)]
        check(logged == expected, f"the log has {logged}")

    class Read(Service):
        """Another process reads the log."""
        def start(self):
            os.mkfifo(self.folder / "audit")
            self.open()
            super().start()

        def open(self):
            self.reader = open(os.open(self.folder / "audit", os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)

    with Read(shop, "--audit-required") as service:
        service.reader.close()
        decided = Purchase(service, 1_603)
        service.expect(500, "POST", "/v1/pay", decided.body(), code="audit-failed")
        check(not service.is_ready(), "the service is ready without a reader of its log")
        service.open()
        wait_until(service.is_ready, "the service does not recover")
        line = json.loads(service.reader.read(1 << 16))
        check((line["event"], line["reference"]) == ("pay", decided.reference), f"the log has {line}")
        # A reader that hangs: the pipe is full after some lines. The next decision is not answered, and no other is made.
        fcntl.fcntl(service.reader, fcntl.F_SETPIPE_SZ, 4096)
        statuses = [service.ask("POST", "/v1/decrypt", {"token": {}})[0] for _ in range(100)]
        count = statuses.index(500)
        check(0 < count < 90 and statuses == [422] * count + [500] + [503] * (99 - count), f"the statuses are {statuses}")
        check(not service.is_ready(), "the service is ready without a reader of its log")
        lines = service.reader.read(1 << 16)
        wait_until(service.is_ready, "the service does not recover")
        lines += service.reader.read(1 << 16)
        logged = [json.loads(line)["event"] for line in lines.splitlines()]
        check(logged == ["decrypt"] * (count + 1), f"{count} answers, and {len(logged)} lines: {lines[:300]}")
        service.reader.close()
        service.expect(500, "POST", "/v1/pay", Purchase(service, 1_604).body(), code="audit-failed")
        service.stop()
        check("1 lines of the audit log could not be written, and are lost." in service.messages(), service.messages())


def messages(shop):
    """A gateway's message is verified, and the order is asked for."""
    with Service(shop) as service:
        for gateway in Hook.GATEWAYS:
            order = Purchase(service, 600, gateway)
            order.pay("paid")
            headers, body = service.hook.message(gateway, order.books()[0], order.amount)
            service.pass_on(gateway, message(headers, body), status=200, outcome="paid", reference=order.reference)
            service.pass_on(gateway, message(headers, body + b" "), status=400)
        service.expect(404, "POST", "/v1/messages/adyen", message(headers, body), code="unknown-gateway")


def malformed(shop):
    """A chunked body, and one whose head is refused, closes the connection; the next request on another one is right."""
    begun = b" HTTP/1.1\r\nHost: x\r\nPaytoken-Request: true\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    with Service(shop) as service:
        for text, status, closes in (
                (b"POST /v1/pay HTTP/1.1\r\nHost: x\r\nPaytoken-Request: true\r\nTransfer-Encoding: chunked\r\n\r\n"
                 b"2\r\n{}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n", 411, True),
                (b"POST /v1/payments/1001/refund" + begun, 403, True), (b"POST /v1/none" + begun, 404, True),
                (b"POST /healthz" + begun, 405, True), (b"POST /v1/pay?a=1" + begun, 400, True),
                (b"POST /v1/pay" + begun.replace(b"json", b"xml"), 415, True),
                (b"GET /healthz HTTP/1.1\r\nPaytoken-Request: true\r\n\r\n", 400, True),
                (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 403, False),
                (b"G" * 9000, 431, True), (b"\0\r\n\r\n", 400, True)):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(LIMIT)
                client.connect(str(service.socket))
                client.sendall(text)
                answer = receive(client)
                check(answer.startswith(b"HTTP/1.1 %d " % status), f"{text[:40]}: {answer[:80]}, not {status}")
                if closes:
                    rest = b"".join(iter(lambda: client.recv(1 << 16), b""))
                    check(b"HTTP/1.1" not in rest, f"a second answer: {rest}")
                else:
                    client.sendall(text.replace(b"Host: x", b"Host: x\r\nPaytoken-Request: true"))
                    check(receive(client).startswith(b"HTTP/1.1 200 "), "the connection is closed")
            service.expect(200, "GET", "/healthz", status="ok")


def mistaken(shop):
    """The answer to a frequent mistake of a client's developer says what is wrong, and what to send instead."""
    own = os.getuid()
    typed = {"Paytoken-Request": "true", "Content-Type": "application/json"}
    units = "The member order.amount must be a whole number of minor units, such as 1099 for 10.99 EUR"
    needed = "Send one object with token and order."
    with Service(shop) as service:
        order = Purchase(service, 1_099)
        whole = json.dumps(order.body())

        def costs(amount):
            changed = whole.replace('"amount": 1099', f'"amount": {amount}')
            check(changed != whole, f"the body has no amount: {whole}")
            return changed
        for method, target, headers, body, status, message in (
                ("POST", "/v1/pay/", typed, whole, 400, "The path ends with a slash: leave it out, as in /v1/pay."),
                ("POST", "/v2/pay", typed, whole, 404, "The service has no such path; did you mean /v1/pay?"),
                ("POST", "/pay", typed, whole, 404, "The service has no such path; did you mean /v1/pay?"),
                ("GET", "/v1/pay", typed, None, 405, "This path needs the method POST."),
                ("PUT", "/v1/pay", typed, whole, 405, "This path needs the method POST."),
                ("DELETE", "/v1/payments", typed, None, 405, "This path needs the method GET."),
                ("PUT", "/v2/pay", typed, whole, 404, "The service has no such path; did you mean /v1/pay?"),
                ("POST", "/v1/pay", typed, "", 400, f"The body is not JSON; it is empty. {needed}"),
                ("POST", "/v1/pay", {**typed, "Content-Type": "application/x-www-form-urlencoded"}, "token=1", 415,
                 "The body must be JSON, not a form or another type: send it with the header Content-Type: application/json"),
                ("POST", "/v1/pay", typed, "token=1", 400, f"The body is not JSON; it has NAME=VALUE, as forms do. {needed}"),
                ("POST", "/v1/pay", typed, whole[:-9], 400,
                 "The body is not JSON: The JSON text ends too early (byte %d). Send all of it: Content-Length counts bytes, "
                 "not characters." % len(whole[:-9])),
                ("POST", "/v1/pay", typed, b"\xef\xbb\xbf" + whole.encode(), 400,
                 f"The body is not JSON; it begins with a byte order mark, so remove its first 3 bytes (EF BB BF). {needed}"),
                ("POST", "/v1/pay", typed, whole + whole, 400,
                 f"The body is not JSON: The JSON text continues after its value: a second object begins (byte {len(whole)}). {needed}"),
                ("POST", "/v1/pay", typed, '{"order":{"amount":1099.0.0}}', 400,
                 "The body is not JSON: The JSON text has an unexpected character: a number that JSON does not have; an amount is "
                 f"a whole number of minor units, such as 1099 for 10.99 EUR (byte 25). {needed}"),
                ("POST", "/v1/pay", typed, json.dumps(order.token), 400,
                 "The body is a payment token; send an object with it as the member token."),
                ("POST", "/v1/page", typed, json.dumps(order.body()["order"]), 400,
                 "The body is an order; send an object with it as the member order."),
                ("POST", "/v1/pay", typed, json.dumps({"token": order.token}), 400, "The member order is missing: "),
                ("POST", "/v1/payments/1/refund", typed, "", 403,
                 f"The user {own} does not have the role operate; start paytokend with --allow {own}=operate to give it, or ask as a user who has it."),
                ("POST", "/v1/pay", typed, costs("1099.0"), 400, f"{units}, without a decimal point or an exponent."),
                ("POST", "/v1/pay", typed, costs('"1099"'), 400, f"{units}, without quotation marks."),
                ("POST", "/v1/pay", typed, costs("-1"), 400, "The member order.amount must be at least 0."),
                ("POST", "/v1/pay", typed, costs("9" * 19), 400,
                 "The member order.amount must be at most 9223372036854775807."),
                ("POST", "/v1/pay", typed, " " * (256 << 10) + whole, 413,
                 "The body has more than 262144 bytes, the limit of this path: send one request in it, and nothing else."),
                ("POST", "/v1/pay", {"Content-Type": "application/json"}, whole, 403,
                 "Every request needs the header Paytoken-Request: true."),
                ("GET", "/healthz", {}, None, 403, "Every request needs the header Paytoken-Request: true.")):
            client = Connection(service.socket)
            client.request(method, target, body, headers)
            answer = client.getresponse()
            found = json.loads(answer.read())
            check(answer.status == status and found["message"].startswith(message),
                  f"{method} {target} {(body or '')[:40]}: {answer.status} {found}, not {status} {message}")
            allowed = message.split()[-1].rstrip(".") if status == 405 else None
            check(answer.headers["Allow"] == allowed, f"{method} {target}: Allow is {answer.headers['Allow']}")
        pki = shop.work / "other-pki"
        check(run([shop.programs / "paytoken-testing", "pki", "--out", pki]).returncode == 0, "there is no second PKI")
        order.tap(pki=pki)
        status, found, _ = service.ask("POST", "/v1/pay", order.body())
        check(status == 422 and found["code"] == "no-path-to-anchor"
              and found["advice"].startswith("It was made with another root than the one of --test-trust-anchor, "),
              f"a token of another root: {status} {found}")
        check(not order.books(), "something was charged")


def connect(service):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(LIMIT)
    while True:
        # With a time limit, Python does not wait until the listener has space.
        with contextlib.suppress(BlockingIOError):
            client.connect(str(service.socket))
            return client
        time.sleep(0.01)


def load(shop):
    """Slow and idle clients, 10,000 connections that end at once, and too many requests do not stop others."""
    relay = Relay(shop.origin)
    with Service(shop, "--requests", "1", relay=relay) as service:
        order = Purchase(service, 71_950)
        paying = threading.Thread(target=lambda: order.service.ask("POST", "/v1/pay", order.body()))
        paying.start()
        check(relay.held.wait(LIMIT), "no request came")
        service.expect(200, "GET", "/healthz", status="ok")
        if os.getuid() == 0:
            open_to_all(service)
            check(as_other_user(lambda: service.ask("GET", "/readyz"))[0] == 200, "the service is not ready while it pays")
            status, found, headers = as_other_user(lambda: service.ask("GET", "/metrics"))
            # Root may have one of the last places.
            check(service.ask("GET", "/metrics")[0] == 200, "root gets no answer")
        else:
            status, found, headers = service.ask("GET", "/metrics")
        check(status == 503 and found["code"] == "busy" and headers["Retry-After"] == "1", f"not busy: {status} {found}")
        relay.release()
        paying.join()
        service.expect(200, "GET", f"/v1/payments/{order.reference}", outcome="paid")
        text = service.ask("GET", "/metrics")[1]
        check(re.search(r'^paytoken_requests_total\{path="busy",status="503"\} [1-9]', text, re.MULTILINE), f"busy is not counted: {text}")
    with Service(shop) as service:
        head = b"GET /metrics HTTP/1.1\r\nHost: x\r\nPaytoken-Request: true\r\n\r\n"
        clients = []
        # More idle connections than there are places for one user: the oldest ones end.
        for _ in range(140):
            clients.append(connect(service))
            clients[-1].sendall(head)
            check(clients[-1].recv(16), "no answer")
        for _ in range(60):
            clients.append(connect(service))
            clients[-1].sendall(head[:20])
        # Clients that ask again and again, and read nothing.
        for _ in range(20):
            clients.append(connect(service))
            clients[-1].setblocking(False)
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                for _ in range(2000):
                    clients[-1].sendall(head)
        begin = time.monotonic()
        for _ in range(10_000):
            socket_ = socket.socket(socket.AF_UNIX)
            with contextlib.suppress(BlockingIOError):
                socket_.setblocking(False)
                socket_.connect(str(service.socket))
            socket_.close()
        wait_until(service.is_ready, "the service does not answer any more")
        check(time.monotonic() - begin < 60, f"10,000 connections took {time.monotonic() - begin} s")
        Purchase(service, 700).pay("paid")
        for client in clients:
            client.close()
        # Slow heads end after five seconds.
        slow = connect(service)
        slow.sendall(head[:20])
        begin = time.monotonic()
        answer = http.client.HTTPResponse(slow)
        answer.begin()
        check(4 < time.monotonic() - begin < 9, "a slow head does not end")
        check(answer.status == 408 and answer.getheader("Connection") == "close" and b"The head did not end" in answer.read(),
              f"a slow head is answered with {answer.status}")
        slow.close()
        if os.getuid() == 0:
            hog(service)
        service.stop()


def as_other_user(work, *arguments, user=OTHER_USER, groups=()):
    """Runs a function as another user, in another process; returns its result."""
    received, sent = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = run_as(user, lambda: sent.send(work(*arguments)), groups)
    # The child has the only end that sends, so a child that ends without a result ends the wait.
    sent.close()
    check(received.poll(LIMIT), "another user's process does not end")
    try:
        return received.recv()
    except EOFError:
        sys.exit("another user's process failed, as it says above")
    finally:
        process.join(LIMIT)


def run_as(user, work, groups=()):
    """Starts a process of another user that runs a function, and returns the process."""
    def child():
        os.setgroups(groups)
        os.setgid(user)
        os.setuid(user)
        work()
    process = multiprocessing.get_context("fork").Process(target=child, daemon=True)
    process.start()
    return process


def open_to_all(service):
    """Lets all users connect."""
    os.chmod(service.socket, 0o666)
    os.chmod(service.folder.parent, 0o755)


def hog(service):
    """Another user who takes as many places as possible leaves half of them."""
    open_to_all(service)

    def take():
        """Begins requests on 300 connections; returns how many of them the service has kept when it answers the next one."""
        begun = [connect(service) for _ in range(300)]
        for client in begun:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(b"POST /v1/verify HTTP/1.1\r\n")
        last = connect(service)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            last.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nPaytoken-Request: true\r\n\r\n")
            last.recv(16)
        return len(begun) - len(select.select(begun, [], [], 0)[0])
    kept = as_other_user(take)
    check(0 < kept <= 128, f"a user has {kept} places")
    service.expect(200, "GET", "/healthz", status="ok")


def flood(shop):
    """While the web application's users take all connections, operators and programs that watch get answers."""
    if os.getuid() != 0:
        print("skipped: connections of other users need root")
        return
    operator = OTHER_USER - 2
    users = OTHER_USER, OTHER_USER - 1
    allowed = [word for user in users for word in ("--allow", f"{user}=pay")]
    with Service(shop, "--allow", f"{operator}=operate", *allowed) as service:
        open_to_all(service)
        head = (b"POST /v1/verify HTTP/1.1\r\nHost: x\r\nPaytoken-Request: true\r\nContent-Type: application/json\r\n"
                b"Content-Length: 99\r\nExpect: 100-continue\r\n\r\n")
        context = multiprocessing.get_context("fork")
        taken, end = context.Semaphore(0), context.Event()

        def take():
            """Begins requests on 128 connections, whose bodies may take 30 seconds."""
            clients = [connect(service) for _ in range(128)]
            for client in clients:
                client.sendall(head)
            # The answer shows that the connection is not idle any more.
            if all(client.recv(16) for client in clients):
                taken.release()
            end.wait(LIMIT)

        def ask(method, target, body=None):
            with contextlib.suppress(OSError, http_error()):
                return service.ask(method, target, body, timeout=10)[:2]
        others = [run_as(user, take) for user in users]
        check(all(taken.acquire(timeout=LIMIT) for _ in others), "the places are not taken")
        try:
            for method, target, status in (("GET", "/healthz", 200), ("GET", "/metrics", 200), ("GET", "/v1/payments", 200),
                                           ("POST", "/v1/payments/none/resolve", 404)):
                body = {"serial": "5e5e", "returned": True, "by": "Jane", "because": "lost"} if method == "POST" else None
                found = as_other_user(ask, method, target, body, user=operator)
                check(found and found[0] == status, f"{target}: the operator gets {found}")
            for target in "/healthz", "/metrics", "/readyz":
                service.expect(200, "GET", target)
            found = as_other_user(ask, "GET", "/healthz", user=OTHER_USER - 3)
            check(found == (200, {"status": "ok"}), f"a third user gets {found}")
        finally:
            end.set()
            for process in others:
                process.join(LIMIT)


def fair(shop):
    """While two users fill all places with heads of one byte, a third one gets an answer to each request."""
    if os.getuid() != 0:
        print("skipped: connections of other users need root")
        return
    with Service(shop) as service:
        open_to_all(service)
        context = multiprocessing.get_context("fork")
        taken, end = context.Semaphore(0), context.Event()

        def begin():
            client = connect(service)
            with contextlib.suppress(OSError):
                client.sendall(b"G")
            return client

        def take():
            """Keeps 128 connections, and replaces each that is ended."""
            clients = [begin() for _ in range(128)]
            taken.release()
            while not end.is_set():
                for ended in select.select(clients, [], [], 0.01)[0]:
                    ended.close()
                    clients[clients.index(ended)] = begin()

        def ask():
            """Returns how many of 201 connections got no answer."""
            refused = 0
            for number in range(201):
                try:
                    refused += service.ask("GET", ("/healthz", "/readyz")[number % 2], timeout=10)[0] != 200
                except (OSError, http_error()):
                    refused += 1
            return refused
        others = [run_as(user, take) for user in (OTHER_USER, OTHER_USER - 1)]
        try:
            check(all(taken.acquire(timeout=LIMIT) for _ in others), "the places are not taken")
            refused = as_other_user(ask, user=OTHER_USER - 2)
            check(refused == 0, f"{refused} of 201 connections of a third user get no answer")
        finally:
            end.set()
            for process in others:
                process.join(LIMIT)


def processor_time(process):
    """Returns the processor time that a process has taken, in seconds."""
    numbers = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, numbers)) / os.sysconf("SC_CLK_TCK")


def marks(shop):
    """Combining marks in answers, messages and bodies cost at most twice as much as letters, and delay nobody else."""
    relay = Relay(shop.origin)
    relay.release()
    with Service(shop, "--allow", f"{os.getuid()}=pay", accounts=("rbs", "worldline-direct"), relay=relay) as service, \
            concurrent.futures.ThreadPoolExecutor(65) as clients:
        if os.getuid() == 0:
            open_to_all(service)
        server, _ = service.children()
        orders = [Purchase(service, 30_300, "rbs") for _ in range(8)]
        for order in orders:
            order.pay("action-required")

        def answers(text):
            """The gateway answers eight questions with a reference of 128,000 combining marks."""
            def renamed(answer):
                head, _, body = answer.partition(b"\r\n\r\n")
                body = re.sub(rb'("orderNumber":")[^"]*', rb"\1" + (text * 2).encode(), body)
                return re.sub(rb"(?i)(content-length:) \d+", rb"\1 %d" % len(body), head) + b"\r\n\r\n" + body
            relay.change = renamed
            return clients.map(lambda order: service.ask("GET", f"/v1/payments/{order.reference}"), orders)

        def header(text):
            """A message has a header of 128 KB of them."""
            return [service.ask("POST", "/v1/messages/worldline-direct", message([("X-GCS-KeyId", text), ("X-GCS-Signature", "A")]))]

        def bodies(text):
            """64 bodies have a currency of 64 KB of them."""
            body = {"token": {}, "order": {"amount": 1, "currency": text[:32_000]}}
            return clients.map(lambda _: service.ask("POST", "/v1/decrypt", body), range(64))

        def watch():
            """Returns how many of 32 requests of another user get no answer, and how long the slowest one takes."""
            refused, slowest = 0, 0
            for number in range(32):
                start = time.monotonic()
                refused += service.ask("GET", ("/readyz", "/metrics")[number % 2])[0] != 200
                slowest = max(slowest, time.monotonic() - start)
            return refused, slowest
        for work in answers, bodies, header:
            found = {}
            for kind, part in ("letters", "\u00e9\u00e8"), ("marks", "\u0301\u0323"):
                before = processor_time(server)
                working = clients.submit(lambda: list(work(part * 32_000)))
                refused, slowest = as_other_user(watch) if os.getuid() == 0 else watch()
                working.result(LIMIT)
                found[kind] = processor_time(server) - before, refused, slowest
            costs = "; ".join(f"{kind}: {cost:.2f} s of processor time, {refused} of another user's 32 requests are refused, the "
                              f"slowest takes {slowest:.2f} s" for kind, (cost, refused, slowest) in found.items())
            print(work.__doc__, costs)
            # 64 bodies of letters can take all places for a moment, too.
            for of_letters, of_marks, noise in zip(*found.values(), (0.5, 16, 2)):
                check(of_marks <= 2 * of_letters + noise, f"{work.__doc__} {costs}")


def guarded(shop):
    """Neither process can be read by its own user or leaves a core dump; memory is locked if the limit permits that."""
    user = OTHER_USER if os.getuid() == 0 else None
    files = ("mem", "environ", "maps")

    class Guarded(Service):
        """Both processes have a user without rights, and may leave core dumps."""
        def start(self):
            if user:
                os.chmod(shop.work, 0o755)
                # The accounts' secrets are files of root's.
                subprocess.run(["cp", "-R", shop.work / "gateways", self.folder], check=True)
                for file in self.folder.glob("*.json"):
                    file.write_text(file.read_text().replace(f"{shop.work}/gateways", f"{self.folder}/gateways"))
                for path in [self.folder, *self.folder.rglob("*")]:
                    os.chown(path, user, user)
            path = self.folder / "run/sender"
            self.sender = self.run("send", "--socket", path)
            wait_until(path.exists, "the sender does not start")
            self.process = self.run(*self.words, "--sender", path)
            wait_until(self.is_ready, f"the service does not start: {self.messages()}")

        def run(self, *words, program=shop.paytokend):
            account = {"user": user, "group": user, "extra_groups": []} if user else {}
            return Program([program, *words], stdout=self.folder / "audit", stderr=self.folder / "messages", cwd=self.folder,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, limits), **account)

    def readable(process):
        """Returns what another process of the same user can open of a process."""
        def look():
            found = []
            for name in files:
                with contextlib.suppress(PermissionError), open(f"/proc/{process.pid}/{name}", "rb"):
                    found.append(name)
            return found
        return as_other_user(look) if user else look()

    def leaves_dump(process):
        """Ends a process with SIGABRT, and returns whether it was dumped."""
        process.send_signal(signal.SIGABRT)
        ended = []

        def has_ended():
            number, status = os.waitpid(process.pid, os.WNOHANG)
            ended.append(status)
            return number == process.pid
        wait_until(has_ended, f"{process.args} hangs after SIGABRT")
        process.returncode = -os.WTERMSIG(ended[-1])
        check(process.returncode == -signal.SIGABRT, f"{process.args} ended with {ended[-1]}")
        return os.WCOREDUMP(ended[-1])
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    limits = (most, most)
    with Guarded(shop, "--allow", f"{os.getuid()}=pay", split=True) as service:
        with service.run("600", program="sleep") as other:
            # Yama can forbid the memory of all programs, but not their environment.
            wait_until(lambda: "environ" in readable(other), f"another program can be read: {readable(other)}")
            if not leaves_dump(other):
                print("skipped: this machine dumps no program")
        Purchase(service, 1_610).pay("paid")
        for process in service.process, service.sender:
            check(readable(process) == [], f"{process.args[1]}: its user can read {readable(process)}")
        for process in service.process, service.sender:
            check(not leaves_dump(process), f"{process.args[1]} leaves a core dump")
    soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    infinity = resource.RLIM_INFINITY
    for limit in (0, 1 << 20, infinity):
        try:
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, infinity if limit == infinity else hard))
        except ValueError:
            print("skipped: this user may not lock all memory")
            continue
        try:
            with Service(shop) as service:
                Purchase(service, 1_611).pay("paid")
                is_locked = limit == infinity
                check(service.expect(200, "GET", "/readyz")["protections"]["lockedMemory"] == is_locked, f"limit {limit}")
                for process in service.children():
                    locked = int(re.search(r"VmLck:\s+([0-9]+)", pathlib.Path(f"/proc/{process}/status").read_text())[1])
                    check((locked > 0) == is_locked, f"with the limit {limit}, {locked} KiB are locked")
                found = run([shop.paytoken, "doctor", "--json", "--socket", service.socket]).stdout.decode()
                result = "passed" if is_locked else "warning"
                check(f'{{"check":"locked-memory","result":"{result}"' in found, f"doctor prints {found}")
        finally:
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (soft, hard))


def roles(shop):
    """What a client may do depends on its user and groups alone."""
    if os.getuid() != 0:
        print("skipped: roles of other users need root")
        return
    # Whether the user may pay, operate, and reveal.
    for options, may in (((), (False, False, False)), (("--allow", f"{OTHER_USER}=pay"), (True, False, False)),
                         (("--allow", f"@{OTHER_USER}=operate"), (False, True, False)),
                         (("--allow", f"{OTHER_USER}=reveal"), (False, False, True)),
                         (("--allow", f"{OTHER_USER}=pay", "--allow", f"{OTHER_USER}=reveal"), (True, False, True))):
        with Service(shop, *options) as service:
            os.chmod(service.socket, 0o666)
            os.chmod(shop.work, 0o755)
            order = Purchase(service, 800)

            def ask(path, order=order):
                def one(method, target, body=None):
                    return Connection(path).ask(method, target, body)[0]
                paying = [("/v1/verify", {"token": order.token}), ("/v1/pay", order.body()),
                          ("/v1/page", order.page_body()), ("/v1/session", Apple.PAGE),
                          ("/v1/cards", {"card": "card-1", "gateway": "intergiro"}),
                          ("/v1/messages/bepaid", message([]))]
                return ([one("POST", *asked) for asked in paying], one("GET", "/v1/payments"),
                        one("POST", "/v1/decrypt", {"token": order.token, "reveal": True}),
                        one("POST", "/v1/decrypt", {"token": order.token}))
            found = as_other_user(ask, str(service.socket))
            pays, operates, reveals = may
            # The order has a payment when a page is asked for; the service has no merchant identity and adds no cards.
            wanted = ([200, 200, 422, 503, 404, 200] if pays else [403] * 6, 200 if operates else 403,
                      200 if reveals else 403, 200 if pays or reveals else 403)
            check(found == wanted, f"{options}: {found}, not {wanted}")
    # Of many groups, each counts.
    groups = range(70_000, 70_100)
    with Service(shop, "--allow", f"@{groups[-1]}=operate") as service:
        open_to_all(service)
        for some, status in ((groups, 200), (groups[:-1], 403)):
            found = as_other_user(lambda: service.ask("GET", "/v1/payments"), groups=some)
            check(found[0] == status, f"with {len(some)} groups: {found}, not {status}")
            # Which keys are loaded is for operators, for root and for the service's own user.
            is_told = as_other_user(lambda: "keys" in service.ask("GET", "/readyz")[1], groups=some)
            check(is_told == (status == 200), f"with {len(some)} groups: told of keys is {is_told}")
        told = service.expect(200, "GET", "/readyz", user=os.getuid(), group=os.getgid())["keys"]
        check({"merchant.example.one", "merchant.example.two"} <= {key["merchant"] for key in told}, f"root is told of {told}")


def reload(shop):
    """SIGHUP loads keys and gateway files anew, and keeps the old ones if that fails; two services cannot share a socket."""
    with Service(shop) as service:
        order = Purchase(service, 900)
        server, _ = service.children()
        file = service.folder / "bepaid.json"
        good = file.read_text()

        def reloaded(text):
            count = service.messages().count(text)
            service.process.send_signal(signal.SIGHUP)
            wait_until(lambda: service.messages().count(text) > count, f"not {text}: {service.messages()}")
        def reload_command(status, message=""):
            done = run([shop.paytokend, "reload", "--socket", service.socket, "--process", str(service.process.pid)])
            check(done.returncode == status and message in done.stderr.decode(), f"reload: {done}, not {status}")
        reload_command(0)
        file.write_text("{")
        reloaded("The old keys and gateway files are kept.")
        reload_command(3, "could not be loaded, and the old ones are used")
        order.pay("paid")
        changed = json.loads(good)
        changed["credentials"]["secretKey"] = {"file": str(service.folder / "new-secret")}
        (service.folder / "new-secret").write_text("wrong")
        file.write_text(json.dumps(changed))
        reloaded("were reloaded")
        refused = Purchase(service, 901)
        found = service.expect(200, "POST", "/v1/pay", refused.body(), outcome="refused", origin="operator")
        check(not refused.books(), f"charged with a wrong secret: {found}")
        service.wait_until_logged("pay", reference=refused.reference, outcome="refused", origin="operator", code=found["code"])
        file.write_text(good)
        reloaded("were reloaded")
        keys = service.folder / "keys"
        keys.rename(service.folder / "old-keys")
        keys.mkdir()
        reloaded("The old keys and gateway files are kept.")
        Purchase(service, 902).pay("paid")
        # A pipe to which nobody writes, and one that never ends, delay neither a reload nor the end.
        for file in ("silent.key.pem", "endless.key.pem"):
            os.mkfifo(keys / file)
        endless = os.open(keys / "endless.key.pem", os.O_RDWR)
        reloaded("is a pipe, not a file")
        os.close(endless)
        check(service.children()[0] == server, "the process was started again")
        second = run([shop.paytokend, *service.words])
        found = re.search(b"is served by another process, ([0-9]+); stop its service, wait until it has ended, or choose "
                          b"another --socket", second.stderr)
        check(second.returncode != 0 and found and int(found[1]) in service.children(),
              f"a second service starts: {second.stderr.decode()}")
        service.expect(200, "GET", "/healthz", status="ok")


def away(shop):
    """If the disk with the keys hangs, nothing waits for it for longer than its limit: no start, no reload, no end and no command."""
    library, when = shop.work / "hanging-files.so", shop.work / "hanging"
    made = run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, HERE / "hanging-files.c"])
    check(made.returncode == 0, made.stderr.decode())
    when.write_bytes(b"\0")
    late = "was not read within 10 s; check its disk or network."

    def hang(hangs=True):
        with when.open("r+b") as file:
            file.write(bytes([hangs]))

    class Away(Service):
        """The disk with its keys hangs on command."""
        def start(self):
            self.environment = {"LD_PRELOAD": str(library), "HANGING_WHEN": str(when), "HANGING_FOLDER": str(self.folder / "keys")}
            super().start()

        def reload(self):
            self.process.send_signal(signal.SIGHUP)

        def wait_for(self, text, count=1):
            wait_until(lambda: self.messages().count(text) >= count, f"not {count} times {text}: {self.messages()}", 30)

    with Away(shop) as service:
        hang()
        service.reload()
        service.wait_for("hanging\n")
        service.reload()
        service.wait_for("keys and gateway files are still being read; then they are read again.")
        Purchase(service, 71_970).pay("paid")
        service.wait_for(f"keys {late} The old keys and gateway files are kept.", 2)
        Purchase(service, 71_971).pay("paid")
        service.reload()
        service.wait_for("hanging\n", 3)
        hang(False)
        service.wait_for("were reloaded")
        hang()
        service.reload()
        service.wait_for("hanging\n", 4)
        begin = time.monotonic()
        service.stop()
        took = time.monotonic() - begin
        check(took < 2, f"the end takes {took} s while the disk hangs")
        environment, keys = {**os.environ, **service.environment}, ["--keys", service.folder / "keys"]
        commands = {"start": [shop.paytokend, *service.words, "--sender", service.folder / "none"],
                    "list": [shop.paytoken, "keys", "list", *keys], "doctor": [shop.paytoken, "doctor", *keys]}
        with concurrent.futures.ThreadPoolExecutor() as pool:
            begun = {name: pool.submit(run, words, env=environment) for name, words in commands.items()}
            for name, future in begun.items():
                ended = future.result()
                # doctor wraps its lines.
                text = " ".join((ended.stdout + ended.stderr).decode().split())
                check(ended.returncode == 3 and f"{service.folder}/keys {late}" in text, f"{name}: {ended}")


def clock(shop):
    """A clock that is wrong by years makes the service not ready, and doctor says so."""
    library, offset = shop.work / "jumping-clock.so", shop.work / "clock-offset"
    made = run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, HERE / "jumping-clock.c", "-ldl"])
    check(made.returncode == 0, made.stderr.decode())
    offset.write_bytes(struct.pack("=q", 0))
    with Service(shop, environment={"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(offset)}) as service, offset.open("r+b") as file:
        for years in (-10, 20):
            file.write(struct.pack("=q", years * 365 * 86_400))
            file.flush()
            found = service.expect(503, "GET", "/readyz", status="not-ready")["faults"]
            check(found[0] == "the clock is wrong by years", f"{found}")
            file.seek(0)
        file.write(struct.pack("=q", 0))
        file.flush()
        service.expect(200, "GET", "/readyz", status="ready")


def separated(shop):
    """Neither process gets a secret of the other one, and no other user may connect to the one that sends."""
    secrets = {"PROXY_LOGIN": "user:word", "SHOP_SECRET": "secret"}
    with Service(shop, "--proxy", "127.0.0.1:9", "--proxy-login-env", "PROXY_LOGIN", environment=secrets) as service:
        mode = os.stat(f"{service.socket}.send").st_mode & 0o777
        check(mode == 0o600, f"others may connect to the sender: {mode:o}")
        check(os.stat(service.socket).st_mode & 0o777 == 0o660, "the group may not connect")
        if os.getuid() == 0:
            found = pathlib.Path(f"/proc/{service.children()[1]}/environ").read_bytes()
            check(b"PROXY_LOGIN=user:word" in found and b"SHOP_SECRET" not in found, "the sender has other variables")
        service.stop()
    # A merchant identity in a variable, with its certificate, is the sender's alone.
    identity = "".join((shop.work / f"pki/identity/one.{kind}.pem").read_text() for kind in ("key", "cert"))
    with Service(shop, "--identity", "env:SHOP_IDENTITY", environment={"SHOP_IDENTITY": identity}) as service:
        if os.getuid() == 0:
            for process, has_it in zip(service.children(), (False, True)):
                found = pathlib.Path(f"/proc/{process}/environ").read_bytes()
                check((b"SHOP_IDENTITY=" in found) == has_it, f"has {process} the identity's variable? {not has_it}")
        service.stop()


def sessions(shop):
    """Apple gives merchant sessions to the process that sends, which alone has the merchant identity."""
    apple, page = Apple(shop), Apple.PAGE

    def asked(context, initiative="web"):
        return "POST /paymentservices/paymentSession HTTP/1.1", {
            "merchantIdentifier": "merchant.example.one", "displayName": "Shop", "initiative": initiative,
            "initiativeContext": context}

    def begin(service):
        """Begins a request that Apple does not answer."""
        apple.held, count = True, len(apple.requests)
        found = concurrent.futures.ThreadPoolExecutor(1).submit(service.ask, "POST", "/v1/session", page)
        wait_until(lambda: len(apple.requests) > count, "Apple is not asked")
        return found

    with Service(shop, split=True, sending=apple.words) as service:
        connection = Connection(service.socket)
        headers = {"Paytoken-Request": "true", "Content-Type": "application/json"}
        connection.request("POST", "/v1/session", json.dumps(page), headers)
        answer = connection.getresponse()
        found = answer.status, answer.headers["Content-Type"], answer.read()
        check(found == (200, "application/json", Apple.SESSION), f"another answer: {found}")
        connection.close()
        other = {"messagesGateway": "https://shop.example/pay", "displayName": "Shop"}
        service.expect(200, "POST", "/v1/session", other, nonce="6f1")
        wanted = [asked("shop.example"), asked("https://shop.example/pay", "messaging")]
        check(apple.requests == wanted, f"Apple was asked for {apple.requests}, not {wanted}")
        for changes, code in (({"domain": "shop.example:443"}, "invalid-domain"),
                              ({"domain": "192.0.2.1"}, "invalid-domain"),
                              ({"displayName": "x" * 65}, "invalid-display-name"), ({"session": "s"}, "invalid-body"),
                              ({"validationURL": "https://apple.com"}, "invalid-body"),
                              ({"messagesGateway": "https://a.example"}, "invalid-body"),
                              ({"gateway": "bepaid"}, "invalid-body")):
            service.expect(400, "POST", "/v1/session", {**page, **changes}, code=code)
        service.expect(400, "POST", "/v1/session", {"domain": "shop.example"}, code="invalid-body")
        other = {"gateway": "worldline-direct", "validationURL": "https://apple.com"}
        service.expect(422, "POST", "/v1/session", other, code="no-sessions")
        check(len(apple.requests) == 2, "Apple is asked for what it does not give")
        apple.status, apple.body = 400, b'{"statusMessage":"not registered for domain=shop.example","statusCode":"400"}'
        found = service.expect(503, "POST", "/v1/session", page, code="refused")
        check("not registered for domain=shop.example" in found["message"], f"Apple's sentence is missing: {found}")
        apple.status, apple.body = 200, b"upstream"
        service.expect(503, "POST", "/v1/session", page, code="unreadable-answer")
        apple.body = Apple.SESSION
        # Neither process has the file open; `confined` shows that neither can open it any more.
        if os.getuid() == 0:
            for process in service.children():
                files = set()
                for file in pathlib.Path(f"/proc/{process}/fd").iterdir():
                    # It may be closed meanwhile.
                    with contextlib.suppress(FileNotFoundError):
                        files.add(os.readlink(file))
                check(not any("identity" in file for file in files), f"the identity's file is open: {files}")
        # The process that sends is killed while Apple is asked: the client learns that, and asks again.
        asking = begin(service)
        service.sender.kill()
        service.sender.wait()
        found = asking.result(LIMIT)
        check((found[0], found[1]["code"]) == (503, "connection-failed"), f"another answer: {found}")
        service.expect(503, "POST", "/v1/session", page, code="not-connected")
        apple.held = False
        service.start_sender()
        service.expect(200, "POST", "/v1/session", page, nonce="6f1")
        # The process with the keys is killed.
        asking = begin(service)
        service.process.kill()
        service.process.wait()
        check(isinstance(asking.exception(LIMIT), (OSError, http.client.HTTPException)), f"an answer: {asking}")
        apple.held = False
        service.sender.send_signal(signal.SIGTERM)
        check(service.sender.finish() == 0, "the sender does not end well")
        service.start()
        service.expect(200, "POST", "/v1/session", page, nonce="6f1")
        Purchase(service, 1_620).pay("paid")
        # SIGTERM lets a request end.
        asking = begin(service)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(1.5)
        check(service.process.poll() is None, "the service ends while Apple is asked")
        apple.held = False
        check(service.process.finish() == 0 and asking.result(LIMIT)[1]["nonce"] == "6f1", f"{asking.result(LIMIT)}")
    # Started by the service, the process that sends gets the identity, and the one with the keys does not. Nothing is
    # at the proxy.
    with Service(shop, *apple.words[:4], "--sandbox", "--proxy", "127.0.0.1:9") as service:
        for process, has_it in zip(service.children(), (False, True)):
            words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            options = b"--identity", os.fsencode(apple.identity), b"--certificate", b"--sandbox"
            check(all((word in words) == has_it for word in options), f"{process} is started with {words}")
        service.expect(503, "POST", "/v1/session", page, code="not-connected")
        service.stop()
    with Service(shop) as service:
        service.expect(503, "POST", "/v1/session", page, code="no-identity")


def age(service, seconds=151):
    """Lets all attempts be older, as if their owners had been silent for longer than others wait for them."""
    with contextlib.closing(sqlite3.connect(service.ledger, timeout=10)) as ledger, ledger:
        ledger.execute("UPDATE apple_pay_attempts SET changed_at = changed_at - ?, question_at = question_at - ?"
                       " WHERE question_at IS NOT NULL", (seconds, seconds))


def raced(shop):
    """An order is paid once if a page and a token come at the same time, and if a process is killed meanwhile."""
    pages, payments_ = "POST /v2/shop/hostedcheckouts ", "POST /v2/shop/payments "
    relay = Relay(shop.origin)
    with Service(shop, relay=relay) as service, concurrent.futures.ThreadPoolExecutor(2) as clients:
        def begin(order, path, body, held_line):
            """Begins a request that the gateway answers later, and expects that nothing else pays the order before."""
            hold(relay, held_line)
            asking = clients.submit(service.ask, "POST", path, body)
            check(relay.held.wait(LIMIT), f"{held_line}does not come")
            order.tap()
            for other, text in (("/v1/pay", order.body()), ("/v1/page", order.page_body())):
                service.expect(200, "POST", other, text, outcome="pending", reason="in-progress")
            return asking

        def kill(part):
            service.kill_one(part)
            relay.release()

        def order():
            return Purchase(service, 2_000, "worldline-direct")

        # A page is being created, then open, then paid.
        one = order()
        asking = begin(one, "/v1/page", one.page_body(), pages)
        check(not one.books(), "something was charged")
        relay.release()
        url = asking.result(LIMIT)[1]["url"]
        for path, body in (("/v1/page", one.page_body()), ("/v1/pay", one.body())):
            service.expect(200, "POST", path, body, outcome="action-required", url=url)
        one.expect_one_charge("action-required")
        open_page(url)
        for path, body in (("/v1/page", one.page_body()), ("/v1/pay", one.body())):
            found = service.expect(200, "POST", path, body, outcome="authorized")
            check("url" not in found, f"a page for a paid order: {found}")
        one.expect_one_charge("authorized")
        # A token is being charged.
        one = order()
        asking = begin(one, "/v1/pay", one.body(), payments_)
        relay.release()
        check(asking.result(LIMIT)[1]["outcome"] == "paid", f"not paid: {asking.result()}")
        found = service.expect(200, "POST", "/v1/page", one.page_body(), outcome="paid")
        check("url" not in found, f"a page for a paid order: {found}")
        one.expect_one_charge("paid")
        # Neither begins first.
        for _ in range(10):
            one = order()
            asking = clients.submit(service.ask, "POST", "/v1/page", one.page_body())
            paid = service.ask("POST", "/v1/pay", one.body())
            page = asking.result(LIMIT)
            check(paid[0] == page[0] == 200, f"{paid} {page}")
            # If there is a page, the token has not paid.
            outcome = "action-required" if "url" in page[1] else "paid"
            service.expect(200, "GET", f"/v1/payments/{one.reference}", outcome=outcome)
            one.expect_one_charge(outcome)
        # The process that sends is killed before the answer: no address is given, and another page is made.
        one = order()
        asking = begin(one, "/v1/page", one.page_body(), pages)
        kill(1)
        found = asking.result(LIMIT)
        check((found[0], found[1]["code"]) == (503, "not-sent"), f"another answer: {found}")
        url = service.expect(200, "POST", "/v1/page", one.page_body(), outcome="action-required")["url"]
        service.expect(200, "POST", "/v1/pay", one.body(), outcome="action-required", url=url)
        open_page(url)
        service.expect(200, "GET", f"/v1/payments/{one.reference}", outcome="authorized")
        one.expect_one_charge("authorized")
        # The process with the keys is killed: the order can be paid once its owner was silent for long enough.
        one = order()
        asking = begin(one, "/v1/page", one.page_body(), pages)
        kill(0)
        check(isinstance(asking.exception(LIMIT), (OSError, http_error())), f"an answer: {asking}")
        for path, body in (("/v1/page", one.page_body()), ("/v1/pay", one.body())):
            service.expect(200, "POST", path, body, outcome="pending")
        age(service)
        one.pay("paid")
        service.expect(200, "POST", "/v1/page", one.page_body(), outcome="paid")
        # The same while a token is charged: the gateway has the payment, and no page is created.
        one = order()
        asking = begin(one, "/v1/pay", one.body(), payments_)
        kill(0)
        check(isinstance(asking.exception(LIMIT), (OSError, http_error())), f"an answer: {asking}")
        age(service)
        service.expect(200, "POST", "/v1/page", one.page_body(), outcome="unknown")
        headers, body = service.hook.message("worldline-direct", one.books()[0], one.amount)
        service.pass_on("worldline-direct", message(headers, body), status=200, outcome="paid", reference=one.reference)
        one.expect_one_charge("paid")
        service.stop()


def ending(shop):
    """SIGTERM lets a payment end, and then the service; a socket that a killed service left is replaced."""
    relay = Relay(shop.origin)
    with Service(shop, relay=relay) as service:
        order = Purchase(service, 71_951)
        found = []
        paying = threading.Thread(target=lambda: found.append(service.ask("POST", "/v1/pay", order.body())))
        paying.start()
        check(relay.held.wait(LIMIT), "no request came")
        children = service.children()
        service.process.send_signal(signal.SIGTERM)
        time.sleep(1.5)
        check(service.process.poll() is None, "the service ends while it pays")
        # The one that is ending accepts no connection any more, and is named nevertheless.
        second = run([shop.paytokend, *service.words])
        named = re.search(b"is served by another process, ([0-9]+); stop its service, wait until it has ended", second.stderr)
        check(second.returncode != 0 and named and int(named[1]) in children, f"another message: {second.stderr.decode()}")
        relay.release()
        paying.join()
        check(service.process.finish() == 0, f"exit {service.process.returncode}")
        check(found[0][0] == 200 and found[0][1]["outcome"] == "paid", f"{found}")
        order.expect_one_charge("paid")
        service.start()
        # Both processes end with their parent.
        children = service.children()
        service.process.kill()
        service.process.wait()
        wait_until(lambda: not any(pathlib.Path(f"/proc/{number}").exists() for number in children), "a process is left")
        check(service.socket.exists(), "the socket is gone")
        service.start()
        service.expect(200, "GET", f"/v1/payments/{order.reference}", outcome="paid")
        wait_until(lambda: f"paytokend: serving on {service.socket}.\n" in service.messages(), f"it is not ready: {service.messages()}")
        # A process that cannot start ends the service at once, with its status.
        begin = time.monotonic()
        failed = run([shop.paytokend, "--socket", "nowhere/socket", *service.words[2:]])
        check(failed.returncode == 3 and b"nowhere/socket.send.lock cannot be created" in failed.stderr, f"no folder: {failed}")
        check(time.monotonic() - begin < 2, f"it ends after {time.monotonic() - begin:.1f} s")


def waiting(shop):
    """An HSM that is slow or hangs delays only the payments with its key."""
    pki = shop.work / "pki/merchants"
    subprocess.run(["openssl", "x509", "-in", pki / "one.cert.pem", "-outform", "der", "-out", shop.work / "one.der"], check=True)

    class WithDevice(Service):
        """The first merchant's key is in a device."""
        def start(self):
            for file in self.folder.glob("keys/one.*"):
                file.unlink()
            super().start()

    def device(name, *flags):
        """Compiles the module; returns the options with its key."""
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                        f"-I{HERE}/../../Sources/Core/CApplePaySystem/include", f'-DCERTIFICATE="{shop.work}/one.der"',
                        f'-DKEY="{pki}/one.key.pem"', *flags, HERE / "hanging-module.c", "-lcrypto", "-o",
                        shop.work / f"{name}.so"], check=True)
        return "--keys", f"pkcs11:token=hanging?module-path={shop.work}/{name}.so"

    def begin_payments(service, count):
        """Begins payments with the device's key; each result is an answer."""
        orders = [Purchase(service, 71_960 + number) for number in range(count)]
        pool = concurrent.futures.ThreadPoolExecutor(count)
        return [pool.submit(service.ask, "POST", "/v1/pay", order.body()) for order in orders]

    def expect_refusals(found, reason):
        for status, answer, _ in (future.result(LIMIT) for future in found):
            check(status == 503 and answer["code"] == "key-unavailable" and reason in answer["message"], f"{status} {answer}")
    with WithDevice(shop, *device("slow", "-DDELAY=700000")) as service:
        found = begin_payments(service, 50)
        begin = time.monotonic()
        Purchase(service, 71_956, merchant="two").pay("paid")
        check(time.monotonic() - begin < 8, "a payment waits for those with the slow device")
        expect_refusals(found, "CKR_FUNCTION_FAILED")
        check(time.monotonic() - begin < 8, "the payments wait for each other")
        service.stop()
    relay = Relay(shop.origin)
    with WithDevice(shop, *device("hanging"), "--device-timeout", "14", relay=relay) as service:
        order = Purchase(service, 71_957, merchant="two")
        pool = concurrent.futures.ThreadPoolExecutor(1)
        under_way = pool.submit(service.ask, "POST", "/v1/pay", order.body())
        check(relay.held.wait(LIMIT), "no request came")
        # As many as Swift's runtime has threads for all other work.
        count = os.cpu_count()
        found = begin_payments(service, count)
        wait_until(lambda: service.messages().count("hanging\n") == count, "the device is not asked")
        other = Purchase(service, 71_958, merchant="two")
        relay.release()
        other.pay("paid")
        check(under_way.result(LIMIT)[1]["outcome"] == "paid", f"{under_way.result()}")
        check(not any(future.done() for future in found), "the device answered")
        expect_refusals(found, "did not answer within 14")
        service.stop()


def killed(shop, rounds):
    """Either process is killed at any moment: nothing is charged or claimed twice, all orders are known or listed."""
    with Service(shop, "--allow", f"{os.getuid()}=operate") as service, \
            concurrent.futures.ThreadPoolExecutor(16) as pool:
        orders = []
        stop = threading.Event()
        away, claimed = [], 0

        def ask(path, body):
            """Returns status and members of an answer; 0 if there is none."""
            with contextlib.suppress(OSError, http_error()):
                return service.ask("POST", path, body, timeout=90)[:2]
            return 0, {}

        def pay(number):
            while not stop.is_set():
                order = Purchase(service, 1_000 + number, ("bepaid", "worldline-direct")[number % 2])
                orders.append(order)
                for _ in range(3):
                    status, found = ask("/v1/pay", order.body())
                    if status == 200:
                        order.outcome = found["outcome"]
                        if found["outcome"] == "paid":
                            break
                    order.tap()

        def pay_on_page():
            """Asks for a page and pays with a token at the same time, and pays on the page, if there is one."""
            while not stop.is_set():
                order = Purchase(service, 1_100, "worldline-direct")
                orders.append(order)
                urls = set()
                for _ in range(2):
                    page = pool.submit(ask, "/v1/page", order.page_body())
                    urls |= {ask("/v1/pay", order.body())[1].get("url"), page.result()[1].get("url")} - {None}
                    order.tap()
                check(len(urls) <= 1, f"the customer may pay on several pages: {urls}")
                for url in urls:
                    open_page(url)

        def claim():
            nonlocal claimed
            session = {"gateway": "bepaid", "validationURL": "https://apple-pay-gateway.apple.com/x"}
            while not stop.is_set():
                order = Purchase(service, 1_200)
                answers = sum(ask("/v1/decrypt", order.claim_body())[0] == 200 for _ in range(3))
                check(answers <= 1, "a token is claimed twice")
                check(answers == 0 or show_claim(service, order)["claimed"], "a claim is forgotten")
                claimed += answers
                status, found = ask("/v1/session", session)
                is_session = status == 200 and found == {"epochTimestamp": 1, "domainName": "shop.example"}
                check(status == 0 or is_session or found.get("code") == "not-sent", f"another session: {found}")
        clients = [*(pool.submit(pay, number) for number in range(4)), pool.submit(pay_on_page), pool.submit(claim)]
        try:
            for number in range(rounds):
                time.sleep(0.05 + (number * 37 % 100) / 200)
                process = service.children()[number % 2]
                if process:
                    begin = time.monotonic()
                    os.kill(process, signal.SIGKILL)
                    wait_until(lambda: (service.children()[number % 2] or process) != process and is_up(service),
                               "the process is not started again")
                    away.append(time.monotonic() - begin)
        finally:
            stop.set()
        for client in clients:
            client.result(LIMIT)
        wait_until(service.is_ready, "the service is not ready again")
        outcomes = {}
        states = {order: service.ask("GET", f"/v1/payments/{order.reference}")[1].get("outcome", "none") for order in orders}
        books = read_books(shop)
        for order, state in states.items():
            entries = books.get(order.reference, [])
            order.expect_one_charge(state, entries)
            outcomes[state] = outcomes.get(state, 0) + 1
            check(state != "none" or not any(entry["captured"] or entry["authorized"] for entry in entries),
                  f"none against the books: {entries}")
            check(order.outcome != "paid" or state == "paid", f"a client was told that it is paid, and it is {state}: {entries}")
        listed = {entry["reference"] for entry in service.expect(200, "GET", "/v1/payments")["payments"]}
        for order in orders:
            found = service.ask("GET", f"/v1/payments/{order.reference}")[1]
            check(found.get("outcome") in ("paid", None, "refused") or order.reference in listed, f"not listed: {found}")
        check(outcomes.get("authorized") and claimed, f"no page or no claim: {outcomes} {claimed}")
        longest = max(away)
        # A machine with much other work starts no process in time.
        is_busy = os.getloadavg()[0] > 4 * (os.cpu_count() or 1)
        check(longest < 2 or is_busy, f"the service was away for {longest:.1f} s")
        print(f"{rounds} processes were killed while {len(orders)} orders were paid and {claimed} tokens claimed: "
              f"none twice; {json.dumps(outcomes, sort_keys=True)}; the service was away for "
              f"{sorted(away)[len(away) // 2]:.2f} s, at most {longest:.2f} s")


def http_error():
    import http.client
    return http.client.HTTPException


def is_up(service):
    with contextlib.suppress(OSError, http_error()):
        return service.ask("GET", "/healthz", timeout=5)[0] == 200
    return False


def lying(shop):
    """A sender that hangs up, answers nonsense or lies about lengths costs its own requests only."""
    with Service(shop, split=True, accounts=("bepaid",)) as service:
        path = service.folder / "run/sender"
        service.sender.kill()
        service.sender.wait()
        path.unlink()
        order = Purchase(service, 1_100)
        service.expect(503, "POST", "/v1/pay", order.body(), stage="gateway", code="not-sent")
        answers = (b"", b"\0\0", struct.pack(">I", 0xFFFFFFFF), struct.pack(">I", 8) + b"\xff" * 8,
                   struct.pack(">I", 100) + b"\0" * 50, struct.pack(">I", 16) + struct.pack(">qq", 200, 1 << 40))
        orders = {order.reference.encode(): (order, answer)
                  for order, answer in ((Purchase(service, 1_200), answer) for answer in answers)}
        with socket.socket(socket.AF_UNIX) as server, concurrent.futures.ThreadPoolExecutor(len(orders)) as clients:
            server.bind(str(path))
            server.listen()
            server.settimeout(0.2)
            # The service asks for seven seconds what became of a payment, so all are made at the same time.
            paying = {order.reference: clients.submit(service.ask, "POST", "/v1/pay", order.body())
                      for order, _ in orders.values()}
            requests = dict.fromkeys(orders, 0)
            while not all(future.done() for future in paying.values()):
                with contextlib.suppress(TimeoutError, BrokenPipeError):
                    connection, _ = server.accept()
                    with connection:
                        length = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))[0]
                        request = connection.recv(length, socket.MSG_WAITALL)
                        reference = re.search(rb"order-[0-9]+-[0-9]+", request)[0]
                        requests[reference] += 1
                        connection.sendall(orders[reference][1])
            for reference, (order, answer) in orders.items():
                found = paying[order.reference].result()
                check(found[0] == 200 and found[1]["outcome"] in ("unknown", "pending"), f"{answer[:20]}: {found}")
                # The payment, and each question after it.
                check(requests[reference] == 5, f"{answer[:20]}: {requests[reference]} requests")
            server.settimeout(LIMIT)
            for answer in answers:
                asking = clients.submit(service.ask, "POST", "/v1/session", Apple.PAGE)
                # The service may ask for the payments again meanwhile; a request for a session has the kind 1.
                while not asking.done():
                    connection, _ = server.accept()
                    with connection:
                        length = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))[0]
                        if struct.unpack(">q", connection.recv(length, socket.MSG_WAITALL)[:8])[0] == 1:
                            connection.sendall(answer)
                            break
                found = asking.result(LIMIT)
                check(found[0] == 503 and found[1]["code"] in ("connection-failed", "unreadable-answer"),
                      f"{answer[:20]}: {found}")
            service.expect(200, "GET", "/healthz", status="ok")


def systemd(shop):
    """The service takes systemd's socket and reports its states; no request is lost while one process follows another."""
    folder_ = shop.work / "systemd"
    folder_.mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifications, socket.socket(socket.AF_UNIX) as listener:
        notifications.bind(str(folder_ / "notify"))
        notifications.settimeout(LIMIT)
        listener.bind(str(folder_ / "socket"))
        listener.listen()
        (folder_ / "ledger").mkdir(mode=0o700)
        run([shop.paytoken, "ledger", "init", "--window", "300", "--ledger", folder_ / "ledger/orders"])

        def pass_socket():
            os.dup2(listener.fileno(), 3, inheritable=True)
            os.environ["LISTEN_PID"] = str(os.getpid())
        words = ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", shop.paytokend, "--ledger", folder_ / "ledger/orders",
                 "--keys", shop.work / "pki/merchants", "--test-trust-anchor", shop.work / "pki/root.pem", "--sender",
                 folder_ / "sender", "--allow", f"{os.getuid()}=pay"]

        def start():
            return Program(words, stderr=folder_ / "messages", pass_fds=(3,), preexec_fn=pass_socket,
                           env={**os.environ, "NOTIFY_SOCKET": str(folder_ / "notify"), "LISTEN_FDS": "1"})

        def state():
            return notifications.recv(4096).decode()

        def ask():
            connection = Connection(folder_ / "socket")
            try:
                return connection.ask("GET", "/healthz")[0]
            except (OSError, http.client.HTTPException) as error:
                return error
            finally:
                connection.close()

        with start() as process:
            check(state() == "READY=1", "not ready")
            check(ask() == 200, "no answer")
            process.send_signal(signal.SIGHUP)
            check(state().startswith("RELOADING=1\nMONOTONIC_USEC="), "not reloading")
            check(state() == "READY=1", "not ready again")
            process.send_signal(signal.SIGTERM)
            check(state() == "STOPPING=1", "not stopping")
            check(process.finish() == 0, f"exit {process.returncode}")
        check("serving on" not in (folder_ / "messages").read_text(), "it prints what systemd prints")
        answers, ended = [], threading.Event()

        def ask_always():
            while not ended.is_set():
                answers.append(ask())
        asking = threading.Thread(target=ask_always)
        asking.start()
        for _ in range(5):
            with start() as process:
                check(state() == "READY=1", "not ready")
                count = len(answers)
                wait_until(lambda: len(answers) > count + 1, "no answers")
                process.send_signal(signal.SIGTERM)
                check(state() == "STOPPING=1", "not stopping")
                check(process.finish() == 0, f"exit {process.returncode}")
        with start():
            ended.set()
            asking.join(LIMIT)
        check(set(answers) == {200}, f"requests were lost: {[answer for answer in answers if answer != 200]}")


def confined(shop):
    """A thread of each process, started late, can do nothing that the process needs not do."""
    library = shop.work / "confinement.so"
    made = run(["cc", "-shared", "-fPIC", "-o", library, HERE / "confinement.c", "-lpthread"])
    check(made.returncode == 0, made.stderr.decode())
    # The process that sends has read the merchant identity before.
    apple = Apple(shop)
    never = dict.fromkeys(
        ("exec", "execveat", "fork", "clone", "ptrace", "memory", "truncate", "memfd", "unshare", "uring", "packets",
         "writable-code", "written-code", "pkey-code", "signal", "thread-signal", "listen", "terminal", "dumpable", "limits",
         "ipc", "secret", "handle", "mount", "fanotify", "filter"), "EPERM")
    never |= dict.fromkeys(("clone3", "newer"), "ENOSYS") | dict.fromkeys(
        ("environment", "file", "settings", "users", "passwords", "write"), "EACCES")
    never |= {"own-signal": "possible", "end": "possible"}
    # A socket that was passed to the process, and one that is bound, are refused by the rules, and others by the filter.
    by_process = {
        "keys": {"tcp": "EPERM", "udp": "EPERM", "local": "possible", "bind": "EPERM", "abstract": "EPERM",
                 "passed": "EACCES", "resolver": "EACCES", "hosts": "EACCES",
                 "pipe": "EPERM", "link": "EPERM", "folder": "EPERM", "mode": "EPERM", "regular": "possible"},
        "send": {"tcp": "possible", "udp": "possible", "local": "EPERM", "bind": "EACCES", "abstract": "EPERM",
                 "passed": "ECONNREFUSED", "resolver": "possible", "hosts": "possible"}}
    with Program(["sleep", "600"]) as other:
        results = {name: shop.work / f"results-{name}" for name in ("keys", "send")}
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"\0paytoken-test-{os.getpid()}")
        listener.listen()
        environment = {"LD_PRELOAD": str(library), "FORBIDDEN_FILE": str(apple.identity), "FORBIDDEN_PROCESS": str(other.pid),
                       "FORBIDDEN_SOCKET": f"paytoken-test-{os.getpid()}"}

        class Watched(Service):
            def start(self):
                path = self.folder / "run/sender"
                self.sender = Program(
                    [shop.paytokend, "send", "--socket", path, *apple.words], stderr=self.folder / "sender-messages",
                    env={**os.environ, **environment, "FORBIDDEN_RESULTS": str(results["send"])})
                wait_until(path.exists, "the sender does not start")
                self.process = Program(
                    [shop.paytokend, *self.words, "--sender", path], stdout=self.folder / "audit",
                    stderr=self.folder / "messages",
                    env={**os.environ, **environment, "FORBIDDEN_RESULTS": str(results["keys"]),
                         "FORBIDDEN_FOLDER": str(self.folder / "ledger")})
                wait_until(self.is_ready, f"the service does not start: {self.messages()}")
        with Watched(shop, split=True) as service:
            Purchase(service, 1_300).pay("paid")
            service.expect(200, "POST", "/v1/session", Apple.PAGE, nonce="6f1")
            protections = service.expect(200, "GET", "/readyz")["protections"]
            for name, file in results.items():
                wait_until(lambda: "end " in file.read_text(), f"{name}: {file.read_text()}")
                found = dict(line.split() for line in file.read_text().splitlines())
                expected = {**never, **by_process[name]}
                if not protections["socketRules"]:
                    print("skipped: rules about sockets need Linux 6.12")
                    for part in ("abstract", "bind", "passed"):
                        expected.pop(part), found.pop(part)
                # The answer without the network is another one on each machine.
                names = found.pop("names")
                check(name == "keys" or names == "possible", f"{name} finds no host by its name")
                if not protections["fileRules"]:
                    print("skipped: this kernel has no rules about files")
                    for part in ("file", "settings", "users", "passwords", "resolver", "hosts", "write", "environment"):
                        expected.pop(part), found.pop(part)
                check(found == expected, f"{name}: {found}, not {expected}")
    # landlock_create_ruleset(2) is missing in an old kernel; a container that refuses it must not go unnoticed.
    with Service(shop, split=True) as service:
        words = [shop.paytokend, *service.words, "--sender", service.folder / "run/other"]
        service.stop()
        for number, text in ((errno.EPERM, "refuses to restrict files (Operation not permitted)"), (errno.ENOSYS, "")):
            begun = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                     preexec_fn=lambda: refuse_call(444, number))  # noqa: B023
            if text:
                check(begun.wait(LIMIT) != 0 and text in (found := begun.stderr.read()), f"{begun.returncode}: {found}")
            else:
                wait_until(lambda: is_up(service), "the service does not start without rules about files")
                begun.terminate()
                check(begun.wait(LIMIT) == 0, f"it ends with {begun.returncode}: {begun.stderr.read()}")
        # Without seccomp(2), nothing keeps the process that sends from the service's socket.
        call = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
        begun = subprocess.Popen([shop.paytokend, *service.words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 preexec_fn=lambda: refuse_call(call, errno.ENOSYS))
        wait_until(lambda: is_up(service), "the service does not start without a filter of system calls")
        begun.terminate()
        check(begun.wait(LIMIT) == 0 and "start paytokend send as another user" in (found := begun.stderr.read()),
              f"it ends with {begun.returncode}: {found}")


def refuse_call(call, number):
    """Makes a system call of this process fail with an error, as a container can (seccomp(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    # Loads the call's number; if it is this one, returns the error, and otherwise allows the call.
    filter = b"".join(struct.pack("=HBBI", *part) for part in (
        (0x20, 0, 0, 0), (0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | number), (0x06, 0, 0, 0x7FFF0000)))
    memory = ctypes.create_string_buffer(filter, len(filter))
    program = struct.pack("@HP", 4, ctypes.addressof(memory))
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


class NameServer:
    """A name server at an address of this machine that knows one host."""

    def __init__(self, address, host):
        self.host = b"".join(bytes([len(part)]) + part.encode() for part in host.split("."))
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                query, client = self.socket.recvfrom(512)
                end = query.index(b"\0", 12) + 5
                is_known = query[12:end].lower() == self.host + b"\0\0\1\0\1"
                answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" if is_known else b""
                head = query[:2] + b"\x81\x80\0\1" + struct.pack(">H", is_known) + b"\0\0\0\0"
                self.socket.sendto(head + query[12:end] + answer, client)


def resolving(shop):
    """The sender finds hosts and authorities with the system's files, also after they are replaced."""
    if os.getuid() != 0:
        print("skipped: files in /etc of a process's own need root")
        return
    work, host = shop.work / "resolving", "gateway.test"
    resolve = work / "run/systemd/resolve"
    resolve.mkdir(parents=True)
    subprocess.run(["cp", "-a", "/etc", work], check=True)
    certificate, key = server_certificate(work, host)
    # As with systemd-resolved, which replaces its file.
    (work / "etc/resolv.conf").unlink()
    (work / "etc/resolv.conf").symlink_to("../run/systemd/resolve/stub-resolv.conf")
    with (work / "etc/ssl/certs/ca-certificates.crt").open("a") as file:
        file.write(certificate.read_text())

    def replace(file, text):
        (file.parent / "new").write_text(text)
        (file.parent / "new").replace(file)
    replace(resolve / "stub-resolv.conf", "nameserver 127.7.7.7\n")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Secure(Relay):
        """The gateway, with TLS."""
        def exchange(self, connection):
            with contextlib.suppress(OSError):
                super().exchange(context.wrap_socket(connection, server_side=True))
    relay = Secure(shop.origin)
    relay.release()
    relay.origin = f"https://{host}:{relay.server.getsockname()[1]}"

    class Private(Service):
        """Its processes have their own /etc and /run."""
        def start(self):
            words = ["unshare", "-m", "sh", "-euc",
                     'for name in etc run; do mount --bind "$0/$name" "/$name"; done; exec "$@"', work, shop.paytokend, *self.words]
            self.process = Program(words, stdout=self.folder / "audit", stderr=self.folder / "messages")
            wait_until(self.is_ready, f"the service does not start: {self.messages()}")
    names = NameServer("127.7.7.7", host)
    with Private(shop, accounts=("bepaid",), relay=relay) as service:
        sender = service.children()[1]
        Purchase(service, 1_700).pay("paid")
        names.socket.close()
        names = NameServer("127.7.7.8", host)
        replace(resolve / "stub-resolv.conf", "nameserver 127.7.7.8\n")
        Purchase(service, 1_701).pay("paid")
        check(service.children()[1] == sender and "replaced" not in service.messages(), f"the sender ended: {service.messages()}")
        # In /etc itself, a replaced file needs a new process.
        names.socket.close()
        replace(work / "etc/hosts", f"127.0.0.1 localhost {host}\n")
        wait_until(lambda: service.children()[1] not in (None, sender) and service.is_ready(), "the sender is not started again")
        check("the settings of the resolver were replaced" in service.messages(), f"another reason: {service.messages()}")
        Purchase(service, 1_702).pay("paid")
        service.stop()


def moved(shop):
    """Without the gateway's file, an order shows what is recorded, and no other gateway is asked; without keys nothing starts."""
    with Service(shop, "--allow", f"{os.getuid()}=operate") as service:
        order = Purchase(service, 71_940)
        serial = order.pay("paid")["serial"]
        service.stop()
        words = service.words
        service.words = words[:words.index("--gateway")] + words[-2:]
        service.start()
        service.expect(200, "GET", f"/v1/payments/{order.reference}", outcome="paid")
        body = {"serial": serial, "by": "Ada", "because": "a test", "returned": True, "confirmed": True}
        for action, sent in (("capture", {}), ("cancel", {}), ("refund", {"reason": "x"}), ("resolve", body)):
            found = service.expect(503, "POST", f"/v1/payments/{order.reference}/{action}", sent, code="unknown-gateway")
            check("bepaid" in found["message"], f"{action}: {found}")
        service.stop()
        start = words.index("--keys")
        made = run([shop.paytokend, *words[:start], *words[start + 2:]])
        check(made.returncode == 2 and b"bepaid takes decrypted tokens; give the keys with --keys." in made.stderr, f"without keys: {made}")
        found = run([shop.paytoken, "payments", "refund", order.reference, "--ledger", service.ledger, "--gateway",
                     service.folder / "worldline-direct.json"])
        check(b'"code":"reference-changed"' in found.stdout + found.stderr, f"another gateway's file: {found}")


def unreadable(shop):
    """A record that this version cannot read is named, and hides no other payment."""
    with Service(shop, "--allow", f"{os.getuid()}=operate") as service:
        newer, other = Purchase(service, 30_300), Purchase(service, 30_300)
        serial = newer.pay("action-required")["serial"]
        other.pay("action-required")
        with contextlib.closing(sqlite3.connect(service.ledger)) as ledger, ledger:
            ledger.execute("UPDATE apple_pay_attempts SET contents = '{}' WHERE serial = ?", (serial,))
        found = service.expect(200, "GET", "/v1/payments")
        check([entry["reference"] for entry in found["payments"]] == [other.reference], f"other payments are listed: {found}")
        check(len(found["faults"]) == 1 and serial in found["faults"][0], f"the record is not named: {found}")
        listed = run([shop.paytoken, "payments", "list", "--ledger", service.ledger])
        check(listed.returncode == 3 and json.loads(listed.stdout)["reference"] == other.reference, f"other payments are listed: {listed}")
        message = f"paytoken: a payment is not listed: {found['faults'][0]}.\n"
        check(listed.stderr.decode() == message, f"another message: {listed.stderr}")
        service.expect(503, "GET", f"/v1/payments/{newer.reference}", code="ledger-unavailable")


def described(shop):
    """The metrics have Prometheus' form, and the description is one of OpenAPI 3.1 and fits requests and answers."""
    accounts = "bepaid", "worldline-direct", "intergiro"
    with Service(shop, "--allow", f"{os.getuid()}=operate", accounts=accounts) as service:
        paid, paged = Purchase(service, 1_400), Purchase(service, 1_401, "worldline-direct")
        refund = f"/v1/payments/{paid.reference}/refund"
        bodies = {"/v1/pay": paid.body(), "/v1/page": paged.page_body(), "/v1/verify": {"token": paid.token},
                  "/v1/decrypt": Purchase(service, 1_402).claim_body(),
                  "/v1/cards": {"card": "card-1", "gateway": "intergiro"},
                  "/v1/session": {"gateway": "bepaid", "validationURL": "https://apple-pay-gateway.apple.com/x"},
                  "/v1/messages/{gateway}": message([], target="/return?RETURNMAC=1", method="GET")}
        first = {path: service.expect(200, "POST", path.format(gateway="bepaid"), body) for path, body in bodies.items()}
        others = [("pay", 200, paid.pay("paid")), ("pay", 200, Purchase(service, 40_200).pay("refused")),
                  ("pay", 200, Purchase(service, 30_300).pay("action-required")),
                  ("pay", 404, service.expect(404, "POST", "/v1/pay", {**paid.body(), "gateway": "adyen"})),
                  ("getSession", 200, first["/v1/session"]), ("receiveMessage", 200, first["/v1/messages/{gateway}"]),
                  ("getReadiness", 200, service.expect(200, "GET", "/readyz"))]
        headers, body = service.hook.message("bepaid", paid.books()[0], paid.amount)
        # These have the members of the example.
        alike = [("pay", 200, first["/v1/pay"]), ("createPage", 200, first["/v1/page"]),
                 ("showPayment", 200, service.expect(200, "GET", f"/v1/payments/{paid.reference}")),
                 ("listPayments", 200, service.expect(200, "GET", "/v1/payments")),
                 ("listChanges", 200, service.expect(200, "GET", "/v1/changes")),
                 ("receiveMessage", 200, service.pass_on("bepaid", message(headers, body), status=200)),
                 ("verifyToken", 200, first["/v1/verify"]), ("decryptToken", 200, first["/v1/decrypt"]),
                 ("addCard", 200, first["/v1/cards"]), ("getHealth", 200, service.expect(200, "GET", "/healthz")),
                 ("refundPayment", 200, service.expect(200, "POST", refund, {"amount": 100, "reason": "returned"})),
                 ("refundPayment", 422, service.expect(
                     422, "POST", refund, {"amount": 9_999, "reason": "returned", "operation": "x"})),
                 ("showPayment", 404, service.expect(404, "GET", "/v1/payments/none")),
                 ("pay", 404, service.expect(404, "POST", "/v1/pay", {**paid.body(), "again": "00"})),
                 ("pay", 400, service.expect(400, "POST", "/v1/pay", paid.body(amount="1"))),
                 ("listChanges", 409, service.expect(409, "GET", f"/v1/changes?after=1.{'5e' * 16}")),
                 ("getHealth", 405, service.expect(405, "POST", "/healthz", {}))]
        wait_until(lambda: any(line.get("code") for line in service.audit("refund")), "the refused refund is not in the audit log")
        refused = [line for line in service.audit("refund") if line.get("code")]
        check(len(refused) == 1 and "outcome" not in refused[0], f"the refused refund is logged otherwise: {refused}")
        status, text, headers = service.ask("GET", "/metrics")
        check(status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4"), f"{status} {headers}")
        line = re.compile(r'[a-z_:]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [0-9.e+-]+|# (HELP|TYPE) .*')
        check(all(line.fullmatch(part) for part in text.splitlines()), f"not a metric: {text}")
        for part in ('paytoken_outcomes_total{gateway="bepaid",kind="pay",outcome="paid",origin=""} 2',
                     'paytoken_outcomes_total{gateway="worldline-direct",kind="page",outcome="action-required",origin=""} 1',
                     "paytoken_claim_seconds_count 5", 'paytoken_exchanges_total{result="answer"} '):
            check(part in text, f"{part} is missing: {text}")
    made = run([shop.paytokend, "--describe"])
    check(made.returncode == 0, made.stderr.decode())
    description = json.loads(made.stdout)
    operations = {operation["operationId"]: operation
                  for methods in description["paths"].values() for operation in methods.values()}
    try:
        from jsonschema import Draft202012Validator
        from openapi_spec_validator import validate
        validate(description)
    except ImportError:
        print("skipped: openapi-spec-validator is not installed")
        Draft202012Validator = None

    def compare(value, schema, where):
        """Checks a value if the validator is installed; the schema may refer to the description's components."""
        if Draft202012Validator:
            faults = list(Draft202012Validator({**schema, "components": description["components"]}).iter_errors(value))
            check(not faults, f"{where}: {faults}")
    for path, body in bodies.items():
        post = description["paths"][path]["post"]
        schema = post["requestBody"]["content"]["application/json"]["schema"]
        check(set(schema["required"]) <= set(body) <= set(schema["properties"]), f"{path}: {list(body)}, not {schema}")
        compare(body, schema, path)
        wanted = "Needs the role pay or reveal." if path == "/v1/decrypt" else "Needs the role pay."
        check(post["description"].endswith(wanted), f"{path}: {post['description']}")

    def resolve(part):
        """Returns what a part of the description refers to, or itself."""
        _, _, kind, name = part.get("$ref", "///").split("/")
        return description["components"][kind][name] if name else part
    for name, operation in operations.items():
        for status, answer in operation["responses"].items():
            [content] = resolve(answer)["content"].values()
            compare(content["example"], content["schema"], f"{name}: the example of {status}")
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]["application/json"]
            compare(content["example"], content["schema"], f"{name}: the example of the body")
    for name, status, answer in alike + others:
        content = resolve(operations[name]["responses"][str(status)])["content"]["application/json"]
        extra = set(answer) - set(resolve(content["schema"]).get("properties", answer))
        check(not extra, f"the schema of {name} lacks {extra}")
        compare(answer, content["schema"], name)
        if (name, status, answer) in alike:
            check(shape(answer) == shape(content["example"]), f"{name}: {answer}, not as the example {content['example']}")


def shape(value):
    """Returns the names of an object's members, or those of the first element of each array of objects in it, too."""
    return {name: shape(part[0]) if isinstance(part, list) and part and isinstance(part[0], dict) else
            shape(part) if isinstance(part, dict) else None for name, part in value.items()}


def stated(shop):
    """Every status that a path has answered in this run is in its description."""
    description = json.loads(run([shop.paytokend, "--describe"]).stdout)
    found = set()
    for path, methods in description["paths"].items():
        described = {status for operation in methods.values() for status in operation["responses"]}
        pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
        answered = {str(status) for target, status in Connection.answered if pattern.fullmatch(target.split("?")[0])}
        check(answered <= described, f"{path}: {answered - described} are not described")
        found |= answered
    check({"200", "400", "403", "404", "405", "409", "422", "500", "503"} <= found, f"only these statuses: {found}")


def clients(shop):
    """The example clients pay, and claim tokens, in each language that this machine has."""
    with Service(shop, "--allow", f"{os.getuid()}=reveal") as service:
        files = service.folder / "token.json", service.folder / "order.json"

        def write(order):
            for file, part in zip(files, ("token", "order")):
                file.write_text(json.dumps(order.body()[part]))
        missing = [language for language in COMMANDS if not Client.is_installed(language)]
        for language in COMMANDS:
            if language in missing:
                continue
            client = Client(language, service.folder)
            for amount, outcome, status in ((1_500, "paid", 0), (40_200, "refused", 1)):
                order = Purchase(service, amount)
                write(order)
                ended = client.run(service.socket, "bepaid", *files, limit=90)
                check((ended.returncode, ended.stdout) == (status, f"{outcome}\n"), f"{language}: {ended}")
                order.expect_one_charge(outcome)
            client, order = Client(language, service.folder, "decrypt"), Purchase(service, 1_501)
            write(order)
            ended = client.run(service.socket, *files, limit=90)
            check(ended.returncode == 0, f"{language}: {ended}")
            found = json.loads(ended.stdout)
            check(found["claimed"] and found["paymentData"]["transactionAmount"] == 1_501, f"{language}: {found}")
            ended = client.run(service.socket, *files, limit=90)
            wanted = 1, "The transaction was claimed before.\n"
            check((ended.returncode, ended.stdout) == wanted, f"{language}: {ended}")
        if missing:
            print(f"skipped: this machine has no {', '.join(missing)}")


def main():
    programs = folder()
    rounds = int(os.environ.get("KILLED_PROCESSES", "20"))
    with Shop.open(programs) as shop:
        for course in (payments, tokens, claims, decisions, changed, unlogged, messages, clients, malformed, mistaken, roles, flood,
                       fair, marks, reload, away, clock, separated, sessions, raced, ending, waiting, lying, systemd, confined,
                       resolving, guarded, moved, unreadable, described, load, stated):
            begin = time.monotonic()
            course(shop)
            print(f"{course.__name__}: {course.__doc__.splitlines()[0]} ({time.monotonic() - begin:.1f} s)", flush=True)
        killed(shop, rounds)


if __name__ == "__main__":
    main()
