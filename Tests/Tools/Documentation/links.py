#!/usr/bin/env python3
"""Checks the links of the Markdown documents to files and headings of the repository, the code blocks that show a file, the test
vectors that documents name, and the facts that README.md and .spi.yml repeat.

usage: links.py                  checks the documents
       links.py --site FOLDER    checks the pages of make docs-html

docc checks the links between symbols and articles (`make docs`). Addresses on the network are not opened.
"""
import argparse
import json
import pathlib
import re
import sys
from html import unescape
from urllib.parse import unquote

from documents import ROOT, blocks, documents

MOST_WORDS = 1000
# The documents that name test vectors; a name in others, such as `chain/no-path-to-anchor`, can be the code of a refusal.
VECTOR_DOCUMENTS = [
    "Sources/Core/ApplePayToken/Docs.docc/BrokenVerifier.md", "TestVectors/README.md", "TestVectors/pack/README.md",
]


def anchors(path):
    """Returns the names that GitHub gives to a document's headings."""
    headings = re.findall(r"^#+ +(.*)$", re.sub(r"```.*?```", "", path.read_text(), flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_faults(document):
    """Returns a line for each broken link."""
    path, faults = ROOT / document, []
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
    for image, target in re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = unquote(target).partition("#")
        file = path.parent / name if name else path
        if ".docc/" in document and image:
            # docc finds a picture by its name without the folder.
            if not list(path.parent.glob(f"Resources/{name}.*")):
                faults.append(f"{document}: there is no picture {name}")
        elif not file.exists():
            faults.append(f"{document}: {target} does not exist")
        elif anchor and anchor not in anchors(file):
            faults.append(f"{document}: {target} is not a heading")
    return faults


def shown_file_faults(document):
    """Returns a line for each code block that does not show the file that its directive names."""
    shown = [(block, ROOT / block.shown_file) for block in blocks(document) if block.shown_file]
    return [f"{block.place}: the block is not the file {block.shown_file}" for block, file in shown
            if not file.is_file() or block.text != file.read_text()]


def readme_faults():
    """Returns a line if README.md is too long, or repeats a ratio that Benchmarks/README.md does not have."""
    readme = (ROOT / "README.md").read_text()
    faults = []
    if len(readme.split()) > MOST_WORDS:
        faults.append(f"README.md has {len(readme.split())} words: more than {MOST_WORDS}")
    measured = dict(re.findall(r"^\| `([\w-]+)` \|.*\| ([\d.]+) \| [≤≥]", (ROOT / "Benchmarks/README.md").read_text(), re.M))
    rows = {"EC_v1, chain remembered": "warm-ec", "EC_v1, new chain": "cold-ec", "RSA_v1, chain remembered": "warm-rsa"}
    for title, row in rows.items():
        if f"| {title} | {measured[row]} |" not in readme:
            faults.append(f"README.md: the ratio of {title} is not {measured[row]}, as Benchmarks/README.md has it")
    return faults


def vector_faults():
    """Returns a line for each name of a test vector that does not exist, and for each wrong number of test vectors."""
    lines = (ROOT / "TestVectors/synthetic/cases.jsonl").read_text().splitlines()
    names = {json.loads(line)["id"] for line in lines}
    groups = "|".join({name.split("/")[0] for name in names})
    faults = []
    for document in VECTOR_DOCUMENTS:
        text = (ROOT / document).read_text()
        found = re.findall(rf"`((?:{groups})/[^`]+)`", text)
        faults += [f"{document}: there is no case {name}" for name in found if name not in names]
        faults += [f"{document}: there are {len(names)} payment tokens, not {count}"
                   for count in re.findall(r"(\d+) payment tokens", text) if int(count) != len(names)]
    return faults


def index_faults():
    """Returns a line for each library whose documentation the Swift Package Index would not build."""
    products = re.findall(r'\.library\(name: "(\w+)", targets', (ROOT / "Package.swift").read_text())
    listed = re.findall(r"^ +- (\w+)$", (ROOT / ".spi.yml").read_text(), re.M)
    return [f".spi.yml does not list {product}" for product in products if product not in listed]


def site_faults(folder):
    """Returns the number of links in the pages of a folder, and a line for each that is broken or leads to another host."""
    pages = {path.name: path.read_text() for path in folder.glob("*.html")}
    ids = {name: re.findall(r' id="([^"]*)"', text) for name, text in pages.items()}
    count, faults = 0, [f"{name}: an id occurs twice" for name, found in ids.items() if len(found) != len(set(found))]
    for name, text in pages.items():
        for attribute, target in re.findall(r' (href|src)="([^"]*)"', text):
            count += 1
            file, _, anchor = unescape(target).partition("#")
            if attribute == "href" and file.startswith("https://"):
                continue
            if file and not (folder / file).is_file():
                faults.append(f"{name}: {target} does not exist")
            elif anchor and anchor not in ids[file or name]:
                faults.append(f"{name}: {target} is not a heading")
    addresses = [unescape(target) for target in re.findall(r'", "([^"]+\.html[^"]*)", "', (folder / "search.js").read_text())]
    for target in addresses:
        file, _, anchor = target.partition("#")
        if anchor and anchor not in ids[file] or file not in ids:
            faults.append(f"search.js: {target} does not exist")
    return count + len(addresses), faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", type=pathlib.Path)
    options = parser.parse_args()
    if options.site:
        count, faults = site_faults(options.site)
        print("\n".join(faults) or f"the {count} links of {options.site} lead somewhere")
        return 1 if faults else 0
    found = documents()
    faults = [fault for document in found for fault in link_faults(document) + shown_file_faults(document)]
    faults += readme_faults() + vector_faults() + index_faults()
    print("\n".join(faults) or f"the links of {len(found)} documents lead somewhere")
    return 1 if faults else 0


sys.exit(main())
