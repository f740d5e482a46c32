#!/usr/bin/env python3
"""Tests the archive of `make vectors-pack`: its bytes, its cases, and the commands of its README, with each runner.

The folder verifiers has a verifier in each language, which asks paytoken-testing. The judge must find nothing in its answers, and if it
does not compare the signing time, exactly a false accept of each case that must be refused for its signing time. If payment data are
not JSON, each accepted token counts as accepted. The judge of the archive and paytoken-testing must agree about all these answers, and
about answers with each other fault. A language that is not installed is skipped with a notice. Takes the folder of the programs.
"""
import json
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.append(str(HERE.parent / "Tools/Documentation"))
from documents import ROOT, blocks  # noqa: E402
from programs import check, folder, run  # noqa: E402

README = "TestVectors/pack/README.md"
MOST_LINES = 60
LANGUAGES = {"php": "php", "mjs": "node", "py": "python3", "rb": "ruby", "go": "go", "java": "javac"}
# Verifiers that accept every token, and return a text that is not JSON, in Python with a lone surrogate.
UNREADABLE = {
    "mjs": "export const verify = () => '\\ud800';\n",
    "php": "<?php function verify($token, $now) { return \"\\xff\"; }\n",
    "py": "def verify(token, now):\n    return '\\udcff'\n",
    "rb": 'def verify(token, now) = "\\xff"\n',
}
# Changes of each answer, given the line and its identifier as JSON.
ACCEPTED = '{"id":%s,"status":"ok","paymentData":%s}'
WRONG = [lambda line, id, text=text: text % {"id": id} for text in (
    "", "[%(id)s]", "%(id)s", '{"id":[%(id)s],"status":"error"}', '{"id":%(id)s}', '{"id":%(id)s,"status":"maybe"}',
    '{"id":%(id)s,"status":"error"}\n{"id":%(id)s,"status":"error"}', '{"id":"x","status":"error"}', '\ufeff{"id":%(id)s,"status":"error"}',
    '{"id":%(id)s,"status":"error","stage":"json"}\r', '{"id":%(id)s,"status":"error","stage":1,"code":"c"}',
    '{"id":%(id)s,"status":"error","status":"error"}', '{"id":%(id)s,"status":"ok"}', '{"id":%(id)s,"status":"ok","paymentData":null}',
    '{"id":%(id)s,"status":"error","code":"' + " " * (2 << 20) + '"}',
)] + [lambda line, id, data=data: ACCEPTED % (id, data) for data in (
    "", "{}", "[]", "not JSON", '{"a":1,"a":1}', '{"a":NaN}', '{"a":"\t"}', '"\x00"', '"\udcff"',
)] + [lambda line, id, member=member: line.replace('"paymentData":{', f'"paymentData":{{"x":{member},') for member in (
    "1", '"\\udcff"', '"\\ud800"', "[" * 15 + "]" * 15, "[" * 16 + "]" * 16, "[" * 9999, "01", "1e99999999999999999999", "9" * 9999,
)] + [lambda line, id, pattern=pattern, text=text: re.sub(pattern, text, line) for pattern, text in (
    (r'("transactionAmount":)(\d+)', r'\1"0\2"'), (r'("transactionAmount":)(\d+)', r"\1\g<2>0e-1"),
    (r'("transactionAmount":)(\d+)', r"\g<1>1\2"), (r'("transactionAmount":)(\d+)', r'\1"\2.0"'),
    (r'("transactionAmount":)(\d+)', r"\1\2." + "0" * 40), (r'("transactionAmount":)\d+', r"\g<1>1e99999999999999999999"),
    (r'"currencyCode":"0*(\d+)"', r'"currencyCode":\1'), (r'"currencyCode":"', "\\g<0>\u0660"),
    (r'("eciIndicator":)"(\d+)"', r"\1\2"), (r'"[^"]*Cryptogram":"', r"\g<0>A"), (r'"paymentData":{"[^"]*"', r'"paymentData":{"other"'),
)]


def packed(work, **environment):
    """Packs the vectors; returns the archive."""
    done = run([ROOT / "Packaging/vectors-pack.py", work / "dist"], cwd=work, env={**os.environ, **environment})
    check(done.returncode == 0, done.stderr.decode())
    return pathlib.Path(done.stdout.decode().strip())


def unpacked(work):
    """Packs the vectors twice, compares both archives, and returns the folder of the unpacked archive."""
    archive = packed(work)
    first = archive.read_bytes()
    os.umask(0o077)
    check(packed(work, TZ="Asia/Tokyo").read_bytes() == first, "two archives of a commit differ")
    check(packed(work, SOURCE_DATE_EPOCH="1000000000").read_bytes() != first, "SOURCE_DATE_EPOCH changes nothing")
    archive.write_bytes(first)
    time = int(run(["git", "-C", ROOT, "log", "-1", "--format=%ct"]).stdout)
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
        tar.extractall(work)
    names = [member.name for member in members]
    check(names == sorted(names), f"the names are not sorted: {names}")
    for member in members:
        check((member.mtime, member.uid, member.gid, member.mode) == (time, 0, 0, 0o644), f"{member.name}: {member.get_info()}")
    return work / pathlib.PurePath(names[0]).parts[0]


def own_answers(pack, judge):
    """Returns the answers of `paytoken-testing conform`, which must be the same for the archive and for TestVectors."""
    synthetic = ROOT / "TestVectors/synthetic"
    sources = {(pack / "cases.jsonl", pack / "root.pem", pack / "keys"),
               (synthetic / "cases.jsonl", synthetic / "pki/root.pem", synthetic / "keys")}
    answers = [run([judge, "conform", cases, "--trust-anchor", root, "--keys", keys]).stdout for cases, root, keys in sources]
    check(answers[0] == answers[1], "it judges the cases of the archive otherwise than those of TestVectors")
    return answers[0].decode()


class Pack:
    """The unpacked archive, and the commands of its README."""

    def __init__(self, path, programs):
        self.path = path
        self.environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(path.parent)}
        commands = [block.text for block in blocks(README) if block.directive == f"run by Tests/Integration/{pathlib.Path(__file__).name}"]
        *self.runs, self.judge, self.report = commands
        self.cases = [json.loads(line) for line in (path / "cases.jsonl").read_text().splitlines()]
        self.answers = own_answers(path, f"{programs}/paytoken-testing")
        schema = json.loads((path / "schemas/case.schema.json").read_text())
        for case in self.cases:
            check(set(schema["required"]) <= set(case) <= set(schema["properties"]), f"{case['id']} is not as the schema describes")

    def do(self, command, **environment):
        done = run(["sh", "-euc", command], cwd=self.path, env={**self.environment, **environment})
        return done.returncode, done.stderr.decode()

    def verdicts(self, where):
        """Runs both judges, which must agree; returns the exit status, the findings and the totals."""
        (self.path / "report.html").unlink(missing_ok=True)
        own, done = [run(["sh", "-euc", judge], cwd=self.path, env=self.environment) for judge in (self.judge, self.report)]
        check((own.returncode, own.stderr) == (done.returncode, done.stderr), f"{where}: judge.py says {own.stderr.decode()}"
              f"instead of {done.stderr.decode()}")
        *findings, totals = [json.loads(line) for line in done.stdout.splitlines()]
        expected = [{name: finding[name] for name in ("id", "finding", "answer")} for finding in findings]
        for found, wanted in zip((json.loads(line) for line in own.stdout.splitlines()), expected, strict=True):
            check(found == wanted, f"{where}: judge.py finds {found} instead of {wanted}")
        check(totals["cases"] == len(self.cases), f"{where}: {totals}")
        return done.returncode, findings, totals

    def judged(self, command, status, **environment):
        """Runs a runner and the judges, whose exit status is compared; returns the findings: the name and the kind of each."""
        result, notes = self.do(command, **environment)
        check(result == 0 and re.search("^accepted: [1-9]", notes, re.M), f"{command}{notes}")
        ended, findings, totals = self.verdicts(command)
        check(ended == status and totals["stray-lines"] == 0, f"{command}the judge ended with {ended}: {totals}")
        return [(finding["id"], finding["finding"]) for finding in findings]

    def compare_judges(self):
        """Compares the judges on answers with each fault; all verdicts occur."""
        lines = [(line, json.dumps(json.loads(line)["id"])) for line in self.answers.splitlines()]
        kinds = set()
        for number, change in enumerate(WRONG):
            # A fault in every 40th answer, because some take 2 MiB.
            text = "".join(f"{change(*line) if index % 40 == number % 40 else line[0]}\n" for index, line in enumerate(lines))
            (self.path / "answers.jsonl").write_text(text, errors="surrogateescape")
            _, findings, _ = self.verdicts(f"answers with fault {number}")
            kinds |= {finding["finding"] for finding in findings}
        check(len(kinds) == 6, f"only {kinds}")
        print(f"judge.py: agrees with paytoken-testing about {len(WRONG)} faults", flush=True)

    def test(self, command):
        """Tests the command of a runner."""
        runner = re.search(r"runners/([rR]un\.(\w+))", command)
        if not shutil.which(LANGUAGES[runner[2]], path=self.environment["PATH"]):
            print(f"skipped: {LANGUAGES[runner[2]]} is not installed")
            return
        lines = (self.path / "runners" / runner[1]).read_text().count("\n")
        check(lines <= MOST_LINES, f"{runner[1]} has {lines} lines")
        verifier = next(path for path in (HERE / "verifiers").iterdir() if path.suffix == f".{runner[2]}")
        shutil.copy(verifier, self.path)
        findings = self.judged(command, 0)
        check(findings == [], f"{runner[1]}, nothing skipped: {findings}")
        # The payment data are those of paytoken-testing, byte for byte.
        expected = re.sub(r'"error",.*}', '"error"}', self.answers)
        check((self.path / "answers.jsonl").read_text() == expected, f"{runner[1]} changes what the verifier returns")
        skipped = {(case["id"], "false-accept") for case in self.cases if case["expect"] == "reject" and case.get("stage") == "signing-time"}
        findings = self.judged(command, 1, SKIP_SIGNING_TIME="1")
        check(len(skipped) > 10 and set(findings) == skipped and len(findings) == len(skipped),
              f"{runner[1]}, signing time skipped: {set(findings) ^ skipped}")
        self.expect_false_accepts(command, runner[2])
        print(f"{runner[1]}: {lines} lines, {len(self.cases)} cases, {len(findings)} false accepts without the signing time", flush=True)


    def expect_false_accepts(self, command, language):
        """Runs a verifier that accepts each token and returns what is not JSON; the judge notices each, with its severity."""
        text = UNREADABLE.get(language)
        if text is None:
            return
        (self.path / f"verifier.{language}").write_text(text)
        kinds = {"accept": "wrong-plaintext", "either": "wrong-plaintext", "reject": "false-accept"}
        expected = {(case["id"], kinds[case["expect"]] + ("-form" if case.get("severity") == "form" else "")) for case in self.cases}
        findings = self.judged(command, 1)
        check(set(findings) == expected, f"{command}payment data that are not JSON: {set(findings) ^ expected}")


def main():
    programs = folder()
    with tempfile.TemporaryDirectory() as work:
        pack = Pack(unpacked(pathlib.Path(os.path.realpath(work))), programs)
        check({re.search(r"runners/[rR]un\.(\w+)", command)[1] for command in pack.runs} == set(LANGUAGES), "README: other languages")
        pack.compare_judges()
        for command in pack.runs:
            pack.test(command)


if __name__ == "__main__":
    main()
