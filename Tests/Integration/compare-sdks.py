#!/usr/bin/env python3
"""Compares the gateways' requests, answers and messages with the vendors' own Python SDKs.

  compare-sdks.py [--sdks FOLDER] [--newest] [NAME ...]

Installs the SDKs with pip into FOLDER, .build-sdks by default, builds the tests, and compares, for each gateway whose
vendor has an SDK:

- requests: each example of TestVectors/gateways, or each whose name begins with a NAME. The SDK's request model reads the
  body, the SDK's client sends the model, and the method, the URL, the headers and the body that it would have sent are
  compared with the example's. The types of the members are compared with those that the model declares, the signatures
  of Worldline and CyberSource with those of the SDKs' authenticators.
- answers: each answer of TestVectors/answers, with what the SDK's response model keeps of it. If the model drops or adds a
  member, this project's readers must read the same of both.
- statuses: each status word that an enumeration or a documentation comment of the SDK lists is put into a published
  answer, of which the readers must not say that the word is not documented; of an invented word they must.
- messages: those of TestVectors/answers with their published signatures, or signed here, and each altered in ten ways.
  Worldline's webhook helpers and the readers must accept and refuse the same ones, and read the same identifier and
  type.

Only pip contacts a host: requests are recorded and answered here, and every other connection fails.

Prints a line for each example and for each kind of comparison, lines for what differs or could not be compared, and a
summary. In the lines about answers and messages, [] is any element, and the number is how many of them differ there. Exits
1 for a difference that is not listed with its reason in sdks/differences.tsv, and for a listed one that no longer occurs.
With a NAME only requests are compared. --newest installs the newest releases instead of those that sdks/__init__.py
names. Needs Swift, and Python 3.10 with pip.
"""
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
import sdks  # noqa: E402
from sdks.example import Answer, Example, Message  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
EXAMPLES = PROJECT / "TestVectors/gateways"
ANSWERS = PROJECT / "TestVectors/answers"
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


class Readers:
    """The readers of this checkout, which a test calls for a file of answers."""

    # A word of no vendor's.
    INVENTED = "COMPARED_WORD"

    def __init__(self):
        self.package = ["--package-path", str(PROJECT)]
        subprocess.run(["swift", "build", *self.package, "--build-tests"], check=True, stdout=subprocess.DEVNULL)

    def read(self, lines):
        """How the answers and messages in lines for AnswerFileTests are read."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "answers"
            path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
            words = ["swift", "test", *self.package, "--disable-xctest", "--skip-build", "--filter", "AnswerFileTests"]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=os.environ | {"APPLEPAYTOKEN_ANSWERS": str(path)})
            read = pathlib.Path(f"{path}.read").read_text(encoding="utf-8").splitlines()
        return list(map(json.loads, read))

    @staticmethod
    def answer(answer, content):
        """The line for an answer with another body."""
        return {"gateway": answer.gateway, "answer": answer.line | {"body": content}}

    @staticmethod
    def message(gateway, name, message):
        """The line for a message; its account is that of the body."""
        return {"gateway": gateway, "message": {
            "id": name, "gateway": gateway, "secret": message.secret, "key": message.key, "valid": True,
            "http": {"method": "POST", "target": "/hook", "headers": message.headers}, "body": message.body}}


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


def address(url):
    """A URL whose host is in lower case and whose query is decoded and sorted."""
    parts = urllib.parse.urlsplit(url)
    query = urllib.parse.parse_qsl(parts.query, strict_parsing=bool(parts.query))
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path} {sorted(query)}"


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

    def many(self, differences):
        """Records the differences of many documents: once for each place, with their number."""
        places = {}
        for place, difference in differences:
            places.setdefault(re.sub(r"\[\d+\]", "[]", place), []).append(difference)
        self.differences += sorted((place, f"{found[0]}, {len(found)} times") for place, found in places.items())

    def request(self, example, sent):
        """Compares an example with the request that the SDK sent."""
        self.value("method", example.method, sent.method)
        self.value("URL", address(example.url), address(sent.url))
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


def compare(example):
    """Compares an example with its SDK."""
    comparison = Comparison()
    comparison.request(example, example.sdk.call(example, (200, "{}"))[0])
    return comparison


def compare_answers(gateway, sdk, answers, vendors, readers):
    """Compares the published answers with what the SDK's models keep of them, and what is read of both."""
    comparison, differences, count = Comparison(), [], 0
    if not sdk.ANSWERS:
        comparison.missing.append("the SDK has no models of answers")
        return comparison
    unread, changed = collections.Counter(), []
    for answer in answers:
        if answer.status is None:
            continue
        step = sdk.reads(answer)
        if step is None or isinstance(answer.content, str):
            unread["the SDK does not have this call" if step is None else "the answer is not JSON"] += 1
            continue
        example = Example(EXAMPLES / f"{gateway}-{step}-minimal.http", vendors)
        try:
            kept = sdk.call(example, (answer.status, answer.text))[1]()
            found = list(members(step, answer.content, kept))
            if found:
                changed.append((answer, kept))
        except sdks.Unreadable as error:
            found = [(step, f"the SDK cannot read {answer.id}: {error}")]
        differences += found
        count += not found
    pairs = [readers.answer(answer, body) for answer, kept in changed for body in (answer.content, kept)]
    read = iter(readers.read(pairs))
    for (answer, _), whole, part in zip(changed, read, read):
        comparison.differences += members(f"{answer.id}, as it is read", whole, part)
    comparison.equal.append(f"{count} answers are kept whole")
    comparison.missing += [f"{number} answers: {reason}" for reason, number in unread.items()]
    comparison.many(differences)
    return comparison


def compare_statuses(gateway, sdk, answers, readers):
    """Reads an answer with each status word that the SDK lists."""
    comparison, count, asked = Comparison(), 0, []
    for step, operation, path, words in sdk.words():
        template = next((answer for answer in answers if (answer.step, answer.operation) == (step, operation)
                         and answer.status in (200, 201) and answer.with_word(path, "")
                         and answer.outcome != "unknown"), None)
        kind = f"{sdk.READS[step, operation]} {'.'.join(map(str, path))}"
        if template is None:
            comparison.missing.append(f"{kind}: no published answer has this member")
            continue
        for word in [*dict.fromkeys(words), readers.INVENTED]:
            asked.append((kind, word, readers.answer(template, json.loads(template.with_word(path, word)))))
    for (kind, word, _), read in zip(asked, readers.read([line for *_, line in asked])):
        known = "not documented" not in read["reason"]
        if known != (word != readers.INVENTED):
            comparison.differences.append((f"{kind} {word}", f"documented: {known}"))
        else:
            count += word != readers.INVENTED
    if count:
        comparison.equal.append(f"{count} words are known")
    else:
        comparison.missing.append("the SDK lists no words")
    return comparison


def compare_messages(gateway, sdk, answers, readers):
    """Gives the published messages, signed and altered, to the SDK's webhook helper and to the readers."""
    comparison, differences, counts = Comparison(), [], collections.Counter()
    messages = []
    for line in (ANSWERS / "signatures.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(line)
        if line["gateway"] == gateway:
            headers = [tuple(header) for header in line["http"]["headers"] if header[0].startswith("X-GCS-")]
            message = Message(line["body"], dict(headers)["X-GCS-KeyId"], line["secret"], headers)
            messages.append((line["id"], message, line["valid"]))
    messages += [(answer.id, Message(answer.text), True) for answer in answers if answer.step == "message"]
    variants = [(name, valid, what, variant, message) for name, message, valid in messages
                for what, variant in message.variants()]
    read = readers.read(
        [readers.message(gateway, f"{name}, {what}", variant) for name, _, what, variant, _ in variants])
    for (name, valid, what, variant, message), ours in zip(variants, read):
        theirs = sdk.event(variant)
        place, accepted = f"{name}, {what}", bool(ours)
        if accepted != (theirs is not None):
            comparison.differences.append((place, f"accepted: {accepted}, by the SDK: {not accepted}"))
        elif what == "as published" and valid != accepted:
            comparison.differences.append((place, f"accepted: {accepted}, published as valid: {valid}"))
        elif not accepted:
            counts["refused"] += 1
        elif (ours["id"], ours["type"]) != (theirs["id"], theirs["type"]):
            comparison.differences.append((place, f"{ours}, and the SDK's is {theirs['id']}, {theirs['type']}"))
        else:
            counts["accepted"] += 1
            differences += members("message", json.loads(message.body), theirs)
    comparison.equal.append(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    comparison.many(differences)
    return comparison


class Report:
    """Prints the comparisons, and counts them."""

    def __init__(self):
        lines = [line for line in LISTED.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
        self.listed = {tuple(line.split("\t")): 0 for line in lines}
        self.verdicts = collections.Counter()
        self.faults = 0

    def reason(self, name, place):
        """The reason of a difference; None if it is not listed."""
        for row in self.listed:
            if fnmatch.fnmatchcase(name, row[0]) and fnmatch.fnmatchcase(place, row[1].replace("[", "[[]")):
                self.listed[row] += 1
                return row[2]
        return None

    def add(self, name, comparison):
        """Prints a comparison."""
        lines, verdict = [], "agrees" if comparison.equal or comparison.differences else "not compared"
        for place, difference in comparison.differences:
            reason = self.reason(name, place)
            if reason is None:
                verdict, self.faults = "differs", self.faults + 1
            elif verdict == "agrees":
                verdict = "differs as listed"
            lines.append(f"{place}: {difference} ({reason or 'NOT LISTED'})")
        self.verdicts[verdict] += 1
        print(f"{name}: {verdict}" + (f"; equal: {', '.join(comparison.equal)}" if comparison.equal else ""))
        for line in lines + [f"not compared: {reason}" for reason in comparison.missing]:
            print(f"    {line}")

    def skip(self, name, reason):
        """Prints an example that cannot be compared."""
        self.verdicts["not compared"] += 1
        print(f"{name}: not compared: {reason}")

    def end(self):
        """Prints the summary."""
        print(", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.items())
              + f"; {self.faults} not listed or no longer occurring")


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
        readers = Readers()
        for gateway, sdk in sorted(vendors.items()):
            if isinstance(sdk, str):
                continue
            lines = (ANSWERS / f"{gateway}.jsonl").read_text(encoding="utf-8").splitlines()
            answers = [Answer(gateway, line) for line in lines]
            report.add(f"{gateway} answers", compare_answers(gateway, sdk, answers, vendors, readers))
            report.add(f"{gateway} statuses", compare_statuses(gateway, sdk, answers, readers))
            if hasattr(sdk, "WEBHOOKS"):
                report.add(f"{gateway} messages", compare_messages(gateway, sdk, answers, readers))
        for example, place, _ in [row for row, used in report.listed.items() if not used]:
            report.faults += 1
            print(f"{LISTED.name}: {example}, {place}: no longer occurs, so delete the line")
    report.end()
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
