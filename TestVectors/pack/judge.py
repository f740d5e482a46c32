"""python3 judge.py CASES ANSWERS

Compares a verifier's answers with the cases, by the rules of `paytoken-testing conform --check`. Prints each finding as JSON to standard
output, and the totals to standard error. The exit status is 1 if there is a false accept, a wrong plaintext or a missing answer.
"""
import collections
import decimal
import json
import sys

VERDICTS = ("correct", "declined", "false-accept", "false-accept-form", "wrong-plaintext", "missing-answer", "false-reject", "wrong-stage")
ACCEPTABLE, FAILURES = VERDICTS[:2], VERDICTS[2:6]
LONGEST = 2 << 20
MISSING = object()


class Number(str):
    """A number as it is written, because a float would round it."""


def members(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an object repeats a name")
    return dict(pairs)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def depth(value):
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def read(line):
    """Returns the object in a line; an empty one if the line is not such, or has more than 17 levels."""
    try:
        value = json.loads(line.decode(), object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=refuse)
        # A lone surrogate can only represent a byte.
        json.dumps(value, ensure_ascii=False).encode(errors="surrogateescape")
        return value if isinstance(value, dict) and depth(value) <= 17 else {}
    except (ValueError, RecursionError):
        return {}


def read_answer(line):
    """Returns the answer in a line, also if its payment data, the last member, are not JSON: they are then a text."""
    if len(line) > LONGEST:
        return {}
    start, name, _ = line.partition(b',"paymentData":')
    return read(line) or (read(start + name + b'""}') if name else {})


def amount(value):
    """Returns the exact value of a number or of a string of digits."""
    is_number = isinstance(value, Number) or isinstance(value, str) and value.isascii() and value.isdecimal()
    try:
        return decimal.Decimal(value) if is_number and len(value) <= 38 else None
    except decimal.InvalidOperation:
        return None


def difference(wanted, got, path):
    """Returns how payment data differ from those of the case, whose members they may exceed; nothing if they are equal."""
    if wanted is None:
        return None if got in (None, MISSING) else f"{path} is not absent"
    if got is MISSING:
        return f"{path} is missing"
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return f"{path} is not an object"
        parts = [(value, got.get(name, MISSING), f"{path}.{name}") for name, value in wanted.items()]
    elif isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return f"{path} is not an array of {len(wanted)}"
        parts = [(*pair, f"{path}[{index}]") for index, pair in enumerate(zip(wanted, got))]
    else:
        is_numeric = path.split(".")[-1] in ("transactionAmount", "currencyCode")
        if is_numeric or isinstance(wanted, Number) and isinstance(got, Number):
            is_equal = amount(wanted) is not None and amount(wanted) == amount(got)
        else:
            is_equal = type(wanted) is type(got) and wanted == got
        return None if is_equal else f"{path} has another value"
    return next(filter(None, (difference(*part) for part in parts)), None)


def judge(case, answer):
    """Returns the verdict on an answer, and the answer in words."""
    expect = case["expect"]
    if answer.get("status") == "ok":
        if expect == "reject":
            return "false-accept-form" if case.get("severity") == "form" else "false-accept", "accepted"
        found = difference(case["plaintext"], answer.get("paymentData", MISSING), "paymentData") if "plaintext" in case else None
        return ("wrong-plaintext", f"accepted; {found}") if found else ("correct", "accepted")
    if answer.get("status") != "error":
        return "missing-answer", "an answer whose status is neither ok nor error"
    stage, code = (text if type(text) is str else None for text in (answer.get("stage"), answer.get("code")))
    words = "rejected" + (f" at {stage}" if stage is not None else "") + (f" ({code})" if code is not None else "")
    if expect == "accept":
        return "declined" if case.get("optional") else "false-reject", words
    stages = case.get("stages", [case["stage"]] if "stage" in case else [])
    return "wrong-stage" if stages and stage is not None and stage not in stages else "correct", words


def counts(results, verdicts=VERDICTS):
    return ", ".join(f"{results[verdict]} {verdict}" for verdict in verdicts)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: python3 judge.py CASES ANSWERS")
    with open(sys.argv[1], "rb") as lines:
        cases = {case["id"]: case for case in map(read, lines)}
    results, stray = {}, 0
    with open(sys.argv[2], "rb") as lines:
        for answer in map(read_answer, lines):
            name = answer.get("id")
            if type(name) is not str or name not in cases:
                stray += 1
            else:
                results[name] = judge(cases[name], answer) if name not in results else ("missing-answer", "several answers")
    groups = collections.defaultdict(collections.Counter)
    for name, case in cases.items():
        verdict, words = results.get(name, ("missing-answer", "no answer"))
        groups[case["group"]][verdict] += 1
        if verdict not in ACCEPTABLE:
            print(json.dumps({"id": name, "finding": verdict, "answer": words}))
    for group, found in groups.items():
        findings = [verdict for verdict in VERDICTS if found[verdict] and verdict not in ACCEPTABLE]
        if findings:
            print(f"{group}: {counts(found, findings)}", file=sys.stderr)
    totals = sum(groups.values(), collections.Counter())
    print(f"{len(cases)} cases: {counts(totals)}.", file=sys.stderr)
    if stray:
        print(f"{stray} lines of the answers belong to no case.", file=sys.stderr)
    is_failed = any(totals[verdict] for verdict in FAILURES)
    print("Failed: there is a false accept, a wrong plaintext or a missing answer." if is_failed
          else "Passed: no false accept, no wrong plaintext and no missing answer.", file=sys.stderr)
    sys.exit(is_failed)


if __name__ == "__main__":
    main()
