#!/usr/bin/env python3
"""Runs the example clients of the service against a server that gives fixed answers.

In Examples/Service, a program in each language pays an order over a Unix socket, and another one claims a token and
gets its payment data, with the language's standard library. The script checks what they send, what they print and their
exit status: for every outcome, refusals, an answer that is cut or missing, and a service that does not run. It needs
Debian's packages golang-go, default-jdk-headless, nodejs, perl, php-cli, php-curl, python3 and ruby; the names of
languages limit it to these.

usage: service_clients.py [LANGUAGE]...     exit 0 if all clients behave
"""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "Examples/Service"
# How the program of a file is built, if it must be, and run.
COMMANDS = {
    "go": (".go", "go build -o {work}/{name}-go {file} && exec {work}/{name}-go"),
    "java": (".java", "javac -d {work} {file} && exec java -cp {work} {name}"),
    "node": (".js", "exec node {file}"),
    "perl": (".pl", "exec perl {file}"),
    "php": (".php", "exec php {file}"),
    "python": (".py", "exec /usr/bin/python3 {file}"),
    "ruby": (".rb", "exec ruby {file}"),
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
CLAIMED = {"status": "ok", "version": "EC_v1", "claimed": True, "paymentData": {"paymentData": {"eciIndicator": "7"}}}
# What the server answers, what the client prints, and its exit status; a number is how many seconds the server is silent.
FAILURES = [
    ("a refused token", response(422, {"status": "error", "message": "The token is too old."}), "The token is too old.", 1),
    ("a malformed request", response(400, {"status": "error", "message": "A field."}), "A field.", 2),
    ("a missing role", response(403, {"status": "error", "message": "A role."}), "A role.", 2),
    ("a busy service", response(503, {"status": "error", "message": "Busy."}), "Busy.", 3),
    ("an internal error", response(500, {"status": "error", "message": "Internal."}), "Internal.", 5),
    ("an answer without members", response(200, {}), "unknown", 5),
    ("a list instead of an object", response(200, []), "unknown", 5),
    ("nothing instead of an object", response(200, None), "unknown", 5),
    ("a refusal without a message", response(422, {}), "unknown", 5),
    ("an answer that is cut in its head", response(200, PAID)[:30], "unknown", 5),
    ("another protocol", b"220 mail\r\n\r\n", "unknown", 5),
    ("no answer", b"", "unknown", 5),
    ("silence", 4, "unknown", 5),
]
CASES = {
    "pay": [
        *((f"the outcome {word}", response(200, PAID | {"outcome": word}), word, EXITS[word]) for word in EXITS),
        ("an answer that is cut in its body", response(200, PAID, -1), "unknown", 5)] + FAILURES,
    "decrypt": [
        ("a claimed token", response(200, CLAIMED), CLAIMED, 0),
        ("a token that is not claimed", response(200, CLAIMED | {"claimed": False}), "unknown", 5),
        ("an answer that is cut in its body", response(200, CLAIMED, -1), "unknown", 5)] + FAILURES,
}
# The words before those of the token's and the order's file, and the members of the request besides these two.
WORDS = {"pay": ["adyen"], "decrypt": []}
MEMBERS = {"pay": {"gateway": "adyen"}, "decrypt": {"claim": True, "reveal": True}}


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
    """A program in a language, `pay` or `decrypt`, which is built in a folder if its language needs it."""

    def __init__(self, language, work, name="pay"):
        ending, command = COMMANDS[language]
        # The name of a class in Java is that of its file.
        name = name.title() if language == "java" else name
        self.file = CLIENTS / f"{name}{ending}"
        *builds, self.command = command.format(work=work, name=name, file=self.file).split(" && ")
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(work), "GO111MODULE": "off"}
        for step in builds:
            subprocess.run(["sh", "-c", step], check=True, env=self.environment)

    def run(self, *words, limit):
        """Runs the program, which waits for the answer for at most so many seconds; returns the ended process."""
        return subprocess.run(["sh", "-c", self.command + ' "$@"', "sh", *words], capture_output=True, text=True,
                              env={**self.environment, "TIMEOUT": str(limit)}, timeout=60 + limit)

    @staticmethod
    def is_installed(language):
        """Returns whether this machine has a language."""
        programs = {"java": "javac", "python": "python3"}
        return shutil.which(programs.get(language, language), path="/usr/bin:/bin") is not None


def has_printed(result, printed):
    """Returns whether a client printed a line, or in place of an object the JSON of that."""
    line, end, rest = result.stdout.partition("\n")
    with contextlib.suppress(ValueError):
        line = line if isinstance(printed, str) else json.loads(line)
    return (line, end, rest) == (printed, "\n", "")


def check(language, name, work):
    """Runs all cases with a client; returns the client, and what it does wrong."""
    path = f"{work}/{language}-{name}"
    server = Server(path)
    client = Client(language, work, name)

    def run(path, token="token"):
        return client.run(path, *WORDS[name], f"{work}/{token}.json", f"{work}/order.json", limit=2)

    wrong = []
    for case, answer, printed, status in CASES[name]:
        server.answer = answer
        connections = server.count
        result = run(path)
        if result.returncode != status or not has_printed(result, printed):
            wrong.append(f"{case}: exit {result.returncode}, {result.stdout!r} {result.stderr[-300:]!r}")
        if server.count != connections + 1:
            wrong.append(f"{case}: {server.count - connections} connections")
    for line, fields in server.heads:
        given = line, fields.get("paytoken-request"), fields.get("content-type"), "transfer-encoding" in fields
        if given != (f"POST /v1/{name} HTTP/1.1", "true", "application/json", False):
            wrong.append(f"the head {given}")
    for body in server.bodies:
        if json.loads(body) != {"token": TOKEN, "order": ORDER, **MEMBERS[name]}:
            wrong.append(f"the body {body[:80]!r}")
    for case, result in ("no service", run(f"{work}/none")), ("no token", run(path, "none")):
        if result.returncode != 3 or not result.stdout.startswith("not sent: "):
            wrong.append(f"{case}: exit {result.returncode}, {result.stdout!r} {result.stderr[-300:]!r}")
    return client, wrong


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        for file, value in ("token", TOKEN), ("order", ORDER):
            pathlib.Path(work, f"{file}.json").write_text(json.dumps(value), encoding="utf-8")
        for language in sys.argv[1:] or COMMANDS:
            for name, cases in CASES.items():
                client, wrong = check(language, name, work)
                count = len(client.file.read_text().splitlines())
                if count > 25:
                    wrong.append(f"{count} lines")
                result = f"{client.file.name}: {count} lines, {len(cases) + 2} cases, {len(wrong)} wrong"
                print(result, *wrong, sep="\n  ", flush=True)
                failures += len(wrong)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
