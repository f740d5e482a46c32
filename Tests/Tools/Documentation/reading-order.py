#!/usr/bin/env python3
"""Checks the reading orders in CONTRIBUTING.md: the files that one EC_v1 token passes, and those that one payment at
gateway-sandbox passes, with their lines of code.

usage: reading-order.py            compares the numbers of lines with the files
       reading-order.py --measure  also finds the files and the functions that run, by coverage; builds first

A file is passed if some of its lines run more often in the run with the token or the payment than in the one without.
Lines of code are neither blank nor comments. ApplePayWire and ApplePayPrimitives are omitted, because a reader can rely
on their interfaces.
"""
import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRATCH = ROOT / ".build-cov"
VECTORS = ROOT / "TestVectors/synthetic"
DECRYPT = ["decrypt", "--batch", "--any-age", "--keys", VECTORS / "keys", "--test-trust-anchor", VECTORS / "pki/root.pem"]
PAY = ["pay", "token", "--gateway", "gateways/worldline-direct.json", "--order", "order.json", "--ledger", "ledger",
       "--keys", "pki/merchants", "--test-trust-anchor", "pki/root.pem"]


@dataclasses.dataclass
class Order:
    """A reading order: the marker of its table, the folder of its files, the modules that count, and its limits."""
    marker: str
    folder: str
    modules: list
    most_files: int
    most_lines: int  # of the files, or of the functions that run
    without: list    # the arguments of the run without the token or the payment
    run: list        # the arguments of the run with it
    counts_functions: bool = False


ORDERS = [
    Order("reading order", "Sources/Core",
          ["ApplePayToken", "ApplePayCMS", "ApplePayTrust", "ApplePayMerchantKeys", "ApplePayKeyAgreement", "ApplePayDecryption"],
          40, 2300, DECRYPT, DECRYPT),
    # All gateways are declared in both runs.
    Order("reading order of a payment", "Sources/Payments", ["ApplePayOrders"], 15, 900, ["gateway", "list"], PAY, True),
    Order("reading order of a gateway", "Sources/Payments", ["ApplePayGateways"], 40, 1500, ["gateway", "list"], PAY, True),
]


def code_lines(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def listed(order):
    """Returns the files as CONTRIBUTING.md lists them, with their lines of code, and of the functions that run."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    part = text[text.index(f"<!-- {order.marker} -->"):text.index(f"<!-- end {order.marker} -->")]
    column = r" (\d+) \|" if order.counts_functions else "()"
    rows = re.findall(r"^\| \d+ \| ([\w/]+/[\w+]+\.swift) \| (\d+) \|" + column, part, re.M)
    return {name: (int(count), int(of or count)) for name, count, of in rows}


class Runs:
    """Runs of the command, whose functions and lines are counted."""

    def __init__(self, tools, programs):
        self.tools, self.programs = tools, programs
        self.folder = tempfile.TemporaryDirectory()
        self.token = (VECTORS / "demo-token.json").read_bytes().replace(b"\n", b" ") + b"\n"
        folder = self.folder.name
        (pathlib.Path(folder) / "order.json").write_text('{"reference":"order-1","amount":1099,"currency":"EUR"}')
        self.sandbox = subprocess.Popen([programs / "gateway-sandbox", "--files", "gateways"], cwd=folder,
                                        stdout=subprocess.PIPE)
        self.sandbox.stdout.readline()

        def run(program, *arguments):
            return subprocess.run([programs / program, *arguments], cwd=folder, check=True, capture_output=True).stdout
        run("paytoken-testing", "pki", "--out", "pki")
        run("paytoken", "ledger", "init", "--window", "300", "--ledger", "ledger")
        token = run("paytoken-testing", "token", "--pki", "pki", "--for", "pki/merchants/one.cert.pem", "--amount", "1099",
                    "--currency", "EUR")
        (pathlib.Path(folder) / "token").write_bytes(token)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sandbox.kill()
        self.sandbox.wait()
        self.folder.cleanup()

    @functools.cache  # the order is paid once
    def functions(self, arguments, text):
        """Returns how often each function ran: by its file and the lines of its body."""
        profile, data = SCRATCH / "reading.profraw", SCRATCH / "reading.profdata"
        environment = dict(os.environ, LLVM_PROFILE_FILE=str(profile))
        binary = self.programs / "paytoken"
        done = subprocess.run([binary, *arguments], input=text, env=environment, capture_output=True, cwd=self.folder.name)
        if done.returncode:
            sys.exit(f"paytoken ended with {done.returncode}: {done.stderr.decode()}")
        subprocess.run([self.tools / "llvm-profdata", "merge", "-sparse", profile, "-o", data], check=True)
        report = subprocess.run([self.tools / "llvm-cov", "export", "-skip-expansions", binary, "-instr-profile", data],
                                check=True, capture_output=True).stdout
        counts = {}
        for function in json.loads(report)["data"][0]["functions"]:
            first, _, last = function["regions"][0][:3]
            key = function["filenames"][0], first, last
            counts[key] = counts.get(key, 0) + function["count"]
        return counts

    def measured(self, order):
        """Returns the files that one token or payment passes, with the lines of code of the functions that run."""
        before, after = self.functions(tuple(order.without), b""), self.functions(tuple(order.run), self.token)
        sources, files = str(ROOT / order.folder) + "/", {}
        for (file, first, last), count in after.items():
            name = file.removeprefix(sources)
            if count <= before.get((file, first, last), 0) or name == file or name.split("/")[0] not in order.modules:
                continue
            files.setdefault(name, []).append((first, last))
        return {name: function_lines(ROOT / order.folder / name, bodies) for name, bodies in files.items()}


def function_lines(path, bodies):
    """Returns the number of lines of code of functions, with their declarations, by the lines of their bodies."""
    lines, read = path.read_text().splitlines(), set()
    for first, last in bodies:
        start = first
        # A declaration of several lines begins with the last line before that has its keyword.
        while not re.search(r"\b(func|init|var|let|case|subscript)\b", lines[start - 1]) and first - start < 12 and start > 1:
            start -= 1
        read.update(range(start, last + 1))
    code = (lines[number - 1].strip() for number in read)
    return sum(1 for line in code if line and not line.startswith("//"))


def build():
    """Builds the programs, the command with coverage, and returns the folders of the toolchain and the programs."""
    swift = subprocess.run(["sh", "-c", "command -v swift"], check=True, capture_output=True, text=True).stdout.strip()
    for product in ["paytoken", "paytoken-testing", "gateway-sandbox"]:
        subprocess.run(["swift", "build", "--product", product, "--enable-code-coverage", "--scratch-path", SCRATCH],
                       cwd=ROOT, check=True)
    return pathlib.Path(os.path.realpath(swift)).parent, SCRATCH / "debug"


def main():
    failures, sums = [], []
    with Runs(*build()) if "--measure" in sys.argv else contextlib.nullcontext() as runs:
        compare(runs, failures, sums)
    print("\n".join(failures or sums))
    return 1 if failures else 0


def compare(runs, failures, sums):
    """Compares the reading orders with the files, and with the runs if there are any."""
    for order in ORDERS:
        rows, folder = listed(order), ROOT / order.folder
        passed = runs.measured(order) if runs else {}
        for name, (count, of) in rows.items():
            actual = code_lines(folder / name)
            if actual != count:
                failures.append(f"{name} has {actual} lines of code, not {count}")
            if runs and name not in passed:
                failures.append(f"{name} is listed and does not run")
            elif runs and order.counts_functions and passed[name] != of:
                failures.append(f"{name} has {passed[name]} lines in functions that run, not {of}")
        for name in sorted(passed.keys() - rows.keys()):
            failures.append(f"{name} runs and is not listed ({code_lines(folder / name)} lines, {passed[name]} run)")
        total = sum(of for _, of in rows.values())
        if len(rows) > order.most_files or total > order.most_lines:
            failures.append(f"{len(rows)} files and {total} lines: more than {order.most_files} and {order.most_lines}")
        sums.append(f"{order.marker}: {len(rows)} files, {total} lines of code")


sys.exit(main())
