#!/usr/bin/env python3
"""Runs the clients of Examples/Clients, which OtherLanguages.md shows, with the built command: answers and refusals, a process that
is killed, one that hangs, new keys, no keys, and claims. Needs PHP and Node; takes the folder of the programs.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from programs import LIMIT, Program, check, folder, run  # noqa: E402

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "Examples/Clients"
ORDER = {"amount": 1099, "currency": "EUR"}
# The greatest number of tokens that wait in Node, and the seconds after which an answer is late.
MOST, LATE = 20, 5

# Programs that call a client for each line that they read: an array of a token and an order, or a text to restart.
PYTHON = """
import json, sys
from paytoken import Paytoken
client = Paytoken(*sys.argv[2:], seconds=int(sys.argv[1]))
for line in sys.stdin:
    call = json.loads(line)
    try:
        answer = client.decrypt(*call) if isinstance(call, list) else client.restart()
    except RuntimeError as error:
        answer = str(error)
    print(json.dumps(answer), flush=True)
"""
PHP = """<?php
require 'Paytoken.php';
$client = new Paytoken(array_slice($argv, 2), (int) $argv[1]);
while (($line = fgets(STDIN)) !== false) {
    $call = json_decode($line, true);
    try {
        $answer = is_array($call) ? $client->decrypt(...$call) : $client->restart();
    } catch (RuntimeException $error) {
        $answer = $error->getMessage();
    }
    echo json_encode($answer), "\\n";
}
"""
NODE = f"""
import {{ createInterface }} from "node:readline";
import {{ Paytoken }} from "./paytoken.mjs";
const client = new Paytoken(process.argv.slice(3), process.argv[2] * 1000, {MOST});
createInterface({{ input: process.stdin }}).on("line", async (line) => {{
  const call = JSON.parse(line);
  const answer = Array.isArray(call) ? client.decrypt(...call).catch((error) => error.message) : client.restart() ?? null;
  console.log(JSON.stringify(await answer));
}}).on("close", () => client.restart());
"""


class Shop:
    """A PKI, tokens for its merchants, and a folder of keys to which a key can be added."""

    def __init__(self, programs, work):
        self.programs, self.work = programs, work
        self.do("paytoken-testing", "pki", "--out", work / "pki")
        self.accepted = [self.token("one") for _ in range(30)]
        self.refused = self.token("one", "--fault", "signature/message-digest-mismatch")
        self.rotated = self.token("three")

    def do(self, program, *words, **options):
        done = run([self.programs / program, *words], **options)
        check(done.returncode == 0, done.stderr.decode())
        return done.stdout.decode()

    def token(self, merchant, *options):
        return self.do("paytoken-testing", "token", "--pki", self.work / "pki", "--for",
                       self.work / f"pki/merchants/{merchant}.cert.pem", "--amount", "1099", "--currency", "EUR", *options)

    def add_key(self, merchant, keys):
        for file in (self.work / "pki/merchants").glob(f"{merchant}.*"):
            shutil.copy(file, keys)

    def options(self, name):
        """Returns the command's options with keys of merchant one and a ledger of their own."""
        keys, ledger = self.work / f"{name}-keys", self.work / f"{name}-ledger"
        keys.mkdir()
        self.add_key("one", keys)
        self.do("paytoken", "ledger", "init", "--window", "300", "--ledger", ledger)
        return keys, ["--keys", keys, "--ledger", ledger, "--test-trust-anchor", self.work / "pki/root.pem"]


class Client:
    """A program that uses one of the clients."""

    def __init__(self, shop, name, words, text, options=()):
        self.shop, self.name = shop, name
        self.keys, self.options = (None, options) if options else shop.options(name)
        files = shop.work / name
        shutil.copytree(CLIENTS, files)
        (files / words[-1]).write_text(text)
        environment = {**os.environ, "PATH": f"{shop.programs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        self.program = Program([*words, str(LATE), *self.options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=shop.work / f"{name}-error", cwd=files, env=environment)

        # Processes that share a client by mistake have other identifiers.
        self.prefix = "" if words[0] == "node" else f"{self.program.pid}-"

    def send(self, *calls):
        self.program.stdin.write(b"".join(json.dumps(call).encode() + b"\n" for call in calls))
        self.program.stdin.flush()

    def receive(self):
        line = self.program.stdout.readline()
        check(line, f"{self.name} ended: {(self.shop.work / f'{self.name}-error').read_text()}")
        return json.loads(line)

    def call(self, token, order=ORDER):
        self.send([token, order])
        return self.receive()

    def command(self):
        """Returns the number of the one process of the command."""
        tasks = pathlib.Path(f"/proc/{self.program.pid}/task").iterdir()
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()
                    if pathlib.Path(f"/proc/{child}/stat").read_text().split()[2] != "Z"]
        check(len(children) == 1, f"{self.name} has {len(children)} processes of the command")
        return children[0]

    def expect(self, answer, code=None, transaction=None):
        """Expects an acceptance, of this transaction if it is given, or a refusal with a code."""
        check(isinstance(answer, dict) and str(answer["id"]).startswith(self.prefix) and answer.get("code") == code and (answer["status"] == "ok") == (code is None)
              and transaction in (None, answer.get("transactionId")), f"{self.name}: {answer} in place of {code or 'an acceptance'}")
        return answer

    def expect_failure(self, answer, message="paytoken ended, or its answer is late"):
        check(answer == message, f"{self.name}: {answer} in place of a failure")

    def ended(self, process):
        """Waits until a process has ended, even if its parent has not asked for its status."""
        limit = time.monotonic() + LIMIT
        while os.path.exists(f"/proc/{process}/stat") and \
                pathlib.Path(f"/proc/{process}/stat").read_text().split()[2] != "Z":
            check(time.monotonic() < limit, f"{self.name}: the process does not end")
            time.sleep(0.02)

    def run(self):
        """Calls the client; returns the answers that all clients must give."""
        shop, tokens = self.shop, iter(self.shop.accepted)
        first = next(tokens)
        answers = [self.expect(self.call(first)), self.expect(self.call(shop.refused), "message-digest-mismatch"),
                   self.expect(self.call(first), "already-claimed"),
                   self.expect(self.call(next(tokens), {**ORDER, "amount": 1100}), "order-mismatch"),
                   self.expect(self.call("no token \u2028 \U0001f600"), "unexpected-character")]
        transaction = answers[0]["transactionId"]

        # Many calls at once: every answer is that to its token.
        some = [next(tokens) for _ in range(10)]
        self.send(*([token, ORDER] for token in some))
        many = [self.expect(self.receive()) for _ in some]
        alone = [json.loads(run([shop.programs / "paytoken", "decrypt", *self.options[:2], *self.options[4:]],
                                input=token.encode()).stdout) for token in some]
        for member in ("transactionId", "paymentData"):
            check([answer[member] for answer in many] == [answer[member] for answer in alone], f"{self.name}: other answers")
        answers += many

        # A process that is killed: one call fails, and the next one starts another process.
        process = self.command()
        os.kill(process, signal.SIGKILL)
        self.ended(process)
        token = next(tokens)
        answer = self.call(token)
        if isinstance(answer, str):
            self.expect_failure(answer)
            answer = self.call(token)
        self.expect(answer)

        # A process that hangs: the call fails when its answer is late, and nothing is claimed for it.
        process, token = self.command(), next(tokens)
        os.kill(process, signal.SIGSTOP)
        begin = time.monotonic()
        self.expect_failure(self.call(token))
        check(LATE - 1 < time.monotonic() - begin < LATE + 20, f"{self.name}: the time limit has no effect")
        os.kill(process, signal.SIGCONT)
        self.ended(process)
        self.expect(self.call(token))

        # Another key is used after a restart, and claims remain.
        self.expect(self.call(shop.rotated), "no-key-with-hash")
        shop.add_key("three", self.keys)
        self.expect(self.call(shop.rotated), "no-key-with-hash")
        process = self.command()
        self.send("restart")
        check(self.receive() is None, f"{self.name}: restart fails")
        self.ended(process)
        self.expect(self.call(shop.rotated))
        self.expect(self.call(first), "already-claimed", transaction)
        self.close()
        return [{name: value for name, value in answer.items() if name not in ("id", "serial", "agePolicy")}
                for answer in answers]

    def close(self):
        """Ends the program: its process of the command ends, too."""
        process = self.command()
        self.program.stdin.close()
        check(self.program.finish() == 0, f"{self.name}: exit {self.program.returncode}")
        self.ended(process)


def wait_in_node(client):
    """Sends more tokens than may wait: those above the limit fail at once, and the others are answered."""
    tokens = client.shop.accepted
    client.expect(client.call(tokens[0]))
    process = client.command()
    os.kill(process, signal.SIGSTOP)
    client.send(*([tokens[0], ORDER] for _ in range(MOST + 3)))
    for _ in range(3):
        client.expect_failure(client.receive(), "too many tokens wait for paytoken")
    os.kill(process, signal.SIGCONT)
    for _ in range(MOST):
        client.expect(client.receive(), "already-claimed")
    # Those that wait are answered although the client restarts.
    client.send([tokens[1], ORDER], "restart", [tokens[2], ORDER])
    check(sorted(map(type, [client.receive() for _ in range(3)]), key=str) == [type(None), dict, dict], "restart loses answers")
    client.close()


def main(shop):
    programs = {"Python": ([sys.executable, "main.py"], PYTHON), "PHP": (["php", "main.php"], PHP),
                "Node": (["node", "main.mjs"], NODE)}
    found = []
    for name, (words, text) in programs.items():
        client = Client(shop, name, words, text)
        with client.program:
            found.append(client.run())
        check(found[-1] == found[0], f"{name} has other answers than Python: {found[-1]}\n{found[0]}")
        without = Client(shop, f"{name} without keys", words, text, ["--keys", "no-such-folder"])
        with without.program:
            for _ in range(2):
                without.expect_failure(without.call(shop.refused))
        error = (shop.work / f"{without.name}-error").read_text()
        check("no-such-folder" in error, f"{without.name}: standard error is {error}")
        print(f"{name}: {len(found[-1])} answers, a killed, a stopped and a restarted process, and one without keys", flush=True)
    client = Client(shop, "Node again", *programs["Node"])
    with client.program:
        wait_in_node(client)


with tempfile.TemporaryDirectory() as work:
    main(Shop(folder(), pathlib.Path(work)))
