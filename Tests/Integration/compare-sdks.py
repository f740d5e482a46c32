#!/usr/bin/env python3
"""Compares the examples of gateways' requests with what the vendors' own Python SDKs send.

  compare-sdks.py [--sdks FOLDER] [--newest] [NAME ...]

Installs the SDKs with pip into FOLDER, .build-sdks by default, and gives each example of TestVectors/gateways, or each
whose name begins with a NAME, to its vendor's SDK: the SDK's request model reads the body, the SDK's client sends the
model, and the method, the URL, the headers and the body that it would have sent are compared with the example's. The
types of the members are compared with those that the model declares, the signatures of Worldline and CyberSource with
those of the SDKs' authenticators, the answers with what the SDK's response models keep of them, and the webhook in
EventTests.swift is given to Worldline's webhook helpers. Only pip contacts a host: requests are recorded and answered
with the example's answer, and every other connection fails.

Prints a line for each example, lines for what differs or could not be compared, and a summary. Exits 1 for a
difference that is not listed with its reason in sdks/differences.tsv, and for a listed one that no longer occurs.
--newest installs the newest releases instead of those that sdks/__init__.py names. Needs Python 3.10 with pip.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import urllib.parse

sys.dont_write_bytecode = True
import sdks  # noqa: E402
from sdks.example import Example  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
EXAMPLES = PROJECT / "TestVectors/gateways"
EVENTS = PROJECT / "Tests/ApplePayGatewaysTests/EventTests.swift"
LISTED = HERE / "sdks/differences.tsv"


def install(folder, newest):
    """Installs the SDKs, unless FOLDER contains the same releases, and lets this process import them."""
    wanted = [package if newest else f"{package}=={version}" for package, version in sdks.PACKAGES.items()]
    stamp = folder / "requirements"
    if newest or not stamp.exists() or stamp.read_text().split() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"Installing {', '.join(wanted)} into {folder}.", flush=True)
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "--target", str(folder), *wanted], check=True)
        stamp.write_text("\n".join(wanted))
    sys.path.insert(0, str(folder))


def refuse(*_, **__):
    """Takes the place of the functions that open connections."""
    raise OSError("the comparison contacts no host")


def members(place, ours, theirs):
    """Yields where two JSON values differ, and how."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in ours.keys() | theirs.keys():
            inner = f"{place}.{name}"
            if name not in theirs:
                yield inner, "the SDK drops it"
            elif name not in ours:
                yield inner, f"the SDK adds {json.dumps(theirs[name])}"
            else:
                yield from members(inner, ours[name], theirs[name])
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, pair in enumerate(zip(ours, theirs)):
            yield from members(f"{place}[{index}]", *pair)
    elif type(ours) is not type(theirs) or ours != theirs:
        yield place, f"{json.dumps(ours)}, and the SDK's is {json.dumps(theirs)}"


def content(text, media):
    """A body as JSON, or a form's fields as an object; None for no body."""
    if text and media and "form-urlencoded" in media:
        return dict(urllib.parse.parse_qsl(text, strict_parsing=True))
    return json.loads(text) if text else None


class Comparison:
    """The parts of an example that agree, that differ, and that cannot be compared."""

    def __init__(self):
        self.equal, self.differences, self.missing = [], [], []

    def add(self, part, differences):
        """Records a part."""
        differences = sorted(differences)
        self.differences += differences
        if not differences:
            self.equal.append(part)

    def value(self, part, ours, theirs):
        """Compares a text of the example with the SDK's."""
        self.add(part, [] if ours == theirs else [(part, f"{ours}, and the SDK's is {theirs}")])

    def request(self, example, sent):
        """Compares an example with the request that the SDK sent."""
        self.value("method", example.method, sent.method)
        self.value("URL", example.target.geturl(), sent.url)
        for name, value in example.headers:
            if name.lower() not in example.sdk.SIGNED:
                self.value(name, value, sent.headers.get(name.lower()))
        media = example.header("Content-Type")
        self.add("body", members("body", content(example.body, media), content(sent.body, media)))
        if example.sdk.MODELS:
            self.add("types", example.sdk.types(example))
        else:
            self.missing.append("members and types of the body: the SDK has no models and sends any dictionary")
        signature = example.sdk.SIGNATURE and example.header(example.sdk.SIGNATURE)
        if signature:
            self.value("signature", signature, example.sdk.signature(example))

    def answer(self, example, status, text):
        """Compares an example's answer with what the SDK's model keeps of it."""
        place = f"answer {status}"
        if not text or not example.sdk.ANSWERS:
            self.missing.append(f"{place}: " + ("the SDK has no model of it" if text else "it has no body"))
            return
        try:
            self.add(place, members(place, json.loads(text), example.sdk.call(example, (status, text))[1]()))
        except sdks.Unreadable as error:
            self.add(place, [(place, f"the SDK cannot read it: {error}")])


def compare(example):
    """Compares an example with its SDK."""
    comparison = Comparison()
    comparison.request(example, example.sdk.call(example, (200, "{}"))[0])
    for status, text in example.answers:
        comparison.answer(example, status, text)
    return comparison


def webhook(sdk):
    """Gives the webhook of the tests, intact and altered, to a webhook helper."""
    source = EVENTS.read_text(encoding="utf-8")
    body = re.search(r'worldlineBody = """\n(.*?)\n {8}"""', source, re.DOTALL).group(1)
    body = "\n".join(line[8:] for line in body.split("\n"))
    key = re.search(r'worldlineSignature = "([^"]+)"', source).group(1), "dummy-key-id", "hello+world"
    comparison = Comparison()
    comparison.value("signature", "valid", "valid" if sdk.accepts(body, *key) else "invalid")
    altered = body.replace("1000,", "1001,")
    comparison.value("signature of an altered body", "invalid", "valid" if sdk.accepts(altered, *key) else "invalid")
    return comparison


class Report:
    """Prints the comparisons, and counts them."""

    def __init__(self):
        lines = [line for line in LISTED.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
        self.listed = {tuple(line.split("\t")): 0 for line in lines}
        self.verdicts = collections.Counter()
        self.answers = self.faults = 0

    def reason(self, name, place):
        """The reason of a difference; None if it is not listed."""
        for row in self.listed:
            if fnmatch.fnmatchcase(name, row[0]) and fnmatch.fnmatchcase(place, row[1].replace("[", "[[]")):
                self.listed[row] += 1
                return row[2]
        return None

    def add(self, name, comparison):
        """Prints a comparison."""
        lines, verdict = [], "agrees"
        for place, difference in comparison.differences:
            reason = self.reason(name, place)
            if reason is None:
                verdict, self.faults = "differs", self.faults + 1
            elif verdict == "agrees":
                verdict = "differs as listed"
            lines.append(f"{place}: {difference} ({reason or 'NOT LISTED'})")
        self.verdicts[verdict] += 1
        self.answers += sum(part.startswith("answer") for part in comparison.equal)
        print(f"{name}: {verdict}; equal: {', '.join(comparison.equal)}")
        for line in lines + [f"not compared: {reason}" for reason in comparison.missing]:
            print(f"    {line}")

    def skip(self, name, reason):
        """Prints an example that cannot be compared."""
        self.verdicts["not compared"] += 1
        print(f"{name}: not compared: {reason}")

    def end(self):
        """Prints the summary."""
        print(", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.items())
              + f"; {self.answers} answers are kept whole by the SDKs' models")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdks", type=pathlib.Path, default=PROJECT / ".build-sdks", metavar="FOLDER")
    parser.add_argument("--newest", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    install(options.sdks.resolve(), options.newest)
    socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
    vendors = sdks.load()
    report = Report()
    for path in sorted(EXAMPLES.glob("*.http")):
        example = Example(path, vendors)
        if options.names and not example.name.startswith(tuple(options.names)):
            continue
        if isinstance(example.sdk, str):
            report.skip(example.name, example.sdk)
        elif example.step is None:
            report.skip(example.name, "the SDK does not have this call")
        else:
            report.add(example.name, compare(example))
    if not options.names:
        for gateway in ("worldline-connect", "worldline-direct"):
            report.add(f"{gateway} webhook", webhook(vendors[gateway]))
        for example, place, _ in [row for row, used in report.listed.items() if not used]:
            report.faults += 1
            print(f"{LISTED.name}: {example}, {place}: no longer occurs, so delete the line")
    report.end()
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
