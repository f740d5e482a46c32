#!/usr/bin/env python3
"""Compares the tokens a second that `paytokend` decrypts over 64 connections with those of the library on as many threads.

usage: bench.py FOLDER    FOLDER contains the programs paytoken, paytokend, paytoken-testing and service-load

Both decrypt the same EC_v1 tokens, in turn, on the same two processors; the service shares them with the program that asks it.
"""
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import time

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
TOKENS, CONNECTIONS = 64, 64

os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    pki, keys = folder / "pki", folder / "keys"
    run(PROGRAMS / "paytoken-testing", "pki", "--out", pki)
    keys.mkdir()
    for file in ("one.key.pem", "one.cert.pem"):
        (keys / file).write_bytes((pki / "merchants" / file).read_bytes())
    tokens = [run(PROGRAMS / "paytoken-testing", "token", "--pki", pki, "--for", keys / "one.cert.pem", "--amount", "1099",
                  "--currency", "EUR") for _ in range(TOKENS)]
    (folder / "tokens").write_bytes(b"".join(token.strip() + b"\n" for token in tokens))
    (folder / "root").write_bytes(ssl.PEM_cert_to_DER_cert((pki / "root.pem").read_text()))
    (folder / "ledger").mkdir(mode=0o700)
    run(PROGRAMS / "paytoken", "ledger", "init", "--window", "300", "--ledger", folder / "ledger/orders")
    with open(folder / "audit", "wb") as audit:
        service = subprocess.Popen(
            [PROGRAMS / "paytokend", "--socket", folder / "socket", "--ledger", folder / "ledger/orders", "--keys", keys,
             "--test-trust-anchor", pki / "root.pem"], stdout=audit, stdin=subprocess.DEVNULL)
    try:
        for _ in range(500):
            if (folder / "socket").exists() or service.poll() is not None:
                break
            time.sleep(0.02)
        # The socket exists shortly before it accepts connections.
        time.sleep(0.5)
        print(f"{TOKENS} tokens, {CONNECTIONS} connections and threads, {len(os.sched_getaffinity(0))} processors:", flush=True)
        load = subprocess.run([PROGRAMS / "service-load", folder / "socket", keys, folder / "root", folder / "tokens",
                               str(CONNECTIONS)])
    finally:
        service.terminate()
        ended = service.wait(timeout=120)
    sys.exit(load.returncode or ended)
