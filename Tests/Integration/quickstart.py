#!/usr/bin/env python3
"""Runs the commands that `paytoken-testing quickstart` prints, word for word, and those of its page ApplePayTokenTesting.md,
and checks their results. Takes the folder of the programs.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(f"{pathlib.Path(__file__).resolve().parents[1]}/Tools/Documentation")
from documents import blocks  # noqa: E402
from programs import check, folder, run  # noqa: E402

PAGE = "Sources/Testing/ApplePayTokenTesting/Docs.docc/ApplePayTokenTesting.md"
# A folder whose name needs quotation marks, and the files in it before the first command.
NAME = "first shop's folder"
FILES = {"order.json", "pki/root.pem", "pki/merchants/one.key.pem", "pki/merchants/one.cert.pem"}


class Quickstart:
    """The quick start in a working directory in which the programs are found through PATH."""

    def __init__(self, programs, work):
        self.work = work
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.commands = self.prepare(NAME).split("\n\n")[1:]

    def call(self, *words):
        return run(["paytoken-testing", "quickstart", *words], cwd=self.work, env=self.environment)

    def prepare(self, name):
        """Makes the files in a folder, and returns the script."""
        made = self.call(name)
        check(made.returncode == 0 and not made.stderr, f"quickstart: {made.returncode} {made.stderr.decode()}")
        for file in FILES:
            check((self.work / name / file).stat().st_size > 0, f"{file} is empty")
        return made.stdout.decode()

    def run(self, text, status=0):
        """Runs a command in a shell, and returns what it prints."""
        # Both outputs are pipes, which end only if the gateways, which go on running, do not keep them.
        shell = run(["sh", "-eu", "-c", text], cwd=self.work, env=self.environment)
        output = shell.stdout.decode()
        check(shell.returncode == status, f"{text}\nended with {shell.returncode}\n{output}{shell.stderr.decode()}")
        return output

    def expect_refusal(self, status, message, *words):
        refused = self.call(*words)
        check((refused.returncode, refused.stderr.decode()) == (status, f"paytoken-testing: {message}\n"),
              f"quickstart {words}: {refused.returncode} {refused.stderr.decode()}")

    def stop(self):
        """Ends the gateways as the last comment describes."""
        if (self.work / NAME / "sandbox.pid").exists():
            self.run(self.commands[5].partition("until you end them: ")[2])


def pay(shop):
    """Runs the five commands, and compares what each prints."""
    check(len(shop.commands) == 6 and all(re.match(rf"# {number}\. ", text) for number, text
                                          in enumerate(shop.commands[:5], 1)), "there are not five commands")
    check(not (shop.work / NAME / "token.json").exists(), "there is a token that can be too old")
    check_up, decrypt, start, charge, refund = shop.commands[:5]

    ready = shop.run(check_up)
    check('"window":300' in ready and re.search("^Ready", ready, re.M), ready)
    decrypted = json.loads(shop.run(decrypt))
    check(decrypted["status"] == "ok" and decrypted["paymentData"]["transactionAmount"] == 1099, f"{decrypted}")
    origin = shop.run(start).strip()
    check(re.fullmatch(r"http://127\.0\.0\.1:\d+", origin), f"not an address: {origin}")
    check((shop.work / NAME / "address").read_text() == f"{origin}\n", "the address is not in its file")
    paid = json.loads(shop.run(charge))
    check((paid["reference"], paid["outcome"], paid["captured"]) == ("order-1001", "paid", 1099), f"{paid}")
    refunded = json.loads(shop.run(refund))
    check((refunded["operation"], refunded["amount"]) == ("done", 500), f"{refunded}")

    # The commands can be repeated: the order is not paid twice, and not refunded twice.
    again = json.loads(shop.run(charge, status=6))
    check((again["paymentId"], again["refunded"]) == (paid["paymentId"], 500), f"{again}")
    check(json.loads(shop.run(refund))["operationId"] == refunded["operationId"], "it is refunded twice")
    check(json.loads(shop.run(decrypt))["transactionId"] != decrypted["transactionId"], "the token is not new")
    [booked] = json.loads(run(["curl", "-q", "-s", "-f", f"{origin}/sandbox/payments"]).stdout)
    check((booked["captured"], booked["refunded"], booked["requests"]) == (1099, 500, 1), f"{booked}")


def refuse(shop):
    """Names folders that cannot be used."""
    before = sorted((shop.work / NAME).rglob("*"))
    shop.expect_refusal(3, f"{NAME} is not empty; name a new folder, or remove this one.", NAME)
    check(sorted((shop.work / NAME).rglob("*")) == before, "the folder that is not empty was changed")
    (shop.work / "file").touch()
    shop.expect_refusal(3, "file exists already; name a folder that does not.", "file")
    shop.expect_refusal(3, "the folder no/shop cannot be created; check that its parent exists.", "no/shop")
    for words in ((), ("a", "b"), ("",)):
        shop.expect_refusal(2, "quickstart takes one word: the name of a new folder.", *words)
    (shop.work / "empty").mkdir()
    shop.prepare("empty")


def read_page(shop):
    """Runs the commands of the page."""
    [commands] = [block.text for block in blocks(PAGE) if "paytoken-testing quickstart" in block.text]
    shown = shop.run(commands)
    check(shown.count("payments refund order-1001") == 1 and shown.count('"operation":"done"') == 1, shown)


with tempfile.TemporaryDirectory() as work:
    quickstart = Quickstart(folder(), pathlib.Path(work))
    try:
        pay(quickstart)
        refuse(quickstart)
        read_page(quickstart)
    finally:
        quickstart.stop()
print("the five commands of the quick start pay an order once, and refund it")
