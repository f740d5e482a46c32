#!/usr/bin/env python3
"""Runs a command whose programs are built with AddressSanitizer, and fails if it fails or loses memory.

leaks.supp has the leaks of Foundation. OpenSSL 3.0 loses 42 bytes for each certificate with policyConstraints and without
certificatePolicies, whose chain it then refuses (policy_cache_new in crypto/x509/pcy_cache.c). LeakSanitizer does not see
the names of such internal functions, so these three blocks are recognized by their sizes, counts and functions.

usage: leaks.py COMMAND...
"""
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"leak of (\d+) byte\(s\) in (\d+) object\(s\) allocated from:\n.*\n\s*#1 \S+ in (\S+)")
KNOWN = {("CRYPTO_zalloc", 16), ("CRYPTO_zalloc", 24), ("ASN1_STRING_set", 2)}

suppressions = pathlib.Path(__file__).with_name("leaks.supp")
environment = {**os.environ, "LSAN_OPTIONS": f"suppressions={suppressions}:exitcode=0", "SWIFT_BACKTRACE": "enable=no"}
running = subprocess.Popen(sys.argv[1:], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
output = ""
for line in running.stdout:
    print(line, end="", flush=True)
    output += line
status = running.wait()

for report in output.split("LeakSanitizer: detected memory leaks")[1:]:
    blocks = [(function, int(size), int(count)) for size, count, function in BLOCK.findall(report)]
    is_known = ({(function, size // count) for function, size, count in blocks} == KNOWN and len({count for *_, count in blocks}) == 1
                and len(blocks) == report.count("leak of"))
    if not is_known:
        print("leaks.py: memory is lost in another way than is known of OpenSSL 3.0")
        status = status or 1
sys.exit(status)
