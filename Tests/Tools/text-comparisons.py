#!/usr/bin/env python3
"""Finds code that compares or hashes text as Swift's String does: by canonical equivalence, in quadratic time.

usage: text-comparisons.py BUILD

Reads the undefined symbols of the objects in BUILD, such as .build/debug, or .build-postgresql/debug, which also has the
objects of ApplePayPostgreSQL. What others wrote is compared as ExactText; the files in text-comparisons.tsv compare other
text, and say which.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SOURCES = HERE.parents[1] / "Sources"
# All modules of the library and of the programs for production.
GROUPS = ("Core", "Network", "Payments", "Programs", "Service", "Command")
SYMBOLS = {
    "$sSS2eeoiySbSS_SStFZ": "==",
    "$sSS1loiySbSS_SStFZ": "<",
    "$sSS9hasPrefixySbSSF": "hasPrefix",
    "$sSS9hasSuffixySbSSF": "hasSuffix",
    "$sSSSQsWP": "Equatable",
    "$sSSSHsWP": "Hashable",
    # The same of StringProtocol and Substring.
    "$sSysE2eeoiySbx_qd__tSyRd__lFZ": "==",
    "$sSysE2neoiySbx_qd__tSyRd__lFZ": "==",
    "$sSysE9hasPrefixySbqd__SyRd__lF": "hasPrefix",
    "$sSysE9hasSuffixySbqd__SyRd__lF": "hasSuffix",
    "$sSy17_StringProcessingE8containsySbSSF": "contains",
    "$sSsSQsWP": "Equatable",
    "$sSsSHsWP": "Hashable",
    # RawRepresentable.init(rawValue:) of any type.
    "$sSY8rawValuexSg03RawB0Qz_tcfCTj": "init(rawValue:)",
}
# The initializer of an enumeration with raw values, which compares strings.
RAW_VALUE = re.compile(r"\$s\w+O8rawValue\w*SgSS_tcfC$")
# An enumeration with raw values that are words of ours hashes them.
ENUMERATION = re.compile(r"\benum \w+: String\b")


def symbols(item):
    """Returns what an object uses of other objects, and the initializers of its own enumerations that it calls itself."""
    def words(*command):
        return subprocess.run([*command, item], capture_output=True, check=True).stdout.decode(errors="replace").split()

    names = words("nm", "-u")
    called = [word for word in words("readelf", "--relocs", "--wide") if RAW_VALUE.match(word)]
    # The conformance to RawRepresentable is one call.
    return names + [name for name in set(called) if called.count(name) > 1]


def comparisons(build):
    """Returns the comparisons of each file, by the module's and the file's name."""
    sources = {(path.parent, path.stem): path for path in SOURCES.rglob("*.swift")}
    by_name = {}
    for path in sources.values():
        module = path.relative_to(SOURCES).parts[1]
        by_name[f"{module}/{path.stem}"] = path.read_text()
    found, built = {}, set()
    modules = sorted(path.name for group in GROUPS for path in (SOURCES / group).iterdir() if any(path.rglob("*.swift")))
    for module in modules:
        objects = list((build / f"{module}.build").glob("*.swift.o"))
        if not objects:
            sys.exit(f"{build} has no objects of {module}")
        for item in objects:
            name = f"{module}/{item.name.removesuffix('.swift.o')}"
            if name not in by_name:
                continue
            used = symbols(item)
            # Without its trait, the objects of a module are empty.
            if not used:
                continue
            built.add(module)
            words = [word for symbol, word in SYMBOLS.items() if symbol in used]
            if any(RAW_VALUE.match(name) for name in used):
                words.append("init(rawValue:)")
            words = list(dict.fromkeys(words))
            if ENUMERATION.search(by_name[name]) and "Hashable" in words:
                words.remove("Hashable")
            if words:
                found[name] = words
    return found, built


def main():
    found, built = comparisons(pathlib.Path(sys.argv[1]))
    lines = (HERE / "text-comparisons.tsv").read_text().splitlines()[1:]
    permitted = dict(line.split("\t") for line in lines if line.split("/")[0] in built)
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
