#!/usr/bin/env python3
"""Runs the commands of ForEveryLanguage.md and OperateService.md, and compares the outputs, metrics and events that they show.
Takes the folder of the programs and, to run the commands of installed articles only, the folder of these. Needs curl, Python 3,
and PHP with its extension curl.
"""
import contextlib
import json
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Tools/Documentation"))
from documents import blocks  # noqa: E402
from programs import Program, check, run  # noqa: E402
from serving import free_port, is_open, wait_until  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ARTICLES = "Sources/Core/ApplePayToken/Docs.docc"
# The programs that run until they are ended, with the file that shows that they are ready, or none for the shop in PHP.
SERVERS = {"gateway-sandbox": "sandbox/bepaid.json", "paytokend": "run/socket", "env SOCKET=": None}


def steps(block):
    """Returns the commands of a terminal session, each with the output that it shows."""
    for step in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, _, expected = step.partition("\n")
        yield command, expected.strip()


def compare(block, command, expected, printed):
    """Compares an output; an ellipsis represents a part of a line."""
    pattern = re.escape(expected).replace("…", r"[^\n]*")
    check(re.fullmatch(pattern, printed.strip()), f"{block.place}: $ {command}\nprints\n{printed}instead of\n{expected}")


def rows(text, heading):
    """Returns the cells of the tables below a heading, without the backquotes of the first two."""
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in section.splitlines() if line.startswith("| `")]


def compare_tables(work):
    """Compares the tables of metrics and of the audit log with what the service printed."""
    text = (HERE.parents[1] / ARTICLES / "OperateService.md").read_text()
    documented = {name for row in rows(text, "Metrics") for name in re.findall(r"^`(paytoken_\w+)`$", row[0])}
    printed = set(re.findall(r"^# TYPE (\w+) ", (work / "paytoken.prom").read_text(), re.M))
    check(documented == printed, f"metrics: {documented ^ printed} are only in the article, or only printed")
    events = {}
    for row in rows(text, "The audit log"):
        for event in re.findall(r"`(\w+)`", row[0]):
            events[event] = set(re.findall(r"`(\w+)`", row[2])) or events["pay"]
    lines = [json.loads(line) for line in (work / "output").read_text().splitlines() if line.startswith('{"time"')]
    check({"pay", "refund", "message", "decrypt"} <= {line["event"] for line in lines}, f"too few events: {lines}")
    for line in lines:
        extra = set(line) - {"time", "event", "user", "process"} - events.get(line["event"], set())
        check(line["event"] in events and not extra, f"the article does not explain {extra or line['event']}: {line}")


def main():
    check(len(sys.argv) in (2, 3), f"usage: {sys.argv[0]} FOLDER-OF-PROGRAMS [FOLDER-OF-ARTICLES]")
    programs, *installed = [pathlib.Path(word).resolve() for word in sys.argv[1:]]
    count = 0
    port = free_port()
    changes = {"127.0.0.1:8000": f"127.0.0.1:{port}"}
    if not installed:
        changes["/usr/share/doc/paytoken/examples/shop"] = str(HERE.parents[1] / "Examples/Shop")
    with tempfile.TemporaryDirectory() as work, contextlib.ExitStack() as servers:
        work = pathlib.Path(os.path.realpath(work))
        options = {"cwd": work, "env": {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}}
        for document in ("ForEveryLanguage.md", "OperateService.md"):
            for block in blocks(f"{ARTICLES}/{document}"):
                is_saved = block.shown_file.startswith("Examples/")
                if not is_saved and block.directive != f"run by Tests/Integration/{pathlib.Path(__file__).name}":
                    continue
                for folder in installed:
                    is_there = f"\n```{block.language}\n{block.text}```\n" in (folder / document).read_text()
                    check(is_there, f"{block.place}: the block is not in {folder / document}")
                if is_saved:
                    (work / pathlib.Path(block.shown_file).name).write_text(block.text)
                    continue
                count += 1
                for shown, used in changes.items():
                    block.text = block.text.replace(shown, used)
                server = next((start for start in SERVERS if block.text.startswith(start)), None)
                if server:
                    ready = SERVERS[server]
                    process = servers.enter_context(Program(
                        ["sh", "-euc", f"exec {block.text}"], stdout=work / "output", stderr=work / "messages", **options))
                    wait_until((work / ready).exists if ready else lambda: is_open(port), f"{block.place}: {(work / 'messages').read_text()}")
                    check(process.poll() is None, f"{block.place}: {(work / 'messages').read_text()}")
                elif block.language == "console":
                    for command, expected in steps(block):
                        done = run(["sh", "-euc", command], **options)
                        compare(block, command, expected, done.stdout.decode() + done.stderr.decode())
                else:
                    done = run(["sh", "-euc", block.text], **options)
                    check(done.returncode == 0, f"{block.place}: {done.stdout.decode()}{done.stderr.decode()}")
        compare_tables(work)
    check(count > 15, f"only {count} blocks")
    print(f"{count} blocks of commands print what the articles show")


if __name__ == "__main__":
    main()
