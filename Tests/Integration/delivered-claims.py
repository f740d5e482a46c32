#!/usr/bin/env python3
"""Checks that a claim is released only if no byte of its answer was written: with readers that close the pipe, full
disks and file-size limits. Takes the folder of paytoken.
"""
import itertools
import sys
import tempfile

sys.dont_write_bytecode = True
from claims import Claims, Piped, errors, masked  # noqa: E402
from programs import Program, check, folder, run  # noqa: E402


# The limit for the size of files, in units of 1024 bytes; it also applies to the files of the ledger, which need less.
FILE_LIMIT = 4096


def leave(claims, capacity, jobs, taken):
    """Runs a batch whose reader takes some bytes and closes the pipe once the command waits."""
    name = f"pipe of {capacity} bytes, {taken} taken, {jobs} threads"
    ledger = claims.new_ledger()
    with Piped(claims.batch(ledger, jobs), capacity, stderr=errors(ledger)) as process:
        found = process.read(taken)
        process.wait_until_blocked()
        written = len(found) + process.unread()
        process.stdout.close()
        check(process.finish() == 3, f"{name}: not exit 3")
    check(masked(found) == claims.output[:taken], f"{name}: other answers")
    claims.check(name, ledger, written)


def append(claims, kilobytes, filled, file, limit=()):
    """Runs a batch whose output is appended to a file that already contains some bytes."""
    jobs = 1 + filled % 3
    name = f"{kilobytes} KiB, {filled} filled, {jobs} threads"
    ledger = claims.new_ledger()
    file.write_bytes(b"x" * filled)
    status = Program([*limit, *claims.batch(ledger, jobs)], stdout=file, stderr=errors(ledger)).finish()
    check(status == 3, f"{name}: exit {status}")
    claims.check(name, ledger, file.stat().st_size - filled)


def limited():
    """Returns the words that run a program with the limit for the size of its files."""
    return ["bash", "-c", 'ulimit -f "$0" && exec "$@"', str(FILE_LIMIT)]


def fill_disks(claims):
    """Runs batches whose output fills a disk; returns their number."""
    disk, runs = claims.work / "disk", 0
    disk.mkdir()
    for kilobytes in (4, 12, 20):
        if run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", disk]).returncode != 0:
            print("skipped: a small file system cannot be mounted here")
            break
        try:
            for filled in (0, 3, 700, 2048):
                append(claims, kilobytes, filled, disk / "out")
                (disk / "out").unlink()
                runs += 1
        finally:
            run(["umount", disk])
    return runs


def one_token(claims, room):
    """Decrypts a token with room for a number of bytes in the output."""
    length, transaction = claims.answers[0].end, claims.answers[0].transaction
    ledger, out = claims.new_ledger(), claims.work / "out"
    words = [*claims.decrypt, claims.token, "--ledger", ledger]
    out.write_bytes(b"x" * (FILE_LIMIT * 1024 - room))
    status = Program(limited() + words, stdout=out, stderr=errors(ledger)).finish()
    check(status == (0 if room == length else 3), f"room for {room} bytes: exit {status}")
    is_named = f"transaction {transaction}: only a part" in errors(ledger).read_text()
    check(is_named == (0 < room < length), f"room for {room} bytes: named or not named wrongly")
    again = run(words).returncode
    check(again == (0 if room == 0 else 1), f"room for {room} bytes: exit {again} the second time")
    print(f"room for {room} of {length} bytes: exit {status}, then {again}")


def main(claims):
    runs = 0
    print("\n# A reader that leaves")
    for capacity, jobs in itertools.product((4096, 8192, 16384), (1, 2, 4)):
        for taken in (0, 700 + 31 * jobs, 9_000 + capacity % 1000):
            leave(claims, capacity, jobs, taken)
            runs += 1

    print("\n# A limit for the size of files")
    for kilobytes, filled in itertools.product((8, 12, 16, 20), (0, 1, 517, 1024)):
        append(claims, kilobytes, filled + (FILE_LIMIT - kilobytes) * 1024, claims.work / "out", limited())
        runs += 1

    print("\n# A full disk")
    runs += fill_disks(claims)

    print("\n# One token")
    length = claims.answers[0].end
    for room in (0, 1, 300, length - 1, length):
        one_token(claims, room)
        runs += 1
    print(f"\n{runs} runs: a claim was released if no byte of its answer was written, and only then")


with tempfile.TemporaryDirectory() as work:
    main(Claims(folder(), work))
