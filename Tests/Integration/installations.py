#!/usr/bin/env python3
"""Breaks installations, one fault at a time, and lets `paytoken doctor` mend them.

Each row of TABLE damages an installation that doctor calls ready. Doctor must name the fault and a command; the command is
taken from its output, run, and followed by those of the findings that are left, until doctor says that the installation is
ready. Words in capital letters in a command are what an operator has to know: the script puts in a backup, a passphrase, or
the certificate that Apple issued. No command may destroy a file, also where other files have the names that it writes to. Other
installations are healthy, and must be ready as they are.

Run it as root: the service's files then belong to root, and doctor runs as the service's user, or as root, who must judge as
that user does. Where nothing can be mounted, some rows are skipped. Takes the folder of the programs. ROWS="no-ledger
full-disk" runs these rows, and prints their commands.
"""
import contextlib
import dataclasses
import email.utils
import grp
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import typing

sys.dont_write_bytecode = True
from programs import LIMIT, Program, check, folder  # noqa: E402

# The service's user and group, which need no name.
SERVICE = 54_321
MERCHANT = "merchant.example.one"
# Set in the process that has its own mounts and its own /etc.
OWN_MOUNTS = "INSTALLATIONS_OWN_MOUNTS"
IS_ROOT = os.geteuid() == 0
HAS_MOUNTS = OWN_MOUNTS in os.environ
# The warnings of a healthy installation: the machine may not synchronize its clock, and lack protections.
HEALTHY = {"synchronization", "system-call-filter", "file-rules", "locked-memory"}
# The certificate authorities of Debian.
BUNDLE = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
# The least number of rows that must be mended, also where nothing can be mounted.
LEAST = 40


def openssl(*words):
    """Runs openssl, and returns its output."""
    made = subprocess.run(["openssl", *map(str, words)], capture_output=True, timeout=LIMIT)
    check(made.returncode == 0, f"openssl {words}: {made.stderr.decode()}")
    return made.stdout


class Apple:
    """Issues certificates as Apple's portal does."""

    def __init__(self, place):
        self.place, self.count = place, 0
        place.mkdir()
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                place / "ca.key", "-out", place / "ca.pem", "-days", "3650", "-subj", "/CN=Apple, in this test")
        (place / "index.txt").touch()
        (place / "ca.conf").write_text(
            "[ca]\ndefault_ca = own\n[own]\ndatabase = index.txt\nnew_certs_dir = .\ncertificate = ca.pem\n"
            "private_key = ca.key\ndefault_md = sha256\nrand_serial = yes\nunique_subject = no\npolicy = any\n"
            "[any]\ncommonName = optional\n[client]\nextendedKeyUsage = clientAuth\n")

    def certificate(self, key, merchant=MERCHANT, is_identity=False, days=(-30, 700), subject=None):
        """Returns the file of a certificate in DER for a private key or a certificate request."""
        self.count += 1
        name = self.place / f"{self.count}"
        if b"REQUEST" in key.read_bytes():
            shutil.copy(key, f"{name}.csr")
        else:
            openssl("req", "-new", "-key", key, "-subj", "/CN=any", "-out", f"{name}.csr")
        kind = "Merchant Identity" if is_identity else "Payment Processing"
        start, end = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + 86_400 * day)) for day in days)
        made = subprocess.run(
            ["openssl", "ca", "-batch", "-notext", "-preserveDN", "-config", "ca.conf", "-in", f"{name}.csr", "-out",
             f"{name}.pem", "-startdate", start, "-enddate", end,
             "-subj", subject or f"/UID={merchant}/CN=Apple Pay {kind}:{merchant}", *(["-extensions", "client"] if is_identity else [])],
            cwd=self.place, capture_output=True, timeout=LIMIT)
        check(made.returncode == 0, made.stderr.decode())
        openssl("x509", "-in", f"{name}.pem", "-outform", "DER", "-out", f"{name}.cer")
        return pathlib.Path(f"{name}.cer")


@dataclasses.dataclass
class Finding:
    """A check of doctor."""
    check: str
    result: str
    message: str
    advice: str = ""

    def commands(self):
        """Returns the commands of the advice, each with whether it is root's."""
        return [(command, bool(owner))
                for command, owner in re.findall(r"`([^`]+)`(, as (?:root|the file's owner))?", self.advice)]


class Installation:
    """An installation that doctor calls ready, and the arguments with which doctor checks it.

    `etc` contains what root installs for the service: keys, the merchant identity certificate, a gateway file with its
    secret, and the domain association file. `var` is the service's own folder, with the ledger.
    """

    def __init__(self, name, tools):
        self.tools, self.place = tools, tools.work / name
        self.etc, self.var, self.keep = self.place / "etc", self.place / "var", self.place / "keep"
        self.keys, self.identity, self.ledger = self.etc / "keys", self.etc / "identity", self.var / "ledger"
        for made in (self.place, self.etc, self.keys, self.identity, self.var, self.keep):
            made.mkdir()
        self.key, self.certificate = self.keys / "one.key.pem", self.keys / "one.cert.pem"
        self.secret, self.shop = self.etc / "secret", self.etc / "shop.json"
        self.domain, self.www = self.etc / "association", self.place / "www"
        self.served = self.www / ".well-known/apple-developer-merchantid-domain-association"
        pki = tools.pki
        for source, file in ((pki / "merchants/one.key.pem", self.key), (pki / "merchants/one.cert.pem", self.certificate),
                             (pki / "identity/one.key.pem", self.identity / "id.key.pem"),
                             (pki / "identity/one.cert.pem", self.identity / "id.cert.pem")):
            shutil.copy(source, file)
            shutil.copy(source, self.keep / file.name)
        self.secret.write_text("top-secret\n")
        self.write_shop()
        self.domain.write_text(
            ('{"pspId":"%064d","version":1,"createdOn":1715203366385,"signature":"3080"}' % 7).encode().hex())
        self.served.parent.mkdir(parents=True)
        for file in (self.secret, self.domain):
            shutil.copy(file, self.keep / file.name)
        shutil.copy(self.domain, self.served)
        for path in (self.www, self.served.parent, self.served):
            self.own(path, 0o755, SERVICE)
        for file in self.etc.rglob("*"):
            self.own(file, 0o750 if file.is_dir() else 0o640)
        self.own(self.etc, 0o750)
        self.own(self.var, 0o700, SERVICE)
        self.environment = {}
        # The files that commands created.
        self.created = set()
        # Whether root asks doctor.
        self.is_asked_by_root = False
        # What a shell does before doctor runs in it; the sole means to change variables and limits.
        self.shell, self.stdin = [], b""
        self.options = {
            "--keys": [self.keys], "--identity": [self.identity / "id.key.pem"],
            "--certificate": [self.identity / "id.cert.pem"], "--gateway": [self.shop], "--domain-file": [self.domain],
            "--served": [self.served], "--ledger": [self.ledger]}
        self.initialize()
        # What an operator writes in place of the words in capital letters.
        self.known = {
            "KEY": self.keep / "one.key.pem", "COPY": self.keep / "one.key.pem", "SECRET": self.keep / "secret",
            "DOWNLOAD": self.keep / "association", "CERTIFICATE": self.keep / "one.cert.pem", "KEYS": self.keys,
            "WEBROOT": self.www}

    def write_shop(self, **members):
        """Writes the gateway file; a member that is None is left out."""
        account = {"gateway": "bepaid", "environment": "live", "token": "decrypted", "account": {"shopId": "361"},
                   "credentials": {"secretKey": {"file": str(self.secret)}}, **members}
        self.shop.write_text(json.dumps({name: value for name, value in account.items() if value is not None}))

    def own(self, path, mode, user=0):
        """Sets the owner, the service's group, and the mode."""
        if IS_ROOT:
            os.chown(path, user, SERVICE)
        path.chmod(mode)

    def initialize(self, window=300):
        made = self.run(["paytoken", "ledger", "init", "--window", str(window), "--ledger", str(self.ledger)])
        check(made.returncode == 0, made.stderr.decode())

    def sql(self, *statements):
        """Runs SQL on the ledger as the service's user would."""
        with contextlib.closing(sqlite3.connect(self.ledger)) as database, database:
            for statement in statements:
                database.execute(statement)
        if IS_ROOT:
            for file in self.var.iterdir():
                os.chown(file, SERVICE, SERVICE)

    def replace(self, path, contents):
        """Writes another file in the place of one, with the owner and mode of an installed file."""
        data = contents.read_bytes() if isinstance(contents, pathlib.Path) else contents
        path.unlink(missing_ok=True)
        path.write_bytes(data)
        self.own(path, 0o640)

    def contents(self):
        """Returns the files of the installation but the ledger's by their contents, under whatever names."""
        return {file.read_bytes(): file.name for file in self.place.rglob("*")
                if file.is_file() and not file.is_symlink() and self.var not in file.parents}

    def names(self):
        """Returns the paths of these files."""
        return {str(file.relative_to(self.place)) for file in self.place.rglob("*")
                if file.is_file() and self.var not in file.parents}

    def words(self):
        return [word for option, values in self.options.items() for value in values for word in (option, str(value))]

    def run(self, words, is_root=False, **options):
        """Runs a command in a shell, as the service's user or as root."""
        text = words if isinstance(words, str) else shlex.join(words)
        user = {} if is_root or not IS_ROOT else {
            "user": SERVICE, "group": SERVICE, "extra_groups": self.tools.groups()}
        return subprocess.run(
            ["bash", "-c", "; ".join([*self.shell, text])], capture_output=True, timeout=LIMIT, cwd=self.place,
            input=self.stdin, umask=0o022, env={"PATH": f"{self.tools.programs}:{os.environ['PATH']}:/usr/sbin:/sbin",
                                                "LC_ALL": "C.UTF-8", **self.environment}, **user, **options)

    def doctor(self, *more):
        """Returns the verdict and the findings that did not pass; the text for people must have the same sentences."""
        words = ["paytoken", "doctor", *self.words(), *more]
        printed, spoken = (self.run(line, self.is_asked_by_root) for line in ([*words, "--json"], words))
        check(printed.returncode == spoken.returncode and not spoken.stderr, f"{self.place.name}: {spoken.stderr.decode()}")
        text = " ".join(spoken.stdout.decode().split())
        check("top-secret" not in printed.stdout.decode() + text, f"{self.place.name}: a secret is repeated")
        answer = json.loads(printed.stdout)
        findings = [Finding(**one) for one in answer["checks"]]
        # Those that passed have the time and the free space, which change.
        for one in [one for one in findings if one.result != "passed"]:
            for sentence in (one.message, one.advice and f"→ {one.advice}"):
                # Long words are divided at the end of a line, and seconds pass between the two runs.
                sentence_only, all_text = (re.sub("[0-9]+moreseconds", "", "".join(part.split())) for part in (sentence, text))
                check(sentence_only in all_text, f"{self.place.name}: {sentence!r} is not in {text}")
        is_ready = answer["verdict"] != "not-ready"
        check((printed.returncode == 0) == is_ready, f"{self.place.name}: exit {printed.returncode}")
        check(text.startswith("Ready" if is_ready else "Not ready"), f"{self.place.name}: {text}")
        return is_ready, [one for one in findings if one.result != "passed" and one.check not in HEALTHY]

    def serve(self):
        """Starts the service, which systemctl reloads; doctor asks it."""
        # The service adds to its messages, which are no file of the installation.
        run, messages = self.place / "run", self.place.with_name(f"{self.place.name}-messages")
        run.mkdir()
        self.own(run, 0o755, SERVICE)
        self.socket = run / "socket"
        words = {option: self.options[option] for option in ("--keys", "--gateway", "--ledger")}
        self.options["--socket"] = [self.socket]
        user = {"user": SERVICE, "group": SERVICE, "extra_groups": []} if IS_ROOT else {}
        service = self.tools.running.enter_context(Program(
            [self.tools.programs / "paytokend", "--socket", self.socket,
             *(word for option, values in words.items() for value in values for word in (option, value))],
            stderr=messages, **user))
        for _ in range(LIMIT * 10):
            if self.socket.exists() and b'"service","result":"passed"' in self.run(
                    ["paytoken", "doctor", "--json", "--socket", str(self.socket)], True).stdout:
                break
            check(service.poll() is None, f"{self.place.name}: the service ended: {messages.read_text()}")
            time.sleep(0.1)
        systemctl = self.place / "bin/systemctl"
        systemctl.parent.mkdir()
        systemctl.write_text(f"""#!/bin/sh -eu
[ "$*" = 'reload paytokend' ]
kill -HUP {service.pid}
until grep -q 'were reloaded' {messages}; do sleep 0.1; done
""")
        systemctl.chmod(0o755)
        self.environment["PATH"] = f"{self.tools.programs}:{systemctl.parent}:{os.environ['PATH']}:/usr/sbin:/sbin"

    def expect_ready(self):
        is_ready, left = self.doctor()
        check(is_ready and not left, f"{self.place.name} is not ready: {left}")


class Tools:
    """The programs and the test PKI that all installations use."""

    def __init__(self, programs, work, running):
        # `running` ends the services.
        self.work, self.programs, self.running = work, work / "programs", running
        self.programs.mkdir()
        for name in ("paytoken", "paytokend", "paytoken-testing"):
            shutil.copy(programs / name, self.programs / name)
        self.pki = work / "pki"
        made = subprocess.run([self.programs / "paytoken-testing", "pki", "--out", self.pki], capture_output=True)
        check(made.returncode == 0, made.stderr.decode())
        self.apple = Apple(work / "apple")

    @staticmethod
    def groups():
        """Returns the groups of the service's user beside its own, if the user has a name."""
        return [group.gr_gid for group in grp.getgrall() if "paytoken-service" in group.gr_mem] if HAS_MOUNTS else []


@dataclasses.dataclass
class Row:
    """A fault: how it is made, what doctor must say about it, and which of the proposed commands mends it.

    A word in capital letters is replaced by `known`, which may be a function of the installation. `follow` changes the
    installation after the command as an operator must who read its output, for example the arguments of doctor.
    """
    name: str
    damage: typing.Callable
    check: str
    cause: str
    choice: int = 0
    known: dict = dataclasses.field(default_factory=dict)
    follow: typing.Callable = None
    result: str = "failed"
    needs: str = ""

    def skipped(self):
        """Returns why the row cannot be run here; nothing if it can."""
        if self.needs in ("mounts", "authorities") and not HAS_MOUNTS:
            return "nothing can be mounted here"
        if self.needs == "authorities" and not (BUNDLE.exists() and shutil.which("update-ca-certificates")):
            return "this system has no Debian package ca-certificates"
        if self.needs == "root" and not IS_ROOT:
            return "it needs root"
        return ""


def run_safely(row, installation, command, is_root):
    """Runs a command, which may destroy no file, and remembers the files that it creates."""
    before = installation.contents()
    names = installation.names()
    ran = installation.run(command, is_root)
    lost = [before[text] for text in before.keys() - installation.contents().keys()]
    check(not lost, f"{row.name}: {command}: the contents of {lost} are lost")
    installation.created |= installation.names() - names
    return ran


def filled(row, installation, command):
    """Returns a command with what an operator writes in place of the words in capital letters."""
    known = {**installation.known, **row.known}
    for word in set(re.findall(r"\b[A-Z][A-Z-]+\b", command)) & set(known):
        value = known[word](installation) if callable(known[word]) else known[word]
        command = re.sub(rf"(?<![\w/.-]){word}\b", shlex.quote(str(value)), command)
    return command


def mend(row, installation, finding, choice):
    """Runs a command of a finding as it was printed, and what its output asks for."""
    commands = finding.commands()
    check(len(commands) > choice, f"{row.name}: no command mends {finding}")
    command, is_root = commands[choice]
    command = filled(row, installation, command)
    if command.startswith(("read ", "ulimit ")):
        installation.shell.append(command)
        return [command]
    ran = run_safely(row, installation, command, is_root)
    said = ran.stderr.decode()
    check(ran.returncode == 0, f"{row.name}: {command}: exit {ran.returncode}: {said}{ran.stdout.decode()}")
    if command.startswith("paytoken doctor"):
        # It is the command line that the operator should have written.
        check(ran.stdout.startswith(b"Ready"), f"{row.name}: {command}: {ran.stdout.decode()}")
        words = shlex.split(command)[2:]
        for option in {"--keys", "--identity", "--certificate"} if "--identity" in words else set():
            installation.options.pop(option, None)
        for option, value in zip(words[::2], words[1::2]):
            installation.options[option] = [*(installation.options.get(option, []) if option == "--keys" else []), value]
    done = [command]
    if row.follow:
        row.follow(installation, command, ran.stdout.decode())
    for following in re.findall(r"Now run `([^`]+)`", said):
        ran = installation.run(following, is_root)
        check(ran.returncode == 0, f"{row.name}: {following}: {ran.stderr.decode()}")
        done.append(following)
        said += ran.stderr.decode()
    for request, name in re.findall(r"wrote (\S+\.csr\.pem)\..* as (\S+\.cer)\.", said):
        issued = installation.tools.apple.certificate(pathlib.Path(request), is_identity="merchant identity" in said)
        shutil.copy(issued, name)
        installation.own(pathlib.Path(name), 0o640)
    return done


def run(row, tools):
    """Breaks an installation and mends it; returns the commands, and the files that they created."""
    installation = Installation(row.name, tools)
    row.damage(installation)
    is_ready, left = installation.doctor()
    check(is_ready == (row.result == "warning"), f"{row.name}: ready is {is_ready}: {left}")
    named = [one for one in left if one.check == row.check and re.search(row.cause, one.message)]
    check(named and named[0].result == row.result, f"{row.name}: {row.check}: {row.cause!r} is not in {left}")
    # Of several faults with one cause, the first one is mended first, then what is left: each finding with its first command,
    # and with the next one if that changed nothing.
    finding, tried, commands = named[0], {}, []
    for _ in range(7):
        choice = tried.get(finding.message, row.choice if finding is named[0] else 0)
        commands += mend(row, installation, finding, choice)
        tried[finding.message] = choice + 1
        is_ready, left = installation.doctor()
        if is_ready and not left:
            check("--restored" not in " ".join(commands), f"{row.name}: it is ready while it refuses all tokens")
            return commands, installation.created
        if "was restored at" in left[0].message:
            minutes_later(installation)
            is_ready, left = installation.doctor()
            if is_ready and not left:
                return commands, installation.created
        finding = left[0]
    sys.exit(f"{row.name}: still not ready after {commands}: {left}")


def crowd(row, tools, names):
    """Breaks an installation in which other files have the names that commands wrote to, and runs every command of doctor."""
    installation = Installation(f"{row.name}-crowded", tools)
    row.damage(installation)
    for name in names:
        path = installation.place / name
        if path.parent.is_dir() and not os.path.lexists(path):
            path.write_text(f"a file that is called {name}, and nobody has another copy of it\n")
            installation.own(path, 0o640)
    ran = 0
    for finding in installation.doctor()[1]:
        for command, is_root in finding.commands():
            if not re.match(r"read |ulimit |systemctl |paytoken doctor ", command):
                # It may fail, because nothing was repaired before.
                run_safely(row, installation, filled(row, installation, command), is_root)
                ran += 1
    return ran


def encrypt(installation):
    """Encrypts the key with a passphrase, of which doctor gets another one."""
    (installation.keep / "passphrase").write_text("the right one\n")
    encrypted = installation.keep / "encrypted.pem"
    openssl("pkcs8", "-topk8", "-in", installation.key, "-out", encrypted, "-passout", "pass:the right one")
    installation.replace(installation.key, encrypted)
    installation.replace(installation.etc / "passphrase", b"another one\n")


def with_passphrase(name):
    """Gives doctor a passphrase file; a command has shown that it fits."""
    def change(installation, *_):
        installation.own(installation.keep / "passphrase", 0o640)
        installation.options["--passphrase-file"] = [name(installation)]
    return change


def wrong_passphrase(installation):
    encrypt(installation)
    installation.options["--passphrase-file"] = [installation.etc / "passphrase"]


def without_passphrase(installation):
    """The keys are a .p12 file, and the unit of the service lacks the option for its passphrase."""
    (installation.keep / "passphrase").write_text("the right one\n")
    p12 = installation.keep / "one.p12"
    openssl("pkcs12", "-export", "-inkey", installation.key, "-in", installation.certificate, "-out", p12,
            "-passout", "pass:the right one")
    installation.key.unlink()
    installation.certificate.unlink()
    installation.replace(installation.keys / "one.p12", p12)


def passphrase(installation, mode=0o640, contents=b"the right one\n", group=SERVICE):
    encrypt(installation)
    file = installation.etc / "passphrase"
    installation.replace(file, contents)
    if IS_ROOT:
        os.chown(file, 0, group)
    file.chmod(mode)
    installation.options["--passphrase-file"] = [file]


def passphrase_variable(installation):
    encrypt(installation)
    installation.stdin = b"the right one\n"
    installation.options["--passphrase-env"] = ["SHOP_PASSPHRASE"]


def missing_passphrase(installation):
    passphrase(installation)
    (installation.etc / "passphrase").unlink()


def remove(*names):
    def damage(installation):
        for name in names:
            getattr(installation, name).unlink()
    return damage


def give(name, mode, user=0, group=SERVICE):
    """Changes owner, group and mode of a file or folder."""
    def damage(installation):
        path = installation.place / name
        if IS_ROOT:
            os.chown(path, user, group)
        path.chmod(mode)
    return damage


def certificate(days=(-30, 700), merchant=MERCHANT, name="certificate"):
    """Replaces the certificate by another one for the same key."""
    def damage(installation):
        path = installation.keys / name if name.endswith(".cer") else getattr(installation, name)
        issued = installation.tools.apple.certificate(installation.keep / "one.key.pem", merchant, days=days)
        installation.replace(path, issued)
    return damage


def stranger(installation):
    """Another merchant's certificate is in the place of that for the key."""
    installation.replace(installation.certificate, installation.tools.pki / "merchants/three.cert.pem")


def old_certificate(installation):
    installation.replace(installation.keys / "2025.cer", installation.tools.pki / "merchants/two.cert.pem")


def next_key(installation):
    """The next key is in the folder, and its certificate was not requested."""
    installation.replace(installation.keys / "next.key.pem",
                         openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"))


def by_root(damage):
    """Lets root ask doctor, for whom no permission is an obstacle."""
    def change(installation):
        damage(installation)
        installation.is_asked_by_root = True
    return change


def key_not_loaded(installation):
    """A key with its certificate is in the folder, and the service was not told."""
    installation.serve()
    key = installation.keys / "next.key.pem"
    next_key(installation)
    installation.replace(installation.keys / "next.cer", installation.tools.apple.certificate(key))
    installation.is_asked_by_root = IS_ROOT


def key_of_root_in_use(installation):
    """The service loaded a key that its user cannot read any more, and its ledger does not show the user."""
    installation.serve()
    del installation.options["--ledger"]
    by_root(give("etc/keys/one.key.pem", 0o600, group=0))(installation)


def empty_folder(installation):
    installation.key.unlink()
    installation.certificate.unlink()


def identity_as_key(installation):
    """The service's arguments name the merchant identity pair as the one for tokens."""
    file = installation.keys / "tls.pem"
    pair = [(installation.identity / name).read_bytes() for name in ("id.key.pem", "id.cert.pem")]
    installation.replace(file, b"".join(pair))
    installation.options["--keys"] = [file]
    for option in ("--identity", "--certificate"):
        del installation.options[option]


def change(name, edit):
    """Edits the bytes of a file."""
    def damage(installation):
        path = getattr(installation, name)
        installation.replace(path, edit(path.read_bytes()))
    return damage


def key_folder(installation):
    installation.key.unlink()
    installation.key.mkdir(mode=0o750)
    installation.own(installation.key, 0o750)


def dangling(installation):
    installation.key.unlink()
    installation.key.symlink_to("../2025/one.key.pem")


def installed_key(installation):
    """Returns the key in a folder where only the link is missing."""
    target = installation.etc / "one.2026.key.pem"
    installation.replace(target, installation.keep / "one.key.pem")
    return target


def other_curve(installation):
    installation.replace(installation.keys / "two.key.pem",
                         openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"))


def moved_keys(installation):
    installation.keys.rename(installation.etc / "merchant-keys")


def members(**values):
    def damage(installation):
        installation.write_shop(**values)
    return damage


def secret_variable(installation):
    installation.write_shop(credentials={"secretKey": {"env": "SHOP_SECRET"}})
    installation.stdin = b"top-secret\n"


def chosen(installation, _, listed):
    """Chooses the shop's gateway from the list, and corrects the file by its example."""
    check("bepaid" in listed, listed)
    corrected(installation, "", installation.run("paytoken gateway example bepaid").stdout.decode())


def corrected(installation, _, example):
    """Writes the gateway file as the printed example shows it, with the values of this shop."""
    account = json.loads(example)
    account.update(environment="live")
    account["account"]["shopId"] = "361"
    account["credentials"]["secretKey"] = {"file": str(installation.secret)}
    installation.shop.write_text(json.dumps(account))


def shop_copy(installation):
    installation.write_shop()
    copy = installation.keep / "shop.json"
    installation.shop.rename(copy)
    return copy


def ledger_elsewhere(installation, command, _):
    """Names the ledger that the command has created."""
    words = shlex.split(command)
    if "--ledger" in words:
        installation.options["--ledger"] = [words[words.index("--ledger") + 1]]


def moved_ledger(installation, command, _):
    """Moves the ledger to the folder that the command has created."""
    if not command.startswith("install -d"):
        return
    for file in installation.var.glob("ledger*"):
        shutil.move(file, shlex.split(command)[-1])
    installation.ledger = pathlib.Path(shlex.split(command)[-1]) / "ledger"
    installation.options["--ledger"] = [installation.ledger]


def without_ledger(installation):
    for file in installation.var.iterdir():
        file.unlink()


def without_ledger_folder(installation):
    without_ledger(installation)
    installation.var.rmdir()
    if IS_ROOT:
        os.chown(installation.place, SERVICE, SERVICE)


def ledger_folder_of_root(installation):
    """The ledger's folder is missing below a folder of root."""
    without_ledger(installation)
    installation.var.rmdir()


def crowded_folder(installation):
    """The ledger is in a folder of root with other programs' files."""
    (installation.var / "other.db").write_bytes(b"another program's")
    give("var", 0o755, 0, 0)(installation)


def narrow(installation):
    without_ledger(installation)
    installation.initialize(200)


def backup(installation):
    """Copies the ledger as Operators.md says."""
    copy = installation.keep / "ledger"
    with contextlib.closing(sqlite3.connect(installation.ledger)) as database:
        database.execute("VACUUM INTO ?", (str(copy),))
    installation.own(installation.keep, 0o755)
    installation.own(copy, 0o640)
    return copy


def restored(installation):
    copy = backup(installation)
    without_ledger(installation)
    shutil.copy(copy, installation.ledger)
    installation.own(installation.ledger, 0o600, SERVICE)


def minutes_later(installation):
    """Lets the ledger's protection after a restore end."""
    installation.sql("UPDATE apple_pay_ledger SET restored_at = restored_at - 301, forgotten_to = forgotten_to - 301")


def claims(installation, count):
    """Records claims, so that the ledger has pages to damage."""
    installation.sql(*(f"INSERT INTO apple_pay_claims VALUES (x'{number:064x}', 's', {int(time.time())}, 0)"
                       for number in range(count)))


def other_file(installation):
    installation.known["BACKUP"] = backup(installation)
    without_ledger(installation)
    installation.ledger.write_text("The accounts of the shop, which are no ledger.\n" * 200)
    installation.own(installation.ledger, 0o600, SERVICE)


def damaged(installation):
    """Overwrites pages of claims, in the middle of the file."""
    claims(installation, 500)
    installation.known["BACKUP"] = backup(installation)
    with open(installation.ledger, "r+b") as file:
        file.seek(5 * 4096)
        file.write(os.urandom(4 * 4096))


def folder_as_ledger(installation):
    installation.options["--ledger"] = [installation.var]


def file_limit(installation):
    installation.shell.append("ulimit -S -f 64")


def mounted(options, fill=None):
    """Lets the ledger be on a small file system of its own."""
    def damage(installation):
        without_ledger(installation)
        mount = ["mount", "-t", "tmpfs", "-o", f"{options},uid={SERVICE},gid={SERVICE},mode=0700", "tmpfs"]
        check(subprocess.run([*mount, installation.var]).returncode == 0, "no tmpfs is mounted")
        installation.initialize()
        if fill:
            fill(installation)
    return damage


def read_only(installation):
    check(subprocess.run(["mount", "-o", "remount,ro", installation.var]).returncode == 0, "not mounted again")


def fill_bytes(installation):
    (installation.var / "old.log").write_bytes(bytes(290 << 20))


def fill_names(installation):
    (installation.var / "cache").mkdir()
    with contextlib.suppress(OSError):
        for number in range(1_000):
            (installation.var / "cache" / f"{number}").touch()


def tidied(installation, _, listed):
    """Removes the largest entry of the printed list that is neither the whole disk nor the ledger."""
    for line in reversed(listed.splitlines()):
        path = pathlib.Path(line.split(maxsplit=1)[1])
        if path != installation.var and "ledger" not in path.name:
            (shutil.rmtree if path.is_dir() else os.unlink)(path)
            return
    sys.exit(f"{installation.place.name}: nothing to remove in {listed}")


def group_of_certificates(installation):
    """The keys are for the group ssl-cert, to which the service's user does not belong."""
    for path in installation.keys.iterdir():
        os.chown(path, 0, SERVICE + 1)


def without_authorities(_):
    BUNDLE.unlink()


def renewed_identity(installation, command, _):
    """Lets doctor check the new identity pair, once its certificate is there."""
    if command.startswith("paytoken keys new"):
        name = shlex.split(command)[shlex.split(command).index("--out") + 1]
        installation.options["--identity"] = [f"{name}.key.pem"]
        installation.options["--certificate"] = [f"{name}.cer"]


def expired_identity(installation):
    key = installation.keep / "id.key.pem"
    issued = installation.tools.apple.certificate(key, is_identity=True, days=(-700, -2))
    installation.replace(installation.identity / "id.cert.pem", issued)


def other_merchant(installation):
    issued = installation.tools.apple.certificate(
        installation.keep / "id.key.pem", "merchant.example.other", is_identity=True)
    installation.replace(installation.identity / "id.cert.pem", issued)


def own_keys(installation):
    """Returns a folder with the keys of the other merchant."""
    keys = installation.etc / "other"
    keys.mkdir(mode=0o750)
    installation.own(keys, 0o750)
    installation.replace(keys / "one.key.pem", installation.keep / "one.key.pem")
    issued = installation.tools.apple.certificate(installation.keep / "one.key.pem", "merchant.example.other")
    installation.replace(keys / "one.cer", issued)
    return keys


def web_server(installation):
    issued = installation.tools.apple.certificate(installation.keep / "id.key.pem", subject="/CN=shop.example")
    installation.replace(installation.identity / "id.cert.pem", issued)


def kept(name):
    """Returns a readable copy of an original."""
    def copy(installation):
        installation.own(installation.keep, 0o755)
        installation.own(installation.keep / name, 0o640)
        return installation.keep / name
    return copy


def swapped(installation):
    """The pair for tokens is given for the session, and the other way round."""
    tls = installation.identity / "tls.pem"
    installation.replace(tls, b"".join((installation.keep / f"id.{part}.pem").read_bytes() for part in ("key", "cert")))
    installation.options.update({"--keys": [tls], "--identity": [installation.key], "--certificate": [installation.certificate]})


def reversed_pair(installation):
    installation.options["--identity"], installation.options["--certificate"] = (
        installation.options["--certificate"], installation.options["--identity"])


def truncated_download(installation):
    """The shop serves what was downloaded, which is only a part."""
    installation.replace(installation.domain, installation.domain.read_bytes()[:40])
    shutil.copy(installation.domain, installation.served)


def changed_page(installation):
    installation.served.write_bytes(installation.domain.read_bytes() + b"\r\n")


TABLE = [
    # Keys: rights.
    Row("key-for-all", give("etc/keys/one.key.pem", 0o644), "permissions", "one.key.pem contains a private key and has mode 0644"),
    Row("key-of-its-group", give("etc/keys/one.key.pem", 0o660), "permissions", "has mode 0660, so other users can read or change"),
    Row("key-of-root", give("etc/keys/one.key.pem", 0o600, group=0), "keys", "one.key.pem cannot be read: Permission denied",
        needs="root"),
    Row("key-of-root-for-root", by_root(give("etc/keys/one.key.pem", 0o600, group=0)), "keys",
        "one.key.pem cannot be read: Permission denied", needs="root"),
    Row("key-of-root-in-use", key_of_root_in_use, "keys", "one.key.pem cannot be read: Permission denied", needs="root"),
    Row("key-not-loaded", key_not_loaded, "reload", "next.key.pem, EC P-256, merchant.example.one: .* has not loaded it"),
    Row("folder-of-root", give("etc/keys", 0o700, group=0), "keys", "keys cannot be read: Permission denied", needs="root"),
    Row("parent-of-root", give("etc", 0o700, group=0), "keys", "keys cannot be read: Permission denied", needs="root"),
    Row("folder-for-all", give("etc/keys", 0o777), "permissions", "keys has mode 0777, so other users can replace its keys"),
    Row("key-of-another-group", group_of_certificates, "keys", "one.key.pem cannot be read: Permission denied", needs="mounts"),
    # Keys: passphrases.
    Row("wrong-passphrase", wrong_passphrase, "keys", "is encrypted, and none of the given passphrases decrypts it",
        known={"PASSPHRASE-FILE": kept("passphrase")}, follow=with_passphrase(lambda one: one.keep / "passphrase")),
    Row("no-passphrase", without_passphrase, "keys", "one.p12 is encrypted; give its passphrase",
        known={"PASSPHRASE-FILE": kept("passphrase")}, follow=with_passphrase(lambda one: one.keep / "passphrase")),
    Row("passphrase-of-root", lambda one: passphrase(one, 0o600, group=0), "passphrase",
        "passphrase cannot be read: Permission denied", needs="root"),
    Row("passphrase-missing", missing_passphrase, "passphrase", "passphrase cannot be read: No such file",
        known={"PASSPHRASE-FILE": kept("passphrase")}),
    Row("passphrase-for-all", lambda one: passphrase(one, 0o644), "permissions", "contains a passphrase and has mode 0644"),
    Row("passphrase-variable", passphrase_variable, "passphrase", "environment variable for the passphrase is not set",
        known={"NAME": "SHOP_PASSPHRASE"}),
    # Keys: files.
    Row("no-keys", empty_folder, "keys", "is a folder without key files", choice=1),
    Row("no-deployment", empty_folder, "keys", "is a folder without key files", known={"KEY": kept("one.key.pem")}),
    Row("no-certificate", remove("certificate"), "keys", "no key can decrypt tokens: all await their certificates"),
    Row("next-certificate", next_key, "key", "next.key.pem, EC P-256: it awaits its certificate", choice=1, result="warning"),
    Row("no-request", remove("certificate"), "keys", "no key can decrypt tokens: all await their certificates", choice=1),
    Row("no-key", remove("key"), "keys", "one.cert.pem contains a certificate whose private key is not in the given files"),
    Row("old-certificate", old_certificate, "key", "2025.cer contains a certificate whose private key is not", choice=1),
    Row("other-certificate", stranger, "key", "contains a certificate whose private key is not", choice=1),
    # The key that the other certificate needs must not replace the key that is there.
    Row("key-for-other-certificate", stranger, "key", "contains a certificate whose private key is not",
        known={"KEY": lambda one: one.tools.pki / "merchants/three.key.pem"}),
    Row("expired", certificate((-400, -2)), "key", "its certificate ended on .*, and no later one"),
    Row("ends-soon", certificate((-400, 29)), "key", "its certificate ends on .*, in 2[89] days, and no later one",
        result="warning"),
    Row("identity-as-key", identity_as_key, "keys", "contains a merchant identity certificate, which is for TLS",
        known={"KEYS": lambda one: one.keys}),
    Row("truncated-key", change("key", lambda text: text[:150]), "keys", "one.key.pem contains a PEM block that is empty, lacks its END"),
    Row("truncated-certificate", change("certificate", lambda text: text[:400]), "key", "one.cert.pem contains a PEM block",
        known={"COPY": kept("one.cert.pem")}),
    Row("key-on-one-line", change("key", lambda text: text.replace(b"\n", b" ")), "keys", "lacks its END line or is not base64"),
    Row("key-in-utf-16", change("key", lambda text: text.decode().encode("utf-16")), "keys", "one.key.pem is UTF-16 text"),
    Row("public-key", change("key", lambda _: b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"), "keys",
        "one.key.pem contains a PEM block PUBLIC KEY, but neither a private key nor a certificate"),
    Row("other-curve", other_curve, "key", "two.key.pem contains an EC key on secp384r1"),
    Row("key-is-folder", key_folder, "keys", "one.key.pem cannot be read: Is a directory"),
    Row("dangling-link", dangling, "keys", "one.key.pem cannot be read: No such file", known={"KEY": installed_key}),
    Row("two-certificates", certificate(merchant="merchant.example.other", name="two.cer"), "key",
        "two.cer contains a certificate for the same private key .*, but for another merchant", choice=1),
    Row("token-as-key", lambda one: one.replace(one.keys / "token.pem", b'{"version":"EC_v1"}\n'), "key",
        "token.pem is JSON, such as a payment token", choice=1),
    Row("no-folder", moved_keys, "keys", "keys cannot be read: No such file"),
    # Ledgers.
    Row("no-ledger", without_ledger, "ledger", "ledger contains no ledger"),
    Row("no-ledger-folder", without_ledger_folder, "ledger", "cannot be created, because its folder does not exist"),
    Row("no-ledger-folder-of-root", ledger_folder_of_root, "ledger", "because its folder does not exist", needs="root"),
    Row("ledger-is-folder", folder_as_ledger, "ledger", "var is a folder", follow=ledger_elsewhere),
    Row("ledger-read-only", give("var/ledger", 0o400, SERVICE), "ledger", "ledger cannot be written by its own user", needs="root"),
    Row("ledger-folder-read-only", give("var", 0o500, SERVICE), "ledger", "var cannot be written by its own user", needs="root"),
    Row("ledger-for-all", give("var/ledger", 0o666, SERVICE), "ledger", "ledger can be changed by other users"),
    Row("ledger-folder-for-all", give("var", 0o777, SERVICE), "ledger", "var can be changed by other users"),
    Row("ledger-of-root", give("var/ledger", 0o600), "ledger", "ledger belongs to root, and this program runs as the user [0-9]+: run it as root", needs="root"),
    Row("ledger-folder-of-other", give("var", 0o755, 0, 0), "ledger", "var belongs to root, and this program runs as the user [0-9]+: run it as root", needs="root"),
    Row("ledger-among-others", crowded_folder, "ledger", "var belongs to root, and this program runs as the user [0-9]+: run it as root", follow=moved_ledger, needs="root"),
    Row("ledger-narrow", narrow, "ledger", "for tokens of at most 200 s, but 300 s are permitted"),
    Row("ledger-restored", restored, "ledger", "ledger was restored from a backup"),
    Row("ledger-other-file", other_file, "ledger", "file is not a database"),
    Row("ledger-damaged", damaged, "ledger", "ledger: "),
    Row("file-limit", file_limit, "write", "cannot be written: File too large"),
    Row("ledger-read-only-disk", mounted("size=300m", read_only), "ledger", "is on a read-only file system", needs="mounts"),
    Row("full-disk", mounted("size=300m", fill_bytes), "space", "1?[0-9] MiB are free on the ledger's disk", follow=tidied,
        needs="mounts"),
    Row("no-inodes", mounted("size=512m,nr_inodes=64", fill_names), "space", "[0-7] more files fit on the ledger's disk",
        follow=tidied, needs="mounts"),
    # Gateway files.
    Row("no-secret", remove("secret"), "gateway", "names a file that cannot be used: .*secret cannot be read: No such file"),
    Row("empty-secret", change("secret", lambda _: b"\n"), "gateway", "secret is empty"),
    Row("secret-of-root", give("etc/secret", 0o600, group=0), "gateway", "secret cannot be read: Permission denied", needs="root"),
    Row("secret-for-all", give("etc/secret", 0o644), "permissions", "contains a secret and has mode 0644"),
    Row("secret-variable", secret_variable, "gateway",
        "names the environment variable SHOP_SECRET, which is not set or is empty", known={"NAME": "SHOP_SECRET"}),
    Row("secret-in-file", members(credentials={"secretKey": "top-secret"}), "gateway",
        "secretKey must not contain the secret itself", follow=corrected),
    Row("no-gateway-file", remove("shop"), "gateway", "shop.json cannot be read: No such file",
        known={"FILE": shop_copy}),
    Row("gateway-file-of-root", give("etc/shop.json", 0o600, group=0), "gateway", "shop.json cannot be read: Permission denied",
        needs="root"),
    Row("gateway-file-of-group", give("etc/shop.json", 0o660), "permissions", "merchant's account and has mode 0660"),
    Row("gateway-member", members(account={"shop": "361"}), "gateway", "its member account.shop is unknown", follow=corrected),
    Row("gateway-type", members(account={"shopId": 361}), "gateway", "its member account.shopId must be", follow=corrected),
    Row("gateway-json", change("shop", lambda text: text[:-2]), "gateway", "is not a gateway file: The JSON text ends too early",
        follow=chosen),
    Row("gateway-test", members(environment="test"), "gateway", "its payments are tests, which move no money",
        result="warning", follow=corrected),
    Row("gateway-origin", members(environment="test", origin="https://gateway.bepaid.by"), "gateway",
        "its requests do not go to the vendor's servers", result="warning", follow=corrected),
    Row("no-authorities", without_authorities, "authorities", "no file with certificate authorities",
        needs="authorities"),
    # The merchant identity certificate and the domain association file.
    Row("identity-for-all", give("etc/identity/id.key.pem", 0o644), "permissions", "id.key.pem contains a private key"),
    Row("identity-expired", expired_identity, "identity", "ended on", follow=renewed_identity),
    Row("identity-swapped", swapped, "identity", "is the payment processing certificate"),
    Row("identity-reversed", reversed_pair, "identity", "id.cert.pem contains a certificate, but no private key"),
    Row("identity-of-other", other_merchant, "identity", "none of the keys decrypts tokens of this merchant",
        known={"KEYS": own_keys}),
    Row("identity-of-server", web_server, "identity", "names no Apple Pay merchant, such as that of a web server",
        known={"CERTIFICATE": kept("id.cert.pem")}),
    Row("domain-file-truncated", truncated_download, "domain-file", "neither of the known forms",
        result="warning"),
    Row("no-domain-file", remove("domain"), "domain-file", "association cannot be read: No such file", known={"FILE": kept("association")}),
    Row("served-changed", changed_page, "served-file", "white space at its end"),
]



def debian(_):
    """Debian's layout: files of root, which the service's group reads. It is that of every installation here."""


def credentials(installation):
    """The layout of systemd's credentials: read-only files, also for their owner."""
    for file in (installation.key, installation.secret):
        file.chmod(0o440)
    installation.keys.chmod(0o550)


def kubernetes(installation):
    """A volume of Kubernetes with secrets: symbolic links through a folder with a date."""
    data = installation.keys / "..2026_11_24"
    data.mkdir(mode=0o755)
    for file in (installation.key, installation.certificate):
        file.rename(data / file.name)
        (data / file.name).chmod(0o440)
        file.symlink_to(f"..data/{file.name}")
    (installation.keys / "..data").symlink_to(data.name)
    installation.own(data, 0o755)


def read_only_volume(installation):
    """The same as Kubernetes mounts it: all users may write to the folder, but the file system is read-only."""
    files = {file.name: file.read_bytes() for file in (installation.key, installation.certificate)}
    check(subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=3777", "tmpfs", installation.keys]).returncode == 0,
          "no tmpfs is mounted")
    for name, contents in files.items():
        installation.replace(installation.keys / name, contents)
    kubernetes(installation)
    remounted = subprocess.run(["mount", "-o", "remount,ro", installation.keys])
    check(remounted.returncode == 0, "the volume is not read-only")


def der_as_pem(installation):
    der = openssl("x509", "-in", installation.certificate, "-outform", "DER")
    installation.replace(installation.certificate, der)


def in_variable(installation):
    """A key in an environment variable, whose line ends are written as \\n."""
    pair = installation.key.read_text() + installation.certificate.read_text()
    installation.environment["SHOP_KEY"] = pair.replace("\n", "\\n")
    installation.options["--keys"] = ["env:SHOP_KEY"]


def decrypted(installation):
    passphrase(installation, contents=b"the right one\r\n")


HEALTHY_LAYOUTS = {
    "debian": debian, "credentials": credentials, "kubernetes": kubernetes, "der-as-pem": der_as_pem,
    "key-in-variable": in_variable, "passphrase-with-crlf": decrypted,
    **({"read-only-volume": read_only_volume} if HAS_MOUNTS else {})}


class Server:
    """A gateway's server on this machine, with TLS if it has a certificate. It states a time that is `late` seconds ago."""

    def __init__(self, certificate=None, key=None, late=0):
        self.late, self.requests, self.context = late, [], None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate, key)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.socket.accept()
            with contextlib.suppress(OSError), connection:
                connection.settimeout(LIMIT)
                self.answer(self.context.wrap_socket(connection, server_side=True) if self.context else connection)

    def answer(self, client):
        received = b""
        while not received.endswith(b"\r\n\r\n"):
            part = client.recv(4096)
            if not part:
                break
            received += part
        if not received:
            return
        self.requests.append(received.decode())
        date = email.utils.formatdate(time.time() - self.late, usegmt=True)
        client.sendall(f"HTTP/1.1 404 Not Found\r\nDate: {date}\r\nContent-Length: 0\r\n\r\n".encode())


def connections(tools):
    """Doctor connects to a gateway, names each obstacle, and sends what --clock asks for, and else nothing."""
    certificate, key = tools.work / "server.pem", tools.work / "server.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate)
    installation = Installation("connections", tools)

    def findings(origin, *more):
        installation.write_shop(environment="test", origin=origin)
        ran = installation.run(["paytoken", "doctor", "--gateway", str(installation.shop), "--connect", *more, "--json"])
        found = [Finding(**one) for one in json.loads(ran.stdout)["checks"] if one["check"] in ("connection", "time")]
        check((ran.returncode == 0) == all(one.result != "failed" for one in found), f"{origin}: {ran.returncode}")
        return found

    def expect(origin, result, reason, advice="", *more):
        found = findings(origin, *more)
        check([one.result for one in found] == result and found[-1].message.startswith(f"{origin}: ")
              and reason in found[-1].message and advice in found[-1].advice, f"{origin}: {found}")

    plain, tls = Server(), Server(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    expect(f"http://127.0.0.1:{port}", ["failed"], "no connection to the gateway could be made", "--proxy HOST:PORT")
    expect(f"https://localhost:{tls.port}", ["failed"], f"localhost:{tls.port}: self-signed certificate", "ca-certificates")
    expect(f"http://127.0.0.1:{plain.port}", ["passed"], "a connection can be made")
    check(not plain.requests, f"--connect sends {plain.requests}")
    expect(f"http://127.0.0.1:{plain.port}", ["passed"] * 2, "agree to a minute", "", "--clock")
    sent = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{plain.port}\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n"
    check(plain.requests == [sent], f"--clock sends {plain.requests}")
    for late, direction in ((600, "ahead of"), (-600, "behind")):
        expect(f"http://127.0.0.1:{Server(late=late).port}", ["passed", "failed"], f" s {direction} the server's", "timedatectl",
               "--clock")
    if HAS_MOUNTS and BUNDLE.exists():
        # Only this script and its children see these files of /etc.
        with open(BUNDLE, "ab") as bundle:
            bundle.write(certificate.read_bytes())
        switch = pathlib.Path("/etc/nsswitch.conf")
        switch.write_text("hosts: files\n")
        expect("https://gateway.invalid", ["failed"], "name has no address: gateway.invalid:443", "resolver")
        expect(f"https://127.0.0.1:{tls.port}", ["failed"], "IP address mismatch", "if the certificate has another name")
        expect(f"https://localhost:{tls.port}", ["passed"], "a connection can be made")
        check(not tls.requests, f"--connect sends {tls.requests}")
        expect(f"https://localhost:{tls.port}", ["passed"] * 2, "agree to a minute", "", "--clock")


def unmended(tools):
    """Checks the findings that no command of this script can mend; returns why for each."""
    installation = Installation("unmended", tools)
    # The clock is the machine's. Whether it is synchronized depends on where the test runs.
    spoken = installation.run(["paytoken", "doctor", *installation.words(), "--json"])
    found = {one["check"]: one for one in json.loads(spoken.stdout)["checks"]}["synchronization"]
    check(found["result"] == "passed" or "timedatectl set-ntp true" in found.get("advice", ""), f"clock: {found}")
    _, left = installation.doctor("--at", "2025-06-01T00:00:00Z")
    check([one.check for one in left if one.result == "failed"] == ["clock"] and "timedatectl" in left[0].advice, f"{left}")
    # Standard output cannot be written: only the message is left.
    for target, reason in (("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
        closed = installation.run(f"{shlex.join(['paytoken', 'doctor', *installation.words()])} {target}")
        check(closed.returncode == 3 and f"standard output cannot be written: {reason}".encode() in closed.stderr,
              f"{target}: {closed.returncode} {closed.stderr.decode()}")
    # A ledger of another version is read by another version of the program.
    for version, cause in ((3, "cannot be used: keep it, and read it with that version"),
                           (5, "reads only version 4; upgrade ApplePayToken")):
        installation.sql(f"UPDATE apple_pay_ledger SET version = {version}")
        is_ready, left = installation.doctor()
        check(not is_ready and [one.check for one in left] == ["ledger"] and cause in left[0].message, f"{left}")
    reasons = ["the machine's clock needs its administrator", "an unreadable output is the caller's",
               "a ledger's version is that of its program"]
    served = Installation("served", tools)
    served.serve()
    served.expect_ready()
    if IS_ROOT:
        # Only root may ask the service, and judges as the service's user.
        os.chown(served.socket, 0, 0)
        served.socket.chmod(0o660)
        is_ready, left = served.doctor()
        check(not is_ready and [one.check for one in left] == ["service"] and "does not permit this user" in left[0].message
              and "as root" in left[0].advice, f"{left}")
        served.is_asked_by_root = True
        served.expect_ready()
        # Without a file to judge, root need not become another user.
        asked = served.run(["setpriv", "--bounding-set", "-setuid", "paytoken", "doctor", "--socket", str(served.socket)], True)
        check(asked.returncode == 0, f"{asked.stdout.decode()}{asked.stderr.decode()}")
        reasons.append("a socket's users are the operator's choice")
    if HAS_MOUNTS:
        # The modes of a volume are set where Kubernetes defines it.
        volume = Installation("volume-for-all", tools)
        check(subprocess.run(["mount", "--bind", volume.keys, volume.keys]).returncode == 0, "not mounted")
        volume.key.chmod(0o644)
        check(subprocess.run(["mount", "-o", "remount,bind,ro", volume.keys]).returncode == 0, "not mounted again")
        _, left = volume.doctor()
        check([one.check for one in left] == ["permissions"] and "defaultMode: 0440" in left[0].advice, f"{left}")
        reasons.append("a volume's modes are set in Kubernetes")
    return reasons


def enter_own_mounts():
    """Runs this script again with its own mounts and its own copy of /etc, if the system permits it."""
    if not IS_ROOT or HAS_MOUNTS or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        return
    with tempfile.TemporaryDirectory() as copy:
        test = ["mount", "--bind", copy, copy]
        if subprocess.run(["unshare", "--mount", *test], capture_output=True).returncode != 0:
            return
        script = f"cp -a /etc/. {copy} && mount --bind {copy} /etc && exec \"$@\""
        sys.exit(subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", sys.executable,
                                 *sys.argv], env={**os.environ, OWN_MOUNTS: "1"}).returncode)


@contextlib.contextmanager
def workplace():
    """Makes a folder that all users can reach, and removes it with what is mounted in it."""
    with tempfile.TemporaryDirectory(prefix="shop-") as work:
        pathlib.Path(work).chmod(0o755)
        try:
            yield pathlib.Path(work)
        finally:
            for line in reversed(pathlib.Path("/proc/self/mounts").read_text().splitlines()):
                if line.split()[1].startswith(f"{work}/"):
                    subprocess.run(["umount", line.split()[1]], check=True)


def main():
    programs = folder()
    enter_own_mounts()
    if HAS_MOUNTS:
        with open("/etc/passwd", "a") as file:
            file.write(f"paytoken-service:x:{SERVICE}:{SERVICE}::/nonexistent:/usr/sbin/nologin\n")
        with open("/etc/group", "a") as file:
            file.write(f"paytoken-service:x:{SERVICE}:\npaytoken-certs:x:{SERVICE + 1}:\n")
    os.umask(0o022)
    with workplace() as work, contextlib.ExitStack() as running:
        tools = Tools(programs, work, running)
        chosen = os.environ.get("ROWS", "").split()
        for name, layout in HEALTHY_LAYOUTS.items() if not chosen else ():
            installation = Installation(f"healthy-{name}", tools)
            layout(installation)
            installation.expect_ready()
        mended, crowded, skipped = 0, 0, []
        for row in TABLE:
            if chosen and row.name not in chosen:
                continue
            if row.skipped():
                skipped.append(f"{row.name}, because {row.skipped()}")
                continue
            commands, created = run(row, tools)
            mended += 1
            crowded += crowd(row, tools, created) if created else 0
            if chosen:
                print(row.name, *commands, sep="\n    ")
        if "connections" in chosen:
            connections(tools)
        if chosen:
            return
        reasons = unmended(tools)
        connections(tools)
    check(mended >= LEAST, f"only {mended} installations were mended")
    print(f"installations.py: {len(HEALTHY_LAYOUTS)} installations are ready, {mended} broken ones were mended; {crowded} commands kept "
          f"other files; "
          f"without a command: {', '.join(reasons)}; servers are reached, or the obstacle is named")
    for reason in skipped:
        print(f"installations.py: skipped {reason}")


if __name__ == "__main__":
    main()
