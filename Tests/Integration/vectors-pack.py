#!/usr/bin/env python3
"""Tests the archive of `make vectors-pack`: its bytes, its cases, and the commands of its README, with each runner.

The folder verifiers has a verifier in each language, which asks paytoken-testing. The judge must find nothing in its answers, and if it
does not compare the signing time, exactly a false accept of each case that must be refused for its signing time. If payment data are
not JSON, each accepted token counts as accepted. A language that is
not installed is skipped with a notice. Takes the folder of the programs.
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
        *self.runs, self.judge = commands
        self.cases = [json.loads(line) for line in (path / "cases.jsonl").read_text().splitlines()]
        self.answers = own_answers(path, f"{programs}/paytoken-testing")
        schema = json.loads((path / "schemas/case.schema.json").read_text())
        for case in self.cases:
            check(set(schema["required"]) <= set(case) <= set(schema["properties"]), f"{case['id']} is not as the schema describes")

    def do(self, command, **environment):
        done = run(["sh", "-euc", command], cwd=self.path, env={**self.environment, **environment})
        return done.returncode, done.stderr.decode()

    def judged(self, command, status, **environment):
        """Runs a runner and the judge, whose exit status is compared; returns the findings: the name and the kind of each."""
        result, notes = self.do(command, **environment)
        check(result == 0 and re.search("^accepted: [1-9]", notes, re.M), f"{command}{notes}")
        (self.path / "report.html").unlink(missing_ok=True)
        done = run(["sh", "-euc", self.judge], cwd=self.path, env=self.environment)
        check(done.returncode == status, f"{command}the judge ended with {done.returncode}: {done.stderr.decode()}")
        *findings, totals = [json.loads(line) for line in done.stdout.splitlines()]
        check(totals["cases"] == len(self.cases) and totals["stray-lines"] == 0, f"{command}{totals}")
        return [(finding["id"], finding["finding"]) for finding in findings]

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
        for command in pack.runs:
            pack.test(command)


if __name__ == "__main__":
    main()
