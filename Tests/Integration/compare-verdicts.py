#!/usr/bin/env python3
"""Compares the verdicts of two paytoken-testing binaries, answer by answer.

  compare-verdicts.py OLD NEW [--tokens N] [--texts N] [--seed S] [--show N] [--dump FILE]

Both binaries run `paytoken-testing conform` on the same cases in the same order: the synthetic vectors, the conformance cases in
the folder `shared` next to the checkout if it exists, N mutated tokens and N mutated JSON texts. The mutations are
derived from the synthetic vectors and depend only on the seed. Use the script to check a change that must not change
any verdict, such as a refactoring.

Two answers are the same if id, status, stage, code and paymentData are equal. If any differ, the script lists the first
of them by name and exits with status 1; --dump writes the cases that differ to FILE, so that `paytoken-testing conform FILE` can
judge them again. It exits with status 2 if a binary does not answer. Needs only Python 3.8.
"""
import argparse
import base64
import collections
import itertools
import json
import pathlib
import queue
import random
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from mutations import TextMutator, TokenMutator  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parents[2]
SYNTHETIC = PROJECT / "TestVectors/synthetic"
SHARED = PROJECT.parent / "shared/conformance"

# The number of lines sent to the binaries at a time; the next chunk is prepared while they process the current one.
CHUNK = 128


class NoAnswer(Exception):
    """A binary ended or failed before it answered."""


class Judge:
    """One `paytoken-testing conform`, whose input a separate thread writes, so that both binaries work at the same time."""

    def __init__(self, binary, corpus):
        self.binary = binary
        self.process = subprocess.Popen(
            [binary, "conform", "-", "--trust-anchor", str(corpus / "pki/root.pem"), "--keys", str(corpus / "keys")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue(maxsize=2)
        self.writer = threading.Thread(target=self._write, daemon=True)
        self.writer.start()

    def _write(self):
        try:
            while (chunk := self.lines.get()) is not None:
                self.process.stdin.write(chunk)
                self.process.stdin.flush()
            self.process.stdin.close()
        except OSError:
            # The process has ended, which the reader reports. Empty the queue, so that no other thread waits for this
            # one.
            while self.lines.get() is not None:
                pass

    def send(self, chunk):
        self.lines.put(chunk)

    def answer(self, name):
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise NoAnswer(f"{self.binary} ended with status {self.process.wait()} at case {name}")
        return line

    def close(self):
        self.lines.put(None)
        self.writer.join()
        if self.process.stdout.read():
            raise NoAnswer(f"{self.binary} answered more often than it was asked")
        if self.process.wait() != 0:
            raise NoAnswer(f"{self.binary} ended with status {self.process.returncode}")


def verdict(line):
    """Returns the compared members of an answer, and their short form for people: `ok`, or stage/code."""
    answer = json.loads(line)
    parts = {name: answer.get(name) for name in ("id", "status", "stage", "code", "paymentData")}
    short = parts["status"] if parts["stage"] is None else f"{parts['stage']}/{parts['code']}"
    return parts, short


class Comparison:
    """Counts the equal and the different answers of all corpora."""

    def __init__(self, old, new, show, dump):
        self.binaries = (old, new)
        self.show, self.dump = show, dump
        self.same = collections.Counter()
        self.different = collections.Counter()
        self.listed = 0

    def run(self, title, corpus, cases):
        """Runs both binaries on the cases, with a memory use that does not depend on the number of cases."""
        start, count, before = time.monotonic(), 0, sum(self.different.values())
        judges = [Judge(binary, corpus) for binary in self.binaries]
        waiting = collections.deque()
        try:
            cases = iter(cases)
            while True:
                # Prepared while both binaries process the previous chunk.
                chunk = [(case["id"], json.dumps(case).encode() + b"\n") for case in itertools.islice(cases, CHUNK)]
                if chunk:
                    text = b"".join(line for _, line in chunk)
                    for judge in judges:
                        judge.send(text)
                    waiting.append(chunk)
                if len(waiting) > 1 or (waiting and not chunk):
                    for name, line in waiting.popleft():
                        self.compare(title, name, line, *[judge.answer(name) for judge in judges])
                        count += 1
                elif not chunk:
                    break
            for judge in judges:
                judge.close()
        finally:
            for judge in judges:
                judge.process.kill()
                judge.process.wait()
        differ = sum(self.different.values()) - before
        print(f"{title:20} {count - differ:8} the same {differ:8} different {time.monotonic() - start:7.1f} s", flush=True)

    def compare(self, title, name, line, old, new):
        old_parts, old_short = verdict(old)
        if old_parts["id"] != name:
            raise NoAnswer(f"{self.binaries[0]} answered for {old_parts['id']!r} where {name!r} was asked")
        if old == new:
            self.same[old_short] += 1
            return
        new_parts, new_short = verdict(new)
        if old_parts == new_parts:
            self.same[old_short] += 1
            return
        if old_short == new_short:
            new_short += " with other payment data"
        self.different[f"{old_short} -> {new_short}"] += 1
        if self.dump:
            self.dump.write(line)
        self.listed += 1
        if self.listed <= self.show:
            print(f"DIFFERENT {title} {name}: {old_short} -> {new_short}", flush=True)


def cases(corpus):
    """Yields the cases of a corpus in the form that conform reads, one at a time."""
    with open(corpus / "cases.jsonl", encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            yield {name: case[name] for name in ("id", "token", "now")}


def mutants(mutator, prefix, count, seed):
    """Yields `count` mutants; each depends only on the seed and its number."""
    for number in range(count):
        token, now = mutator.mutant(random.Random(f"{seed}/{prefix}/{number}"))
        yield {"id": f"{prefix}/{number}", "token": token, "now": now}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--tokens", type=int, default=100_000, help="mutated tokens; default: 100,000")
    parser.add_argument("--texts", type=int, default=20_000, help="mutated JSON texts; default: 20,000")
    parser.add_argument("--seed", default="1", help="what the mutations depend on; default: 1")
    parser.add_argument("--show", type=int, default=20, help="differences to list; default: 20")
    parser.add_argument("--dump", type=argparse.FileType("wb"), help="file for the cases that differ")
    options = parser.parse_args()

    comparison = Comparison(options.old, options.new, options.show, options.dump)
    vectors = list(cases(SYNTHETIC))
    expected = {case["id"]: case["expect"] for case in map(json.loads, open(SYNTHETIC / "cases.jsonl", encoding="utf-8"))}
    objects = [(case["token"], case["now"], expected[case["id"]] == "accept")
               for case in vectors if isinstance(case["token"], dict)]
    try:
        comparison.run("synthetic vectors", SYNTHETIC, vectors)
        if (SHARED / "cases.jsonl").exists():
            comparison.run("shared vectors", SHARED, cases(SHARED))
        else:
            print("skipped: ../shared/conformance is not here")
        comparison.run("mutated tokens", SYNTHETIC, mutants(TokenMutator(objects), "token", options.tokens, options.seed))
        comparison.run("mutated texts", SYNTHETIC, mutants(TextMutator(objects), "text", options.texts, options.seed))
    except (NoAnswer, OSError, ValueError) as failure:
        print(f"compare-verdicts.py: {failure}", file=sys.stderr)
        return 2
    print("\nthe same, by verdict:")
    for short, count in sorted(comparison.same.items()):
        print(f"{count:8} {short}")
    if comparison.different:
        print("\ndifferent, by verdict:")
        for short, count in comparison.different.most_common():
            print(f"{count:8} {short}")
    print(f"\n{sum(comparison.same.values())} the same, {sum(comparison.different.values())} different")
    return 1 if comparison.different else 0


if __name__ == "__main__":
    sys.exit(main())
