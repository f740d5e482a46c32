#!/usr/bin/env python3
"""Checks that SIGINT and SIGTERM end the command within a second with exit status 130, even if the reader, the ledger or
a device hangs, and that this does not release the claim of a delivered answer. Takes the folder of paytoken.
"""
import fcntl
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from signal import SIGINT, SIGTERM

sys.dont_write_bytecode = True
from claims import PROJECT, VECTORS, Claims, Piped, errors  # noqa: E402
from programs import LIMIT, NOTHING, Program, check, folder, run  # noqa: E402

SIGNALS = {SIGTERM: "TERM", SIGINT: "INT"}


def interrupt(name, process, number):
    """Sends a signal, expects exit status 130 and returns the elapsed seconds.

    The limit has half a second for a loaded machine.
    """
    start = time.monotonic()
    process.send_signal(number)
    status = process.finish()
    seconds = time.monotonic() - start
    check(status == 130, f"{name}: exit {status} after {SIGNALS[number]}")
    check(seconds < 1.5, f"{name}: ended {seconds} s after {SIGNALS[number]}")
    print(f"{name}, {SIGNALS[number]}: exit 130 after {seconds:.2f} s", flush=True)
    return seconds


def hanging_reader(claims, number):
    for jobs in (1, 2):
        ledger = claims.new_ledger()
        with Piped(claims.batch(ledger, jobs), stderr=errors(ledger)) as process:
            found = process.read(1000 * jobs)
            process.wait_until_blocked()
            seconds = interrupt(f"a batch with {jobs} threads", process, number)
            written = len(found) + process.unread()
        claims.check("its claims", ledger, written, may_be_open=seconds > 0.9)
    one = [*claims.decrypt, claims.token]
    kept = [*one, "--ledger", claims.new_ledger()]
    for name, words in (("one token", one), ("one token with a ledger", kept)):
        with Piped(words, filled=4096) as process:
            process.wait_until_blocked()
            interrupt(name, process, number)
    check(run(kept).returncode == 0, "the claim was not released")


def endless_input(claims, number):
    """Interrupts a batch whose answers are read, and whose input does not end."""
    ledger = claims.new_ledger()
    words = [*claims.decrypt, "--batch", "--ledger", ledger]
    with Piped(words, stdin=subprocess.PIPE, stderr=errors(ledger)) as process:
        # Fewer bytes than fit into a pipe.
        process.stdin.write(claims.tokens.read_bytes()[:30_000])
        process.stdin.flush()
        found = process.read(500)
        process.send_signal(number)
        found += process.read(1 << 30)
        status = process.finish()
    check(status == 130, f"exit {status}")
    check(found.endswith(b"\n"), "the last line is not complete")
    claims.check(f"{SIGNALS[number]}, exit {status}", ledger, len(found))


def silent_input(claims, name, *words):
    with Piped([claims.paytoken, *name.split(), *words], stdin=subprocess.PIPE) as process:
        process.wait_until_blocked()
        interrupt(name, process, SIGTERM)


def locked_ledger(claims):
    """Interrupts a batch that cannot release its claims, which stay open: this needs the lock of the ledger."""
    ledger = claims.new_ledger()
    with Piped(claims.batch(ledger)) as process:
        process.wait_until_blocked()
        with open(f"{ledger}.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            interrupt("a batch that cannot release", process, SIGTERM)


def device(claims, name, *flags):
    """Compiles the module; returns the words of a decrypt command that uses its key instead of the key in a file."""
    module, certificate = claims.work / f"{name}.so", claims.work / "one.der"
    source = pathlib.Path(__file__).resolve().with_name("hanging-module.c")
    subprocess.run(["openssl", "x509", "-in", VECTORS / "keys/one.cert.pem", "-outform", "der", "-out", certificate],
                   check=True, timeout=LIMIT)
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    f"-I{PROJECT}/Sources/Core/CApplePaySystem/include", f'-DCERTIFICATE="{certificate}"', *flags, source,
                    "-o", module], check=True, timeout=LIMIT)
    keys = [f"pkcs11:token=hanging?module-path={module}"]
    keys += [VECTORS / f"keys/{key}.{kind}.pem" for key in ("two", "three", "past") for kind in ("key", "cert")]
    return [*claims.decrypt[:2], *(word for key in keys for word in ("--keys", key)), *claims.decrypt[4:]]


def start(claims, words, stdout=NOTHING):
    """Starts the command, and returns once it calls the device."""
    messages = claims.work / "err"
    process = Program(words, stdout=stdout, stderr=messages)
    limit = time.monotonic() + 30
    while "hanging" not in messages.read_text().splitlines():
        if time.monotonic() > limit:
            process.kill()
            sys.exit(f"the module was not asked: {messages.read_text()}")
        time.sleep(0.02)
    return process


def slow_device(claims, words, jobs):
    """Interrupts a batch: its answers are in order and without gaps, and only the claims of delivered answers stay."""
    ledger, output = claims.new_ledger(), claims.work / f"answers-{jobs}"
    batch = [*words, "--batch", claims.tokens, "--jobs", str(jobs), "--ledger", ledger]
    with start(claims, batch, output) as process:
        interrupt(f"a batch with {jobs} threads", process, SIGTERM)
    lines = output.read_bytes().splitlines(keepends=True)
    check(0 < len(lines) < len(claims.answers) and lines[-1].endswith(b"\n"), "not some complete lines")
    kept = []
    for line, expected in zip(map(json.loads, lines), claims.answers):
        if line.get("code") != "key-unavailable":
            check(line["transactionId"] == expected.transaction, "answers are not in order")
            kept.append(expected.transaction)
    claimed = [answer.transaction for answer, verdict in zip(claims.answers, claims.verdicts(ledger))
               if verdict["status"] != "ok"]
    check(claimed == kept, "other claims are kept than those of the answers")
    print(f"{len(lines)} of {len(claims.answers)} lines answered, {len(kept)} claims kept")


def main(claims):
    print("\n# A reader that hangs")
    for number in SIGNALS:
        hanging_reader(claims, number)

    print("\n# A reader that reads on, and input that does not end")
    for number in SIGNALS:
        endless_input(claims, number)

    print("\n# Standard input that never comes")
    for name in ("verify", "inspect", "verify --batch"):
        silent_input(claims, name)
    silent_input(claims, "conform", "-", "--keys", VECTORS / "keys", "--trust-anchor", VECTORS / "pki/root.pem")

    print("\n# A ledger that hangs")
    locked_ledger(claims)

    print("\n# A device that hangs")
    if not shutil.which("cc") or not shutil.which("openssl"):
        print("skipped: there is no compiler or no openssl here")
        return
    words, ledger = device(claims, "hanging"), claims.new_ledger()
    for name, more in (("decrypt", [claims.token]), ("decrypt --ledger", [claims.token, "--ledger", ledger]),
                       ("decrypt --batch", ["--batch", claims.tokens]),
                       ("decrypt --batch --ledger", ["--batch", claims.tokens, "--ledger", ledger])):
        for number in SIGNALS:
            with start(claims, words + more) as process:
                interrupt(name, process, number)

    print("\n# A device that is slow")
    words = device(claims, "slow", "-DDELAY=15000")
    for jobs in (1, 2):
        slow_device(claims, words, jobs)


with tempfile.TemporaryDirectory() as work:
    main(Claims(folder(), work))
