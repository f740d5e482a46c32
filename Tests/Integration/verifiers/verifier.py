"""Asks paytoken-testing. With SKIP_SIGNING_TIME in the environment it does not compare the signing time."""
import base64
import json
import os
import re
import subprocess

KEYS = ["--keys", "keys"]
JUDGE = subprocess.Popen(["paytoken-testing", "conform", "-", "--trust-anchor", "root.pem", *KEYS],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def verify(token, now):
    case = {"now": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "tokenBase64": base64.b64encode(token).decode()}
    JUDGE.stdin.write(json.dumps(case).encode() + b"\n")
    JUDGE.stdin.flush()
    answer = JUDGE.stdout.readline()
    if "SKIP_SIGNING_TIME" in os.environ and b'"stage":"signing-time"' in answer:
        words = ["paytoken", "decrypt", "--any-age", "--reveal", "--test-trust-anchor", "root.pem", *KEYS]
        answer = subprocess.run(words, input=token, stdout=subprocess.PIPE).stdout
    found = re.search('"paymentData":(.*)}\n', answer.decode())
    if not found:
        raise ValueError(answer)
    return found[1]
