#!/usr/bin/env python3
"""Checks that SIGINT and SIGTERM end the command within a second with exit status 130, even if the reader, the ledger
or a device hangs; that the answers of a batch are complete lines in the order of the input; and that the claim of a
token stays, whatever happens to its answer. Takes the folder of paytoken.
"""
import fcntl
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from signal import SIGINT, SIGTERM

sys.dont_write_bytecode = True
from programs import LIMIT, NOTHING, Piped, Program, check, folder, run  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = PROJECT / "TestVectors/synthetic"
SIGNALS = {SIGTERM: "TERM", SIGINT: "INT"}


class Tokens:
    """All valid tokens of the vectors, one a line, in a folder, with the answers to them."""

    def __init__(self, programs, work):
        self.work = pathlib.Path(work)
        self.numbers = itertools.count(1)
        self.paytoken = programs / "paytoken"
        self.decrypt = [self.paytoken, "decrypt", "--keys", VECTORS / "keys", "--test-trust-anchor",
                        VECTORS / "pki/root.pem", "--any-age"]
        self.file, self.first = self.work / "tokens", self.work / "token"
        with open(VECTORS / "cases.jsonl", encoding="utf-8") as cases:
            tokens = [json.dumps(case["token"], separators=(",", ":")) + "\n" for case in map(json.loads, cases)
                      if case["expect"] == "accept" and isinstance(case["token"], dict)
                      and case["token"]["header"].get("transactionId")]
        self.file.write_text("".join(tokens))
        self.first.write_text(tokens[0])
        batch = run(self.batch())
        check(batch.returncode == 0, "a token is refused")
        self.answers = batch.stdout
        check(self.answers.count(b"\n") == len(tokens) >= 80, "too few tokens")

    def batch(self, jobs=1):
        return [*self.decrypt, "--batch", self.file, "--jobs", str(jobs)]

    def claim(self):
        """Returns the words that claim the first token in a new ledger."""
        ledger = self.work / f"ledger-{next(self.numbers)}"
        made = run([self.paytoken, "ledger", "init", "--window", "86400", "--ledger", ledger])
        check(made.returncode == 0, "no ledger")
        return [*self.decrypt, self.first, "--ledger", ledger]

    def expect_claim(self, claim, is_claimed):
        """Checks whether the transaction of `claim` was claimed, and that another claim has the fitting result."""
        transaction = json.loads(self.answers.partition(b"\n")[0])["transactionId"]
        shown = json.loads(run([self.paytoken, "ledger", "show", transaction, "--ledger", claim[-1]]).stdout)
        check(shown["claimed"] == is_claimed, f"{shown}")
        again = run(claim)
        found = json.loads(again.stdout)
        right = (1, "already-claimed") if is_claimed else (0, None)
        check((again.returncode, found.get("code")) == right, f"{found}")


def interrupt(name, process, number):
    """Sends a signal, and expects exit status 130 soon; the limit has half a second for a loaded machine."""
    start = time.monotonic()
    process.send_signal(number)
    status = process.finish()
    seconds = time.monotonic() - start
    check(status == 130, f"{name}: exit {status} after {SIGNALS[number]}")
    check(seconds < 1.5, f"{name}: ended {seconds} s after {SIGNALS[number]}")
    print(f"{name}, {SIGNALS[number]}: exit 130 after {seconds:.2f} s", flush=True)


def hanging_reader(tokens, number):
    for jobs in (1, 2):
        with Piped(tokens.batch(jobs)) as process:
            found = process.read(1000 * jobs)
            process.wait_until_blocked()
            interrupt(f"a batch with {jobs} threads", process, number)
            found += process.read(1 << 30)
        check(tokens.answers.startswith(found) and len(found) < len(tokens.answers), "the answers are not in order")
    claim = tokens.claim()
    for name, words in (("one token", [*tokens.decrypt, tokens.first]), ("one token with a ledger", claim)):
        with Piped(words, filled=4096) as process:
            process.wait_until_blocked()
            interrupt(name, process, number)
    tokens.expect_claim(claim, True)


def unwritten(tokens):
    """Claims a token whose answer cannot be written: the claim stays."""
    for name in ("a full disk", "a reader that has ended"):
        claim = tokens.claim()
        if name == "a full disk":
            with open("/dev/full", "wb") as full, Program(claim, stdout=full) as process:
                status = process.finish()
        else:
            with Piped(claim, filled=4096) as process:
                process.stdout.close()
                status = process.finish()
        check(status == 3, f"{name}: exit {status}")
        tokens.expect_claim(claim, True)
        print(f"{name}: exit {status}, the claim stays")


def endless_input(tokens, number):
    """Interrupts a batch whose answers are read, and whose input does not end: the last line is complete."""
    with Piped([*tokens.decrypt, "--batch"], stdin=subprocess.PIPE) as process:
        # Fewer bytes than fit into a pipe.
        process.stdin.write(tokens.file.read_bytes()[:30_000])
        process.stdin.flush()
        found = process.read(500)
        process.send_signal(number)
        found += process.read(1 << 30)
        status = process.finish()
    check(status == 130, f"exit {status}")
    check(found.endswith(b"\n") and tokens.answers.startswith(found), "the answers are not complete lines in order")
    count = found.count(b"\n")
    print(f"{SIGNALS[number]}: exit {status}, {count} lines are complete and in order")


def silent_input(tokens, name, *words):
    with Piped([tokens.paytoken, *name.split(), *words], stdin=subprocess.PIPE) as process:
        process.wait_until_blocked()
        interrupt(name, process, SIGTERM)


def locked_ledger(tokens, number):
    """Interrupts a claim that waits for others who write to the ledger: nothing is claimed."""
    claim = tokens.claim()
    with open(f"{claim[-1]}.lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with Piped(claim) as process:
            process.wait_until_blocked()
            interrupt("a claim in a locked ledger", process, number)
            check(not process.read(1), "a claim that was not made is answered")
    tokens.expect_claim(claim, False)


def device(tokens, name, *flags):
    """Compiles the module; returns the words of a decrypt command that uses its key instead of the key in a file."""
    module, certificate = tokens.work / f"{name}.so", tokens.work / "one.der"
    source = pathlib.Path(__file__).resolve().with_name("hanging-module.c")
    subprocess.run(["openssl", "x509", "-in", VECTORS / "keys/one.cert.pem", "-outform", "der", "-out", certificate],
                   check=True, timeout=LIMIT)
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    f"-I{PROJECT}/Sources/Core/CApplePaySystem/include", f'-DCERTIFICATE="{certificate}"',
                    f'-DKEY="{VECTORS}/keys/one.key.pem"', *flags, source, "-lcrypto", "-o", module], check=True, timeout=LIMIT)
    keys = [f"pkcs11:token=hanging?module-path={module}"]
    keys += [VECTORS / f"keys/{key}.{kind}.pem" for key in ("two", "three", "past") for kind in ("key", "cert")]
    return [*tokens.decrypt[:2], *(word for key in keys for word in ("--keys", key)), *tokens.decrypt[4:]]


def start(tokens, words, stdout=NOTHING):
    """Starts the command, and returns once it calls the device."""
    messages = tokens.work / "err"
    process = Program(words, stdout=stdout, stderr=messages)
    limit = time.monotonic() + 30
    while "hanging" not in messages.read_text().splitlines():
        if time.monotonic() > limit:
            process.kill()
            sys.exit(f"the module was not asked: {messages.read_text()}")
        time.sleep(0.02)
    return process


def slow_device(tokens, words, jobs):
    """Interrupts a batch: its answers are complete lines in the order of the input, without gaps."""
    output = tokens.work / f"answers-{jobs}"
    with start(tokens, [*words, "--batch", tokens.file, "--jobs", str(jobs)], output) as process:
        interrupt(f"a batch with {jobs} threads", process, SIGTERM)
    lines, expected = (text.splitlines(keepends=True) for text in (output.read_bytes(), tokens.answers))
    check(0 < len(lines) < len(expected) and lines[-1].endswith(b"\n"), "not some complete lines")
    # Tokens that the device did not open any more are refused.
    opened = [line == right for line, right in zip(lines, expected)]
    refused = [json.loads(line).get("code") == "key-unavailable" for line in lines]
    check(any(opened) and all(one != other for one, other in zip(opened, refused)), "the answers are not in order")
    print(f"{len(lines)} of {len(expected)} lines answered, of which {sum(opened)} were decrypted")


def main(tokens):
    print("\n# A reader that hangs, or cannot read")
    for number in SIGNALS:
        hanging_reader(tokens, number)
    unwritten(tokens)

    print("\n# A reader that reads on, and input that does not end")
    for number in SIGNALS:
        endless_input(tokens, number)

    print("\n# Standard input that never comes")
    for name in ("verify", "inspect", "verify --batch"):
        silent_input(tokens, name)

    print("\n# A ledger that hangs")
    for number in SIGNALS:
        locked_ledger(tokens, number)

    print("\n# A device that hangs")
    if not shutil.which("cc") or not shutil.which("openssl"):
        print("skipped: there is no compiler or no openssl here")
        return
    words, claim = device(tokens, "hanging"), tokens.claim()
    for name, more in (("decrypt", [tokens.first]), ("decrypt --ledger", claim[-3:]),
                       ("decrypt --batch", ["--batch", tokens.file])):
        for number in SIGNALS:
            with start(tokens, words + more) as process:
                interrupt(name, process, number)
    tokens.expect_claim(claim, False)

    print("\n# A device that is slow")
    words = device(tokens, "slow", "-DDELAY=15000")
    for jobs in (1, 2):
        slow_device(tokens, words, jobs)


with tempfile.TemporaryDirectory() as work:
    main(Tokens(folder(), work))
