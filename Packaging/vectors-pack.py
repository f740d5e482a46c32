#!/usr/bin/env python3
"""Packs the test vectors of payment tokens for people who test a verifier of their own.

usage: vectors-pack.py FOLDER

FOLDER receives apple-pay-token-vectors-VERSION.tar.gz: the cases, their keys, root and schemas, runners for six languages, a judge and a
README. Every time in it is SOURCE_DATE_EPOCH, by default the time of the commit, so a commit always gives the same archive.
"""
import base64
import gzip
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
VECTORS = ROOT / "TestVectors"
VERSION = ROOT / "Sources/Programs/ApplePayPrograms/System/Version.swift"


def packed(line):
    """Returns a case whose token is the base64 of its bytes: not every JSON parser preserves the text of the others.

    An object is taken as it is written, and in a string a lone surrogate U+DC80 to U+DCFF represents the byte 80 to FF.
    """
    # No text contains these characters, because a quotation mark in a text follows a backslash.
    start = line.index('"token":') + len('"token":')
    value, end = json.JSONDecoder().raw_decode(line, start)
    text = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else line[start:end].encode()
    return f'{line[:start - len("token:") - 2]}"tokenBase64":"{base64.b64encode(text).decode()}"{line[end:]}'


def files():
    """Returns the contents of each file of the archive."""
    synthetic = VECTORS / "synthetic"
    lines = (synthetic / "cases.jsonl").read_text().splitlines()
    found = {
        "LICENSE": ROOT / "LICENSE",
        "README.md": VECTORS / "pack/README.md",
        "refusals.tsv": VECTORS / "synthetic-refusals.tsv",
        "judge.py": VECTORS / "pack/judge.py",
        "root.pem": synthetic / "pki/root.pem",
    }
    found |= {f"keys/{path.name}": path for path in (synthetic / "keys").iterdir()}
    found |= {f"schemas/{name}.schema.json": VECTORS / f"schemas/{name}.schema.json" for name in ("answer", "case")}
    found |= {f"runners/{path.name}": path for path in (VECTORS / "pack").glob("[rR]un.*")}
    contents = {name: path.read_bytes() for name, path in found.items()}
    return contents | {"cases.jsonl": "".join(f"{packed(line)}\n" for line in lines).encode()}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    time = int(os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=True, capture_output=True).stdout)
    version = re.search(r'number = "(.*)"', VERSION.read_text())[1]
    name = f"apple-pay-token-vectors-{version}"
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, contents in sorted(files().items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mtime, member.mode = len(contents), time, 0o644
            archive.addfile(member, io.BytesIO(contents))
    target = pathlib.Path(sys.argv[1], f"{name}.tar.gz")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(tar.getvalue(), compresslevel=9, mtime=0))
    print(target)


if __name__ == "__main__":
    main()
