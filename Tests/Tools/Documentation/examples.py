#!/usr/bin/env python3
"""Compiles the Swift and runs the commands that the documents print.

usage: examples.py [--build FOLDER] [--trait PostgreSQL] [DOCUMENT...]

--build is the folder with the modules and the command, .build/debug by default. With --trait, compiles only the Swift that needs
this trait, and does not run commands. Needs `swift build --build-tests` and Python 3.9. CONTRIBUTING.md, "Documents", has the directives.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from documents import ROOT, blocks, documents

FLAGS = ["-swift-version", "6", "-suppress-warnings", "-parse-as-library", "-enable-upcoming-feature", "ExistentialAny",
         "-enable-upcoming-feature", "MemberImportVisibility"]
SYNTHETIC = ROOT / "TestVectors/synthetic"
# The time at which the demonstration token was received.
RECEIVED = "2026-05-04T09:30:00Z"
# The script that runs as `paytoken` in the examples: it adds the root and the time of receipt of the test token.
WRAPPER = """#!/bin/sh
case "$1" in decrypt|verify|inspect|request)
    case " $* " in *" --test-trust-anchor "*|*apple-signed*|*" --help "*) ;; *" token.json "*|*" --batch "*)
        set -- "$@" --test-trust-anchor "$EXAMPLES/root.pem"
        case " $* " in *" --at "*|*" --any-age "*) ;; *) set -- "$@" --at {received} ;; esac
    esac
esac
exec "{command}" "$@"
"""


def swift_source(block):
    """Returns the Swift file that compiles a block, with the hidden lines of its directive around it."""
    kind, _, hidden = block.directive.partition("\n")
    before, mark, after = hidden.partition("…\n") if "…\n" in hidden + "\n" else (hidden, "", "")
    imports, shown = [], []
    for line in block.text.splitlines():
        (imports if line.startswith("import ") else shown).append(line)
        if line.startswith("import "):
            shown.append("")
    for line in hidden.splitlines():
        if line.startswith("import "):
            imports.append(line)
    before = "\n".join(line for line in before.splitlines() if not line.startswith("import "))
    code = f'#sourceLocation(file: "{block.document}", line: {block.line})\n' + "\n".join(shown) + "\n#sourceLocation()\n"
    body = f"{before}\n{code}{after}\n"
    if "file" in kind:
        return "\n".join(imports) + "\n" + body
    if not mark:
        body = f"func example() async throws {{\n{body}}}\n"
    name = re.sub(r"\W", "_", block.place)
    return "\n".join(imports) + f"\nprivate struct Example_{name} {{\n{body}}}\n"


def compiled(sources, build, folder):
    """Compiles Swift files as one module; returns the compiler's errors."""
    paths = []
    for number, source in enumerate(sources):
        path = folder / f"Example{number}.swift"
        path.write_text(source)
        paths.append(path)
    command = ["swiftc", *FLAGS, "-module-name", "Examples", "-wmo", "-c", "-o", folder / "Examples.o",
               "-I", build / "Modules"]
    for path in [*ROOT.glob("Sources/**/module.modulemap"), *ROOT.glob("Tests/**/module.modulemap"), *build.glob("C*.build/module.modulemap")]:
        command += ["-Xcc", f"-fmodule-map-file={path}"]
    postgresql = subprocess.run(["pkg-config", "--cflags", "libpq"], capture_output=True, text=True)
    if postgresql.returncode == 0:
        for flag in postgresql.stdout.split():
            command += ["-Xcc", flag]
    done = subprocess.run(command + paths, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def manifest_errors(block, folder):
    """Compiles a package manifest against SwiftPM's API; returns the compiler's errors."""
    swift = pathlib.Path(os.path.realpath(shutil.which("swiftc"))).parent.parent
    path = folder / "Package.swift"
    before, _, after = (block.directive.partition("\n")[2] + "\n").partition("…\n")
    path.write_text(before + block.text + after)
    done = subprocess.run(["swiftc", "-swift-version", "6", "-typecheck", "-package-description-version", "6.3.0",
                           "-I", swift / "lib/swift/pm/ManifestAPI", path], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{block.place}: {done.stdout}{done.stderr}"


class Workspace:
    """A folder in which the commands of one document run, block by block."""

    def __init__(self, folder, build):
        self.folder = folder
        tools = folder / ".bin"
        tools.mkdir()
        wrapper = tools / "paytoken"
        wrapper.write_text(WRAPPER.replace("{received}", RECEIVED).replace("{command}", str((build / "paytoken").resolve())))
        wrapper.chmod(0o755)
        shutil.copy(SYNTHETIC / "demo-token.json", folder / "token.json")
        shutil.copytree(SYNTHETIC / "keys", folder / "keys")
        shutil.copy(SYNTHETIC / "pki/root.pem", folder / "root.pem")
        for key in (folder / "keys").glob("*.key.pem"):
            key.chmod(0o600)
        line = (SYNTHETIC / "demo-token.json").read_text().replace("\n", " ").strip() + "\n"
        (folder / "tokens.jsonl").write_text(line + line[:100] + "\n")
        (folder / "passphrase").write_text("correct horse battery staple\n")
        self.paytoken = wrapper
        self.environment = dict(os.environ, EXAMPLES=str(folder), PATH=f"{tools}:{os.environ['PATH']}")

    def run(self, text, where=None):
        """Runs shell commands and stops at the first that fails."""
        environment = dict(self.environment)
        files = "".join(path.read_text() for path in self.folder.glob("*.json"))
        for gateway in re.findall(r"gateway example (\S+)", text):
            files += subprocess.run([self.paytoken, "gateway", "example", gateway], capture_output=True, text=True).stdout
        for name in re.findall(r"-env (\w+)", text) + re.findall(r'"env": *"(\w+)"', text + files):
            # CyberSource's secrets are base64.
            environment[name] = "bm90LWEtcmVhbC1zZWNyZXQ=" if "CYBERSOURCE" in name else "not-a-real-secret"
        return subprocess.run(["sh", "-eu", "-c", text], cwd=where or self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)


def console_faults(block, workspace):
    """Runs the commands of a terminal session and compares what each prints on standard output, and the messages shown."""
    faults = []
    for step in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        lines = step.splitlines()
        count = 1
        while lines[count - 1].endswith("\\"):
            count += 1
        command, expected = "\n".join(lines[:count]), "\n".join(lines[count:]).strip()
        done = workspace.run(command)
        # An ellipsis represents the rest of a line or, on a separate line, any number of lines.
        pattern = re.escape(expected).replace(r"\n…\n", "\n") if "…" not in expected else \
            re.escape(expected).replace("…", r"[^\n]*")
        messages = [line for line in done.stderr.splitlines() if not line.startswith("paytoken: trusting the test root ")]
        shown = done.stdout + "\n".join(messages if "paytoken: " in expected else [])
        if not re.fullmatch(pattern, shown.strip()):
            faults.append(f"{block.place}: $ {command}\nprints\n{done.stdout}{done.stderr}instead of\n{expected}\n")
    return faults


def paths(value, path=()):
    """Returns the paths of all members of a JSON object that are not objects, or are secrets."""
    if not isinstance(value, dict) or "env" in value or "file" in value:
        return {path}
    return {inner for name, member in value.items() for inner in paths(member, (*path, name))}


def file_faults(block, workspace):
    """Saves a block of JSON under the name in its directive; a gateway file must have all members of its gateway's example."""
    name = block.directive.removeprefix("saved as ")
    if not re.fullmatch(r"saved as [\w-]+\.json", block.directive):
        return [f"{block.place}: the comment above a block of JSON must be \"saved as NAME.json\""]
    try:
        value = json.loads(block.text)
    except ValueError as error:
        return [f"{block.place}: {error}"]
    (workspace.folder / name).write_text(block.text)
    if "gateway" not in value:
        return []
    example = workspace.run(f"paytoken gateway example {value['gateway']}")
    if example.returncode != 0:
        return [f"{block.place}: {example.stderr}"]
    return [f"{block.place}: the gateway file has no {'.'.join(path)}, which the example has"
            for path in sorted(paths(json.loads(example.stdout)) - paths(value))]


def listed_faults(block, path):
    """Checks that another file runs the block: a script runs each command, and what takes the text from the document names it."""
    file = ROOT / path
    if not file.exists():
        return [f"{block.place}: {path} does not exist"]
    text = file.read_text()
    name = pathlib.Path(block.document).name
    if name in text:
        return []
    if path.endswith(".swift") or block.language == "swift":
        return [f"{block.place}: {path} does not name {name}"]
    commands = [line.split("#")[0].strip() for line in block.text.splitlines()]
    return [f"{block.place}: {path} does not run {command}" for command in commands
            if command and command not in text.splitlines()]


def shell_faults(block, workspace):
    """Runs a shell block according to its directive."""
    directive = block.directive
    if directive.startswith("not run:"):
        return []
    if directive.startswith("run by "):
        return listed_faults(block, directive.removeprefix("run by "))
    if block.language == "console":
        return console_faults(block, workspace)
    done = workspace.run(block.text, ROOT if directive == "run in the repository" else None)
    if done.returncode != 0:
        return [f"{block.place}: ended with {done.returncode}\n{block.text}{done.stdout}{done.stderr}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=".build/debug")
    parser.add_argument("--trait", default="")
    parser.add_argument("documents", nargs="*", default=documents())
    options = parser.parse_args()
    build = ROOT / options.build
    faults, sources, counts = [], [], {"compiled": 0, "run": 0, "shown from files": 0, "not compiled or run": 0}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for number, document in enumerate(options.documents):
            workspace = None
            for block in blocks(document):
                trait = re.match(r"example: (PostgreSQL)", block.directive)
                if (trait[1] if trait else "") != options.trait:
                    continue
                if block.shown_file:
                    counts["shown from files"] += 1
                elif block.language == "swift":
                    if block.directive.startswith("not compiled:"):
                        counts["not compiled or run"] += 1
                        if "ot compiled here" not in block.section:
                            faults.append(f"{block.place}: the text above does not state \"not compiled here\"")
                    elif block.directive.startswith("run by "):
                        counts["run"] += 1
                        faults += listed_faults(block, block.directive.removeprefix("run by "))
                    elif block.directive.startswith("example: manifest"):
                        counts["compiled"] += 1
                        errors = manifest_errors(block, scratch)
                        faults += [errors] if errors else []
                    else:
                        counts["compiled"] += 1
                        sources.append(swift_source(block))
                elif block.language in ("sh", "console", "json"):
                    if options.trait:
                        continue
                    if workspace is None:
                        (scratch / f"{number}").mkdir()
                        workspace = Workspace(scratch / f"{number}", build)
                    if block.language == "json":
                        faults += file_faults(block, workspace)
                        continue
                    counts["not compiled or run" if block.directive.startswith("not run:") else "run"] += 1
                    faults += shell_faults(block, workspace)
                elif block.language not in ("html", "text", "mermaid"):
                    faults.append(f"{block.place}: a block of the unknown language '{block.language}': use swift, sh, console, json, html, mermaid or text")
        if sources:
            errors = compiled(sources, build, scratch)
            faults += [errors] if errors else []
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    print(", ".join(f"{count} {what}" for what, count in counts.items() if count))
    return 0


sys.exit(main())
