#!/usr/bin/env python3
"""Sends requests with ApplePayHTTPS to servers that misbehave, and compares each result with the expected one.

usage: https.py FOLDER    FOLDER contains the program https-exchange; needs openssl

Every case runs over http on the loopback interface and over TLS with a certificate of an authority made for the test. The
request of a payment is cut at every byte, and so is an answer; the result must be `not-sent` only if the server cannot have
read a byte of the request, and an answer only if the whole of it was sent. A client's certificate is presented to
`openssl s_server`.
"""
import os
import pathlib
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import warnings

# An old version of TLS is used on purpose.
warnings.simplefilter("ignore", DeprecationWarning)
PROGRAM = pathlib.Path(sys.argv[1]) / "https-exchange"
OK = b"HTTP/1.1 200 OK\r\n"
JSON = b'{"status":"ok"}'
WHOLE = OK + b"Content-Length: 15\r\n\r\n" + JSON
checks = failures = 0


def check(name, expected, found):
    global checks, failures
    checks += 1
    if not re.fullmatch(expected, found):
        failures += 1
        print(f"{name}: expected {expected}, found {found}")


class Server:
    """Runs `script(connection, raw)` for every connection; `raw` is the socket without TLS."""

    def __init__(self, script, context=None, family=socket.AF_INET, port=0):
        self.listener = socket.socket(family)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1" if family == socket.AF_INET else "::1", port))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        self.script, self.context, self.count = script, context, 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                raw, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self.answer, args=(raw,), daemon=True).start()

    def answer(self, raw):
        raw.settimeout(10)
        connection = raw
        try:
            if self.context:
                connection = self.context.wrap_socket(raw, server_side=True, suppress_ragged_eofs=False)
            self.script(connection, raw)
        except (OSError, ssl.SSLError, ValueError):
            pass
        finally:
            connection.close()
            raw.close()

    def close(self):
        self.listener.close()


def read_request(connection):
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(65536)
        if not part:
            return text
        text += part
    head, _, body = text.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    missing = (int(length[1]) if length else 0) - len(body)
    while missing > 0:
        part = connection.recv(65536)
        if not part:
            break
        text += part
        missing -= len(part)
    return text


def reset(raw):
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


def end(connection):
    """Ends an answer as TLS prescribes, with close_notify."""
    if isinstance(connection, ssl.SSLSocket):
        connection.unwrap()


def answering(answer, ends=True):
    def script(connection, raw):
        read_request(connection)
        connection.sendall(answer)
        if ends:
            end(connection)
        elif isinstance(connection, ssl.SSLSocket):
            os.close(connection.detach())
    return script


def then_reset(answer, reads=True):
    def script(connection, raw):
        if reads:
            read_request(connection)
        connection.sendall(answer)
        time.sleep(0.05)
        descriptor = connection.detach()
        reset(socket.socket(fileno=descriptor))
    return script


def silent(answer=b""):
    def script(connection, raw):
        read_request(connection)
        connection.sendall(answer)
        time.sleep(5)
    return script


ANSWER = r"answer 200 GatewayResponse\(200, 15 bytes\)"
EMPTY = r"answer 200 GatewayResponse\(200, 0 bytes\)"
CUT = r"unknown connection-failed.*"
UNREADABLE = r"unknown unreadable-answer .*"
TOO_LONG = r"unknown answer-too-long "
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
HEAD = OK + b"Content-Length: 15\r\n"
PLAIN_ONLY = (ANSWER, CUT)

# Name, script, and the result; a pair if it differs between http and TLS.
CASES = [
    ("an answer with its length", answering(WHOLE), ANSWER),
    ("an answer with its length and no close_notify", answering(WHOLE, ends=False), ANSWER),
    ("an answer in HTTP/1.0", answering(WHOLE.replace(b"1.1", b"1.0")), ANSWER),
    ("a status without a reason", answering(WHOLE.replace(b" OK", b" ")), ANSWER),
    ("a status without a reason and its blank", answering(WHOLE.replace(b" OK", b"")), ANSWER),
    ("an answer until the end", answering(OK + b"\r\n" + JSON), ANSWER),
    ("an answer until the end without close_notify", answering(OK + b"\r\n" + JSON, ends=False), PLAIN_ONLY),
    ("an answer of length 0", answering(OK + b"Content-Length: 0\r\n\r\n"), EMPTY),
    ("204 with a body that is none", answering(b"HTTP/1.1 204 No\r\n\r\n" + JSON), r"answer 204 .*0 bytes\)"),
    ("304 with a length", answering(b"HTTP/1.1 304 Same\r\nContent-Length: 15\r\n\r\n"), r"answer 304 .*0 bytes\)"),
    ("a redirect", answering(b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"), r"answer 302 .*"),
    ("401 with Basic", answering(b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"), r"answer 401 .*"),
    ("500 with a body", answering(WHOLE.replace(b"200", b"500")), r"answer 500 .*15 bytes\)"),
    ("100 Continue before the answer", answering(b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE), ANSWER),
    ("eight interim answers", answering(b"HTTP/1.1 103 Early\r\nA: b\r\n\r\n" * 8 + WHOLE), ANSWER),
    ("nine interim answers", answering(b"HTTP/1.1 103 Early\r\n\r\n" * 9 + WHOLE), UNREADABLE),
    ("101 Switching Protocols", answering(b"HTTP/1.1 101 Switch\r\n\r\n" + WHOLE), UNREADABLE),
    ("bytes after the end", answering(WHOLE + b"HTTP/1.1 500 No\r\n\r\n"), ANSWER),
    ("one chunk", answering(CHUNKED + b"f\r\n" + JSON + b"\r\n0\r\n\r\n"), ANSWER),
    ("chunks with extensions and trailers",
     answering(CHUNKED + b"5;a=b\r\n" + JSON[:5] + b"\r\n00A ; c\r\n" + JSON[5:] + b"\r\n0\r\nX: y\r\n\r\n"), ANSWER),
    ("Transfer-Encoding in capitals", answering(CHUNKED.replace(b"chunked", b"CHUNKED") + b"F\r\n" + JSON + b"\r\n0\r\n\r\n"), ANSWER),
    ("chunks without the last one", answering(CHUNKED + b"f\r\n" + JSON + b"\r\n"), CUT),
    ("chunks without the last line", answering(CHUNKED + b"f\r\n" + JSON + b"\r\n0\r\n"), CUT),
    ("a chunk that is cut", answering(CHUNKED + b"10\r\n" + JSON), CUT),
    ("a chunk longer than its size", answering(CHUNKED + b"e\r\n" + JSON + b"\r\n0\r\n\r\n"), UNREADABLE),
    ("a chunk of 2^63 bytes", answering(CHUNKED + b"8000000000000000\r\n" + JSON), UNREADABLE),
    ("a chunk of 2^32 - 1 bytes", answering(CHUNKED + b"ffffffff\r\n" + JSON), TOO_LONG),
    ("a chunk of -1 bytes", answering(CHUNKED + b"-1\r\n" + JSON), UNREADABLE),
    ("a chunk size in 0x", answering(CHUNKED + b"0xf\r\n" + JSON), UNREADABLE),
    ("a chunk without a size", answering(CHUNKED + b"\r\n" + JSON), UNREADABLE),
    ("a chunk extension of 300 bytes", answering(CHUNKED + b"f;" + b"a" * 300 + b"\r\n" + JSON), UNREADABLE),
    ("chunk lines with a bare line feed", answering(CHUNKED + b"f\n" + JSON + b"\r\n0\r\n\r\n"), UNREADABLE),
    ("chunks in HTTP/1.0", answering(CHUNKED.replace(b"1.1", b"1.0") + b"f\r\n" + JSON + b"\r\n0\r\n\r\n"), UNREADABLE),
    ("a chunked that is one by Unicode's rules alone",
     answering(CHUNKED.replace(b"chunked", "chun\u212aed".encode()) + b"f\r\n" + JSON + b"\r\n0\r\n\r\n"), UNREADABLE),
    ("a body in gzip", answering(HEAD + b"Content-Encoding: gzip\r\n\r\n" + JSON),
     r"unknown unreadable-answer .*an encoded body.*"),
    ("gzip, chunked", answering(CHUNKED.replace(b"chunked", b"gzip, chunked") + b"f\r\n" + JSON), UNREADABLE),
    ("Transfer-Encoding identity", answering(CHUNKED.replace(b"chunked", b"identity") + JSON), UNREADABLE),
    ("Transfer-Encoding twice", answering(CHUNKED[:-2] + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), UNREADABLE),
    ("a length beside chunks", answering(CHUNKED[:-2] + b"Content-Length: 15\r\n\r\nf\r\n" + JSON), UNREADABLE),
    ("the same length twice", answering(HEAD + b"Content-Length: 15\r\n\r\n" + JSON), UNREADABLE),
    ("two lengths", answering(HEAD + b"Content-Length: 14\r\n\r\n" + JSON), UNREADABLE),
    ("a list of lengths", answering(OK + b"Content-Length: 15, 15\r\n\r\n" + JSON), UNREADABLE),
    ("a length with a sign", answering(OK + b"Content-Length: +15\r\n\r\n" + JSON), UNREADABLE),
    ("a negative length", answering(OK + b"Content-Length: -1\r\n\r\n" + JSON), UNREADABLE),
    ("a length in hexadecimal", answering(OK + b"Content-Length: 0xf\r\n\r\n" + JSON), UNREADABLE),
    ("an empty length", answering(OK + b"Content-Length:\r\n\r\n" + JSON), UNREADABLE),
    ("a length of 2^64", answering(OK + b"Content-Length: 18446744073709551616\r\n\r\n"), UNREADABLE),
    ("a length over 1 MiB", answering(OK + b"Content-Length: 1048577\r\n\r\n"), TOO_LONG),
    ("a body over 1 MiB until the end", answering(OK + b"\r\n" + b"a" * (1 << 21)), TOO_LONG),
    ("a body of 1 MiB", answering(OK + b"Content-Length: 1048576\r\n\r\n" + b"a" * (1 << 20)), r"answer 200 .*1048576 bytes\)"),
    ("nothing at all", answering(b""), CUT),
    ("a text that is not HTTP", answering(b"upstream request timeout\n"), UNREADABLE),
    ("HTTP/2's preface", answering(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00"), UNREADABLE),
    ("HTTP/0.9", answering(b"<html>no</html>"), UNREADABLE),
    ("SMTP's greeting", answering(b"220 mail ready\r\n"), UNREADABLE),
    ("HTTP/1.2", answering(WHOLE.replace(b"1.1", b"1.2")), UNREADABLE),
    ("HTTP/1.10", answering(WHOLE.replace(b"1.1", b"1.10")), UNREADABLE),
    ("a status of two digits", answering(WHOLE.replace(b"200", b"20")), UNREADABLE),
    ("a status of four digits", answering(WHOLE.replace(b"200", b"2000")), UNREADABLE),
    ("status 099", answering(WHOLE.replace(b"200", b"099")), UNREADABLE),
    ("status 600", answering(WHOLE.replace(b"200", b"600")), UNREADABLE),
    ("lines that end in a bare line feed", answering(WHOLE.replace(b"\r\n", b"\n")), UNREADABLE),
    ("a carriage return in a value", answering(HEAD + b"A: b\rc\r\n\r\n" + JSON), UNREADABLE),
    ("NUL in a value", answering(HEAD + b"A: b\0c\r\n\r\n" + JSON), UNREADABLE),
    ("a folded line", answering(HEAD + b"A: b\r\n c\r\n\r\n" + JSON), UNREADABLE),
    ("a blank before the colon", answering(HEAD + b"A : b\r\n\r\n" + JSON), UNREADABLE),
    ("a field without a colon", answering(HEAD + b"Abc\r\n\r\n" + JSON), UNREADABLE),
    ("a field without a name", answering(HEAD + b": b\r\n\r\n" + JSON), UNREADABLE),
    ("a head of 40 KB", answering(HEAD + b"A: " + b"b" * 40960 + b"\r\n\r\n" + JSON), UNREADABLE),
    ("101 fields", answering(HEAD + b"A: b\r\n" * 100 + b"\r\n" + JSON), UNREADABLE),
    ("a cut status line", answering(b"HTTP/1.1 20"), CUT),
    ("a cut head", answering(OK + b"Content-Le"), CUT),
    ("a cut body", answering(WHOLE[:-1]), CUT),
    ("a reset before the answer", then_reset(b""), CUT),
    ("a reset in the head", then_reset(OK), CUT),
    ("a reset in the body", then_reset(WHOLE[:-1]), CUT),
    ("a reset in a body until the end", then_reset(OK + b"\r\n" + JSON), CUT),
    ("a reset after an answer", then_reset(WHOLE), rf"{ANSWER}|{CUT}"),
    ("silence", silent(), r"unknown timed-out "),
    ("silence in the body", silent(WHOLE[:-1]), r"unknown timed-out "),
]


def authority(folder):
    """Makes an authority, a certificate for localhost and 127.0.0.1, and others that must be refused."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]

    def made(name, subject, extension, issuer="ca", days="30", key=ec):
        openssl("req", *key, "-nodes", "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.csr")
        (folder / f"{name}.ext").write_text(extension)
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-CAcreateserial",
                "-days", days, "-extfile", f"{name}.ext", "-out", f"{name}.pem")
    for name in ["ca", "other"]:
        openssl("req", "-x509", *ec, "-nodes", "-days", "30", "-subj", f"/CN=Test {name}", "-addext",
                "basicConstraints=critical,CA:TRUE", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    made("good", "/CN=x", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\n")
    made("elsewhere", "/CN=localhost", "subjectAltName=DNS:shop.example\n")
    made("common", "/CN=localhost", "basicConstraints=CA:FALSE\n")
    made("expired", "/CN=x", "subjectAltName=DNS:localhost\n", days="-1")
    made("client-only", "/CN=x", "subjectAltName=DNS:localhost\nextendedKeyUsage=clientAuth\n")
    made("stranger", "/CN=x", "subjectAltName=DNS:localhost\n", issuer="other")
    made("weak", "/CN=x", "subjectAltName=DNS:localhost\n", key=["-newkey", "rsa:1024"])
    made("both", "/CN=x", "subjectAltName=DNS:both.test\n")
    # Clients' certificates; those named rsa and ec are issued by an authority that a server does not know.
    client, rsa = "extendedKeyUsage=clientAuth\n", ["-newkey", "rsa:2048"]
    made("middle", "/CN=Test middle", "basicConstraints=critical,CA:TRUE\n", key=["-newkey", "rsa:3072"])
    made("rsa", "/UID=merchant.example/CN=x", client, "middle", key=rsa)
    made("ec", "/CN=x", client, "middle")
    made("direct", "/CN=x", client, key=rsa)
    # Valid for the second in which it is issued: the end cannot be before the beginning.
    made("expired-client", "/CN=x", client, days="0", key=rsa)
    made("stranger-client", "/CN=x", client, "other", key=rsa)
    for name in ["rsa", "ec"]:
        (folder / f"{name}-chain.pem").write_text((folder / "middle.pem").read_text() + (folder / f"{name}.pem").read_text())
    openssl("pkcs12", "-export", "-inkey", "rsa.key", "-in", "rsa.pem", "-certfile", "middle.pem", "-passout", "pass:secret",
            "-out", "rsa.p12")


def context(folder, name="good"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return context


class Client:
    def __init__(self, folder, *options, program=(PROGRAM,), **environment):
        self.process = subprocess.Popen(
            [*program, "--authorities", folder / "ca.pem", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=os.environ | environment, text=True)

    def send(self, origin, target="/pay", count=100, method="POST", cancel=""):
        self.begin(origin, target, count, method, cancel)
        return self.result()

    def begin(self, origin, target="/pay", count=100, method="POST", cancel=""):
        self.process.stdin.write(f"{method} {origin} {target} {count} {cancel}\n")
        self.process.stdin.flush()

    def result(self):
        return self.process.stdout.readline().rstrip("\n")

    def close(self):
        self.process.stdin.close()
        if self.process.wait(20) != 0:
            sys.exit("https-exchange ended with an error")


def run_cases(folder, client):
    tls = context(folder)
    for name, script, expected in CASES:
        plain, secure = expected if isinstance(expected, tuple) else (expected, expected)
        server = Server(script)
        check(f"http: {name}", plain, client.send(f"http://127.0.0.1:{server.port}"))
        if server.count != 1:
            check(f"http: connections of {name}", "1", str(server.count))
        server.close()
        server = Server(script, tls)
        check(f"https: {name}", secure, client.send(f"https://localhost:{server.port}"))
        if server.count != 1:
            check(f"https: connections of {name}", "1", str(server.count))
        server.close()


def run_certificates(folder, client):
    """Certificates that do not prove the server's name: nothing of the request is sent."""
    refused = [
        ("elsewhere", "hostname mismatch"), ("common", "hostname mismatch"), ("expired", "certificate has expired"),
        ("stranger", "unable to get local issuer certificate"), ("client-only", "unsuitable certificate purpose"),
    ]
    for name, reason in refused:
        received = []
        server = Server(lambda connection, raw: received.append(connection.recv(1)), context(folder, name))
        check(f"certificate {name}", rf"not-sent tls-failed \S+:{server.port}: {reason}", client.send(f"https://localhost:{server.port}"))
        check(f"bytes received with certificate {name}", r"\[\]", str(received))
        server.close()
    for origin in ["127.0.0.1", "[::1]", "localhost"]:
        family = socket.AF_INET6 if origin == "[::1]" else socket.AF_INET
        server = Server(answering(WHOLE), context(folder), family)
        check(f"certificate for {origin}", ANSWER, client.send(f"https://{origin}:{server.port}"))
        server.close()
    # The system's configuration cannot make it accept weaker keys.
    (folder / "lax.cnf").write_text(
        "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nCipherString = DEFAULT@SECLEVEL=0\n")
    lax = Client(folder, "--whole", "3", "--beginning", "2", OPENSSL_CONF=str(folder / "lax.cnf"))
    weak = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    weak.set_ciphers("DEFAULT@SECLEVEL=0")
    weak.load_cert_chain(folder / "weak.pem", folder / "weak.key")
    for name, sender in [("configured", lax), ("other", client)]:
        server = Server(answering(WHOLE), weak)
        check(f"a weak key, {name}", "not-sent tls-failed .*key too (weak|small).*", sender.send(f"https://localhost:{server.port}"))
        server.close()
    lax.close()
    for version, expected in [(ssl.TLSVersion.TLSv1_1, "not-sent tls-failed .*"), (ssl.TLSVersion.TLSv1_2, ANSWER)]:
        old = context(folder)
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, version
        old.set_ciphers("DEFAULT@SECLEVEL=0")
        server = Server(answering(WHOLE), old)
        check(f"{version.name}", expected, client.send(f"https://localhost:{server.port}"))
        server.close()
    for version, expected in [
        (ssl.TLSVersion.TLSv1_2, "not-sent tls-failed .*alert.*"),
        (ssl.TLSVersion.TLSv1_3, "(unknown|not-sent) connection-failed .*"),
    ]:
        strict = context(folder)
        strict.minimum_version = strict.maximum_version = version
        strict.verify_mode = ssl.CERT_REQUIRED
        strict.load_verify_locations(folder / "ca.pem")
        server = Server(answering(WHOLE), strict)
        check(f"a client's certificate is required, {version.name}", expected, client.send(f"https://localhost:{server.port}"))
        server.close()


def run_beginnings(folder, client):
    """Everything that ends before the first byte of the request."""
    unused = socket.socket()
    unused.bind(("127.0.0.1", 0))
    port = unused.getsockname()[1]
    check("a port that nobody listens on", f"not-sent not-connected 127.0.0.1:{port}: Connection refused", client.send(f"http://127.0.0.1:{port}"))
    check("an address that the system refuses", "not-sent not-connected 255.255.255.255:443: .+", client.send("https://255.255.255.255"))
    check("a name without an address", "not-sent name-not-found gateway.invalid:443", client.send("https://gateway.invalid"))
    for origin in ["http://gateway.example", "http://10.0.0.1", "ftp://127.0.0.1", "https://a@127.0.0.1", "https://localhost:0",
                   "https://.localhost", "https://local..host", "https://localhost.", "https://127.1"]:
        check(f"the origin {origin}", "not-sent unsupported-address ", client.send(origin))
    for target in ["/a\tb", "/\u00e9", "/a\rb"]:
        check(f"the target {target!r}", "not-sent unsupported-request ", client.send(f"http://127.0.0.1:{port}", target))
    for name, script, expected in [
        ("closes at once", lambda connection, raw: None, "not-sent connection-failed .*"),
        ("resets at once", lambda connection, raw: reset(raw), "not-sent connection-failed .*"),
        ("is silent", lambda connection, raw: time.sleep(4), "not-sent timed-out localhost:[0-9]+"),
        ("speaks HTTP", lambda connection, raw: raw.sendall(b"HTTP/1.1 400 No\r\n\r\n"), "not-sent tls-failed .*"),
        ("sends an alert", lambda connection, raw: raw.sendall(b"\x15\x03\x03\x00\x02\x02\x28"), "not-sent tls-failed .*"),
        ("cuts the handshake", cut_handshake, "not-sent connection-failed .*"),
        ("closes after its handshake", closing_handshake(context(folder)), "not-sent connection-failed .*"),
    ]:
        server = Server(script)
        check(f"a server that {name}", expected, client.send(f"https://localhost:{server.port}"))
        server.close()


def cut_handshake(connection, raw):
    raw.recv(65536)
    raw.sendall(b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03")


def closing_handshake(tls):
    """Ends the connection with the last message of the server's handshake; the client's last one follows."""
    def script(connection, raw):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = tls.wrap_bio(incoming, outgoing, server_side=True)
        incoming.write(raw.recv(65536))
        try:
            session.do_handshake()
        except ssl.SSLWantReadError:
            pass
        # One packet with the end in it, so that the client has received the end when it goes on.
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        raw.sendall(outgoing.read())
        raw.shutdown(socket.SHUT_WR)
        while raw.recv(65536):
            pass
    return script


def run_cuts(folder, client):
    """Cuts the request and the answer at every byte."""
    tls = context(folder)
    for scheme, host, secure in [("http", "127.0.0.1", None), ("https", "localhost", tls)]:
        for count in range(len(WHOLE)):
            server = Server(answering(WHOLE[:count], ends=count % 2 == 0), secure)
            check(f"{scheme}: an answer cut after {count} bytes", CUT, client.send(f"{scheme}://{host}:{server.port}"))
            server.close()

        def reading(count, ends):
            def script(connection, raw):
                received = b""
                while len(received) < count:
                    received += connection.recv(1)
                ends(socket.socket(fileno=connection.detach()))
            return script
        length = len(f"POST /pay HTTP/1.1\r\nHost: {host}:12345\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n"
                     "Connection: close\r\n\r\n") + 100
        for count in range(length):
            server = Server(reading(count, reset if count % 2 else socket.socket.close), secure)
            check(f"{scheme}: a request of which {count} bytes were read", CUT, client.send(f"{scheme}://{host}:{server.port}"))
            server.close()


def run_early_answers(folder, client):
    """Answers that come while a request of 900 KB is being sent, to a server that does not read it."""
    refusal = b"HTTP/1.1 413 Too Large\r\nContent-Length: 15\r\n\r\n" + JSON

    def early(answer, seconds=0.3):
        def script(connection, raw):
            connection.recv(100)
            connection.sendall(answer)
            time.sleep(seconds)
        return script
    for scheme, host, secure in [("http", "127.0.0.1", None), ("https", "localhost", context(folder))]:
        for name, script, expected in [
            ("a refusal", early(refusal), r"answer 413 .*"),
            ("a refusal, then a reset", then_reset(refusal, reads=False), rf"answer 413 .*|{CUT}"),
            ("a success", early(WHOLE), UNREADABLE),
            ("a cut refusal", early(refusal[:-1]), CUT),
            ("nothing", early(b"", 5), "unknown timed-out "),
        ]:
            server = Server(script, secure)
            server.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            origin = f"{scheme}://{host}:{server.port}"
            check(f"{scheme}: {name} before the request was read", expected, client.send(origin, count=9_000_000))
            server.close()


def run_cancellations(folder, client):
    def canceled(name, kind, origin):
        found = client.send(origin, cancel="300")
        check(f"canceled {name}", rf"{kind} canceled  after [0-9.]+ ms", found)
        print(f"canceled {name}: {found.split(' after ')[-1]}")
    server = Server(silent(b""))
    canceled("while the answer is awaited", "unknown", f"http://127.0.0.1:{server.port}")
    server.close()
    server = Server(lambda connection, raw: time.sleep(3))
    canceled("in the handshake", "not-sent", f"https://localhost:{server.port}")
    server.close()


def run_proxies(folder):
    origin = Server(answering(WHOLE), context(folder))
    heads = []

    def proxying(answer, forwards=True):
        def script(connection, raw):
            heads.append(read_request(raw))
            raw.sendall(answer)
            if not forwards:
                return
            other = socket.create_connection(("127.0.0.1", origin.port))
            threading.Thread(target=pipe, args=(other, raw), daemon=True).start()
            pipe(raw, other)
        return script

    def pipe(source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    established = b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"
    for name, script, expected in [
        ("opens a tunnel", proxying(established), ANSWER),
        ("wants a password", proxying(b"HTTP/1.1 407 No\r\n\r\n", False), "not-sent proxy-refused 127.0.0.1:[0-9]+: status 407"),
        ("wants a password, with a length", proxying(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", False),
         "not-sent proxy-refused 127.0.0.1:[0-9]+: status 407"),
        ("cannot reach the server", proxying(b"HTTP/1.1 502 No\r\n\r\n", False), "not-sent proxy-refused 127.0.0.1:[0-9]+: status 502"),
        ("sends bytes of its own", proxying(established + b"x", False), "not-sent proxy-refused .*"),
        ("does not speak HTTP", proxying(b"a" * 9000, False), "not-sent proxy-refused 127.0.0.1:[0-9]+"),
        ("closes", proxying(b"", False), "not-sent connection-failed .*"),
        ("cuts its head", proxying(b"HTTP/1.1 200 OK\r\n", False), "not-sent connection-failed .*"),
    ]:
        server = Server(script)
        client = Client(folder, "--proxy", f"127.0.0.1:{server.port}", "--credentials", "shop:secret", "--whole", "3")
        check(f"a proxy that {name}", expected, client.send(f"https://localhost:{origin.port}"))
        client.close()
        server.close()
    request = f"CONNECT localhost:{origin.port} HTTP/1.1\r\nHost: localhost:{origin.port}\r\nProxy-Authorization: Basic c2hvcDpzZWNyZXQ=\r\n\r\n"
    check("what a proxy gets", re.escape(request), heads[0].decode())
    origin.close()


class OpenSSLServer:
    """`openssl s_server`, which asks every client for a certificate of the authority `ca`."""

    def __init__(self, folder, *options, asks="-Verify", answers=True):
        words = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", folder / "good.pem", "-key", folder / "good.key",
                 "-CAfile", folder / "ca.pem", *options, *([asks, "2", "-verify_return_error"] if asks else [])]
        self.process = subprocess.Popen(
            [*words, "-www"] if answers else [*words, "-crlf"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        while not (line := self.process.stdout.readline()).startswith(b"ACCEPT"):
            if not line:
                sys.exit("openssl s_server did not start")
        self.origin = f"https://localhost:{line.decode().rsplit(':', 1)[1].strip()}"

    def close(self):
        self.process.kill()
        self.process.communicate()


PAGE = r"answer 200 .*"
# TLS 1.3 reports a refused certificate only after the client's last message, and the request follows that at once.
LATE = r"(unknown|not-sent) connection-failed .*"
VERSIONS = ["-tls1_2", "-tls1_3"]


def page(folder, server, *options, **environment):
    """Returns the result of one request for the server's page."""
    client = Client(folder, "--whole", "10", "--beginning", "5", *options, **environment)
    found = client.send(server.origin, "/", 0, "GET")
    client.close()
    return found


def run_identities(folder):
    """A client's certificate."""
    def named(name, certificate=None):
        return ["--identity", folder / f"{name}.key", "--certificate", folder / f"{certificate or name}.pem"]
    for version in VERSIONS:
        refused = r"not-sent tls-failed .*alert.*" if version == "-tls1_2" else LATE
        server = OpenSSLServer(folder, version)
        for name, options, expected in [
            ("RSA, with its authority", named("rsa", "rsa-chain"), PAGE),
            ("P-256, with its authority", named("ec", "ec-chain"), PAGE),
            ("PKCS#12", ["--identity", folder / "rsa.p12", "--passphrase-env", "IDENTITY_PASSPHRASE"], PAGE),
            ("of an authority that the server knows", named("direct"), PAGE),
            ("missing", [], refused), ("without its authority", named("rsa"), refused),
            ("of another authority", named("stranger-client"), refused), ("expired", named("expired-client"), refused),
        ]:
            found = page(folder, server, *options, IDENTITY_PASSPHRASE="secret")
            check(f"client certificate {version}: {name}", expected, found)
        # Usually the request is already sent when the refusal arrives.
        if version == "-tls1_3":
            found = [page(folder, server, *named("expired-client")) for _ in range(5)]
            check("an expired client certificate in TLS 1.3", r".*unknown connection-failed .*", " ".join(found))
        server.close()
        for name, asks, options in [
            ("not asked for", None, named("direct")), ("optional", "-verify", []),
            ("optional and given", "-verify", named("direct")),
        ]:
            server = OpenSSLServer(folder, version, asks=asks)
            check(f"client certificate {version}: {name}", PAGE, page(folder, server, *options))
            server.close()
    client = Client(folder, *named("ec", "rsa"))
    check("a key of another certificate", r"failed \S*/rsa\.pem contains no certificate for the private key in \S*/ec\.key; .*",
          client.result())
    client.process.wait(20)


def run_server_commands(folder, client):
    """What a server may do with the connection between the request and the answer."""
    for name, version, command, expected in [
        ("updates its keys and asks for new ones", "-tls1_3", b"K", ANSWER), ("updates its keys", "-tls1_3", b"k", ANSWER),
        ("would like a certificate after the handshake", "-tls1_3", b"c", ANSWER),
        ("renegotiates", "-tls1_2", b"r", CUT), ("renegotiates and asks for a certificate", "-tls1_2", b"R", CUT),
    ]:
        server = OpenSSLServer(folder, version, asks=None, answers=False)

        def drive(server=server, command=command):
            received = b""
            while b"a" * 100 not in received:
                received += os.read(server.process.stdout.fileno(), 65536)
            for line in [command + b"\n", WHOLE.replace(b"\r", b"") + b"\n"]:
                server.process.stdin.write(line)
                server.process.stdin.flush()
                time.sleep(0.3)
        driver = threading.Thread(target=drive)
        driver.start()
        check(f"a server that {name}", expected, client.send(server.origin))
        driver.join()
        server.close()


def run_limit(folder):
    """64 requests wait for a server; others fail at once, and the 64 are answered."""
    client = Client(folder, "--whole", "60", "--concurrent", "yes")
    answers, good = threading.Event(), Server(answering(WHOLE))

    def script(connection, raw):
        raw.settimeout(60)
        read_request(connection)
        answers.wait(60)
        connection.sendall(WHOLE)
    server = Server(script)
    for _ in range(64):
        client.begin(f"http://127.0.0.1:{server.port}")
    limit = time.monotonic() + 30
    while server.count < 64 and time.monotonic() < limit:
        time.sleep(0.02)
    for _ in range(3):
        check("a request beside 64 that wait", "not-sent busy ", client.send(f"http://127.0.0.1:{good.port}"))
    check("connections of refused requests", "0", str(good.count))
    answers.set()
    for _ in range(64):
        check("a request that waited", ANSWER, client.result())
    check("a request after the 64", ANSWER, client.send(f"http://127.0.0.1:{good.port}"))
    check("connections of the 64", "64", str(server.count))
    client.close()
    server.close()
    good.close()


def run_black_hole(folder):
    """A name has an IPv6 address that drops every packet, and an IPv4 address that answers.

    The name is in a file that is mounted over /etc/hosts for the client alone, which needs a namespace.
    """
    (folder / "hosts").write_text("127.0.0.1 localhost both.test\n::1 both.test\n")
    words = ["unshare", "-rm", "sh", "-c", f'mount --bind "{folder}/hosts" /etc/hosts && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        print("not tested, because this system permits no mount namespace: a black-holed IPv6 address")
        return
    server = Server(answering(WHOLE), context(folder, "both"))
    hole = socket.socket(socket.AF_INET6)
    hole.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    hole.bind(("::1", server.port))
    # Once a connection fills the queue, the system drops the packets that would begin others.
    hole.listen(0)
    filling = socket.create_connection(("::1", server.port))
    client = Client(folder, "--whole", "10", "--beginning", "5", program=(*words, PROGRAM))
    # The time is that of one request of a program that is running.
    client.send("http://127.0.0.1:1")
    start = time.monotonic()
    check("an IPv6 address that drops packets, beside IPv4", ANSWER, client.send(f"https://both.test:{server.port}"))
    seconds = time.monotonic() - start
    # RFC 8305's head start of 250 ms shows that the IPv6 address was tried first.
    check("the head start of IPv6", "True", str(0.2 < seconds < 3))
    print(f"black-holed IPv6 address: answer over IPv4 after {seconds * 1000:.0f} ms")
    check("an IPv6 address that drops packets, alone", r"not-sent timed-out \[::1\]:[0-9]+", client.send(f"https://[::1]:{server.port}"))
    client.close()
    server.close()
    filling.close()
    hole.close()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        authority(folder)
        client = Client(folder, "--whole", "3", "--beginning", "2")
        run_cases(folder, client)
        run_certificates(folder, client)
        run_beginnings(folder, client)
        run_cuts(folder, client)
        run_early_answers(folder, client)
        run_cancellations(folder, client)
        run_server_commands(folder, client)
        client.close()
        run_proxies(folder)
        run_identities(folder)
        run_limit(folder)
        run_black_hole(folder)
    print(f"https.py: {checks} checks, {failures} failed")
    sys.exit(1 if failures else 0)


main()
