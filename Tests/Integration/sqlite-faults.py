#!/usr/bin/env python3
"""Makes each system call of an SQLite ledger fail, be incomplete, hang, or end the process, and checks the ledger then.

Takes the folder of ledger-race and paytoken. FAULT_STEP=N tests only every N-th call. A copy of the database is read
without the library, and must show that what was answered is there, that no transaction was granted twice, that an
attempt and its claim were changed together, and that a claim that an error left is not granted again.
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


def start(words, **faults):
    environment = dict(os.environ, **faults)
    if faults:
        environment["LD_PRELOAD"] = library
    return subprocess.Popen([products + "/" + words[0]] + words[1:], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def run(words, **faults):
    """Runs a program; returns its exit status, or minus the number of the signal that ended it, and its output."""
    with start(words, **faults) as process:
        output, _ = process.communicate(timeout=60)
        return process.returncode, output


def race(verb, *words):
    """Returns the words of a command with which ledger-race makes one change."""
    return ["ledger-race", verb, ledger, *words]


def answer(words, **faults):
    """Makes one change; returns the printed answer, which is empty if there is none."""
    return run(words, **faults)[1].strip()


# The transaction under test, another one, and the signing times of claims that can be forgotten.
NUMBER, OTHER = "5", "6"
OLD = range(int(time.time()) - 200_000, int(time.time()) - 199_992)
CLAIM, CLAIMED = race("claim", NUMBER, "0"), "claimed: true"
BEGIN, BEGUN = race("begin", "order", NUMBER, "0"), "begun: true"
SEND, RELEASE = race("change", "order", "sending"), race("change", "order", "released", NUMBER)
CHANGED = "changed: true"
TAKEN = "refused: The transaction was claimed before"


def claim():
    return answer(CLAIM) == CLAIMED


def is_held():
    """Returns whether the transaction is claimed: a new claim is refused for this reason only."""
    return answer(CLAIM).startswith(TAKEN)


def verb(*words):
    return run(["paytoken", "ledger"] + list(words) + ["--ledger", ledger])


@contextlib.contextmanager
def copied(original=folder):
    """Opens a copy of the database, so that nothing of the ledger is changed."""
    copy = work + "/copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(original, copy)
    with contextlib.closing(sqlite3.connect(copy + "/ledger")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "damaged"
        yield connection


def entries(original=folder):
    """Returns the serial of the claim, and the serials and the states of all attempts, read without the library."""
    with copied(original) as connection:
        serial = connection.execute("SELECT serial FROM apple_pay_claims WHERE transaction_id = ?",
                                    (transaction,)).fetchone()
        attempts = connection.execute("SELECT serial, state FROM apple_pay_attempts ORDER BY number").fetchall()
    return serial and serial[0], attempts


def attempt_entries(original=folder):
    """Returns the state of the only attempt, None without one, and whether its claim is there; others may not be."""
    serial, attempts = entries(original)
    assert len(attempts) <= 1 and serial in (None, *(own for own, _ in attempts)), f"{serial}, {attempts}"
    return (attempts[0][1] if attempts else None), serial is not None


def old_claims():
    """Returns the signing times of the old claims that are there, and the one up to which claims may be forgotten."""
    with copied() as connection:
        claims = connection.execute("SELECT signed_at FROM apple_pay_claims WHERE serial = 'old'").fetchall()
        horizon, = connection.execute("SELECT forgotten_to FROM apple_pay_ledger").fetchone()
    return {signed for signed, in claims}, horizon


def fresh():
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(work + "/template"):
        subprocess.run(["cp", "-a", work + "/template", folder], check=True)
    else:
        os.mkdir(folder, 0o700)
        assert verb("init", "--window", "86400")[0] == 0
        subprocess.run(["cp", "-a", folder, work + "/template"], check=True)


def begun():
    fresh()
    assert answer(BEGIN) == BEGUN


def released():
    begun()
    assert answer(RELEASE) == CHANGED


def prepare_prune():
    """Writes claims, as a process would have done long ago."""
    fresh()
    assert claim()
    with contextlib.closing(sqlite3.connect(ledger)) as connection, connection:
        connection.executemany("INSERT INTO apple_pay_claims VALUES (?, 'old', ?, 1)",
                               [(signed.to_bytes(32, "big"), signed) for signed in OLD])


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


fresh()
assert claim()
with copied() as database:
    transaction, = database.execute("SELECT transaction_id FROM apple_pay_claims").fetchone()


def after_claim(done):
    serial, _ = entries()
    assert serial or not done, "an answered claim is lost"
    shown = json.loads(verb("show", transaction.hex())[1])
    assert (shown["claimed"], shown.get("serial")) == (serial is not None, serial), shown
    assert serial or claim(), "a free transaction cannot be claimed"
    assert is_held() and serial in (None, entries()[0]), "granted twice"


def after_begin(done):
    state, has_claim = attempt_entries()
    assert state == "claimed" if done else state in (None, "claimed", "released"), state
    assert has_claim == (state == "claimed"), f"an attempt is {state}, and its claim is {has_claim}"
    if state is None:
        assert answer(BEGIN) == BEGUN
    elif state == "released":
        assert claim()
    else:
        # It has no owner. Until it is released, the order gets no other attempt, and the transaction no other order.
        assert is_held() and answer(race("begin", "another", NUMBER, "0")).startswith(TAKEN)
        assert answer(race("begin", "order", OTHER, "0")) == "begun: false"
        assert answer(race("change", "order", "released")) == CHANGED and is_held()
        assert attempt_entries() == ("released", True)


def after_send(done):
    state, has_claim = attempt_entries()
    assert state == "sending" if done else state in ("claimed", "sending"), state
    assert has_claim and is_held(), "the state of an attempt freed its transaction"
    assert answer(SEND) == CHANGED and attempt_entries() == ("sending", True)


def after_release(done):
    found = attempt_entries()
    assert found == ("released", False) or not done and found == ("claimed", True), found
    assert answer(RELEASE) == CHANGED and attempt_entries() == ("released", False)
    assert answer(race("begin", "another", NUMBER, "0")) == BEGUN and is_held()


def after_prune(_):
    claims, horizon = old_claims()
    assert all(signed in claims or signed <= horizon for signed in OLD), "forgotten before the horizon was moved"
    assert is_held(), "a claim that may not be forgotten was"
    assert verb("prune")[0] == 0
    assert old_claims()[0] == set() and is_held()


def after_init(_):
    assert verb("init", "--window", "86400")[0] == 0
    assert claim() and is_held()


# Each has what prepares the ledger, the change, its answer if it is made, and what checks the ledger afterward.
cases = [
    ("claim", fresh, CLAIM, CLAIMED, after_claim),
    ("claim after a release", released, CLAIM, CLAIMED, after_claim),
    ("claim and checkpoint", prepare_checkpoint, CLAIM, CLAIMED, after_claim),
    ("begin", fresh, BEGIN, BEGUN, after_begin),
    ("send", begun, SEND, CHANGED, after_send),
    ("release", begun, RELEASE, CHANGED, after_release),
    ("prune", prepare_prune, ["paytoken", "ledger", "prune", "--ledger", ledger], '{"status":"ok","pruned":8}',
     after_prune),
    ("init", prepare_init, ["paytoken", "ledger", "init", "--window", "86400", "--ledger", ledger],
     '{"status":"ok","ledger":"sqlite","window":86400}', after_init),
]
total = 0
for name, prepare, words, expected, check in cases:
    prepare()
    counter = work + "/count"
    found = answer(words, FAULT_FOLDER=folder, FAULT_KIND="none", FAULT_COUNT=counter)
    assert found == expected, f"{name} answered {found} without a fault"
    with open(counter) as file:
        calls = int(file.read())
    # One case writes hundreds of pages, one after the other.
    stride = step * max(calls // 150, 1)
    done_count = 0
    tried = 0
    for kind_number, kind in enumerate(("fail", "short", "before", "after")):
        for call in range(1 + kind_number % stride, calls + 1, stride):
            prepare()
            found = answer(words, FAULT_FOLDER=folder, FAULT_KIND=kind, FAULT_CALL=str(call))
            try:
                check(found == expected)
            except AssertionError as error:
                sys.exit(f"{name}, call {call} of {calls}, {kind}: {error} (answer \"{found}\"); see {ledger}")
            done_count += found == expected
            tried += 1
    total += tried
    print(f"{name}: {calls} calls, {tried} faults, {done_count} of them without an error", flush=True)

# A ledger does not wait for a disk that hangs. A claim that is made later is taken back, unless its process has ended.
late = []
for name, words in (("withdrawn", CLAIM), ("released", BEGIN), ("kept", CLAIM)):
    fresh()
    own = f"{work}/{name}"
    shutil.copytree(folder, own)
    waiting = [word.replace(ledger, own + "/ledger") for word in words[:-1]] + ["5"]
    late.append((name, own, start(waiting, FAULT_FOLDER=own, FAULT_KIND="hang")))
for name, own, process in reversed(late):
    line = process.stdout.readline()
    if name == "kept":
        process.kill()
    with process:
        process.wait(timeout=60)
    assert line.startswith("refused: ") and "did not answer within 10 seconds" in line, f"{name}: {line}"
    serial, attempts = entries(own)
    assert (serial is not None) == (name == "kept"), f"{name}: {serial}"
    assert [state for _, state in attempts] == (["released"] if name == "released" else []), f"{name}: {attempts}"
    again = answer([word.replace(ledger, own + "/ledger") for word in CLAIM])
    assert again.startswith(TAKEN) if name == "kept" else again == CLAIMED, f"{name}: {again}"
total += len(late)
print(f"a disk that hangs: {len(late)} faults")
print(f"{total} faults: no transaction was granted twice, no claim was lost, and no attempt was without its claim")
shutil.rmtree(work)
