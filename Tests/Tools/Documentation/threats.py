#!/usr/bin/env python3
"""Checks the names in the tables of ThreatModel.md and PCIDSS.md, so that they cannot go stale.

A word between backquotes that contains a slash or a file's ending is one of these, and must exist:

| form | what it names |
|---|---|
| `File.swift` | the only file of Sources with this name |
| `Suite/test` | a function with @Test |
| `program.py/function`, `program.sh` | a function of a program in Tests/Integration, or a program |
| `stage/vector` | a refused vector of TestVectors/synthetic |
| `stage/code` | a code of PaymentTokenError or PaymentError |
| `folder/…/file` | a file of the repository |

Each row of the threat model names a file of Sources, and a test, a program or a vector; each of its vectors is refused with a code that the
row names, if it names any.

usage: threats.py     exits 1 if a name does not exist
"""
import re
import sys

from documents import ROOT

ARTICLES = ROOT / "Sources/Core/ApplePayToken/Docs.docc"
CODES = [ROOT / "Sources" / name for name in ("Core/ApplePayWire/PaymentTokenError+Code.swift", "Payments/ApplePayAcceptance/PaymentError+Code.swift")]
REFUSALS = ROOT / "TestVectors/synthetic-refusals.tsv"
INTEGRATION = ROOT / "Tests/Integration"
TYPE = re.compile(r"^(?:@\w+(?:\(.*\))? )*(?:package |public |private |fileprivate )?(?:final )?(?:struct|class|enum|actor|extension) (\w+)")


def tests():
    """Returns the names of all tests: the suite and the function."""
    found = set()
    for path in (ROOT / "Tests").rglob("*.swift"):
        suite, is_test = "", False
        for line in path.read_text().splitlines():
            if match := TYPE.match(line):
                suite = match[1]
            is_test = is_test or line.strip().startswith("@Test")
            if is_test and (match := re.match(r"\s+(?:\w+ )*func (\w+)", line)):
                found.add(f"{suite}/{match[1]}")
                is_test = False
    return found


class Names:
    """Everything that a table can name."""

    def __init__(self):
        self.tests = tests()
        self.codes = {code for path in CODES for code in re.findall(r'case \w+ = "([\w/-]+)"$', path.read_text(), re.M)}
        rows = [line.split("\t") for line in REFUSALS.read_text().splitlines() if line and not line.startswith("#")]
        self.vectors = {vector: code for vector, code in rows}

    def kind(self, name):
        """Returns what a name is: code, vector, source, evidence or file; nothing if it does not exist."""
        if name in self.vectors:
            return "vector"
        if name in self.codes:
            return "code"
        if name in self.tests:
            return "evidence"
        program, _, function = name.partition("/")
        if program.endswith((".py", ".sh")):
            path = INTEGRATION / program
            if path.is_file() and (not function or f"\ndef {function}(" in path.read_text()):
                return "evidence"
            return ""
        if "/" not in name:
            return "source" if len(list((ROOT / "Sources").rglob(name))) == 1 else ""
        if (ROOT / name).exists():
            return "evidence" if name.startswith("Tests/") else "file"
        return ""


def faults(document, names):
    """Returns a line for each name in a document's tables that does not exist, and for each threat without a check or a test."""
    found = []
    is_threat = False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        place = f"{document.relative_to(ROOT)}:{number}"
        if not line.startswith("|") or line.startswith("|---"):
            continue
        if line.startswith("| threat |") or line.startswith("| requirement |") or line.startswith("| | "):
            is_threat = line.startswith("| threat |")
            continue
        words = [word for word in re.findall(r"`([^`]+)`", line) if re.fullmatch(r"[\w.][\w.+/-]+", word)]
        kinds = {word: names.kind(word) for word in words if "/" in word or re.search(r"\.(py|sh|swift|c)$", word)}
        found += [f"{place}: there is no {word}" for word, kind in kinds.items() if not kind]
        if not is_threat:
            continue
        if "source" not in kinds.values() or not {"evidence", "vector"} & set(kinds.values()):
            found.append(f"{place}: the row needs a file of Sources, and a test or a vector")
        codes = {word for word, kind in kinds.items() if kind == "code"}
        found += [f"{place}: {word} is refused as {names.vectors[word]}" for word, kind in kinds.items()
                  if kind == "vector" and codes and names.vectors[word] not in codes]
    if not re.search(r"^\| (threat|requirement) \|", document.read_text(), re.M):
        found.append(f"{document.relative_to(ROOT)}: there is no table")
    return found


def main():
    names = Names()
    found = [fault for name in ["ThreatModel.md", "PCIDSS.md"] for fault in faults(ARTICLES / name, names)]
    print("\n".join(found) or "the threat model and the map to PCI DSS name files, tests and vectors that exist")
    return 1 if found else 0


sys.exit(main())
