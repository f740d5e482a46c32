#!/usr/bin/env python3
"""Shows that every check is needed: disables the guards of a module, one at a time.

The script copies the project and changes the copy so that the environment variable MUTANT can disable each Boolean
clause of a `guard` and each `if` that refuses; in ApplePayOrders, ApplePayServiceHTTP and ApplePayHTTPS it can make each condition true and
false, and leave out each operand of `&&` and `||`. It builds the copy once. For every such switch it runs what judges the
module, until something notices: the verdicts on all synthetic vectors, the module's tests, the tests of the modules that
use it, or programs that use it. A switch that nothing notices is a survivor; survivors.tsv in this folder explains the
known ones. The product contains none of this.

usage: mutants.py [--only MODULE]... [--jobs N]   the six inner modules unless others are named: ApplePayToken,
ApplePayAcceptance, ApplePayLedger, ApplePayPostgreSQL, ApplePaySQLite, ApplePayOrders, ApplePayServiceHTTP, ApplePayHTTPS; exit 0 if all survivors are explained and all explained ones survive
"""
import argparse
import concurrent.futures
import os
import re
import sys

import decisions
import switched
from switched import scan

CORE = ["ApplePayWire", "ApplePayCMS", "ApplePayTrust", "ApplePayMerchantKeys", "ApplePayKeyAgreement",
        "ApplePayDecryption"]
MODULES = CORE + ["ApplePayToken", "ApplePayAcceptance", "ApplePayLedger", "ApplePayPostgreSQL", "ApplePaySQLite", "ApplePayOrders",
                  "ApplePayServiceHTTP", "ApplePayHTTPS"]
# Modules that mostly decide, and refuse little.
DECIDING = ["ApplePayOrders", "ApplePayServiceHTTP", "ApplePayHTTPS"]
TESTS = "ApplePay(Wire|CMS|Trust|MerchantKeys|KeyAgreement|Decryption|Token|Primitives)Tests|CommandTests"
# Slow suites that do not test the checks of these modules.
SLOW = (r"RotationTests|RotationStepTests|SyntheticCorpusTests|threads|MemoryTests|KeysCommand|KeysPrinting|Wycheproof|"
        r"BatchTests|LedgerCommand|RequestCommand|Gateway|AllocationFailure|CanaryTests|HangingDevice|"
        r"DeviceTimeout|OrderedThreads|LineReader|\.(PoolTests|FileTests|LockTests|OrderTests)/")
# Slow suites that judge only what nothing else has noticed.
LATER = "RevocationTests|HangingDeviceTests"
VECTORS = "TestVectors/synthetic"
CONFORM = [".build/debug/paytoken-testing", "conform", f"{VECTORS}/cases.jsonl", "--trust-anchor", f"{VECTORS}/pki/root.pem",
           "--keys", f"{VECTORS}/keys"]

# The guarantees of every ledger, and processes and threads that race for claims.
FILES = """folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; race=.build/debug/ledger-race
$race contract "$folder/ledger" && $race race "$folder/ledger" 300 && $race threads 300"""


def judges(module):
    """Returns the name, command and time limit in seconds of what judges a module, the fastest first."""
    if module == "ApplePayPostgreSQL":
        return [("program", [f"Tests/Integration/{name}", ".build/debug"], 120)
                for name in ("postgresql.sh", "postgresql-attempts.sh", "false-database.py")]
    if module == "ApplePayOrders":
        slow = "SimulationTests|OperationTests/many|AdviceTests"
        random = ["env", "ORDER_ROUNDS=60", *switched.tests(f"ApplePayOrdersTests.({slow})")]
        return [("test", switched.tests("ApplePayOrdersTests", slow), 240), ("test", random, 240)]
    own = ("test", switched.tests(f"{module}Tests", LATER), 240)
    if module == "ApplePayServiceHTTP":
        return [own]
    if module == "ApplePayHTTPS":
        return [own, ("program", ["Tests/Integration/https.py", ".build/debug"], 240)]
    if module == "ApplePayAcceptance":
        slow = "SimulationTests|AdviceTests|SandboxTests"
        return [own, ("test", switched.tests("ApplePay(Ledger|Orders|Gateways)Tests", slow), 240)]
    if module == "ApplePaySQLite":
        own = ("test", switched.tests(r"ApplePayLedgerTests\.\w*(SQLite|Attempt|Replay|Advice|Restore|File|Lock)"), 240)
    if module in ("ApplePayLedger", "ApplePaySQLite"):
        return [own, ("test", switched.tests(r"CommandTests\.(LedgerCommand|Batch)Tests"), 240),
                ("program", ["sh", "-c", FILES], 120)]
    return [("vector", CONFORM, 30), own, ("test", switched.tests(TESTS, SLOW), 300)]


def clauses(text, start, end):
    """Returns the ranges between the commas."""
    found, i = [], start
    while True:
        comma = scan(text, i, lambda t, k: k >= end or t[k] == ",")
        comma = min(comma, end) if comma >= 0 else end
        found.append((i, comma))
        if comma >= end:
            return found
        i = comma + 1


class Mutants:
    def __init__(self):
        self.list = []

    def switched(self, clause, value, where):
        """Returns the clause with a switch that makes it `value`; None for bindings."""
        body = clause.strip()
        pattern = re.fullmatch(r"case (\.\w+) = ([\w.]+)", body)
        if pattern:
            self.list.append((where, body))
            lead = clause[: len(clause) - len(clause.lstrip())]
            return f"{lead}({{ if {body} {{ true }} else {{ isMutant({len(self.list)}) }} }}())"
        if re.match(r"(let|var|case|#|unsafe|_ =)", body) or not body:
            return None
        self.list.append((where, " ".join(body.split())))
        number = len(self.list)
        # An operator cannot have `try` or `await` at its right, so they move in front of it.
        effects = [word for word in ("try", "await") if re.search(rf"\b{word}\b(?![?!])", body)]
        inner = body
        for word in effects:
            inner = re.sub(rf"\b{word}\b(?![?!]) ?", "", inner)
        lead = clause[: len(clause) - len(clause.lstrip())]
        return f"{lead}{''.join(word + ' ' for word in effects)}(isMutant({number}) ? {value} : ({inner}))"

    def decided(self, text, path):
        """Returns the text with switches for every decision."""
        def number(value, decision, start):
            self.list.append((f"{path}:{text.count(chr(10), 0, start) + 1}", f"{decision} → {value}"))
            return len(self.list)

        return decisions.mutate(text, clauses, number)

    def mutate(self, text, path):
        edits = []
        for match in re.finditer(r"^[ \t]*(?:\} else )?(guard|if) ", text, re.M):
            keyword, start = match.group(1), match.end()
            line = text.count("\n", 0, match.start(1)) + 1
            if keyword == "guard":
                end = scan(text, start, lambda t, k: re.match(r"\belse\b", t[k:]) and not t[k - 1].isalnum())
                value = "true"
            else:
                end = scan(text, start, lambda t, k: t[k] == "{" and t[k - 1] == " ")
                value = "false"
                after = text[end + 1 :].lstrip() if end > 0 else ""
                if not re.match(r"(throw\b|return (false|nil)\b)", after):
                    continue
            if end < 0:
                continue
            for a, b in clauses(text, start, end):
                new = self.switched(text[a:b].rstrip(), value, f"{path}:{line}")
                if new is not None:
                    trailing = text[a:b][len(text[a:b].rstrip()) :]
                    edits.append((a, b, new + trailing))
        for a, b, new in sorted(edits, reverse=True):
            text = text[:a] + new + text[b:]
        return text


def explanations():
    explained = {}
    with open(os.path.join(switched.HERE, "survivors.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                where, clause, reason = line.rstrip("\n").split("\t")
                explained[where, clause] = reason
    return explained


def report(mutants, module, results):
    """Prints the survivors and the score of a module; returns how many are not as survivors.tsv says."""
    explained = {key: reason for key, reason in explanations().items() if key[0].startswith(module + "/")}
    chosen = [n for n in results if mutants.list[n - 1][0].startswith(module + "/")]
    survivors, failures = set(), 0
    for number in chosen:
        if results[number] == "survived":
            where, clause = mutants.list[number - 1]
            key = (where.split(":")[0], clause)
            survivors.add(key)
            failures += key not in explained
            print(f"survived: {where}\t{clause}\t{explained.get(key, 'NOT EXPLAINED')}")
    for key in explained.keys() - survivors:
        failures += 1
        print(f"explained, but noticed: {key[0]}\t{key[1]}")
    noticed = [results[n] for n in chosen if results[n] != "survived"]
    counts = ", ".join(f"{noticed.count(kind)} by a {kind}" for kind in ("vector", "test", "program") if kind in noticed)
    print(f"score of {module}: {len(noticed)} of {len(chosen)} switches noticed ({counts}); "
          f"{len(chosen) - len(noticed)} survived, {failures} not as survivors.tsv says")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=MODULES)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    modules = options.only or CORE
    mutants, changes = Mutants(), {}
    for module in modules:
        for path in switched.files(module):
            with open(os.path.join(switched.ROOT, path), encoding="utf-8") as file:
                text = file.read()
            # Name files without their folders, so that the explanations stay valid when a file moves.
            mutate = mutants.decided if module in DECIDING else mutants.mutate
            changed = mutate(text, f"{module}/{os.path.basename(path)}")
            if changed != text:
                changes[path] = changed
    switched.copy(changes)
    print(f"{len(mutants.list)} switches; building the copy", flush=True)
    errors = switched.build(["PostgreSQL"] if "ApplePayPostgreSQL" in modules else [])
    if errors:
        print("\n".join(errors)[:4000])
        return 2
    right = {}
    for module in modules:
        for _, command, seconds in judges(module):
            key = tuple(command)
            if key not in right:
                # Without a change there is time enough, so that a slow machine fails nothing.
                right[key] = switched.run(command, 0, 900)
                if right[key][0] != 0:
                    print(f"{' '.join(command[:5])} fails with no check switched off")
                    return 2

    def judge(number):
        module = mutants.list[number - 1][0].split("/")[0]
        for name, command, seconds in judges(module):
            verdict = switched.run(command, number, seconds)
            # Only the answers to the vectors are the same text each time.
            if verdict != right[tuple(command)] if name == "vector" else verdict[0] != 0:
                print(f"{number}\t{name}\t" + "\t".join(mutants.list[number - 1]), flush=True)
                return name
        print(f"{number}\tsurvived\t" + "\t".join(mutants.list[number - 1]), flush=True)
        return "survived"

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        numbers = range(1, len(mutants.list) + 1)
        results = dict(zip(numbers, pool.map(judge, numbers)))
    failures = sum([report(mutants, module, results) for module in modules])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
