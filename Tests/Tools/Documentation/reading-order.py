#!/usr/bin/env python3
"""Checks the reading order in CONTRIBUTING.md: the files that one EC_v1 token passes, with their lines of code.

usage: reading-order.py            compares the numbers of lines with the files
       reading-order.py --measure  also finds the files, by the coverage of one decryption; builds first

A file is passed if some of its lines run more often with one token than with none. Lines of code are neither blank nor
comments. ApplePayWire and ApplePayPrimitives are omitted, because a reader can rely on their interfaces.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODULES = ["ApplePayToken", "ApplePayCMS", "ApplePayTrust", "ApplePayMerchantKeys", "ApplePayKeyAgreement", "ApplePayDecryption"]
MOST_FILES, MOST_LINES = 40, 2300
SCRATCH = ROOT / ".build-cov"


def code_lines(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def listed():
    """Returns the files and their lines of code as CONTRIBUTING.md lists them."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    part = text[text.index("<!-- reading order -->"):text.index("<!-- end reading order -->")]
    rows = re.findall(r"^\| \d+ \| (\w+/[\w+]+\.swift) \| (\d+) \|", part, re.M)
    return [(name, int(count)) for name, count in rows]


def counts(tools, binary, token):
    """Returns how often each line ran when `paytoken` decrypted a batch of the text `token`."""
    profile = SCRATCH / "reading.profraw"
    vectors = ROOT / "TestVectors/synthetic"
    command = [binary, "decrypt", "--batch", "--any-age", "--keys", vectors / "keys", "--test-trust-anchor", vectors / "pki/root.pem"]
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(profile))
    done = subprocess.run(command, input=token, env=environment, capture_output=True)
    if done.returncode != 0:
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


def measured():
    """Returns the files that one token passes."""
    swift = subprocess.run(["sh", "-c", "command -v swift"], check=True, capture_output=True, text=True).stdout.strip()
    tools = pathlib.Path(os.path.realpath(swift)).parent
    subprocess.run(["swift", "build", "--product", "paytoken", "--enable-code-coverage", "--scratch-path", SCRATCH],
                   cwd=ROOT, check=True)
    binary = SCRATCH / "debug/paytoken"
    token = (ROOT / "TestVectors/synthetic/demo-token.json").read_bytes().replace(b"\n", b" ") + b"\n"
    before, after = counts(tools, binary, b""), counts(tools, binary, token)
    files = {file for (file, line), count in after.items() if count > before.get((file, line), 0)}
    sources = str(ROOT / "Sources/Core") + "/"
    return {file[len(sources):] for file in files
            if file.startswith(sources) and file[len(sources):].split("/")[0] in MODULES}


def main():
    rows, failures = listed(), []
    for name, count in rows:
        actual = code_lines(ROOT / "Sources/Core" / name)
        if actual != count:
            failures.append(f"{name} has {actual} lines of code, not {count}")
    total = sum(count for _, count in rows)
    if len(rows) > MOST_FILES or total > MOST_LINES:
        failures.append(f"{len(rows)} files and {total} lines: more than {MOST_FILES} and {MOST_LINES}")
    if "--measure" in sys.argv:
        passed, names = measured(), {name for name, _ in rows}
        for name in sorted(passed - names):
            failures.append(f"{name} runs and is not listed ({code_lines(ROOT / 'Sources/Core' / name)} lines)")
        for name in sorted(names - passed):
            failures.append(f"{name} is listed and does not run")
    print("\n".join(failures) or f"{len(rows)} files, {total} lines of code")
    return 1 if failures else 0


sys.exit(main())
