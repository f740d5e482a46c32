#!/usr/bin/env python3
"""Runs the example clients of the service against a server that gives fixed answers.

Each program in Examples/Service pays an order over a Unix socket with its language's standard library. The script
checks what it sends, what it prints and its exit status: for every outcome, refusals, an answer that is cut or missing,
and a service that does not run. It needs Debian's packages golang-go, default-jdk-headless, nodejs, perl, php-cli, php-curl,
python3 and ruby; the names of clients limit it to these.

usage: service_clients.py [CLIENT]...     exit 0 if all clients behave
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "Examples/Service"
COMMANDS = {
    "go": "go build -o {work}/pay-go {clients}/pay.go && exec {work}/pay-go",
    "java": "javac -d {work} {clients}/Pay.java && exec java -cp {work} Pay",
    "node": "exec node {clients}/pay.js",
    "perl": "exec perl {clients}/pay.pl",
    "php": "exec php {clients}/pay.php",
    "python": "exec /usr/bin/python3 {clients}/pay.py",
    "ruby": "exec ruby {clients}/pay.rb",
}
TOKEN = {"data": "A" * 4000 + "\u00e9", "version": "EC_v1"}
ORDER = {"reference": "order-1001", "amount": 1099, "currency": "EUR"}
EXITS = {"paid": 0, "refused": 1, "returned": 1, "action-required": 4, "pending": 4, "returning": 4, "unknown": 5,
         "authorized": 6, "partly-authorized": 6, "partly-paid": 6, "partly-returned": 6, "a-new-word": 5}
REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden", 422: "Unprocessable Content", 500: "Internal Server Error",
           503: "Service Unavailable"}


def response(status, members, count=None):
    """Returns the bytes of an answer, with the head that the service writes."""
    body = json.dumps(members, separators=(",", ":")).encode()
    head = (f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            "Cache-Control: no-store\r\nConnection: close\r\n\r\n")
    return head.encode() + body[:count]


PAID = {"reference": "order-1001", "outcome": "paid", "gateway": "adyen", "amount": 1099}
# What the server answers, what the client prints, and its exit status; a number is how many seconds the server is silent.
CASES = [(f"the outcome {word}", response(200, PAID | {"outcome": word}), word, status) for word, status in EXITS.items()] + [
    ("a refused token", response(422, {"status": "error", "message": "The token is too old."}), "The token is too old.", 1),
    ("a malformed request", response(400, {"status": "error", "message": "A field."}), "A field.", 2),
    ("a missing role", response(403, {"status": "error", "message": "A role."}), "A role.", 2),
    ("a busy service", response(503, {"status": "error", "message": "Busy."}), "Busy.", 3),
    ("an internal error", response(500, {"status": "error", "message": "Internal."}), "Internal.", 5),
    ("an outcome that is missing", response(200, {}), "unknown", 5),
    ("a list instead of an object", response(200, []), "unknown", 5),
    ("a refusal without a message", response(422, {}), "unknown", 5),
    ("an answer that is cut in its body", response(200, PAID, -5), "unknown", 5),
    ("an answer that is cut in its head", response(200, PAID)[:30], "unknown", 5),
    ("another protocol", b"220 mail\r\n\r\n", "unknown", 5),
    ("no answer", b"", "unknown", 5),
    ("silence", 4, "unknown", 5),
]


class Server:
    """Answers one request after another, each on its own connection, and keeps what it received."""

    def __init__(self, path):
        self.answer, self.heads, self.bodies, self.count = b"", [], [], 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.socket.accept()
            self.count += 1
            with client, client.makefile("rb") as sent:
                lines = list(iter(sent.readline, b"\r\n"))
                fields = dict(line.decode().strip().lower().split(": ", 1) for line in lines[1:])
                self.heads.append((lines[0].decode().strip(), fields))
                self.bodies.append(sent.read(int(fields["content-length"])))
                if isinstance(self.answer, int):
                    time.sleep(self.answer)
                else:
                    client.sendall(self.answer)


class Client:
    """A client, which is built in a folder if its language needs it."""

    def __init__(self, name, work):
        *builds, self.command = COMMANDS[name].format(work=work, clients=CLIENTS).split(" && ")
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(work), "GO111MODULE": "off"}
        for step in builds:
            subprocess.run(["sh", "-c", step], check=True, env=self.environment)

    def pay(self, socket_path, gateway, token, order, limit):
        """Pays, waiting for the answer for at most so many seconds; returns the ended process."""
        words = [socket_path, gateway, token, order]
        return subprocess.run(["sh", "-c", self.command + ' "$@"', "sh", *words], capture_output=True, text=True,
                              env={**self.environment, "TIMEOUT": str(limit)}, timeout=60 + limit)

    @staticmethod
    def is_installed(name):
        """Returns whether this machine has the client's language."""
        programs = {"go": "go", "java": "javac", "node": "node", "perl": "perl", "php": "php", "ruby": "ruby"}
        return shutil.which(programs.get(name, "python3"), path="/usr/bin:/bin") is not None


def check(name, work):
    """Returns what a client does wrong."""
    server = Server(f"{work}/{name}")
    client = Client(name, work)

    def run(path, token="token"):
        return client.pay(path, "adyen", f"{work}/{token}.json", f"{work}/order.json", 2)

    wrong = []
    for case, answer, printed, status in CASES:
        server.answer = answer
        connections = server.count
        result = run(f"{work}/{name}")
        if (result.returncode, result.stdout) != (status, printed + "\n"):
            wrong.append(f"{case}: exit {result.returncode}, {result.stdout!r} {result.stderr[-300:]!r}")
        if server.count != connections + 1:
            wrong.append(f"{case}: {server.count - connections} connections")
    for line, fields in server.heads:
        given = line, fields.get("paytoken-request"), fields.get("content-type"), "transfer-encoding" in fields
        if given != ("POST /v1/pay HTTP/1.1", "true", "application/json", False):
            wrong.append(f"the head {given}")
    for body in server.bodies:
        if json.loads(body) != {"gateway": "adyen", "token": TOKEN, "order": ORDER}:
            wrong.append(f"the body {body[:80]!r}")
    for case, result in ("no service", run(f"{work}/none")), ("no token", run(f"{work}/{name}", "none")):
        if result.returncode != 3 or not result.stdout.startswith("not sent: "):
            wrong.append(f"{case}: exit {result.returncode}, {result.stdout!r} {result.stderr[-300:]!r}")
    return wrong


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        for name, value in ("token", TOKEN), ("order", ORDER):
            pathlib.Path(work, f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
        for name in sys.argv[1:] or COMMANDS:
            wrong = check(name, work)
            lines = [line for path in CLIENTS.iterdir() if str(path) in COMMANDS[name].format(work=work, clients=CLIENTS)
                     for line in path.read_text().splitlines()]
            if len(lines) > 25:
                wrong.append(f"{len(lines)} lines")
            print(f"{name}: {len(lines)} lines, {len(CASES) + 2} cases, {len(wrong)} wrong", *wrong, sep="\n  ", flush=True)
            failures += len(wrong)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
