#!/usr/bin/env python3
"""Makes each system call of a file ledger fail, be incomplete, or end the process, and checks the files afterward.

Takes the folder of ledger-race and paytoken. FAULT_STEP=N tests only every N-th call. A separate parser of the files
checks that a granted claim exists, that no transaction was granted twice, and that an error left at most an open claim
that `paytoken ledger show` lists.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

products = os.path.realpath(sys.argv[1])
step = int(os.environ.get("FAULT_STEP", "1"))
here = os.path.dirname(os.path.realpath(__file__))
work = tempfile.mkdtemp()
ledger = work + "/ledger"
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


def lines(path):
    """Returns the claims in a file, by transaction."""
    with open(path) as file:
        return {fields[0]: fields for fields in (line.split() for line in file)}


def entry(transaction):
    """Returns the serial and the state of a transaction, read from its files without the library."""
    found = []
    for path in (f"{ledger}/claims/{transaction[:2]}/{transaction}", f"{ledger}/open/{transaction}"):
        if os.path.exists(path):
            fields = lines(path)[transaction]
            assert len(fields) == 5 and len(fields[1]) == 32, fields
            found.append((fields[1], fields[2]))
    if not found:
        return None
    if len(found) == 2 and found[0][1] == "r" and found[0][0] != found[1][0]:
        return found[1]
    return found[0]


def record(transaction):
    """Returns the state of a transaction."""
    found = entry(transaction)
    return found and found[1]


def settle(verb_name):
    """Confirms or releases the claim that the ledger shows; returns the exit status."""
    shown = json.loads(verb("show", transaction)[1])
    return verb(verb_name, transaction, "--serial", shown["serial"])[0]


def write_claims(records):
    """Writes claims as one group, as a process would have done long ago."""
    name = f"{ledger}/new/0.group"
    with open(name, "w") as file:
        for transaction, state, signed in records:
            file.write(f"{transaction} {'ab' * 16} {state} e {signed}\n")
    hour = (records[0][2] + 86400 + 600) // 3600
    os.makedirs(f"{ledger}/expiring/{hour}", exist_ok=True)
    os.link(name, f"{ledger}/expiring/{hour}/0.group")
    for transaction, state, _ in records:
        os.link(name, f"{ledger}/claims/{transaction[:2]}/{transaction}")
        if state == "o":
            os.link(name, f"{ledger}/open/{transaction}")
    os.unlink(name)


def fresh():
    shutil.rmtree(ledger, ignore_errors=True)
    if os.path.exists(work + "/template"):
        subprocess.run(["cp", "-a", work + "/template", ledger], check=True)
    else:
        assert verb("init", "--window", "86400")[0] == 0
        subprocess.run(["cp", "-a", ledger, work + "/template"], check=True)


def claimed():
    fresh()
    assert claim()


def released():
    claimed()
    assert settle("release") == 0


fresh()
assert claim()
transaction = open_claims()[0]
old = [(f"{number:02x}" * 32, "o" if number % 2 else "c", int(time.time()) - 200_000) for number in range(8)]


def after_claim(done):
    state = record(transaction)
    if done:
        assert state == "o", f"an answered claim is {state}"
    again = claim()
    assert not (done and again), "granted twice"
    if not again:
        assert is_held(), "neither free nor claimed"
        assert open_claims() == [transaction], "an orphan is not listed"
        assert settle("release") == 0 and claim(), "an orphan cannot be released"
    assert open_claims() == [transaction] and is_held()


def after_confirm(done):
    assert record(transaction) in ("c",) if done else ("o", "c")
    assert is_held(), "a claimed transaction became free"
    assert settle("confirm") == 0 and record(transaction) == "c" and open_claims() == [] and is_held()


def after_release(done):
    state = record(transaction)
    assert state in (("r",) if done else ("o", "r")), state
    if state == "o":
        assert is_held() and open_claims() == [transaction]
    assert settle("release") == 0 and open_claims() == []
    assert claim() and is_held()


def after_prune(_):
    assert is_held() and open_claims().count(transaction) == 1, "a claim that may not be forgotten was"
    with open(ledger + "/horizon") as file:
        horizon = int(file.read())
    for name, _, signed in old:
        assert record(name) or signed <= horizon, "forgotten before the horizon was moved"
    assert verb("prune")[0] == 0
    assert all(record(name) is None for name, _, _ in old) and is_held()


def after_init(_):
    assert verb("init", "--window", "86400")[0] == 0
    assert claim() and is_held() and open_claims() == [transaction]


def after_repair(_):
    assert not claim(), "a damaged claim was granted again"
    assert verb("repair")[0] == 0
    assert is_held() and open_claims() == [transaction]
    assert verb("repair")[1] == '{"status":"ok","findings":0}\n'
    assert settle("release") == 0 and claim()


def prepared(prepare, template):
    """Prepares a ledger, and returns the words of the command for it."""
    prepare()
    return [entry(transaction)[0] if word is SERIAL else word for word in template]


def prepare_prune():
    claimed()
    write_claims(old)


def prepare_init():
    shutil.rmtree(ledger, ignore_errors=True)


def prepare_repair():
    claimed()
    with open(f"{ledger}/open/{transaction}", "w"):
        pass


# Stands for the serial of the claim that was prepared.
SERIAL = "SERIAL"
cases = [
    ("claim", fresh, ["ledger-race", "repeat", ledger, "5", "1", "1"], after_claim, 1),
    ("claim after a release", released, ["ledger-race", "repeat", ledger, "5", "1", "1"], after_claim, 1),
    ("confirm", claimed, ["paytoken", "ledger", "confirm", transaction, "--serial", SERIAL, "--ledger", ledger], after_confirm, 1),
    ("release", claimed, ["paytoken", "ledger", "release", transaction, "--serial", SERIAL, "--ledger", ledger], after_release, 1),
    ("prune", prepare_prune, ["paytoken", "ledger", "prune", "--ledger", ledger], after_prune, 1),
    # These cases make nearly identical calls for 256 folders, so only every 8th call is tested.
    ("init", prepare_init, ["paytoken", "ledger", "init", "--window", "86400", "--ledger", ledger], after_init, 8),
    ("repair", prepare_repair, ["paytoken", "ledger", "repair", "--ledger", ledger], after_repair, 8),
]
total = 0
for name, prepare, template, check, thinning in cases:
    words = prepared(prepare, template)
    counter = work + "/count"
    status, _ = run(words, FAULT_FOLDER=ledger, FAULT_KIND="none", FAULT_COUNT=counter)
    assert status == 0, f"{name} failed without a fault"
    with open(counter) as file:
        calls = int(file.read())
    done_count = 0
    tried = 0
    stride = step * (thinning if step > 1 else 1)
    for kind_number, kind in enumerate(("fail", "short", "before", "after")):
        for call in range(1 + kind_number % stride, calls + 1, stride):
            words = prepared(prepare, template)
            status, _ = run(words, FAULT_FOLDER=ledger, FAULT_KIND=kind, FAULT_CALL=str(call))
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
