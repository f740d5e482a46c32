#!/usr/bin/env python3
"""Checks the reading orders in CONTRIBUTING.md: the files that one EC_v1 token passes, and those that a gateway's answer
about its payment passes, with their lines of code.

usage: reading-order.py            compares the numbers of lines with the files
       reading-order.py --measure  also finds the files, by the coverage of two runs for each order; builds first

A file is passed if some of its lines run more often in the run with the token or the answer than in the one without.
Lines of code are neither blank nor comments. ApplePayWire and ApplePayPrimitives are omitted, because a reader can rely
on their interfaces, and so are the files that only write the times in the command's answer.
"""
import dataclasses
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
ANSWER = ["answer", "payment", "-", "--gateway", "gateway.json", "--order", "order.json"]


@dataclasses.dataclass
class Order:
    """A reading order: the marker of its table, the folder of its files, the modules that count, and its limits."""
    marker: str
    folder: str
    modules: list
    most_files: int
    most_lines: int
    without: list  # the arguments of the run without the token or the answer
    run: list      # the arguments of the run with it
    omitted: str = None  # a folder that the command uses to write its answer


ORDERS = [
    Order("reading order", "Sources/Core",
          ["ApplePayToken", "ApplePayCMS", "ApplePayTrust", "ApplePayMerchantKeys", "ApplePayKeyAgreement", "ApplePayDecryption"],
          40, 2300, DECRYPT, DECRYPT, "ApplePayToken/Time/"),
    # All gateways are declared in both runs.
    Order("reading order of an answer", "Sources/Payments", ["ApplePayGateways"], 25, 1200, ["gateway", "list"], ANSWER),
]


def code_lines(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def listed(order):
    """Returns the files and their lines of code as CONTRIBUTING.md lists them."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    part = text[text.index(f"<!-- {order.marker} -->"):text.index(f"<!-- end {order.marker} -->")]
    rows = re.findall(r"^\| \d+ \| ([\w/]+/[\w+]+\.swift) \| (\d+) \|", part, re.M)
    return [(name, int(count)) for name, count in rows]


def inputs(folder):
    """Writes the gateway file and the order of the answer, and returns the texts that the two orders read."""
    token = (VECTORS / "demo-token.json").read_bytes().replace(b"\n", b" ") + b"\n"
    recorded = map(json.loads, (ROOT / "TestVectors/answers/worldline-direct.jsonl").read_text().splitlines())
    one = next(answer for answer in recorded if answer["id"] == "create-payment-authorised")
    money = one["body"]["payment"]["paymentOutput"]["amountOfMoney"]
    order = {"reference": "order-1001", "amount": money["amount"], "currency": money["currencyCode"]}
    one["body"]["payment"]["paymentOutput"]["references"]["merchantReference"] = order["reference"]
    (folder / "order.json").write_text(json.dumps(order))
    (folder / "gateway.json").write_text(json.dumps({
        "gateway": "worldline-direct", "environment": "test", "account": {"merchantId": "shop"},
        "credentials": {"apiKeyId": "key-1", "secretApiKey": {"env": "HOME"}}}))
    answer = f"HTTP/1.1 {one['http']['status']} Created\r\n\r\n{json.dumps(one['body'])}"
    return {"reading order": token, "reading order of an answer": answer.encode()}


def counts(tools, binary, arguments, text, folder):
    """Returns how often each line ran when `paytoken` read a text."""
    profile = SCRATCH / "reading.profraw"
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(profile))
    done = subprocess.run([binary, *arguments], input=text, env=environment, capture_output=True, cwd=folder)
    # The answer reserves the amount, which is the exit status 6.
    if done.returncode != (6 if arguments == ANSWER else 0):
        sys.exit(f"paytoken ended with {done.returncode}: {done.stderr.decode()}")
    data = SCRATCH / "reading.profdata"
    subprocess.run([tools / "llvm-profdata", "merge", "-sparse", profile, "-o", data], check=True)
    report = subprocess.run([tools / "llvm-cov", "export", "-format=lcov", binary, "-instr-profile", data],
                            check=True, capture_output=True, text=True).stdout
    found, file = {}, None
    for line in report.splitlines():
        if line.startswith("SF:"):
            file = line[3:]
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            found[file, int(number)] = int(count)
    return found


def measured(order, tools, binary):
    """Returns the files that one token or answer passes."""
    with tempfile.TemporaryDirectory() as folder:
        text = inputs(pathlib.Path(folder))[order.marker]
        before = counts(tools, binary, order.without, b"", folder)
        after = counts(tools, binary, order.run, text, folder)
    files = {file for (file, line), count in after.items() if count > before.get((file, line), 0)}
    sources = str(ROOT / order.folder) + "/"
    names = {file[len(sources):] for file in files if file.startswith(sources)}
    return {name for name in names
            if name.split("/")[0] in order.modules and not (order.omitted and name.startswith(order.omitted))}


def build():
    """Builds the command with coverage, and returns the folder of the toolchain and the command."""
    swift = subprocess.run(["sh", "-c", "command -v swift"], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(["swift", "build", "--product", "paytoken", "--enable-code-coverage", "--scratch-path", SCRATCH],
                   cwd=ROOT, check=True)
    return pathlib.Path(os.path.realpath(swift)).parent, SCRATCH / "debug/paytoken"


def main():
    failures, sums = [], []
    tools = build() if "--measure" in sys.argv else None
    for order in ORDERS:
        rows, folder = listed(order), ROOT / order.folder
        for name, count in rows:
            actual = code_lines(folder / name)
            if actual != count:
                failures.append(f"{name} has {actual} lines of code, not {count}")
        total = sum(count for _, count in rows)
        if len(rows) > order.most_files or total > order.most_lines:
            failures.append(f"{len(rows)} files and {total} lines: more than {order.most_files} and {order.most_lines}")
        sums.append(f"{order.marker}: {len(rows)} files, {total} lines of code")
        if tools:
            passed, names = measured(order, *tools), {name for name, _ in rows}
            for name in sorted(passed - names):
                failures.append(f"{name} runs and is not listed ({code_lines(folder / name)} lines)")
            for name in sorted(names - passed):
                failures.append(f"{name} is listed and does not run")
    print("\n".join(failures or sums))
    return 1 if failures else 0


sys.exit(main())
