"""Prepares tokens and their answers, for the scripts that run the command with a ledger, and checks claims."""
import collections
import fcntl
import glob
import itertools
import json
import os
import pathlib
import re
import select
import struct
import termios
import time

from programs import LIMIT, Program, check, run

PROJECT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = PROJECT / "TestVectors/synthetic"
# Python 3.9 does not name it.
F_SETPIPE_SZ = 1031

# An answer's position in the output of a batch, and its transaction.
Answer = collections.namedtuple("Answer", "start end transaction")


def masked(answers):
    """Returns answers, or a part of them, with zeros as the digits of serials, which are chosen at random."""
    return re.sub(rb'("serial":")([0-9a-f]*)', lambda serial: serial[1] + b"0" * len(serial[2]), answers)


def errors(ledger):
    """Returns the file for the standard error of the first run with a ledger."""
    return pathlib.Path(f"{ledger}-err")


class Piped(Program):
    """A program that writes to a pipe with a capacity in bytes, some of which may be filled already."""

    def __init__(self, words, capacity=4096, filled=0, **streams):
        reader, writer = (open(end, mode, buffering=0) for end, mode in zip(os.pipe(), ("rb", "wb")))
        with writer:
            fcntl.fcntl(writer, F_SETPIPE_SZ, capacity)
            writer.write(b"x" * filled)
            super().__init__(words, stdout=writer, **streams)
        self.stdout = reader

    def read(self, count):
        """Reads a number of bytes, or fewer if the program ends before."""
        found = b""
        while len(found) < count:
            check(select.select([self.stdout], [], [], LIMIT)[0], "the command writes nothing")
            part = self.stdout.read(min(count - len(found), 1 << 16))
            if not part:
                break
            found += part
        return found

    def unread(self):
        """Returns the number of bytes in the pipe."""
        return struct.unpack("i", fcntl.ioctl(self.stdout, termios.FIONREAD, bytes(4)))[0]

    def states(self):
        """Returns the states of the threads, of which one may end meanwhile."""
        for stat in glob.glob(f"/proc/{self.pid}/task/*/stat"):
            try:
                yield pathlib.Path(stat).read_text().rpartition(")")[2].split()[0]
            except OSError:
                pass

    def wait_until_blocked(self):
        """Waits until all threads sleep and no more bytes arrive in the pipe."""
        steady, before, limit = 0, -1, time.monotonic() + 30
        while steady < 6:
            check(time.monotonic() < limit, "the command does not come to rest")
            time.sleep(0.02)
            is_asleep, count = set(self.states()) == {"S"}, self.unread()
            steady = steady + 1 if is_asleep and count == before else 0
            before = count


class Claims:
    """The answers to one batch with all valid tokens of the vectors, and ledgers in a folder."""

    def __init__(self, programs, work):
        self.work = pathlib.Path(work)
        self.numbers = itertools.count(1)
        self.paytoken = programs / "paytoken"
        self.decrypt = [self.paytoken, "decrypt", "--keys", VECTORS / "keys", "--test-trust-anchor",
                        VECTORS / "pki/root.pem", "--any-age"]
        self.tokens, self.token = self.work / "tokens", self.work / "token"
        with open(VECTORS / "cases.jsonl", encoding="utf-8") as cases:
            tokens = [json.dumps(case["token"], separators=(",", ":")) + "\n" for case in map(json.loads, cases)
                      if case["expect"] == "accept" and isinstance(case["token"], dict)
                      and case["token"]["header"].get("transactionId")]
        self.tokens.write_text("".join(tokens))
        self.token.write_text(tokens[0])
        batch = run(self.batch(self.new_ledger()))
        check(batch.returncode == 0, "a token is refused")
        self.output = masked(batch.stdout)
        lines = self.output.splitlines(keepends=True)
        ends = list(itertools.accumulate(map(len, lines)))
        self.answers = [Answer(end - len(line), end, json.loads(line)["transactionId"]) for line, end in zip(lines, ends)]
        check(len(self.answers) == len(tokens) >= 80, "too few tokens")

    def new_ledger(self):
        ledger = self.work / f"ledger-{next(self.numbers)}"
        made = run([self.paytoken, "ledger", "init", "--window", "86400", "--ledger", ledger])
        check(made.returncode == 0, "no ledger")
        return ledger

    def batch(self, ledger, jobs=None):
        """Returns the words that decrypt all tokens with a ledger."""
        return [*self.decrypt, "--batch", self.tokens, *(("--jobs", str(jobs)) if jobs else ()), "--ledger", ledger]

    def verdicts(self, ledger):
        """Decrypts all tokens with a ledger, and returns the answers."""
        return [json.loads(line) for line in run(self.batch(ledger)).stdout.splitlines()]

    def check(self, name, ledger, written, may_be_open=False):
        """Checks the claims after a run that wrote a number of bytes.

        A second run can claim exactly the transactions of whose answers no byte was written, and the standard error of
        the first names each transaction whose answer was written in part. With `may_be_open`, claims without any written
        byte may also stay open, because the first run ended before it had released all of them.
        """
        verdicts = self.verdicts(ledger)
        check(len(verdicts) == len(self.answers), f"{name}: the second run is not complete")
        named = set(re.findall("transaction ([0-9a-f]{64}): only a part", errors(ledger).read_text()))
        free = 0
        for number, (answer, verdict) in enumerate(zip(self.answers, verdicts), 1):
            line = f"{name}: line {number}, {written} bytes were written"
            is_free = verdict["status"] == "ok"
            free += is_free
            check(is_free or verdict["code"] == "already-claimed", f"{line}: {verdict.get('code')}")
            if answer.end <= written:
                check(not is_free, f"{line}: delivered, and its claim was released")
            elif answer.start < written:
                check(not is_free, f"{line}: written in part, and its claim was released")
                check(answer.transaction in named, f"{line}: written in part, and not named")
                named.remove(answer.transaction)
            else:
                check(is_free or may_be_open, f"{line}: never written, and still claimed")
        check(not named, f"{name}: others are named: {' '.join(named)}")
        print(f"{name}: {written} bytes written, {len(verdicts) - free} claims kept, {free} released", flush=True)
