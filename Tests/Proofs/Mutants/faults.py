#!/usr/bin/env python3
"""Counts how many of random small faults in the gateways and the command are noticed by the tests.

A fault changes one thing: a comparison, a logical operator, a condition, a number by one, `true` or `false`, a text for
another of the same file, or a statement that is left out. The faults are drawn with a seed. They are built together in a
copy of the project, in which the environment variable MUTANT chooses one; those that do not compile are replaced by the
next ones.

usage: faults.py [--seed N] [--count N] [--only ApplePayGateways|paytoken] [--jobs N]
exit 0 if at least 95 % are noticed
"""
import argparse
import concurrent.futures
import os
import random
import re
import sys

import switched
from mutants import CONFORM, clauses
from switched import edge, masked, scan

MODULES = ["ApplePayGateways", "paytoken"]
OTHER = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&"}
NOT_STATEMENTS = (r"(let|var|case|static|return|throw|default|public|package|private|fileprivate|internal|func|init|"
                  r"import|guard|if|for|while|switch|else|extension|struct|enum|final|class|do|defer|break|continue)\b|[.})#@]")


class Fault:
    def __init__(self, kind, path, text, start, end, template):
        self.kind, self.path, self.start, self.end, self.template = kind, path, start, end, template
        self.line = text.count("\n", 0, start) + 1
        self.last = text.count("\n", 0, end) + 1
        self.words = " ".join(text[start:end].split())

    def __str__(self):
        return f"{self.path}:{self.line}\t{self.kind}\t{self.words[:110]}"


def comparisons(path, text, mask):
    for match in re.finditer(r" (==|!=|<=|>=|<|>|&&|\|\|) ", mask):
        op = match.group(1)
        stops = [",", "return ", "guard ", "if ", "while ", "where ", " in ", "\n\n", ";", " ? ", ": ", " = ", " += ",
                 "||", " else", "\n"]
        if op != "||":
            stops.append("&&")
        start, end = edge(mask, match.start(), -1, stops), edge(mask, match.end(), 1, stops)
        if start is None or end is None:
            continue
        while text[start].isspace():
            start += 1
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        left, right = text[start : match.start()], text[match.end() : end]
        if not left.strip() or not right.strip() or re.search(r"\b(try|await|let|case|unsafe)\b", left + " " + right):
            continue
        # A closure that belongs to the right side.
        if re.match(r"\s*\{ ?(\$0|\(|\w+ in\b)", text[end:]):
            continue
        kind = "logic" if op in ("&&", "||") else "comparison"
        yield Fault(kind, path, text, start, end, f"(isMutant(%d) ? {left} {OTHER[op]} {right} : {left} {op} {right})")


def conditions(path, text, mask):
    for match in re.finditer(r"^[ \t]*(?:\} else )?(guard|if|while) ", mask, re.M):
        begin = match.end()
        if match.group(1) == "guard":
            end = scan(text, begin, lambda t, k: re.match(r"\belse\b", t[k : k + 6]) and not t[k - 1].isalnum())
        else:
            end = scan(text, begin, lambda t, k: t[k] == "{" and t[k - 1] == " ")
        if end < 0:
            continue
        for a, b in clauses(text, begin, end):
            body = text[a:b].strip()
            if not body or re.match(r"(let|var|case|#|unsafe|_ =|try|await)", body) or re.search(r"\b(try|await)\b", body):
                continue
            start = a + len(text[a:b]) - len(text[a:b].lstrip())
            yield Fault("negation", path, text, start, start + len(body), f"(isMutant(%d) != ({body}))")


def literals(path, text, mask):
    for match in re.finditer(r"(?<![\w.$])(\d[\d_]*|0x[0-9A-Fa-f]+)(?![\w.])", mask):
        number = match.group(1)
        yield Fault("number", path, text, match.start(), match.end(),
                    f"(isMutant(%d) ? {int(number.replace('_', ''), 0) + 1} : {number})")
    for match in re.finditer(r"(?<![\w.])(true|false)(?![\w:])", mask):
        yield Fault("truth", path, text, match.start(), match.end(),
                    "!isMutant(%d)" if match.group(1) == "true" else "isMutant(%d)")
    strings = [match for match in re.finditer(r'(?<!")"[^"\\\n]+"(?!")', text) if mask[match.start()] == "\u00b7"
               and (match.start() == 0 or mask[match.start() - 1] != "\u00b7")]
    for match, other in zip(strings, strings[1:] + strings[:1]):
        if match.group() != other.group():
            yield Fault("text", path, text, match.start(), match.end(),
                        f"(isMutant(%d) ? {other.group()} : {match.group()})")


def statements(path, text, mask):
    lines, position = mask.split("\n"), 0
    for number, line in enumerate(lines):
        begin, position = position, position + len(line) + 1
        body = line.strip()
        before = next((l.strip() for l in reversed(lines[:number]) if l.strip()), "")
        after = next((l.strip() for l in lines[number + 1 :] if l.strip()), "")
        if not body or re.match(NOT_STATEMENTS, body) or not re.search(r"(\)|\w|\]|\u00b7)$", body):
            continue
        if not re.match(r"(try |await )*[\w.]+(\[.*\])?( [-+|]?= |\()", body) or any(
                body.count(a) != body.count(b) for a, b in ("()", "[]", "{}")):
            continue
        if not re.search(r"[{};)\w\u00b7\]]$", before) or re.match(r"[.?:&|+\-*/=<>]", after) or before.endswith("case"):
            continue
        start = begin + len(line) - len(line.lstrip())
        yield Fault("statement", path, text, start, start + len(body),
                    f"if !isMutant(%d) {{ {text[start : start + len(body)]} }}")


def candidates(module):
    found = []
    for path in switched.files(module):
        with open(os.path.join(switched.ROOT, path), encoding="utf-8") as file:
            text = file.read()
        mask = masked(text)
        lines = mask.split("\n")
        for make in (comparisons, conditions, literals, statements):
            for fault in make(path, text, mask):
                # Patterns, raw values, attributes and generic arguments take literals only.
                if not re.match(r"\s*(case\b|@|#|import|static let .*: (Static|Regex))|.*InlineArray<", lines[fault.line - 1]):
                    found.append(fault)
    return found


def draw(seed, modules, count):
    """Returns faults in a random order, the kinds evenly mixed and none inside another."""
    generator, chosen, taken = random.Random(seed), [], {}
    kinds = {}
    for module in modules:
        for fault in candidates(module):
            kinds.setdefault(fault.kind, []).append(fault)
    for faults in kinds.values():
        generator.shuffle(faults)
    while len(chosen) < count and any(kinds.values()):
        fault = kinds[generator.choice(sorted(kind for kind in kinds if kinds[kind]))].pop()
        spans = taken.setdefault(fault.path, [])
        # One fault in a line, so that an error of the compiler names its fault.
        if all(fault.last < first or last < fault.line for first, last in spans):
            spans.append((fault.line, fault.last))
            chosen.append(fault)
    return chosen


def changes(faults):
    """Returns the changed files, with every fault in them; a fault's number is its place in the list."""
    texts = {}
    for fault in sorted(faults, key=lambda fault: -fault.start):
        if fault.path not in texts:
            with open(os.path.join(switched.ROOT, fault.path), encoding="utf-8") as file:
                texts[fault.path] = file.read()
        text = texts[fault.path]
        new = fault.template.replace("%d", str(fault.number))
        texts[fault.path] = text[: fault.start] + new + text[fault.end :]
    return texts


def compiled(faults):
    """Builds the copy, and returns the faults that compile."""
    for number, fault in enumerate(faults, 1):
        fault.number = number
    while True:
        switched.copy(changes(faults))
        errors = switched.build()
        if not errors:
            return faults
        wrong = set()
        for line in errors:
            match = re.search(r"/(Sources/[^:]+):(\d+):\d+: error", line)
            if match:
                # An added import moves the lines of most files by one.
                lines = (int(match.group(2)), int(match.group(2)) - 1)
                own = [fault for fault in faults if fault.path == match.group(1)]
                here = [fault for fault in own if any(fault.line <= number <= fault.last for number in lines)]
                # The error of a property that stays unset, or of an endless loop that ends, is elsewhere.
                above = sorted((fault for fault in own if fault.line < lines[0]), key=lambda fault: fault.line)
                wrong.update(here or [fault for fault in own if fault.kind == "statement"] or above[-1:])
        if not wrong:
            sys.exit("\n".join(errors)[:4000])
        print(f"{len(wrong)} faults do not compile", flush=True)
        faults = [fault for fault in faults if fault not in wrong]


# Suites that take more than two seconds, and more than ten: they judge only what the others do not notice.
MEDIUM = r"CommandTests\.(Command|RequestCommand|LedgerCommand|KeysCommand|Batch|Message)Tests"
SLOW = r"CommandTests\.(AllocationFailure|InspectSchema|RotationStep|Memory|DeviceTimeout)Tests"
SERVERS = "Sandbox|URLSession|Server"
THOROUGH = "RuleTests|AnswerChange|Request|Field"
# What `make integration-test` runs with the command in less than a minute.
PROGRAMS = """Tests/Integration/conformance.sh .build/debug/paytoken .build/debug/paytoken-testing &&
Tests/Integration/interruptions.py .build/debug"""


def judges(path):
    """Returns the commands and time limits in seconds of what judges a file, the fastest first."""
    if "/ApplePayGateways/" in path:
        requests = r"CommandTests\.(RequestCommand|ExampleRequest|GatewayPage|PayCommand)"
        return [(switched.tests("ApplePayGatewaysTests", f"{SERVERS}|PaymentHandler|{THOROUGH}"), 200),
                (switched.tests(f"ApplePayGatewaysTests.*({THOROUGH})", SERVERS), 200), (switched.tests(requests), 200),
                (switched.tests(f"ApplePayGatewaysTests.*({SERVERS}|PaymentHandler)"), 400)]
    # Skip a test that counts names in the sources, since some names occur twice in the copy.
    rest = f"{MEDIUM}|{SLOW}|OptionDeclarationTests/names"
    return [(CONFORM, 60), (switched.tests("CommandTests", rest), 200), (switched.tests(MEDIUM), 300),
            (switched.tests(SLOW), 400), (["sh", "-c", PROGRAMS], 400)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", choices=MODULES)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="print the drawn faults and build nothing")
    options = parser.parse_args()
    drawn = draw(options.seed, [options.only] if options.only else MODULES, options.count * 2)
    if options.list:
        print("\n".join(map(str, drawn)))
        return 0
    faults = compiled(drawn)[: options.count]
    print(f"{len(faults)} faults", flush=True)
    right = {}
    for fault in faults:
        for command, _ in judges(fault.path):
            if tuple(command) not in right:
                right[tuple(command)] = switched.run(command, 0, 1800)
                if right[tuple(command)][0] != 0:
                    sys.exit(f"{' '.join(command)} fails without a fault")

    def judge(fault):
        for command, seconds in judges(fault.path):
            verdict = switched.run(command, fault.number, seconds)
            # Only the answers to the vectors are the same text each time.
            if verdict[0] != 0 or (command is CONFORM and verdict != right[tuple(command)]):
                late = ", late" if verdict[0] == "timeout" else ""
                print(f"noticed{late}\t{fault}", flush=True)
                return True
        print(f"SURVIVED\t{fault}", flush=True)
        return False

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        noticed = list(pool.map(judge, faults))
    for module in MODULES:
        own = [is_noticed for fault, is_noticed in zip(faults, noticed) if f"/{module}/" in fault.path]
        print(f"{module}: {sum(own)} of {len(own)} noticed")
    print(f"seed {options.seed}: {sum(noticed)} of {len(faults)} faults noticed")
    return 0 if sum(noticed) >= 0.95 * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
