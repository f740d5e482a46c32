#!/usr/bin/env python3
"""Makes each system call of an SQLite ledger fail, be incomplete, or end the process, and checks the ledger afterward.

Takes the folder of ledger-race and paytoken. FAULT_STEP=N tests only every N-th call. A copy of the database is read
without the library, and must show that a granted claim exists, that no transaction was granted twice, and that an error left
at most an open claim that `paytoken ledger show` lists.
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

products = os.path.realpath(sys.argv[1])
step = int(os.environ.get("FAULT_STEP", "1"))
here = os.path.dirname(os.path.realpath(__file__))
work = tempfile.mkdtemp()
folder = work + "/folder"
ledger = folder + "/ledger"
library = work + "/failing-calls.so"
subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", here + "/failing-calls.c", "-ldl", "-o", library],
               check=True)


def run(words, **faults):
    """Runs a program; returns its exit status, or minus the number of the signal that ended it, and its output."""
    environment = dict(os.environ, **faults)
    if faults:
        environment["LD_PRELOAD"] = library
    result = subprocess.run([products + "/" + words[0]] + words[1:], env=environment, capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout


def claim(**faults):
    return run(["ledger-race", "repeat", ledger, "5", "1", "1"], **faults)[0] == 0


def is_held():
    """Returns whether the transaction is claimed: a new claim is refused for this reason only."""
    return run(["ledger-race", "repeat", ledger, "5", "1", "0"])[0] == 0


def verb(*words, **faults):
    return run(["paytoken", "ledger"] + list(words) + ["--ledger", ledger], **faults)


def open_claims():
    status, output = verb("show")
    assert status == 0, "show failed"
    return [json.loads(line)["transactionId"] for line in output.splitlines()[1:]]


@contextlib.contextmanager
def copied():
    """Opens a copy of the database, so that nothing of the ledger is changed."""
    copy = work + "/copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    with contextlib.closing(sqlite3.connect(copy + "/ledger")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "damaged"
        yield connection


def entry(transaction):
    """Returns the serial and the state of a transaction, read without the library."""
    with copied() as connection:
        return connection.execute("SELECT serial, state FROM apple_pay_claims WHERE transaction_id = ?",
                                  (bytes.fromhex(transaction),)).fetchone()


def record(transaction):
    """Returns the state of a transaction."""
    found = entry(transaction)
    return found and found[1]


def settle(verb_name):
    """Confirms or releases the claim that the ledger shows; returns the exit status."""
    shown = json.loads(verb("show", transaction)[1])
    return verb(verb_name, transaction, "--serial", shown["serial"])[0]


def write_claims(records):
    """Writes claims, as a process would have done long ago."""
    with contextlib.closing(sqlite3.connect(ledger)) as connection, connection:
        connection.executemany("INSERT INTO apple_pay_claims VALUES (?, ?, ?, ?, 1)",
                               [(bytes.fromhex(name), "ab" * 16, state, signed) for name, state, signed in records])


def fresh():
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(work + "/template"):
        subprocess.run(["cp", "-a", work + "/template", folder], check=True)
    else:
        os.mkdir(folder, 0o700)
        assert verb("init", "--window", "86400")[0] == 0
        subprocess.run(["cp", "-a", folder, work + "/template"], check=True)


def claimed():
    fresh()
    assert claim()


def released():
    claimed()
    assert settle("release") == 0


fresh()
assert claim()
transaction = open_claims()[0]
old = [(f"{number:02x}" * 32, "claimed" if number % 2 else "confirmed", int(time.time()) - 200_000) for number in range(8)]


def after_claim(done):
    state = record(transaction)
    if done:
        assert state == "claimed", f"an answered claim is {state}"
    again = claim()
    assert not (done and again), "granted twice"
    if not again:
        assert is_held(), "neither free nor claimed"
        assert open_claims() == [transaction], "an orphan is not listed"
        assert settle("release") == 0 and claim(), "an orphan cannot be released"
    assert open_claims() == [transaction] and is_held()


def after_confirm(done):
    assert record(transaction) in (("confirmed",) if done else ("claimed", "confirmed"))
    assert is_held(), "a claimed transaction became free"
    assert settle("confirm") == 0 and record(transaction) == "confirmed" and open_claims() == [] and is_held()


def after_release(done):
    state = record(transaction)
    assert state in (("released",) if done else ("claimed", "released")), state
    if state == "claimed":
        assert is_held() and open_claims() == [transaction]
    assert settle("release") == 0 and open_claims() == []
    assert claim() and is_held()


def after_prune(_):
    assert is_held() and open_claims().count(transaction) == 1, "a claim that may not be forgotten was"
    with copied() as connection:
        horizon = connection.execute("SELECT forgotten_to FROM apple_pay_ledger").fetchone()[0]
    for name, _, signed in old:
        assert record(name) or signed <= horizon, "forgotten before the horizon was moved"
    assert verb("prune")[0] == 0
    assert all(record(name) is None for name, _, _ in old) and is_held()


def after_init(_):
    assert verb("init", "--window", "86400")[0] == 0
    assert claim() and is_held() and open_claims() == [transaction]


def prepared(prepare, template):
    """Prepares a ledger, and returns the words of the command for it."""
    prepare()
    return [entry(transaction)[0] if word is SERIAL else word for word in template]


def prepare_prune():
    claimed()
    write_claims(old)


def prepare_init():
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder, 0o700)


def prepare_checkpoint():
    """Leaves a log of so many pages that the next claim copies it."""
    fresh()
    with contextlib.closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE pages (bytes BLOB)")
        connection.execute("INSERT INTO pages VALUES (zeroblob(4500000))")
        connection.commit()
        # Otherwise this connection would copy the log when it is closed.
        with contextlib.closing(sqlite3.connect(ledger)) as other:
            other.execute("SELECT count(*) FROM pages").fetchone()
            subprocess.run(["cp", "-a", folder, work + "/logged"], check=True)
    shutil.rmtree(folder)
    os.rename(work + "/logged", folder)


# Stands for the serial of the claim that was prepared.
SERIAL = "SERIAL"
cases = [
    ("claim", fresh, ["ledger-race", "repeat", ledger, "5", "1", "1"], after_claim),
    ("claim after a release", released, ["ledger-race", "repeat", ledger, "5", "1", "1"], after_claim),
    ("claim and checkpoint", prepare_checkpoint, ["ledger-race", "repeat", ledger, "5", "1", "1"], after_claim),
    ("confirm", claimed, ["paytoken", "ledger", "confirm", transaction, "--serial", SERIAL, "--ledger", ledger], after_confirm),
    ("release", claimed, ["paytoken", "ledger", "release", transaction, "--serial", SERIAL, "--ledger", ledger], after_release),
    ("prune", prepare_prune, ["paytoken", "ledger", "prune", "--ledger", ledger], after_prune),
    ("init", prepare_init, ["paytoken", "ledger", "init", "--window", "86400", "--ledger", ledger], after_init),
]
total = 0
for name, prepare, template, check in cases:
    words = prepared(prepare, template)
    counter = work + "/count"
    status, _ = run(words, FAULT_FOLDER=folder, FAULT_KIND="none", FAULT_COUNT=counter)
    assert status == 0, f"{name} failed without a fault"
    with open(counter) as file:
        calls = int(file.read())
    # The last case writes hundreds of pages, one after the other.
    stride = step * max(calls // 150, 1)
    done_count = 0
    tried = 0
    for kind_number, kind in enumerate(("fail", "short", "before", "after")):
        for call in range(1 + kind_number % stride, calls + 1, stride):
            words = prepared(prepare, template)
            status, _ = run(words, FAULT_FOLDER=folder, FAULT_KIND=kind, FAULT_CALL=str(call))
            try:
                check(status == 0)
            except AssertionError as error:
                sys.exit(f"{name}, call {call} of {calls}, {kind}: {error} (exit {status}); see {ledger}")
            done_count += status == 0
            tried += 1
    total += tried
    print(f"{name}: {calls} calls, {tried} faults, {done_count} of them without an error", flush=True)
print(f"{total} faults: no transaction was granted twice, and no claim was lost")
shutil.rmtree(work)
