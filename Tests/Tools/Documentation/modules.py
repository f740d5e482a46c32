#!/usr/bin/env python3
"""Draws the groups of modules and their imports in CONTRIBUTING.md, from Package.swift.

An arrow is left out if a longer way of arrows implies it. A module may import modules of its own group and of lower ones.

usage: modules.py [--check]     --check writes nothing and exits 1 if the drawing is out of date
exit 1 also if a module imports one of a higher group
"""
import json
import subprocess
import sys

from documents import ROOT

GROUPS = ["Testing", "Command", "Service", "Programs", "Payments", "Network", "Core"]  # from the highest to the lowest
DOCUMENT = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- modules -->\n", "<!-- end modules -->"


def modules():
    """Returns the Swift modules of Sources: the group of each, and the modules that it imports."""
    text = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    groups, imports = {}, {}
    for target in json.loads(text)["targets"]:
        parts = (target.get("path") or "").split("/")
        if parts[0] != "Sources" or target["type"] == "system" or target["name"].startswith("C"):
            continue
        groups[target["name"]] = parts[1]
        imports[target["name"]] = [(entry.get("byName") or entry.get("target"))[0] for entry in target["dependencies"]]
    return groups, {name: [other for other in others if other in groups] for name, others in imports.items()}


def reachable(name, imports):
    """Returns all modules that a module imports, directly or through others."""
    found = set()
    for other in imports[name]:
        found |= {other} | reachable(other, imports)
    return found


def drawing(groups, imports):
    lines = ["```mermaid", "flowchart TD"]
    for group in GROUPS:
        lines += [f"  subgraph {group}", *(f"    {name}" for name in groups if groups[name] == group), "  end"]
    for name, others in imports.items():
        implied = set().union(*(reachable(other, imports) for other in others)) if others else set()
        lines += [f"  {name} --> {other}" for other in others if other not in implied]
    return "\n".join([*lines, "```", ""])


def main():
    groups, imports = modules()
    wrong = [f"{name} ({groups[name]}) imports {other} ({groups[other]})" for name, others in imports.items() for other in others
             if GROUPS.index(groups[other]) < GROUPS.index(groups[name])]
    if wrong:
        sys.exit("a lower group imports a higher one:\n" + "\n".join(wrong))
    text = DOCUMENT.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    new = text[:start] + drawing(groups, imports) + text[end:]
    if new == text:
        return 0
    if "--check" in sys.argv:
        sys.exit("the modules in CONTRIBUTING.md are out of date; run `make docs-tables`")
    DOCUMENT.write_text(new)
    print("wrote CONTRIBUTING.md")
    return 0


sys.exit(main())
