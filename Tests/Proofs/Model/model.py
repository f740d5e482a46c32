#!/usr/bin/env python3
"""Checks the models of "an order is charged once" with Spin: order.pml, the protocol, and evidence.pml, what counts as
proof; each with all rules, then without each.

Prints a table: the run, what Spin found, the number of states, the seconds, and the steps of the shortest trace.

usage: model.py [--large] [--only TEXT] [--trace] [--jobs N]
  --large   the sound protocols with more attempts, and with more than one kind of fault at once
  --only    the runs whose name contains TEXT
  --trace   prints the shortest trace of each run in which something breaks
exit 0 if each run has the stated result, 1 otherwise
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).parent
HOLDS = "holds"
TWICE = "charged_twice"
# The classes of gateways of evidence.pml.
KEYED = ("KEPT", "KEPT_ASKED", "RETRIED", "RETRIED_ASKED")
OTHERS = ("ASKED", "UNIQUE", "OBJECT", "SILENT")

# (what is run, class of gateways, other definitions, result). A result other than "holds" is the property that breaks; the
# run then judges that property alone. ("holds", PROPERTY) judges PROPERTY alone and finds that it holds.
ORDER = [
    ("all rules", gateway, extra, HOLDS)
    for gateway in ("KEYS", "OBJECT", "UNIQUE", "RETRIED", "QUERY", "NOTHING")
    for extra in ((), ("RETURNS",), ("LOSS",))
] + [
    ("all rules", "KEYS", ("EXPIRY",), HOLDS),

    # Rules for every gateway.
    ("compare and swap", "KEYS", ("BREAK_SWAP",), "refused_with_money"),
    ("compare and swap", "QUERY", ("BREAK_SWAP",), TWICE),
    ("one live attempt", "KEYS", ("BREAK_ONE_ATTEMPT",), (HOLDS, TWICE)),
    ("one live attempt", "QUERY", ("BREAK_ONE_ATTEMPT",), TWICE),
    ("durable before the first byte", "KEYS", ("BREAK_DURABLE",), "refused_with_money"),
    ("durable before the first byte", "KEYS", ("BREAK_DURABLE",), (HOLDS, TWICE)),
    ("durable before the first byte", "QUERY", ("BREAK_DURABLE",), TWICE),
    ("\"not sent\" is true", "KEYS", ("BREAK_NOT_SENT",), "refused_with_money"),
    ("\"not sent\" is true", "QUERY", ("BREAK_NOT_SENT",), TWICE),
    ("only the owner releases a `sending` attempt", "KEYS", ("BREAK_OWNER_RELEASES",), "refused_with_money"),
    ("only the owner releases a `sending` attempt", "QUERY", ("BREAK_OWNER_RELEASES",), TWICE),
    ("\"not found\" is never an end", "KEYS", ("BREAK_NOT_FOUND",), "refused_with_money"),
    ("\"not found\" is never an end", "KEYS", ("BREAK_NOT_FOUND",), TWICE),
    ("\"not found\" is never an end (slot kept)", "KEYS", ("BREAK_NOT_FOUND_IN_SLOT",), (HOLDS, TWICE)),
    ("\"not found\" is never an end (slot kept)", "RETRIED", ("BREAK_NOT_FOUND_IN_SLOT",), TWICE),
    ("\"not found\" is never an end (slot kept)", "QUERY", ("BREAK_NOT_FOUND_IN_SLOT",), TWICE),
    ("\"not found\" is never an end", "QUERY", ("BREAK_NOT_FOUND",), TWICE),
    ("\"not found\" is never an end", "RETRIED", ("BREAK_NOT_FOUND",), TWICE),
    ("reports belong to their slot", "KEYS", ("BREAK_MATCH",), TWICE),
    ("reports belong to their slot", "QUERY", ("BREAK_MATCH",), TWICE),
    ("a late charge is recorded", "KEYS", ("BREAK_LATE_CHARGE",), "refused_with_money"),
    ("an attempt that a person gave up is asked about again", "KEYS", ("BREAK_ASK_AGAIN",), "refused_with_money"),

    ("a late charge prevents a new attempt", "KEYS", ("BREAK_LATE_CHARGE_BLOCKS",), HOLDS),

    # One payment for each slot.
    ("the key is the slot's, not the token's", "KEYS", ("BREAK_KEY_OF_TOKEN",), TWICE),
    ("the slot counts the gateway's words alone", "KEYS", ("BREAK_SLOT_OF_PERSON",), TWICE),
    ("the slot counts the gateway's words alone", "OBJECT", ("BREAK_SLOT_OF_PERSON",), TWICE),
    ("the slot counts the gateway's words alone", "UNIQUE", ("BREAK_SLOT_OF_PERSON",), TWICE),
    ("a duplicate is no refusal", "UNIQUE", ("BREAK_DUPLICATE",), TWICE),
    ("\"in progress\" is no refusal", "KEYS", ("BREAK_DUPLICATE",), TWICE),
    ("the object's identifier is stored before it is paid", "OBJECT", ("BREAK_OBJECT_NOT_STORED",), TWICE),
    ("declined is no end while the object can be paid", "OBJECT", ("BREAK_OBJECT_CLOSED",), TWICE),
    ("the vendor refuses to pay a closed object", "OBJECT", ("BREAK_CLOSE_IS_FINAL",), TWICE),
    ("the first answer is old in a slot used before", "KEYS", ("RETURNS", "BREAK_FIRST_ANSWER"), "paid_with_an_old_answer"),
    ("the gateway is asked before an old key is used", "KEYS", ("EXPIRY", "BREAK_KEY_AGE"), TWICE),
    ("the send limit", "KEYS", ("EXPIRY", "BREAK_SEND_LIMIT"), (HOLDS, TWICE)),

    # Gateways that charge again.
    ("a person waits until the owner has ended", "QUERY", ("BREAK_SETTLED_OWNER",), TWICE),
    ("a person waits until nothing is under way", "QUERY", ("BREAK_SETTLED_NETWORK",), TWICE),
    ("a person waits until the books are complete", "QUERY", ("BREAK_SETTLED_BOOKS",), TWICE),
    ("a person waits until the owner has ended", "RETRIED", ("BREAK_SETTLED_OWNER",), TWICE),
    ("no repetition where refusals are forgotten", "RETRIED", ("BREAK_REPETITION",), TWICE),
    ("no repetition without keys", "QUERY", ("BREAK_REPETITION",), TWICE),
    ("no repetition without keys", "UNIQUE", ("BREAK_REPETITION",), HOLDS),
    ("no repetition without keys", "OBJECT", ("BREAK_REPETITION",), HOLDS),
    ("totals never shrink by a late message", "NOTHING", ("RETURNS", "BREAK_TOTALS"), "paid_with_an_old_answer"),

    # Returns.
    ("totals may shrink by a fresh report", "KEYS", ("RETURNS", "BREAK_FRESH_TOTALS"), "record_differs_at_rest"),
    ("returned when the refund is done", "KEYS", ("RETURNS", "BREAK_REFUND_DONE"), TWICE),
    ("after returned, the shop's word", "KEYS", ("RETURNS", "BREAK_WORD"), "charged_without_the_shop"),
    ("never again after a chargeback", "KEYS", ("RETURNS", "BREAK_CHARGEBACK"), TWICE),

    # Ledgers that lose what they stored last.
    ("a lost `sending` proves nothing, not even if asked", "QUERY", ("LOSS", "BREAK_LOST_SENDING"), TWICE),
    ("an attempt that recover released is asked about again", "KEYS", ("LOSS", "BREAK_ASK_AGAIN"), "refused_with_money"),
    ("an attempt that recover released is asked about again", "KEYS", ("LOSS", "BREAK_ASK_AGAIN"), (HOLDS, TWICE)),
]

# What counts as proof; the names of the traces are those of README.md.
EVIDENCE = [
    ("all rules", gateway, (), HOLDS) for gateway in ("KEPT", "RETRIED", *OTHERS)
] + [
    ("all rules", gateway, ("RESTORE",), HOLDS) for gateway in ("KEPT", "RETRIED_ASKED", *OTHERS)
] + [
    ("all rules", gateway, ("FOREIGN",), HOLDS) for gateway in ("KEPT_ASKED", "ASKED", "UNIQUE", "OBJECT")
] + [
    ("all rules", "UNIQUE", ("UNBOUNDED",), HOLDS),
    ("all rules", "OBJECT", ("UNBOUNDED",), HOLDS),

    # Payments of another channel.
    ("another channel's refusal proves nothing (D1)", "KEPT_ASKED", ("FOREIGN", "BREAK_FOREIGN"), TWICE),
    ("another channel's refusal proves nothing (D1)", "ASKED", ("FOREIGN", "BREAK_FOREIGN"), TWICE),
    ("foreign money is stored until it is explained (D2)", "ASKED", ("FOREIGN", "BREAK_ALARM"), "alarm_lost"),
    ("the bare reference is asked, too (T6)", "OBJECT", ("FOREIGN", "BREAK_BARE_REFERENCE"), "alarm_lost"),
    ("explained money counts as money (T6)", "ASKED", ("FOREIGN", "BREAK_EXPLAINED"), "alarm_lost"),

    # Refusals without a payment.
    ("only the vendor's own error refuses (D10)", "KEPT", ("BREAK_OWN_ERRORS",), TWICE),
    ("only the vendor's own error refuses (D10)", "ASKED", ("BREAK_OWN_ERRORS",), "refused_with_money"),
    ("a refusal needs an answer to each request (T1)", "RETRIED", ("BREAK_COUNTED",), TWICE),
    ("a refusal needs an answer to each request (T1)", "OBJECT", ("BREAK_COUNTED",), "refused_with_money"),
    ("a refusal keeps the slot", "RETRIED", ("BREAK_REJECTED_KEEPS_SLOT",), HOLDS),
    ("a refusal keeps the slot (T1, T7)", "RETRIED_ASKED", ("RESTORE", "BREAK_REJECTED_KEEPS_SLOT"), TWICE),

    # Owners and keys.
    ("a tap takes the open record over (T2)", "KEPT", ("BREAK_TAKE_OVER",), TWICE),
    ("what counted two requests is not released (T2)", "KEPT", ("BREAK_RELEASED",), TWICE),
    ("the clock is the ledger's (T10)", "KEPT", ("BREAK_CLOCK",), TWICE),
    ("a slot is used again after its key is forgotten (D3)", "KEPT", ("BREAK_FORGOTTEN",), "dead_order"),

    # A person.
    ("a word holds as long as the key (T3)", "KEPT", ("BREAK_DECISION",), TWICE),
    ("a person's word keeps the slot (T4)", "OBJECT", ("UNBOUNDED", "BREAK_PERSON_KEEPS_SLOT"), TWICE),
    ("a person's word keeps the slot (T4)", "UNIQUE", ("UNBOUNDED", "BREAK_PERSON_KEEPS_SLOT"), TWICE),
    ("a person names the declined payment (T5)", "KEPT", ("BREAK_NAMED",), "refused_with_money"),
    ("a person names the declined payment (T5)", "ASKED", ("BREAK_NAMED",), "refused_with_money"),

    # Restored ledgers.
    ("only later orders are charged unasked (D4)", "KEPT", ("RESTORE", "BREAK_CREATED"), TWICE),
    ("only later orders are charged unasked (T8)", "KEPT", ("RESTORE", "BREAK_CREATED"), "refused_with_money"),
    ("asks when the owners of before have ended (T7)", "RETRIED_ASKED", ("RESTORE", "BREAK_ASK_LATE"), TWICE),
    ("asks for every slot (T7)", "ASKED", ("RESTORE", "BREAK_EVERY_SLOT"), TWICE),
]

# Runs that take too long for each change: up to 10 minutes and 8 GB.
LARGE_ORDER = [
    ("all rules", gateway, extra, HOLDS)
    for gateway in ("KEYS", "OBJECT", "UNIQUE", "RETRIED", "QUERY", "NOTHING")
    for extra in (("ATTEMPTS=4",), ("ATTEMPTS=4", "LOSS"), ("RETURNS", "LOSS"))
] + [
    ("all rules", "KEYS", ("RETURNS", "EXPIRY"), HOLDS),
    ("all rules", "KEYS", ("LOSS", "EXPIRY"), HOLDS),
    ("all rules", "KEYS", ("ATTEMPTS=4", "EXPIRY"), HOLDS),
    ("compare and swap", "KEYS", ("BREAK_SWAP",), (HOLDS, TWICE)),
    ("the condition names the change, not the state alone", "KEYS", ("RETURNS", "BREAK_VERSION"), HOLDS),
]
LARGE_EVIDENCE = [
    ("all rules", gateway, extra, HOLDS) for gateway in KEYED for extra in ((), ("RESTORE",), ("FOREIGN",), ("FOREIGN", "RESTORE"))
] + [
    ("all rules", gateway, ("FOREIGN", "RESTORE"), HOLDS) for gateway in OTHERS
]


class Run:
    """A run of Spin, and what it found."""

    def __init__(self, model, name, gateway, extra, result):
        self.name, self.gateway, self.extra = name, gateway, extra
        self.expected, only = result if isinstance(result, tuple) else (result, result if result != HOLDS else None)
        self.model = FOLDER / model
        self.definitions = [f"-DGATEWAY={gateway}"] + [f"-D{name}" for name in extra]
        if only:
            self.definitions.append(f"-DPROPERTY={only}")
        self.property = only or "all properties"
        self.trace = []

    def check(self):
        """Generates, compiles and runs the checker in a temporary folder."""
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            run("spin", *self.definitions, "-a", self.model, folder=folder)
            # Breadth first, a trace is as short as possible.
            search = ["-DBFS"] if self.expected != HOLDS else []
            run("cc", "-w", "-O1", "-DSAFETY", "-DMEMLIM=8000", *search, "-o", "pan", "pan.c", folder=folder)
            output = run("./pan", "-m100000", "-w22", folder=folder, fails=True)
            self.states = int(re.search(r"(\d+) states, stored", output).group(1))
            errors = int(re.search(r"errors: (\d+)", output).group(1))
            # A search that ends early, for example because memory is short, has no result.
            self.found = HOLDS
            if errors == 0 and re.search(r"out of memory|reached -DMEMLIM|max search depth too small|Search not completed", output):
                self.found = "search incomplete"
            if errors:
                replay = run("spin", *self.definitions, "-k", f"{self.model.name}.trail", self.model, folder=folder, fails=True)
                self.trace = [line.strip() for line in replay.split("spin: ")[0].splitlines() if line.strip()]
                self.found = self.trace.pop().removeprefix("verdict: ") if self.trace else "error without a trace"
        self.seconds = time.monotonic() - started
        return self

    @property
    def steps(self):
        """The number of steps in the trace; a change in the ledger is the effect of the step above it."""
        return sum(not re.match(r"ledger: attempt \d: ", line) for line in self.trace)


def run(*command, folder, fails=False):
    """Runs a command and returns its output; ends this program if the command fails, unless it may."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode and not fails:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="larger runs instead")
    parser.add_argument("--only", default="", metavar="TEXT", help="the runs whose name contains TEXT")
    parser.add_argument("--trace", action="store_true", help="print the shortest traces")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at the same time (2)")
    arguments = parser.parse_args()
    rows = (LARGE_ORDER, LARGE_EVIDENCE) if arguments.large else (ORDER, EVIDENCE)
    runs = [Run(model, *row) for model, rows in zip(("order.pml", "evidence.pml"), rows) for row in rows]
    runs = [row for row in runs if arguments.only in f"{row.name} {row.gateway} {' '.join(row.extra)}"]
    if not runs:
        sys.exit(f"No run contains {arguments.only}.")

    wrong = 0
    started = time.monotonic()
    print(f"{'run':62}{'gateway':15}{'with':18}{'property':26}{'found':26}{'states':>9}{'seconds':>9}{'steps':>7}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(Run.check, runs):
            world = "+".join(name.lower() for name in row.extra if not name.startswith("BREAK"))
            name = row.name if row.name == "all rules" else "without: " + row.name
            print(f"{name:62}{row.gateway:15}{world:18}{row.property:26}{row.found:26}{row.states:>9,}{row.seconds:>9.1f}"
                  f"{row.steps or '':>7}", flush=True)
            if arguments.trace:
                print("".join(f"    {line}\n" for line in row.trace), end="")
            if row.found != row.expected:
                wrong += 1
                print(f"    expected: {row.expected}")
    print(f"{len(runs)} runs in {time.monotonic() - started:.0f} s, {wrong} with another result than expected")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
