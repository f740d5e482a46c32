#!/usr/bin/env python3
"""Shows that every check is needed: disables the guards of the inner modules, one at a time.

The script copies the project and changes the copy so that the environment variable MUTANT can disable each Boolean
clause of a `guard` and each `if` that refuses. It builds the copy once. For every such switch it compares the verdicts
on all synthetic vectors with the right ones and, if they are the same, runs the modules' tests. A switch that neither
the vectors nor the tests notice is a survivor; survivors.tsv in this folder explains the known ones. The product
contains none of this.

usage: mutants.py [--only MODULE] [--jobs N]   exit 0 if all survivors are explained and all explained ones survive
"""
import argparse, concurrent.futures, glob, os, re, shutil, signal, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, ".build-mutants")
ROOMS = ["ApplePayWire", "ApplePayCMS", "ApplePayTrust", "ApplePayMerchantKeys", "ApplePayKeyAgreement",
         "ApplePayDecryption"]
TESTS = "ApplePay(Wire|CMS|Trust|MerchantKeys|KeyAgreement|Decryption|Token|Primitives)Tests|CommandTests"
# Slow suites that do not test the checks of these modules.
SLOW = (r"RotationTests|RotationStepTests|SyntheticCorpusTests|threads|MemoryTests|KeysCommand|KeysPrinting|Wycheproof|"
        r"BatchTests|LedgerCommand|RequestCommand|Gateway|AllocationFailure|DeliveryTests|CanaryTests|HangingDevice|"
        r"DeviceTimeout|OrderedThreads|LineReader|\.(PoolTests|FileTests|LockTests|OrderTests)/")

SWITCH = """internal import Glibc

private let activeMutant: Int = unsafe getenv("MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0

/// Whether a check is switched off; inlinable functions ask, too.
@usableFromInline
package func isMutant(_ number: Int) -> Bool { activeMutant == number }
"""


def scan(text, start, stop):
    """Returns the first position from start, outside brackets and strings, where stop(text, i) is true; else -1."""
    depth, i = 0, start
    while i < len(text):
        c = text[i]
        if c == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif text.startswith("//", i):
            i = text.index("\n", i)
        elif depth == 0 and stop(text, i):
            return i
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        i += 1
    return -1


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
        throws = re.search(r"\btry\b(?![?!])", body) is not None
        inner = re.sub(r"\btry\b(?![?!]) ?", "", body) if throws else body
        lead = clause[: len(clause) - len(clause.lstrip())]
        return f"{lead}{'try ' if throws else ''}(isMutant({number}) ? {value} : ({inner}))"

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


def copy(mutants):
    source = os.path.join(WORK, "copy")
    os.makedirs(source, exist_ok=True)
    for name in ["Package.swift", "README.md", "SECURITY.md", "Sources", "Tests", "TestVectors", "Benchmarks"]:
        target = os.path.join(source, name)
        shutil.rmtree(target, ignore_errors=True)
        origin = os.path.join(ROOT, name)
        shutil.copytree(origin, target) if os.path.isdir(origin) else shutil.copy(origin, target)
    shared = os.path.join(os.path.dirname(ROOT), "shared")
    if os.path.isdir(shared) and not os.path.lexists(os.path.join(WORK, "shared")):
        os.symlink(shared, os.path.join(WORK, "shared"))
    for room in ROOMS:
        folder = os.path.join(source, "Sources", room)
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True)):
            # Name files without their folders, so that the explanations stay valid when a file moves.
            name = os.path.basename(path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            changed = mutants.mutate(text, f"{room}/{name}")
            if changed != text:
                if room != "ApplePayWire" and "import ApplePayWire" not in changed:
                    changed = "internal import ApplePayWire\n" + changed
                with open(path, "w", encoding="utf-8") as file:
                    file.write(changed)
    with open(os.path.join(source, "Sources/ApplePayWire/MutantSwitch.swift"), "w", encoding="utf-8") as file:
        file.write(SWITCH)
    return source


def run(source, command, number, seconds):
    environment = dict(os.environ, MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
    # Start a new session, so that all processes of the command can be killed together.
    process = subprocess.Popen(command, cwd=source, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "timeout", b""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    mutants = Mutants()
    source = copy(mutants)
    print(f"{len(mutants.list)} switches; building the copy", flush=True)
    build = subprocess.run(["swift", "build", "--build-tests"], cwd=source, capture_output=True, text=True)
    if build.returncode != 0:
        print("\n".join(l for l in build.stdout.splitlines() if "error:" in l)[:4000])
        return 2
    synthetic = "TestVectors/synthetic"
    conform = [".build/debug/paytoken", "conform", f"{synthetic}/cases.jsonl", "--trust-anchor",
               f"{synthetic}/pki/root.pem", "--keys", f"{synthetic}/keys"]
    tests = ["swift", "test", "--disable-xctest", "--skip-build", "--filter", TESTS, "--skip",
             SLOW]
    right = run(source, conform, 0, 60)
    status, _ = run(source, tests, 0, 600)
    if right[0] != 0 or status != 0:
        print("the copy fails with no check switched off")
        return 2

    def judge(number):
        verdict = run(source, conform, number, 30)
        if verdict != right:
            return "vector"
        # Run the module's tests first: they notice most of the switches that any test notices.
        room = mutants.list[number - 1][0].split("/")[0]
        own = ["swift", "test", "--disable-xctest", "--skip-build", "--filter", f"{room}Tests"]
        status, _ = run(source, own, number, 120)
        if status == 0:
            status, _ = run(source, tests, number, 240)
        result = "test" if status != 0 else "survived"
        print(f"{number}\t{result}\t" + "\t".join(mutants.list[number - 1]), flush=True)
        return result

    chosen = [n for n in range(1, len(mutants.list) + 1) if mutants.list[n - 1][0].startswith(options.only)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(chosen, pool.map(judge, chosen)))
    explained = {}
    with open(os.path.join(HERE, "survivors.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                where, clause, reason = line.rstrip("\n").split("\t")
                explained[where, clause] = reason
    survivors, failures = set(), 0
    for number in chosen:
        if results[number] == "survived":
            where, clause = mutants.list[number - 1]
            key = (where.split(":")[0], clause)
            survivors.add(key)
            if key not in explained:
                failures += 1
            print(f"survived: {where}\t{clause}\t{explained.get(key, 'NOT EXPLAINED')}")
    for key in explained:
        if key not in survivors and key[0].startswith(options.only):
            failures += 1
            print(f"explained, but killed: {key[0]}\t{key[1]}")
    killed = [n for n in chosen if results[n] != "survived"]
    by_vector = sum(results[n] == "vector" for n in killed)
    print(f"score: {len(killed)} of {len(chosen)} switches noticed "
          f"({by_vector} by a vector, {len(killed) - by_vector} by a test); "
          f"{len(chosen) - len(killed)} survived, {failures} not as survivors.tsv says")
    return 1 if failures else 0


sys.exit(main())
