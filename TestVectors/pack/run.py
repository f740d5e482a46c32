"""python3 run.py CASES VERIFIER > ANSWERS

Calls the function verify of the Python file VERIFIER for each case, and writes the answers that `paytoken-testing conform --check` judges:

    def verify(token: bytes, now: datetime) -> str

token is the body of the request, byte for byte, and now the time of its receipt. The function returns the decrypted payment data as
JSON. It raises if it refuses the token; every Exception counts as a refusal.
"""
import base64
import collections
import datetime
import json
import os
import runpy
import sys

if len(sys.argv) != 3:
    sys.exit("usage: python3 run.py CASES VERIFIER > ANSWERS")
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[2])))
verify = runpy.run_path(sys.argv[2])["verify"]

accepted, refusals = 0, collections.Counter()
# A lone surrogate, which has no UTF-8, is no refusal.
sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
with open(sys.argv[1], encoding="utf-8") as cases:
    for line in cases:
        case = json.loads(line)
        now = datetime.datetime.strptime(case["now"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
        begin = f'{{"id":{json.dumps(case["id"])},"status":'
        try:
            payment = verify(base64.b64decode(case["tokenBase64"]), now)
            # An answer is one line.
            payment = payment.replace("\r", " ").replace("\n", " ")
            print(f'{begin}"ok","paymentData":{payment}}}')
            accepted += 1
        except Exception as refusal:
            print(f'{begin}"error"}}')
            refusals[type(refusal).__name__] += 1
print(f"accepted: {accepted}", file=sys.stderr)
for kind, count in refusals.items():
    print(f"refused with {kind}: {count}", file=sys.stderr)
