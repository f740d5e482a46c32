#!/usr/bin/env python3
"""Runs the proofs that a reviewer can repeat in an hour on two cores, and writes one page with their figures and commands.

Each step is a command of the Makefile, as CONTRIBUTING.md lists them. A step fails if its command does, or if it does not
print its figure. The page and the whole output of each step are in FOLDER.

usage: review.py FOLDER [STEP...]      all steps, or those with these names
exit 0 if all steps passed
"""
import datetime
import html
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
STYLE = ROOT / "Tests/Tools/Documentation/Site/style.css"
CORE = "ApplePay(Primitives|Wire|CMS|Trust|MerchantKeys|KeyAgreement|Decryption|Token)Tests"


class Step:
    """A command, the question that it answers, and the lines of its output that are its figures."""

    def __init__(self, name, question, command, *figures):
        self.name, self.question, self.command, self.figures = name, question, command, figures


STEPS = [
    Step("tests", "Do all tests pass? They judge each vector, and compare the reason of every refusal.", "make test",
         r"Test run with \d+ tests in \d+ suites passed.*"),
    Step("wycheproof", "Do the primitives judge Wycheproof's vectors correctly?",
         "swift test --disable-xctest --filter WycheproofTests", r"wycheproof \w.* wrong \[\]|the Wycheproof vectors are not here"),
    Step("vectors", "How does the command judge the synthetic tokens?", "make conform", r"^accepted \d+", r"^refused at .*"),
    Step("memory", "Is a key, a card number or a cryptogram left in memory after its use?",
         "swift test --disable-xctest --filter MemoryTests && for product in paytoken paytoken-testing gateway-sandbox; "
         "do swift build --product $product || exit 1; done && Tests/Integration/service-memory.py .build/debug",
         r"Test run with .* passed.*", r"keys and card data are where they must be alone|skipped: only root .*", r"\d+ requests in .*|skipped: only root .*"),
    Step("differential", "Does OpenSSL's CMS_verify accept the same altered signatures?", "make differential MUTANTS=200000",
         r"\d+ signatures in .*; 0 classes not as listed"),
    Step("exhaustive", "Is any small change of a token accepted? Every 8th change of one byte in signature and header, and all texts of up to 3 bytes.",
         "swift run -c release exhaustive 8", r"\d+ cases in \d+ s; 0 faults"),
    Step("model", "Can the protocol charge an order twice? Each of its rules is needed.", "make model", r"\d+ runs in .* 0 with another result than expected"),
    Step("faults", "Are orders charged once if processes are killed, connections cut and disks full?", "make order-faults ROUNDS=40",
         r"^\d+ rounds: .*", r"^faults: .*"),
    Step("sanitizer", "Does the core touch memory that is not its own, or lose some?",
         "Tests/Proofs/leaks.py swift test --disable-xctest "
         f"--sanitize=address --scratch-path .build-asan --filter '{CORE}' --skip MemoryTests", r"Test run with \d+ tests.*passed.*"),
    Step("reproducible", "Do two builds in different places have the same bytes?", "make reproducible", r"^[0-9a-f]{64}  .*", r"the same \d+ files twice"),
]


def output(command):
    """Returns the first line that a command prints, or that it is missing."""
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip().splitlines()[0] if done.returncode == 0 and done.stdout.strip() else "unknown"


def environment():
    """Returns what a reader needs to repeat the run: the commit, the tools, the machine."""
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return {
        "Commit": output("git rev-parse HEAD") + (" with changes that are not committed" if changed else ""),
        "Date of the commit": output("git log -1 --format=%cI"),
        "Swift": output("swift --version 2>/dev/null"),
        "OpenSSL": output("pkg-config --modversion libcrypto || openssl version"),
        "System": output(". /etc/os-release && echo $PRETTY_NAME") + ", " + platform.release() + ", " + platform.machine(),
        "Machine": output("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo") + f", {os.cpu_count()} cores, "
        + output("awk '/MemTotal/ { printf \"%.0f GiB\", $2 / 1048576 }' /proc/meminfo"),
    }


def run(step, folder):
    """Runs a step, and returns its seconds, its figures, what it left out, and the reason of its failure, if it failed."""
    print(f"{step.name}: {step.command}", flush=True)
    start = time.monotonic()
    with open(folder / f"{step.name}.txt", "w") as log:
        status = subprocess.run(["bash", "-c", step.command], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
    seconds = time.monotonic() - start
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in (folder / f"{step.name}.txt").read_text(errors="replace").splitlines()]
    figures, fault = [], "" if status == 0 else f"exit status {status}"
    for pattern in step.figures:
        found = [match.group(0) for match in map(re.compile(pattern).search, lines) if match]
        if not found and not fault:
            fault = f"no line of its output matches {pattern}"
        figures += found[-12:]
    if fault:
        figures = lines[-12:]
    left_out = re.compile(r'(?:skipped: "?(?:skipped: )?|^(?=without PostgreSQL))([^"]+)')
    skipped = dict.fromkeys(match.group(1) for match in map(left_out.search, lines) if match)
    print(f"{step.name}: {fault or 'passed'}, {seconds:.0f} s", flush=True)
    return seconds, list(dict.fromkeys(figures)), list(skipped), fault


def page(results, facts, complete):
    """Returns the page."""
    minutes = sum(seconds for _, seconds, *_ in results) / 60
    failed = sum(bool(fault) for *_, fault in results)
    partial = sum(bool(skipped) and not fault for *_, skipped, fault in results)
    verdict = f"{len(results) - failed} of {len(results)} steps passed" if failed else f"All {len(results)} steps passed"
    verdict += f", {partial} of them without a part" if partial else ""
    rows = "".join(
        f'<section class="{"failed" if fault else "passed"}" id="{step.name}"><h2>{html.escape(step.question)}</h2>'
        f"<p><b>{html.escape('Failed: ' + fault if fault else 'Passed')}</b>, {seconds:.0f} seconds. "
        f'The whole output: <a href="{step.name}.txt">{step.name}.txt</a></p>'
        + "".join(f"<p>Left out: {html.escape(reason)}</p>" for reason in skipped[:8]) +
        f"<pre class=terminal>{html.escape('$ ' + step.command)}\n{html.escape(chr(10).join(figures))}</pre></section>"
        for step, seconds, figures, skipped, fault in results)
    table = "".join(f"<tr><th>{name}</th><td>{html.escape(fact)}</td></tr>" for name, fact in facts.items())
    left = "" if complete else "<p>This run was limited to some of the steps.</p>"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Review of ApplePayToken</title>
<style>{STYLE.read_text()}
main {{ margin: 0 auto }} section {{ break-inside: avoid }} .passed b {{ color: var(--good) }} .failed b {{ color: #c01818 }}
tr th {{ width: 11rem }} pre {{ white-space: pre-wrap }}
@media print {{ :root {{ color-scheme: light; --ink: #000; --soft: #333; --line: #999; --ground: #fff; --tint: #f2f2f2; --link: #000 }}
body {{ font-size: 10pt }} main {{ max-width: none; padding: 0 }} pre {{ font-size: 8pt }} }}
</style>
<main><h1>Review of ApplePayToken</h1>
<p class="abstract">{verdict}, in {minutes:.0f} minutes, on {datetime.date.today().isoformat()}.</p>{left}
<p>Each step is a command that you can repeat in a clone of the commit; CONTRIBUTING.md explains all of them, and SECURITY.md what
the project promises. What takes longer than an hour is left out: <code>make soak</code>, <code>make mutants</code>,
<code>make faults</code>, <code>make sanitize</code>, <code>make fuzz</code>, and <code>make exhaustive</code> as a whole.</p>
<table>{table}</table>{rows}</main></html>
"""


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - {step.name for step in STEPS}:
        raise SystemExit(__doc__.strip())
    folder, chosen = pathlib.Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    facts, results = environment(), []
    steps = [step for step in STEPS if not chosen or step.name in chosen]
    for step in steps:
        results.append((step, *run(step, folder)))
        # Also after a step that failed: what was seen so far is not lost if the run is stopped.
        (folder / "index.html").write_text(page(results, facts, not chosen and len(results) == len(steps)))
    print(f"The page: {folder / 'index.html'}")
    raise SystemExit(any(fault for *_, fault in results))


main()
