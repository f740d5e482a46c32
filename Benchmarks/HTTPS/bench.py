#!/usr/bin/env python3
"""Compares the time of requests with ApplePayHTTPS and with curl: the same request, server, certificate and TLS version.

usage: bench.py FOLDER    FOLDER contains the program https-exchange

Each program sends REQUESTS requests in one process, every one on a new connection with a full handshake. The server is
named by its address, because curl looks a name up once for all requests. Both run in turn, and the medians of their wall
times and of their processor times are compared.
"""
import os
import pathlib
import resource
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = pathlib.Path(sys.argv[1]) / "https-exchange"
REQUESTS, ROUNDS, BODY = 100, 9, 2000
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\nConnection: close\r\n\r\n" + b'{"status":"ok"}'


def serve(listener, context):
    while True:
        raw, _ = listener.accept()
        threading.Thread(target=answer, args=(raw, context), daemon=True).start()


def answer(raw, context):
    # Otherwise the answer waits for the client's acknowledgement of what the handshake sent last.
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        with context.wrap_socket(raw, server_side=True) as connection:
            text = b""
            while len(text.partition(b"\r\n\r\n")[2]) < BODY:
                text += connection.recv(65536)
            connection.sendall(ANSWER)
            connection.unwrap()
    except OSError:
        pass


def measure(command, text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(command, input=text, capture_output=True, check=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = done.stdout.count(b"answer 200") + done.stdout.count(b'"status"')
    if answers != REQUESTS:
        sys.exit(f"{command[0]} got {answers} of {REQUESTS} answers: {done.stderr[:500]}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1000 / REQUESTS, processor * 1000 / REQUESTS


with tempfile.TemporaryDirectory() as folder:
    key, certificate, body = f"{folder}/key.pem", f"{folder}/certificate.pem", f"{folder}/body"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
         "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True)
    pathlib.Path(body).write_bytes(b"a" * BODY)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    threading.Thread(target=serve, args=(listener, context), daemon=True).start()
    port = listener.getsockname()[1]
    origin = f"https://127.0.0.1:{port}"
    lines = f"POST {origin} /pay {BODY}\n" * REQUESTS
    ours = [str(PROGRAM), "--authorities", certificate]
    curl = ["curl", "-q", "-sS", "--http1.1", "--cacert", certificate, "--no-sessionid", "--data-binary", f"@{body}",
            "-H", "Content-Type: text/plain", "-H", "Connection: close"] + [f"{origin}/pay"] * REQUESTS
    times = {"ApplePayHTTPS": [], "curl": []}
    for number in range(ROUNDS + 1):
        for name, command, text in (("ApplePayHTTPS", ours, lines.encode()), ("curl", curl, b"")):
            figures = measure(command, text)
            if number:
                times[name].append(figures)

print(f"{REQUESTS} requests of {BODY} bytes in each of {ROUNDS} runs, in turn, with {os.cpu_count()} processors:")
medians = {}
for name, figures in times.items():
    medians[name] = [statistics.median(column) for column in zip(*figures)]
    print(f"{name:14} {medians[name][0]:6.2f} ms a request, {medians[name][1]:6.2f} ms of processor time")
ratios = [ours / other for ours, other in zip(medians["ApplePayHTTPS"], medians["curl"])]
print(f"ratio          {ratios[0]:6.2f}                {ratios[1]:6.2f}")
