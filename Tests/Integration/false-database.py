#!/usr/bin/env python3
"""Checks that a false PostgreSQL server gets no password, and cannot fill the client's memory.

Takes the folder of paytoken, built with PostgreSQL; needs openssl.
"""
import contextlib
import ctypes
import itertools
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

PAYTOKEN = os.path.realpath(sys.argv[1]) + "/paytoken"
LIBPQ = ctypes.CDLL("libpq.so.5").PQlibVersion()
PASSWORD = "Zq7Kw9Xv2PmTj4"
# The client holds at most 64 MiB of an answer, and the same again while it makes rows of it.
MEMORY = 256 << 20
# The codes that request encryption in place of a version, with TLS and with GSSAPI.
TLS, GSSAPI = 80877103, 80877104


def message(kind, body):
    return kind + struct.pack("!I", len(body) + 4) + body


LOGIN = message(b"R", struct.pack("!I", 0))
# A client asks no more before its first statement.
READY = b"".join(message(b"S", setting) for setting in (
    b"server_version\x0015\0", b"in_hot_standby\0off\0", b"default_transaction_read_only\0off\0")) \
    + message(b"K", bytes(8)) + message(b"Z", b"I")
COLUMN = message(b"T", struct.pack("!H", 1) + b"c\0" + struct.pack("!IhIhih", 0, 0, 25, -1, -1, 0))
# The beginning of the answer to a statement.
ANSWER = message(b"1", b"") + message(b"2", b"") + COLUMN


def repeated(part):
    return itertools.repeat(part * (1_000_000 // len(part)))


def settings():
    """Parts with settings whose names all differ, which libpq keeps."""
    for number in itertools.count():
        yield b"".join(message(b"S", b"%d.%d\0" % (number, index) + b"x" * 10_000 + b"\0") for index in range(100))


# What the server sends when the client connects, when it sends a statement, and then without end.
FLOODS = {
    "rows": (LOGIN + READY, ANSWER, lambda: repeated(message(b"D", struct.pack("!Hi", 1, 1000) + b"x" * 1000))),
    "rows with nothing in them": (LOGIN + READY, ANSWER, lambda: repeated(message(b"D", struct.pack("!Hi", 1, -1)))),
    "one row of 1 GB": (LOGIN + READY, ANSWER + b"D" + struct.pack("!IHi", 1 << 30, 1, 1 << 29), lambda: repeated(b"x")),
    "warnings": (LOGIN + READY, ANSWER, lambda: repeated(message(b"N", b"SWARNING\0VWARNING\0C01000\0M" + b"x" * 1000 + b"\0\0"))),
    "settings": (LOGIN + READY, ANSWER, settings),
    "settings during the login": (LOGIN, None, settings),
}


class FalseServer:
    """Listens on all addresses until the end of a `with` block; `received` is what its clients sent."""

    def __init__(self, certificate=None, flood=None):
        self.context, self.flood, self.received = None, flood, b""
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate)
        self.listener = socket.create_server(("0.0.0.0", 0), backlog=64)
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                # A client may leave at any time.
                with contextlib.suppress(OSError, struct.error):
                    self.answer(client)
                client.close()

    def answer(self, client):
        client.settimeout(10)
        while True:
            head = client.recv(8)
            self.received += head
            length, code = struct.unpack("!II", head)
            if code not in (TLS, GSSAPI):
                break
            is_encrypted = self.context and code == TLS
            client.sendall(b"S" if is_encrypted else b"N")
            if is_encrypted:
                client = self.context.wrap_socket(client, server_side=True)
        self.received += client.recv(length - 8)
        if self.flood:
            login, answer, rest = self.flood
            client.sendall(login)
            if answer:
                client.recv(1)
                client.sendall(answer)
            for part in rest():
                client.sendall(part)
        # Ask for the password as it is.
        client.sendall(message(b"R", struct.pack("!I", 3)))
        while part := client.recv(65536):
            self.received += part


def run(uri, *words, **environment):
    """Runs a command with a ledger; returns what it reported, and the memory in bytes that it took at most."""
    command = subprocess.Popen([PAYTOKEN, *(words or ("ledger", "show")), "--ledger", uri], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | environment)
    output = " ".join(command.stdout.read().decode().split())
    _, status, usage = os.wait4(command.pid, 0)
    command.returncode = os.waitstatus_to_exitcode(status)
    return output, usage.ru_maxrss << 10


def check(title, is_right, problem):
    if not is_right:
        sys.exit(f"{title}: {problem}")


def refuse(title, words, uri, certificate=None, is_asked=True, **environment):
    """Expects that a server gets no password, and nothing at all if it is not asked; and some words in the error and of doctor."""
    with FalseServer(certificate) as server:
        uri = uri.replace("PORT", str(server.port))
        for command in ((), ("doctor",)):
            output, _ = run(uri, *command, **environment)
            check(title, PASSWORD.encode() not in server.received, "the server got the password")
            check(title, is_asked or not server.received, f"the server got {server.received}")
            # doctor prints what to do below.
            output = output.replace(". → ", "; ").replace(" → ", "; ")
            for word in words:
                check(title, word.lower() in output.lower(), f'"{word}" is not in: {output}')
    print(title)


def write(folder, name, text):
    path = f"{folder}/{name}"
    with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(text)
    return path


def check_passwords(folder):
    """Tries servers that ask for a password as it is, with a certificate that they made themselves or without TLS."""
    certificate = f"{folder}/certificate"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=false", "-addext",
                    "subjectAltName=IP:0.0.0.0,IP:127.0.0.1", "-keyout", f"{folder}/key", "-out", certificate],
                   check=True, capture_output=True)
    with open(f"{folder}/key") as key, open(certificate, "a") as file:
        file.write(key.read())
    passwords = write(folder, "passwords", f"*:*:*:shop:{PASSWORD}\n")
    services = write(folder, "services", f"[pay]\nhost=0.0.0.0\nuser=shop\npassword={PASSWORD}\nsslmode=prefer\n")
    home = {"HOME": folder}

    # This address leads to this machine as well, but paytoken takes it for another one.
    elsewhere = "postgresql://shop@0.0.0.0:PORT/pay"
    here = "postgresql://shop@127.0.0.1:PORT/pay"
    in_location = f"postgresql://shop:{PASSWORD}@0.0.0.0:PORT/pay"
    no_file = (f'root certificate file "{folder}/.postgresql/root.crt" does not exist; name the file',
               "`sslrootcert=system`" if LIBPQ >= 160000 else "`sslrootcert=FILE`;")
    unproven = "`sslmode=require` in the URI encrypts without proof of the server"
    insists = "`channel_binding=prefer` in the URI sends the password nevertheless"
    refuse("no root certificate", (*no_file, unproven), in_location, certificate, **home)
    refuse("a root certificate that does not exist", ('certificate file "/none" does not exist; name the file', unproven),
           elsewhere + "?sslrootcert=/none", certificate, PGPASSWORD=PASSWORD, **home)
    refuse("a certificate of its own", ("certificate verify failed; `sslrootcert` must name a file", unproven),
           elsewhere + "?sslrootcert=/etc/ssl/certs/ca-certificates.crt", certificate, PGPASSFILE=passwords, **home)
    refuse("another machine without TLS", ("server does not support SSL", unproven), elsewhere, PGPASSFILE=passwords, **home)
    refuse("a service file that requires less", no_file, "postgresql://:PORT/pay?service=pay", certificate,
           PGSERVICEFILE=services, **home)
    refuse("an environment that requires less", no_file, in_location, certificate, PGSSLMODE="prefer", **home)
    refuse("two hosts, with a password for the second", (unproven,),
           "postgresql://shop@127.0.0.1:1,0.0.0.0:PORT/pay", certificate,
           PGPASSFILE=write(folder, "second", f"0.0.0.0:*:*:shop:{PASSWORD}\n"), **home)
    refuse("empty addresses beside names", no_file, "postgresql:///pay?host=0.0.0.0,0.0.0.0&hostaddr=,&port=PORT", certificate,
           **home)
    # The first host does not exist, and is not taken for this machine.
    refuse("a name that begins like an address of this machine", ("server does not support SSL", unproven),
           "postgresql://shop@127.0.0.1.db.example,127.0.0.1:PORT/pay", PGPASSWORD=PASSWORD, **home)

    if LIBPQ < 160000:
        asks = "channel binding required but not supported by server's authentication request"
        without_tls = "server does not support SSL, but SSL was required; turn TLS on at the server"
    else:
        asks = without_tls = 'authentication method requirement "scram-sha-256" failed'
    refuse("this machine without TLS, a password in the location", (without_tls, insists),
           f"postgresql://shop:{PASSWORD}@127.0.0.1:PORT/pay", **home)
    refuse("this machine without TLS, a password in the environment", (without_tls, insists), here, PGPASSWORD=PASSWORD, **home)
    refuse("this machine without TLS, a password in a file", (without_tls, insists), here, PGPASSFILE=passwords, **home)
    refuse("this machine with a certificate of its own", (asks, insists), here, certificate, PGPASSWORD=PASSWORD, **home)
    refuse("another machine whose certificate is not checked", (asks, insists), elsewhere + "?sslmode=require", certificate,
           PGPASSWORD=PASSWORD, **home)
    if LIBPQ < 160000:
        unprotected = "the password is not sent, because this connection is without TLS", insists
        for location in (here + "?sslmode=disable", here + "?sslmode=prefer", f"postgresql://shop@/pay?host={folder}&port=PORT"):
            refuse(location, unprotected, location, is_asked=False, PGPASSWORD=PASSWORD, **home)

    # What the location states is kept.
    for location, own in ((here + "?channel_binding=prefer", None), (here + "?channel_binding=prefer", certificate),
                          (elsewhere + "?sslmode=require&channel_binding=prefer", certificate)):
        with FalseServer(own) as server:
            run(location.replace("PORT", str(server.port)), PGPASSWORD=PASSWORD, **home)
            check(location, PASSWORD.encode() in server.received, "the server did not get the password")
            print(location)


def check_memory():
    """Tries servers that never stop sending."""
    for title, flood in FLOODS.items():
        with FalseServer(flood=flood) as server:
            output, memory = run(f"postgresql://shop@127.0.0.1:{server.port}/pay")
            check(title, memory < MEMORY, f"the command took {memory >> 20} MiB")
            check(title, "sent more than 64 MiB at once" in output, output)
            print(f"{title}: {memory >> 20} MiB")


with tempfile.TemporaryDirectory() as work:
    check_passwords(work)
check_memory()
