#!/usr/bin/env python3
"""Finds code that compares or hashes text as Swift's String does: by canonical equivalence, in quadratic time.

usage: text-comparisons.py BUILD

Reads the undefined symbols of the objects in BUILD, such as .build/debug. What others wrote is compared as ExactText; the
files in text-comparisons.tsv compare other text, and say which.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SOURCES = HERE.parents[1] / "Sources"
# The modules that meet what customers, clients and gateways wrote.
MODULES = (
    "ApplePayAcceptance ApplePayGateways ApplePayHTTPS ApplePayLedger ApplePayOrders ApplePayOtherGateways "
    "ApplePaySQLite ApplePayServiceHTTP ApplePaySession ApplePayTransport ApplePayWire paytokend").split()
SYMBOLS = {
    "$sSS2eeoiySbSS_SStFZ": "==",
    "$sSS1loiySbSS_SStFZ": "<",
    "$sSS9hasPrefixySbSSF": "hasPrefix",
    "$sSS9hasSuffixySbSSF": "hasSuffix",
    "$sSSSQsWP": "Equatable",
    "$sSSSHsWP": "Hashable",
}
# An enumeration with raw values that are words of ours hashes them.
ENUMERATION = re.compile(r"\benum \w+: String\b")


def comparisons(build):
    """Returns the comparisons of each file, by the module's and the file's name."""
    sources = {(path.parent, path.stem): path for path in SOURCES.rglob("*.swift")}
    by_name = {}
    for path in sources.values():
        module = path.relative_to(SOURCES).parts[1]
        by_name[f"{module}/{path.stem}"] = path.read_text()
    found = {}
    for module in MODULES:
        objects = list((build / f"{module}.build").glob("*.swift.o"))
        if not objects:
            sys.exit(f"{build} has no objects of {module}")
        for item in objects:
            name = f"{module}/{item.name.removesuffix('.swift.o')}"
            if name not in by_name:
                continue
            symbols = subprocess.run(
                ["nm", "-u", item], capture_output=True, check=True, text=True).stdout.split()
            words = [word for symbol, word in SYMBOLS.items() if symbol in symbols]
            if ENUMERATION.search(by_name[name]) and "Hashable" in words:
                words.remove("Hashable")
            if words:
                found[name] = words
    return found


def main():
    found = comparisons(pathlib.Path(sys.argv[1]))
    lines = (HERE / "text-comparisons.tsv").read_text().splitlines()[1:]
    permitted = dict(line.split("\t") for line in lines)
    faults = [
        f"{name} compares a String ({', '.join(words)}): use ExactText, or say in text-comparisons.tsv whose text it is"
        for name, words in sorted(found.items()) if name not in permitted
    ] + [
        f"{name} in text-comparisons.tsv compares no String"
        for name in sorted(permitted) if name not in found
    ]
    print("\n".join(faults) or f"{len(permitted)} files compare Strings, and say which")
    sys.exit(1 if faults else 0)


main()
