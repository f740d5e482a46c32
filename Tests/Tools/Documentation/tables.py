#!/usr/bin/env python3
"""Writes the tables of refusals in Refusals.md and VerificationRules.md from the list of codes and from the vectors.

Meanings are the documentation comments in PaymentTokenError+Code.swift and PaymentError+Code.swift, advice is in the files +Advice beside
them, sources and files are in rules.tsv in this folder, and the refused vectors are in TestVectors/synthetic-refusals.tsv.

usage: tables.py [--check]     --check writes nothing and exits 1 if a table is out of date
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The files of an error are named by it: +Code, +Advice, and the rest.
ERRORS = [ROOT / "Sources/Core/ApplePayWire/PaymentTokenError", ROOT / "Sources/Payments/ApplePayAcceptance/PaymentError"]
RULES = ROOT / "Tests/Tools/Documentation/rules.tsv"
REFUSALS = ROOT / "TestVectors/synthetic-refusals.tsv"
LIST = ROOT / "Sources/Core/ApplePayToken/Docs.docc/Refusals.md"
TABLE = ROOT / "Sources/Core/ApplePayToken/Docs.docc/VerificationRules.md"


def codes(error):
    """Returns the name of the case, the raw value and the meaning of each code of an error, in order."""
    path = pathlib.Path(f"{error}+Code.swift")
    found = re.findall(r'^ +/// (.+)\n +case (\w+) = "([\w/-]+)"$', path.read_text(), re.M)
    cases = re.findall(r"^ +case \w+ = ", path.read_text(), re.M)
    if len(found) != len(cases):
        sys.exit(f"{path}: each case needs one line of documentation ({len(found)} of {len(cases)} have it)")
    return [(case, raw, meaning) for meaning, case, raw in found]


def switch(path, start, pattern):
    """Returns the result of a switch for each case that it lists."""
    text = pathlib.Path(path).read_text()
    text = text[text.index(start):]
    answers = {}
    for cases, answer in re.findall(r"case ((?:\.\w+,?\s*)+):\s*" + pattern, text):
        for case in re.findall(r"\.(\w+)", cases):
            answers[case] = answer
    return answers


def listed(error):
    """Returns the sections of Refusals.md for the codes of an error, one for each stage."""
    advice = switch(f"{error}+Advice.swift", "var advice", r'"([^"]+)"')
    disposition = switch(f"{error}.swift", ".Code {", r"\.(\w+)")
    text, stage = "", None
    for case, raw, meaning in codes(error):
        if raw.split("/")[0] != stage:
            stage = raw.split("/")[0]
            text += f"\n## {stage}\n\n| code | meaning | what to do | who acts |\n|---|---|---|---|\n"
        text += f"| `{raw.split('/')[1]}` | {meaning} | {advice[case]} | {disposition.get(case, 'rejected')} |\n"
    return text


def rules(all_codes):
    """Returns the table of VerificationRules.md: a row for each code in rules.tsv, in the order of the codes."""
    refused = {}
    for line in REFUSALS.read_text().splitlines():
        if line and not line.startswith("#"):
            vector, code = line.split("\t")
            refused.setdefault(code, []).append(vector)
    rows = {}
    for line in RULES.read_text().splitlines():
        if line and not line.startswith("#"):
            code, source, file, accepts, test = (line + "\t").split("\t")[:5]
            rows[code] = (source, file, accepts, test)
    text = "| code | what is refused | source | enforced in Sources/Core | accepts | refuses |\n|---|---|---|---|---|---|\n"
    for _, raw, meaning in all_codes:
        if raw not in rows:
            continue
        source, file, accepts, test = rows.pop(raw)
        vectors = refused.get(raw, [])
        refuses = ", ".join(f"`{vector}`" for vector in vectors[:2]) or test
        if len(vectors) > 2:
            refuses += f" and {len(vectors) - 2} more"
        text += f"| `{raw}` | {meaning} | {source} | {file} | `{accepts}` | {refuses} |\n"
    if rows:
        sys.exit(f"{RULES}: {', '.join(rows)}: no such code")
    return text


def replaced(path, start, end, table):
    """Returns the text of a file with the part between two marks replaced."""
    text = path.read_text()
    if text.count(start) != 1 or end not in text:
        sys.exit(f"{path}: the marks of its table are missing")
    head, rest = text.split(start)
    return head + start + "\n" + table + end + rest.split(end, 1)[1]


def main():
    all_codes = [code for error in ERRORS for code in codes(error)]
    sections = "".join(listed(error) for error in ERRORS)
    pages = {
        LIST: replaced(LIST, "<!-- codes: written by make docs-tables -->", "<!-- end -->", sections),
        TABLE: replaced(TABLE, "<!-- rules: written by make docs-tables -->", "<!-- end rules -->", rules(all_codes)),
    }
    stale = [path for path, text in pages.items() if path.read_text() != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run make docs-tables")
        return 1 if stale else 0
    for path in stale:
        path.write_text(pages[path])
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


sys.exit(main())
