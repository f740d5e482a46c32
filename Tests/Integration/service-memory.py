#!/usr/bin/env python3
"""Searches the memory of both processes of `paytokend` for keys, card data and the merchant identity, and measures
whether it grows, also by bodies that are never completed.

usage: service-memory.py FOLDER-OF-PROGRAMS    needs root, because the processes let nobody else read their memory

REQUESTS (20,000) is the number of requests of all kinds during which the resident memory must not grow: the median of the
last tenth may exceed that of the second tenth by 5 %. The first tenth fills caches and the memory that malloc keeps. The
pages of the ledger do not count, because SQLite keeps those that it has read, up to a limit, while orders make the ledger longer.
"""
import base64
import concurrent.futures
import contextlib
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import socket
import statistics
import struct
import sys
import threading
import time

sys.dont_write_bytecode = True
from orders import Relay  # noqa: E402
from programs import LIMIT, check, folder, run  # noqa: E402
from service import OTHER_USER, as_other_user, connect, open_to_all, run_as  # noqa: E402
from serving import Apple, Purchase, Service, message  # noqa: E402
from shop import Shop  # noqa: E402
from unix_http import Connection  # noqa: E402

CLIENTS = 8
GROWTH = 1.05
# What 256 connections may add to the memory, in KiB: some 45 each without bodies, and ServicePlaces.byteLimit with them.
NO_BODIES, ALL_BODIES = 16 << 10, 64 << 10
# PRAGMA cache_size of SQLiteConnection
PAGE_CACHE = 16 << 20


def memory(process, writable):
    """Returns the readable memory of a process, region by region, or only what it can write."""
    regions = []
    with open(f"/proc/{process}/mem", "rb", buffering=0) as file:
        for line in pathlib.Path(f"/proc/{process}/maps").read_text().splitlines():
            span, rights, rest = line.split(maxsplit=2)
            if "r" not in rights or writable and "w" not in rights or rest.endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            try:
                file.seek(start)
                found = b""
                while len(found) < end - start and (more := file.read(end - start - len(found))):
                    found += more
            except OSError:
                # The region has been given back since, or belongs to a device.
                continue
            regions.append(found)
    check(sum(map(len, regions)) > 1 << 20, "the memory cannot be read")
    return regions


def count(process, needles, writable=True):
    """Returns the names of the needles that are in a process's memory, with their numbers."""
    regions = memory(process, writable)
    found = {name: sum(region.count(needle) for region in regions) for name, needle in needles.items()}
    return {name: number for name, number in found.items() if number}


def key_needles(shop):
    """Returns the scalar of the merchant's key in both orders of bytes, and a line of the key's file."""
    file = shop.work / "pki/merchants/one.key.pem"
    der = run(["openssl", "pkey", "-in", file, "-outform", "DER"]).stdout
    # ECPrivateKey has version 1, then the scalar (RFC 5915 §3).
    scalar = der.partition(bytes.fromhex("0201010420"))[2][:32]
    check(len(scalar) == 32, "the key has no scalar")
    return {"the scalar": scalar, "the scalar, least byte first": scalar[::-1],
            "the key's file": file.read_bytes().splitlines()[1]}


def identity_needles(file):
    """Returns parts of the first prime of an RSA key, in both orders of bytes, and a line of the key's file."""
    shown = run(["openssl", "rsa", "-in", file, "-noout", "-text"]).stdout.decode()
    digits = re.search(r"^prime1:\n((?: +[0-9a-f:]+\n)+)", shown, re.M)[1]
    prime = bytes.fromhex(re.sub(r"[^0-9a-f]", "", digits))
    check(len(prime) == 129, f"the prime has {len(prime)} bytes")
    return {"the prime": prime[33:65], "the prime, least byte first": prime[33:65][::-1],
            "the identity's file": file.read_bytes().splitlines()[1]}


class Card(Purchase):
    """An order whose token has a known account number."""

    numbers = itertools.count(4_000_001_234_567_890, 7_919)

    def tap(self):
        pki = self.service.shop.work / "pki"
        self.number = str(next(self.numbers))
        made = run([self.service.shop.programs / "paytoken-testing", "token", "--pki", pki, "--for",
                    pki / "merchants/one.cert.pem", "--amount", str(self.amount), "--currency", "EUR",
                    "--account-number", self.number])
        check(made.returncode == 0, made.stderr.decode())
        self.token = json.loads(made.stdout)

    def needles(self, data):
        """Returns the account number and the cryptogram of revealed payment data, as text and as bytes."""
        check(data["applicationPrimaryAccountNumber"] == self.number, "another account number")
        cryptogram = data["paymentData"]["onlinePaymentCryptogram"]
        return {f"{self.reference}: account number": self.number.encode(),
                f"{self.reference}: cryptogram": cryptogram.encode(),
                f"{self.reference}: cryptogram's bytes": base64.b64decode(cryptogram)}


def secrets(shop):
    """Keys are in the process with the keys alone, the merchant identity in the one that sends, and card data only in
    requests that are being handled."""
    keys, apple = key_needles(shop), Apple(shop)
    identity, page = identity_needles(apple.identity), Apple.PAGE
    relay = Relay(shop.origin)
    relay.release()

    def expect_identity(service):
        server, sender = service.children()
        found = count(sender, identity, writable=False)
        check(found, "the search does not find the merchant identity where it must be")
        found = count(server, identity, writable=False)
        check(found == {}, f"in the process with the keys: {found}")
    # Both processes are started by one that gets the path of the identity. Nothing is at the proxy.
    with Service(shop, *apple.words[:4], "--proxy", "127.0.0.1:9") as service:
        service.expect(503, "POST", "/v1/session", page, code="not-connected")
        expect_identity(service)
    with Service(shop, "--allow", f"{os.getuid()}=reveal", relay=relay, split=True, sending=apple.words) as service:
        server, sender = service.children()
        ended = {}

        def pay(gateway):
            order = Card(service, 71_960, gateway)
            order.pay("paid")
            shown = service.expect(200, "POST", "/v1/decrypt", {"token": order.token, "reveal": True})
            service.expect(200, "POST", "/v1/decrypt", {"token": order.token})
            service.expect(200, "POST", "/v1/verify", {"token": order.token})
            service.expect(422, "POST", "/v1/decrypt", {"token": order.token, "order": {"amount": 1, "currency": "EUR"}})
            ended.update(order.needles(shown["paymentData"]))
            claimed = Card(service, 71_961)
            shown = service.expect(200, "POST", "/v1/decrypt", {**claimed.claim_body(), "reveal": True}, claimed=True)
            ended.update(claimed.needles(shown["paymentData"]))
            service.expect(200, "POST", "/v1/session", page, nonce="6f1")
        for gateway in ("bepaid", "worldline-direct") * 4:
            pay(gateway)
        check(count(server, keys, writable=False), "the search does not find the key where it must be")
        check(count(sender, keys, writable=False) == {}, f"in the sender: {count(sender, keys, writable=False)}")
        expect_identity(service)
        check(count(sender, ended, writable=False) == {}, f"in the sender: {count(sender, ended, writable=False)}")
        found = count(server, ended)
        check(found == {}, f"in the process with the keys: {found}")
        # A request that is being sent is in the sender, and no other one is.
        relay.released.clear()
        relay.held.clear()
        order = Card(service, 71_960, "worldline-direct")
        paying = threading.Thread(target=lambda: service.ask("POST", "/v1/pay", order.body()))
        paying.start()
        check(relay.held.wait(LIMIT), "no request came")
        number = {"the account number": order.number.encode()}
        sent, passed = count(sender, number), count(server, number)
        check(count(sender, {**keys, **ended}, writable=False) == {}, "a key or another card is in the sender")
        relay.release()
        paying.join()
        check(count(sender, number, writable=False) == {}, f"the sender keeps {count(sender, number, writable=False)}")
        check(count(server, number) == {}, f"the process with the keys keeps {count(server, number)}")
        check(sent and passed, f"the search does not find the account number of a request that is being sent: {sent} {passed}")
    print("keys, the merchant identity and card data are where they must be alone")


def frame(*parts):
    """Returns a request for the sender: texts, and numbers."""
    contents = b"".join(struct.pack(">q", part) if isinstance(part, int) else struct.pack(">q", len(part)) + part.encode()
                        for part in parts)
    return struct.pack(">I", len(contents)) + contents


def resident(process):
    """Returns the resident memory of a process, in KiB."""
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text())[1])


def cached(ledger):
    """Returns how much of a ledger SQLite may keep in memory, in KiB."""
    return min(ledger.stat().st_size, PAGE_CACHE) >> 10


def growth(shop, requests):
    """The resident memory of both processes does not grow."""
    accounts = "bepaid", "worldline-direct", "intergiro"
    with Service(shop, "--allow", f"{os.getuid()}=operate", "--allow", f"{os.getuid()}=reveal", accounts=accounts,
                 split=True, sending=Apple(shop).words) as service:
        server, sender = service.children()

        def asked():
            """Returns requests and their status, with a token that is accepted for the next five minutes."""
            paid = Purchase(service, 71_970)
            paid.pay("paid")
            altered = {**paid.token, "data": "AAAA" + paid.token["data"][4:]}
            order = f"/v1/payments/{paid.reference}"
            paged, claimed = Purchase(service, 71_971, "worldline-direct"), Purchase(service, 71_972)
            service.expect(200, "POST", "/v1/decrypt", claimed.claim_body(), claimed=True)
            of_bepaid = {"gateway": "bepaid", "validationURL": "https://apple-pay-gateway.apple.com/x"}
            back = message([], target="/?RETURNMAC=1&hostedCheckoutId=2", method="GET")
            kinds = [("POST", "/v1/decrypt", {"token": paid.token}, 200), ("POST", "/v1/verify", {"token": paid.token}, 200),
                     ("POST", "/v1/decrypt", {"token": paid.token, "reveal": True}, 200),
                     ("POST", "/v1/verify", {"token": altered}, 422), ("POST", "/v1/pay", paid.body(), 200),
                     ("POST", "/v1/pay", {**paid.body(), "x": 1}, 400), ("GET", order, None, 200), ("GET", "/v1/payments", None, 200),
                     ("POST", f"{order}/refund", {"amount": 1, "operation": "refund-1", "reason": "returned"}, 200), ("GET", "/v1/none", None, 404),
                     ("GET", "/v1/payments/none", None, 404), ("POST", "/v1/messages/bepaid", {"target": "/", "headers": [],
                                                                                               "body": ""}, 200),
                     ("GET", "/healthz", None, 200), ("GET", "/readyz", None, 200), ("GET", "/metrics", None, 200),
                     ("POST", "/v1/page", paged.page_body(), 200), ("POST", "/v1/decrypt", claimed.claim_body(), 422),
                     ("POST", "/v1/session", Apple.PAGE, 200),
                     ("POST", "/v1/session", {**Apple.PAGE, "domain": "shop"}, 400),
                     ("POST", "/v1/session", of_bepaid, 200), ("POST", "/v1/messages/worldline-direct", back, 200),
                     ("POST", "/v1/cards", {"card": "card-1", "gateway": "intergiro"}, 200)]
            # Later requests with the name of this operation change nothing.
            service.expect(200, *kinds[8][:3])
            return kinds, time.monotonic()
        current, lock = [asked()], threading.Lock()

        def kinds():
            with lock:
                if time.monotonic() - current[0][1] > 120:
                    current[0] = asked()
                return current[0][0]
        # A request to a gateway, which has the kind 0.
        passed = frame(0, "GET", shop.origin, "/none", 0, 0, 0, 2 ** 63 - 1)
        # After the last kind, a request to the process that sends follows.
        turns = len(current[0][0]) + 1
        samples = {server: [], sender: []}
        numbers = itertools.count()
        every = requests // 200

        def client():
            connection = Connection(service.socket)
            while (number := next(numbers)) < requests:
                if number % every == 0:
                    samples[server].append(resident(server) - cached(service.ledger))
                    samples[sender].append(resident(sender))
                if number % 500 == 250:
                    Purchase(service, 71_970, ("bepaid", "worldline-direct")[number // 500 % 2]).pay("paid")
                elif number % turns == turns - 1:
                    with socket.socket(socket.AF_UNIX) as sent:
                        sent.connect(str(service.folder / "run/sender"))
                        sent.sendall(passed)
                        length = struct.unpack(">I", sent.recv(4, socket.MSG_WAITALL))[0]
                        status = struct.unpack(">q", sent.recv(length, socket.MSG_WAITALL)[:8])[0]
                        check(status == 404, f"the sender passes on {status}")
                else:
                    method, target, body, status = kinds()[number % turns]
                    found = connection.ask(method, target, body)
                    check(found[0] == status, f"{method} {target}: {found}, not {status}")
                if number % 100 == 99:
                    connection.close()
            connection.close()
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            for running in [clients.submit(client) for _ in range(CLIENTS)]:
                running.result()
        for name, process in (("with the keys, without the ledger's pages", server), ("that sends", sender)):
            values = samples[process]
            tenth = len(values) // 10
            early, late = statistics.median(values[tenth:2 * tenth]), statistics.median(values[-tenth:])
            print(f"the process {name}: {early:.0f} KiB after the first tenth, {late:.0f} KiB at the end")
            check(late <= early * GROWTH, f"the process {name} grows: {values[::tenth]}")
        check(service.process.poll() is None and service.sender.poll() is None, "a process ended")
        print(f"{requests} requests in {time.monotonic() - begin:.0f} s: memory is flat")


def bodies(shop):
    """Unfinished bodies on all connections of two users take no memory without a role, and a limited amount with one."""
    users = OTHER_USER, OTHER_USER - 1
    allowed = [word for user in users for word in ("--allow", f"{user}=pay")]
    head = (b"POST /v1/messages/bepaid HTTP/1.1\r\nHost: x\r\nPaytoken-Request: true\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1048576\r\n\r\n")
    for options, most in ([], NO_BODIES), (allowed, ALL_BODIES):
        with Service(shop, "--allow", f"{OTHER_USER - 2}=pay", *options, split=True) as service:
            open_to_all(service)
            Purchase(service, 71_980).pay("paid")
            server, _ = service.children()
            before = resident(server)
            context = multiprocessing.get_context("fork")
            sent, end = context.Semaphore(0), context.Event()

            def take():
                """Sends all but the last byte of 128 bodies."""
                clients = []
                for _ in range(128):
                    clients.append(connect(service))
                    with contextlib.suppress(OSError):
                        clients[-1].sendall(head + bytes((1 << 20) - 1))
                sent.release()
                end.wait(LIMIT)

            def verify():
                with contextlib.suppress(OSError):
                    return service.ask("POST", "/v1/verify", {"token": purchase.token})[0]
            others = [run_as(user, take) for user in users]
            try:
                check(all(sent.acquire(timeout=LIMIT) for _ in others), "the bodies are not sent")
                grown = resident(server) - before
                purchase = Purchase(service, 71_981)
                found = as_other_user(verify, user=OTHER_USER - 2)
                print(f"{'with' if options else 'without'} a role, 256 bodies of 1 MiB take {grown} KiB; a third user gets {found}")
                check(grown <= most, f"more than {most} KiB")
                check(found == 200, "a third user gets no answer")
            finally:
                end.set()
                for process in others:
                    process.join(LIMIT)


def main():
    if os.getuid() != 0:
        print("skipped: only root can read the memory of the service")
        return
    programs = folder()
    with Shop.open(programs) as shop:
        secrets(shop)
        bodies(shop)
        growth(shop, int(os.environ.get("REQUESTS", "20000")))


if __name__ == "__main__":
    main()
