#!/usr/bin/env python3
"""Compares two paytoken binaries as commands: standard output, standard error and exit status.

  compare-commands.py OLD NEW [--list FILE] [--show N]

Runs every command line of commands.txt, which describes its format, with both binaries, each in a separate folder with
the same relative paths. If any results differ, lists the first of them and exits with status 1. Needs only Python 3.8.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parents[1] / "TestVectors"
TIMEOUT = 120


class Step:
    """A command line: its words, its standard input, and whether only its exit status is compared."""

    def __init__(self, words, statusOnly=False):
        self.input = "/dev/null"
        if len(words) > 2 and words[-2] == "<":
            self.input = words[-1]
            words = words[:-2]
        self.words, self.statusOnly = words, statusOnly


def read(path):
    """Returns the files and the steps of a list of commands."""
    files, steps, names = {}, [], {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        verb, _, rest = line.partition(" ")
        if verb == "file":
            name, _, text = rest.partition(" ")
            files[name] = text.replace("\\n", "\n") + "\n"
            continue
        words = []
        for word in line.split():
            if word.startswith("$"):
                if word[1:] not in names:
                    raise SystemExit(f"{path}:{number}: {word} is not defined")
                words += names[word[1:]]
            else:
                words.append(word)
        if verb == "let":
            names[words[1]] = words[2:]
        elif verb == "status":
            steps.append(Step(words[1:], statusOnly=True))
        else:
            steps.append(Step(words))
    return files, steps


def prepare(folder, files):
    """Fills the folder in which a binary runs."""
    (folder / "vectors").symlink_to(VECTORS)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with open(VECTORS / "synthetic/cases.jsonl", encoding="utf-8") as file:
        tokens = [case["token"] for case in map(json.loads, file) if isinstance(case["token"], dict)]
    (folder / "tokens.jsonl").write_text("".join(f"{json.dumps(token)}\n" for token in tokens))


# The serial of a claim, which is chosen at random.
SERIAL = re.compile(rb'("serial":")([0-9a-f]{32})')


def run(binary, folder, step):
    """Returns the exit status, standard output and standard error of a step, with zeros in place of serials."""
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "SECRET": "top-secret",
                   "SECRET_BASE64": "dG9wLXNlY3JldA==", "PASSPHRASE": "apple-pay"}
    with open(folder / step.input, "rb") as file:
        done = subprocess.run([binary] + step.words, cwd=folder, env=environment, stdin=file,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    if step.statusOnly:
        return [("exit status", str(done.returncode).encode())]
    return [("exit status", str(done.returncode).encode()),
            ("standard output", SERIAL.sub(rb"\1" + b"0" * 32, done.stdout)), ("standard error", done.stderr)]


def first_difference(old, new):
    """Returns the first line in which two outputs differ, from each of them."""
    old_lines, new_lines = old.splitlines() + [b"(end)"], new.splitlines() + [b"(end)"]
    for number, (old_line, new_line) in enumerate(zip(old_lines, new_lines), 1):
        if old_line != new_line:
            return number, old_line.decode("utf-8", "replace")[:160], new_line.decode("utf-8", "replace")[:160]
    return 0, "(line ends)", "(line ends)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--list", type=pathlib.Path, default=HERE / "commands.txt")
    parser.add_argument("--show", type=int, default=20, help="differences to list; default: 20")
    options = parser.parse_args()
    binaries = [str(pathlib.Path(binary).resolve()) for binary in (options.old, options.new)]
    files, steps = read(options.list)
    different, statuses = 0, {}
    with tempfile.TemporaryDirectory() as work:
        # Both binaries run under the same folder name, so that paths in messages do not differ: a folder has that name
        # while it is used.
        place = pathlib.Path(work) / "folder"
        folders = [pathlib.Path(work) / name for name in ("old", "new")]
        for folder in folders:
            folder.mkdir()
            prepare(folder, files)
        for step in steps:
            results = []
            for binary, folder in zip(binaries, folders):
                folder.rename(place)
                results.append(run(binary, place, step))
                place.rename(folder)
            status = results[0][0][1].decode()
            statuses[status] = statuses.get(status, 0) + 1
            parts = [(name, old, new) for (name, old), (_, new) in zip(*results) if old != new]
            if not parts:
                continue
            different += 1
            if different <= options.show:
                print(f"DIFFERENT paytoken {shlex.join(step.words)}")
                for name, old, new in parts:
                    number, old_line, new_line = first_difference(old, new)
                    print(f"  {name}, line {number}\n    old: {old_line}\n    new: {new_line}")
    ends = ", ".join(f"{count} with exit {status}" for status, count in sorted(statuses.items()))
    print(f"{len(steps)} commands ({ends}): {len(steps) - different} the same, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
