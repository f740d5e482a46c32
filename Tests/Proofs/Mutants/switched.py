"""A copy of the project in which the environment variable MUTANT makes one of many changes to the code.

mutants.py switches checks off in it, and faults.py makes random faults. The copy is built once, with all changes in it.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
WORK = os.path.join(ROOT, ".build-mutants")
SOURCE = os.path.join(WORK, "copy")

SWITCH = """internal import Glibc

private let activeMutant: Int = unsafe getenv("MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0

/// Whether a check is switched off; inlinable functions ask, too.
@usableFromInline
package func isMutant(_ number: Int) -> Bool { activeMutant == number }
"""


def skip_string(text, i):
    """Returns the position after the string literal that begins at i; interpolations are part of it."""
    quotes = '"""' if text.startswith('"""', i) else '"'
    i += len(quotes)
    while not text.startswith(quotes, i):
        if text.startswith("\\(", i):
            depth, i = 1, i + 2
            while depth:
                if text[i] == '"':
                    i = skip_string(text, i)
                    continue
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                i += 1
        else:
            i += 2 if text[i] == "\\" else 1
    return i + len(quotes)


def scan(text, start, stop):
    """Returns the first position from start, outside brackets and strings, where stop(text, i) is true; else -1."""
    depth, i = 0, start
    while i < len(text):
        c = text[i]
        if c == '"':
            i = skip_string(text, i)
            continue
        if text.startswith("//", i):
            i = text.index("\n", i)
        elif depth == 0 and stop(text, i):
            return i
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        i += 1
    return -1


def masked(text):
    """Returns the text with the contents of strings and comments blanked out, of the same length."""
    out, i = list(text), 0
    while i < len(text):
        if text[i] == '"':
            end = skip_string(text, i)
            out[i:end] = [c if c == "\n" else "\u00b7" for c in text[i:end]]
            i = end
        elif text.startswith("//", i):
            end = text.find("\n", i)
            end = len(text) if end < 0 else end
            out[i:end] = " " * (end - i)
            i = end
        else:
            i += 1
    return "".join(out)


def edge(mask, i, step, stops):
    """Walks from i to the end of an operand: an unmatched bracket, or one of the stops outside brackets."""
    depth = 0
    while 0 <= i < len(mask):
        c = mask[i]
        if c in (")]}" if step < 0 else "([{"):
            if c == "{" and step > 0 and mask[i - 1] == " " and depth == 0:
                return i
            depth += 1
        elif c in ("([{" if step < 0 else ")]}"):
            if depth == 0:
                return i + 1 if step < 0 else i
            depth -= 1
        elif depth == 0:
            for stop in stops:
                if step < 0 and mask.startswith(stop, i - len(stop) + 1):
                    return i + 1
                if step > 0 and mask.startswith(stop, i):
                    return i
        i += step
    return None


def files(module):
    """Returns the Swift files of a module, by their paths in the project."""
    pattern = os.path.join(ROOT, "Sources", "*", module, "**", "*.swift")
    return sorted(os.path.relpath(path, ROOT) for path in glob.glob(pattern, recursive=True))


def copy(changes):
    """Makes the copy: the project, the changed files of `changes` by their paths, and the switch in the innermost module.

    Files that are the same already are left alone, so that they are not compiled again.
    """
    contents = {"Sources/Core/ApplePayWire/MutantSwitch.swift": SWITCH.encode()}
    for name in ["Package.swift", "README.md", "Sources", "Tests", "TestVectors", "Benchmarks"]:
        origin = os.path.join(ROOT, name)
        found = [origin] if os.path.isfile(origin) else [
            os.path.join(folder, file) for folder, _, files in os.walk(origin) for file in files]
        for path in found:
            with open(path, "rb") as file:
                contents[os.path.relpath(path, ROOT)] = file.read()
    for path, text in changes.items():
        if not path.startswith("Sources/Core/ApplePayWire/") and not re.search(r"^\w+ import ApplePayWire$", text, re.M):
            text = "internal import ApplePayWire\n" + text
        contents[path] = text.encode()
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [name for name in folders if name != ".build"]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), SOURCE)
            if path not in contents and path != "Package.resolved":
                os.remove(os.path.join(SOURCE, path))
    for path, content in contents.items():
        target = os.path.join(SOURCE, path)
        if os.path.exists(target):
            with open(target, "rb") as file:
                if file.read() == content:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(content)
        if os.path.exists(os.path.join(ROOT, path)):
            shutil.copymode(os.path.join(ROOT, path), target)
    shared = os.path.join(os.path.dirname(ROOT), "shared")
    if os.path.isdir(shared) and not os.path.lexists(os.path.join(WORK, "shared")):
        os.symlink(shared, os.path.join(WORK, "shared"))


def build(traits=()):
    """Builds the copy with its tests; returns the lines with errors."""
    command = ["swift", "build", "--build-tests"] + (["--traits", ",".join(traits)] if traits else [])
    result = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True)
    if result.returncode == 0:
        return []
    lines = (result.stdout + result.stderr).splitlines()
    return [line for line in lines if "error:" in line] or lines[-5:]


def tests(pattern, skip=None):
    """Returns the command that runs the tests with matching names, without SwiftPM's own work."""
    command = [".build/debug/ApplePayTokenPackageTests.xctest", "--testing-library", "swift-testing", "--filter", pattern]
    return command + (["--skip", skip] if skip else [])


def run(command, number, seconds):
    """Runs a command in the copy with one change; returns its status, or "timeout", and its output.

    The first failed expectation ends it.
    """
    environment = dict(os.environ, MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
    with tempfile.TemporaryFile() as output:
        # Start a new session, so that all processes of the command can be killed together.
        process = subprocess.Popen(command, cwd=SOURCE, env=environment, stdout=output, stderr=subprocess.PIPE,
                                   start_new_session=True)
        late = threading.Event()

        def end():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, end)
        timer.start()
        for line in process.stderr:
            if b"recorded an issue" in line:
                os.killpg(process.pid, signal.SIGKILL)
                break
        status = process.wait()
        timer.cancel()
        if late.is_set():
            return "timeout", b""
        output.seek(0)
        return status, output.read()
