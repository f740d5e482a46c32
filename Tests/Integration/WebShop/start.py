#!/usr/bin/env python3
"""Starts the shop on this machine: the gateways' sandbox, `paytokend` and its sender, the shop's two servers, and the
stand-ins for Apple Pay. Prints the addresses, and ends everything on Ctrl-C.

usage: start.py FOLDER    FOLDER contains the programs paytoken, paytoken-testing and gateway-sandbox; needs curl and openssl
"""
import contextlib
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from programs import Program, folder  # noqa: E402
from serving import Apple, Service, wait_until  # noqa: E402
from shop import Shop  # noqa: E402

GATEWAY = "bepaid"
APPLE = "https://applepay.cdn-apple.com"


def free_ports(count):
    with contextlib.ExitStack() as sockets:
        found = [sockets.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in found]


def is_open(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


class WebShop:
    """The running shop, with its addresses, its service and the folder of its files."""

    def __init__(self, shop, service):
        self.shop, self.service, self.work = shop, service, service.folder
        *self.ports, self.php_port = free_ports(4)
        self.origin, self.back_office, self.wallet, self.php = (
            f"http://127.0.0.1:{port}" for port in (*self.ports, self.php_port))
        self.settings = self.write("settings.json", {
            "origin": self.origin, "port": self.ports[0], "service": service.socket, "gateway": GATEWAY,
            "currency": "EUR", "orders": self.work / "shop.sqlite", "domain": "shop.example",
            "displayName": "Test shop", "applePayScript": f"{self.wallet}/apple-pay-session.js",
            "backOfficePort": self.ports[1], "backOfficeOrigin": self.back_office})
        self.stand_in = self.write("stand-in.json", {
            "port": self.ports[2], "shops": [self.origin, self.php], "pki": shop.work / "pki",
            "maker": shop.programs / "paytoken-testing"})

    def start(self, servers):
        """Starts the servers, each of which ends with the stack."""
        self.server, _, _ = (servers.enter_context(self.launch(*words)) for words in (
            ("server.py", self.settings), ("back_office.py", self.settings), ("StandIn/wallet.py", self.stand_in)))
        for port in self.ports:
            wait_until(lambda: is_open(port), f"port {port} is not served: {self.messages()}")

    @contextlib.contextmanager
    def documented(self):
        """Serves the page of the documentation and its server in PHP for a `with` block, with the stand-in in Apple's place."""
        folder = self.work / "documented"
        shutil.copytree(HERE.parents[2] / "Examples/Shop", folder)
        page = (folder / "page.html").read_text().replace(f"{APPLE}/jsapi/1.latest/apple-pay-sdk.js", f"{self.wallet}/apple-pay-session.js")
        (folder / "page.html").write_text(page.replace(APPLE, self.wallet))
        environment = {**os.environ, "SOCKET": str(self.service.socket), "ORDERS": str(self.work)}
        with Program(["php", "-S", f"127.0.0.1:{self.php_port}"], cwd=folder, env=environment):
            wait_until(lambda: is_open(self.php_port), "PHP's server does not start")
            yield

    def documented_order(self, amount):
        """Begins an order, and returns its reference."""
        reference = f"php-{secrets.token_hex(8)}"
        self.write(f"{reference}.json", {"reference": reference, "amount": amount, "currency": "EUR", "description": "Tea",
                                         "returnURL": f"{self.php}/page.html?{reference}"})
        return reference

    def launch(self, script, settings):
        messages = self.work / f"{pathlib.Path(script).stem}-messages"
        return Program([sys.executable, "-B", HERE / script, settings], stderr=messages)

    def write(self, name, members):
        (self.work / name).write_text(json.dumps(members, default=str, indent=4))
        return self.work / name

    def messages(self):
        return "".join(file.read_text() for file in self.work.glob("*-messages"))

    @classmethod
    @contextlib.contextmanager
    def open(cls, programs, *options):
        """Opens the shop for a `with` block, with options of the sandbox."""
        with Shop.open(programs, *options) as shop, \
                Service(shop, "--allow", f"{os.getuid()}=operate", accounts=(GATEWAY,), split=True,
                        sending=Apple(shop).words, changes={GATEWAY: {"payment": {"contract": ["recurring"]}}}) as service, \
                contextlib.ExitStack() as servers:
            web_shop = cls(shop, service)
            web_shop.start(servers)
            yield web_shop


def main():
    programs = folder()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit())
    with WebShop.open(programs, "--silence", "10", "--late", "20") as shop:
        print(f"The shop:         {shop.origin}\nIts back office:  {shop.back_office}\nThe books:        "
              f"{shop.shop.origin}/sandbox/payments\n\nCtrl-C ends everything.", flush=True)
        while True:
            signal.pause()


if __name__ == "__main__":
    main()
