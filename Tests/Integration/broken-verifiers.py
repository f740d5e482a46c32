#!/usr/bin/env python3
"""Checks BrokenVerifier.md: a verifier with each fault gives the answers that the article states, and one without it does not.

The verifiers are variants of Tests/Proofs/Conformance/verifier.py, which needs the package cryptography (python3-cryptography);
without it the script is skipped with a notice. Takes the folder of the programs.
"""
import importlib.util
import json
import pathlib
import re
import sys
import tempfile

from programs import check, folder, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTICLE = ROOT / "Sources/Core/ApplePayToken/Docs.docc/BrokenVerifier.md"
VERIFIER = ROOT / "Tests/Proofs/Conformance/verifier.py"
VECTORS = ROOT / "TestVectors/synthetic"


def findings(judge, fault, answers):
    """Returns the name and the kind of each finding in the answers of the verifier with a fault, or with none."""
    options = ["--broken", fault] if fault else []
    done = run([sys.executable, "-W", "ignore", VERIFIER, VECTORS / "cases.jsonl", VECTORS / "pki/root.pem", VECTORS / "keys", *options])
    check(done.returncode == 0, f"{fault}: {done.stderr.decode()}")
    answers.write_bytes(done.stdout)
    judged = run([judge, "conform", VECTORS / "cases.jsonl", "--check", answers])
    *lines, totals = [json.loads(line) for line in judged.stdout.splitlines()]
    found = {(line["id"], line["finding"]) for line in lines}
    check(judged.returncode == (0 if totals["passed"] else 1), f"{fault}: {judged.stderr.decode()}")
    check(fault or totals["passed"], f"the verifier without a fault: {found}")
    return found


def main():
    if not importlib.util.find_spec("cryptography"):
        print("skipped: the Python package cryptography is not installed")
        return
    judge = folder() / "paytoken-testing"
    sections = re.split(r"^## \d+\. ", ARTICLE.read_text(), flags=re.M)[1:]
    check(len(sections) == 10, f"{len(sections)} faults instead of ten")
    rows = [row for section in sections for row in re.findall(r"^\| `([\w-]+)` \| (.*) \| `([\w-]+)` \|$", section, re.M)]
    faults = re.findall(r'^    "([\w-]+)": "', VERIFIER.read_text().split("FAULTS = {")[1].split("}")[0], re.M)
    check({fault for fault, _, _ in rows} == set(faults), f"faults: {set(faults) ^ {fault for fault, _, _ in rows}}")
    with tempfile.TemporaryDirectory() as work:
        answers = pathlib.Path(work, "answers.jsonl")
        without = findings(judge, None, answers)
        for fault in faults:
            found = findings(judge, fault, answers) - without
            stated = {(case, kind) for name, cases, kind in rows if name == fault for case in re.findall("`([^`]+)`", cases)}
            check(stated and stated <= found, f"{fault}: the answers do not show {stated - found}")
            print(f"{fault}: {len(found)} findings, of which the article names {len(stated)}", flush=True)


if __name__ == "__main__":
    main()
