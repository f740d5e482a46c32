#!/usr/bin/env python3
"""Compares paytoken with and without OpenSSL's FIPS provider: the verdicts on tokens, which key files can be read, new keys and
requests for certificates, payments through the service and over TLS, and the messages about what FIPS does not allow.

  fips.py FOLDER-OF-PROGRAMS FOLDER

FOLDER contains what fips-provider.sh made. Needs openssl, curl, a C compiler, softhsm2 and opensc.
"""
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from programs import check, run  # noqa: E402
from service import Purchase, Service  # noqa: E402
from session import MERCHANT, PKI, SESSION, Server, http  # noqa: E402
from shop import Shop  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
SYNTHETIC = PROJECT / "TestVectors/synthetic"
KEY_FILES = PROJECT / "TestVectors/key-files/accepted"
DAY = ("--at", "2026-05-04T09:30:00Z")

# Key files that FIPS does not allow, by the beginning of the reason: the MAC of PKCS#12 is derived with PKCS12KDF, and the other
# keys are encrypted by means of MD5, DES, scrypt or PKCS12KDF. All other files can be read.
MAC = "has a MAC that FIPS does not allow (PKCS12KDF)"
CIPHER = "is encrypted with an algorithm that FIPS does not allow"
REFUSED = {
    MAC: {"one.absent-passphrase.p12", "one.base64-of-p12.key", "one.empty-passphrase.p12", "one.keychain-one-iteration.p12",
          "one.keychain-with-authority.p12", "one.keychain.p12", "one.openssl-3.p12", "two.key-only.p12", "two.keychain.pfx"},
    CIPHER: {"one.pkcs8-3des.pem", "one.pkcs8-md5-des.pem", "one.pkcs8-scrypt.pem", "one.sec1-aes128.pem", "one.sec1-des.pem",
             "two.pkcs1-3des.pem"},
}

# The functions of libcrypto that judge a token.
JUDGES = ("X509_verify_cert", "EVP_PKEY_verify", "EVP_PKEY_derive", "EVP_PKEY_decrypt", "EVP_DecryptFinal_ex")


class Comparison:
    """The command with and without the FIPS provider, in a folder for files."""

    def __init__(self, programs, provider, work):
        self.programs, self.work = programs, work
        self.settings = {"OPENSSL_CONF": str(provider / "openssl.cnf"), "OPENSSL_MODULES": str(provider)}
        self.passphrase = work / "passphrase"
        self.passphrase.write_text("apple-pay\n")

    @property
    def environment(self):
        return {**os.environ, **self.settings}

    def fips(self, *words, **changes):
        """Runs the command with the FIPS provider."""
        return run([self.program(words), *words], env={**self.environment, **changes}, cwd=self.work)

    def plain(self, *words):
        """Runs the command without it."""
        return run([self.program(words), *words], cwd=self.work)

    def program(self, words):
        """Returns the program that has a command."""
        return self.programs / ("paytoken-testing" if words[0] == "conform" else "paytoken")

    def succeed(self, *words):
        made = self.fips(*words)
        check(made.returncode == 0, f"{words} fails: {made.stderr.decode()}")
        return made

    def list_key(self, file, run=None):
        return (run or self.fips)("keys", "list", "--keys", file, "--passphrase-file", self.passphrase, *DAY)


def provider_is_used(test):
    """The configuration has the FIPS provider alone: otherwise everything below would compare the same thing with itself."""
    listed = run(["openssl", "list", "-providers"], env=test.environment).stdout.decode()
    check("OpenSSL FIPS Provider" in listed and "base" in listed and "default" not in listed, f"providers: {listed}")
    check(run(["openssl", "md5", os.devnull], env=test.environment).returncode != 0, "OpenSSL has MD5")
    found = json.loads(test.fips("doctor", "--keys", KEY_FILES / "two.pkcs1.pem", "--json").stdout)["checks"]
    texts = {entry["check"]: entry["message"] for entry in found}
    check("with FIPS algorithms only; Apple Root CA - G3 is usable" in texts["openssl"], f"doctor: {texts}")
    check("not used" in texts["legacy-provider"], f"doctor: {texts}")
    optional = test.work / "optional.cnf"
    optional.write_text(pathlib.Path(test.settings["OPENSSL_CONF"]).read_text().replace("default_properties = fips=yes", ""))
    made = test.fips("doctor", "--keys", KEY_FILES / "two.pkcs1.pem", "--json", OPENSSL_CONF=str(optional))
    found = next(entry for entry in json.loads(made.stdout)["checks"] if entry["check"] == "openssl")
    check(found["result"] == "warning" and "default_properties = fips=yes" in found["advice"], f"doctor: {made}")


def verdicts(test):
    """Every verdict is the same, on the vectors and on altered tokens."""
    wrapper = test.work / "paytoken-fips"
    lines = [f"export {name}='{value}'\n" for name, value in test.settings.items()]
    wrapper.write_text(f"#!/bin/sh\n{''.join(lines)}exec '{test.programs}/paytoken-testing' \"$@\"\n")
    wrapper.chmod(0o755)
    compared = run([HERE / "compare-verdicts.py", test.programs / "paytoken-testing", wrapper, "--tokens", "2000", "--texts", "500"])
    text = compared.stdout.decode()
    print(text, end="", flush=True)
    check(compared.returncode == 0, f"other verdicts: {compared.stderr.decode()}")
    check("decrypt/decryption-failed" in text and "library-failure" not in text, "the vectors do not reach decryption")


def failed_self_test(test):
    """A provider that failed one of its self-tests refuses everything: no verdict follows from this."""
    library = test.work / "fips-error.so"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, HERE / "fips-error.c", "-ldl"], check=True)
    words = ("conform", SYNTHETIC / "cases.jsonl", "--trust-anchor", SYNTHETIC / "pki/root.pem", "--keys", SYNTHETIC / "keys")
    expected = test.plain(*words).stdout.splitlines()
    for function in JUDGES:
        found = test.fips(*words, LD_PRELOAD=str(library), FAIL_BEFORE=function)
        check(found.returncode == 0, f"{function}: {found.stderr.decode()}")
        failed = 0
        for old, new in zip(expected, found.stdout.splitlines(), strict=True):
            failed += b'"code":"library-failure"' in new
            check(new == old or b'"code":"library-failure"' in new, f"{function}: {new}, not {old}")
        check(failed > 400, f"{function}: only {failed} tokens after the self-test")


def key_files(test):
    """Files are read, or refused with the reason and a command that converts them; all are read after the conversion."""
    for file in sorted(KEY_FILES.iterdir()):
        copy = test.work / file.name
        shutil.copy(file, copy)
        copy.chmod(0o600)
        found = test.list_key(copy)
        reason = next((reason for reason, names in REFUSED.items() if file.name in names), None)
        if reason is None:
            check((found.returncode, found.stdout) == (0, test.list_key(copy, test.plain).stdout), f"{file.name}: {found}")
            continue
        message = found.stderr.decode()
        check(found.returncode == 3 and message.startswith(f"paytoken: {copy} {reason}"), f"{file.name}: {message}")
        command = re.search("`(openssl [^`]*)`", message)[1]
        if file.name.startswith("one.base64"):
            continue  # openssl does not read base64 without a header.
        passphrase = "" if "absent" in file.name or "empty" in file.name else "apple-pay"
        converted = run(["sh", "-c", f"{command} -passin pass:{passphrase} -passout pass:apple-pay"], cwd=test.work)
        check(converted.returncode == 0, f"{command}: {converted.stderr.decode()}")
        name = test.work / f"{copy.stem}.fips.pem"
        name.chmod(0o600)
        read = test.list_key(name)
        check(read.returncode == 0, f"{name}: {read.stderr.decode()}")


def unknown_mac(test):
    """PBMAC1, which OpenSSL has since 3.4, is not mistaken for a wrong passphrase."""
    version = run(["openssl", "version"]).stdout.split()[1].split(b".")
    if (int(version[0]), int(version[1])) >= (3, 4):
        return
    costly = (PROJECT / "TestVectors/key-files/refused/costly-pbmac1.p12").read_bytes()
    file = test.work / "pbmac1.p12"
    file.write_bytes(costly.replace(b"\x02\x04\x7f\xff\xff\xff", b"\x02\x04\x00\x00\x08\x00"))
    file.chmod(0o600)
    for start, reason in ((test.fips, MAC), (test.plain, "has a MAC that this OpenSSL cannot verify; PBMAC1 needs OpenSSL 3.4")):
        found = test.list_key(file, start)
        check(found.returncode == 3 and reason in found.stderr.decode(), f"PBMAC1: {found}")


def new_keys(test):
    """Keys of both kinds are created, encrypted too, and their requests are signed."""
    for kind in ("ec", "rsa"):
        for options in ((), ("--passphrase-file", test.passphrase)):
            name = f"new-{kind}-{len(options)}"
            test.succeed("keys", "new", "--out", name, "--kind", kind, *options)
            test.succeed("keys", "csr", "--key", f"{name}.key.pem", "--out", name, *options)
            verified = run(["openssl", "req", "-in", f"{name}.csr.pem", "-noout", "-verify"], cwd=test.work)
            check(verified.returncode == 0, f"{name}: {verified}")


def payments(test):
    """The confined service pays with the ledger in SQLite."""
    with Shop.open(test.programs) as shop:
        with Service(shop, "--allow", f"{os.getuid()}=operate", environment=test.settings) as service:
            for gateway in ("bepaid", "worldline-direct"):
                Purchase(service, 71_929, gateway).pay("paid")
            service.stop()


def connections(test):
    """A merchant session is asked for with the merchant's certificate, whose key is in a file."""
    with tempfile.TemporaryDirectory() as name:
        pki = PKI(name)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            server = Server(pki, http(200, SESSION, "Content-Type: application/json"), version=version)
            made = test.fips("session", "--identity", pki / "identity.key.pem", "--certificate", pki / "identity.pem",
                             "--display-name", "Shop", "--domain", "shop.example", "--test-host",
                             f"localhost:{server.port}", "--test-trust-anchor", pki / "root.pem")
            check((made.returncode, made.stdout) == (0, SESSION), f"{version.name}: {made}")
            check(server.subject["userId"] == MERCHANT, f"{version.name}: {server.subject}")


def devices(test):
    """Tokens are decrypted with keys in SoftHSM2, with the same verdicts."""
    script = 'exec "$@" "?module-path=$APPLEPAYTOKEN_PKCS11_MODULE&pin-source=$APPLEPAYTOKEN_PKCS11_PIN_FILE"'
    for name, least in (("one", 100), ("two", 10)):
        answers = []
        for settings in ({}, test.settings):
            words = ["env", *(f"{key}={value}" for key, value in settings.items()), "sh", "-c",
                     'judge=$1; exec "$judge" conform "$2" --trust-anchor "$3" --keys "$4$5"', "sh",
                     test.programs / "paytoken-testing", SYNTHETIC / "cases.jsonl", SYNTHETIC / "pki/root.pem",
                     f"pkcs11:token=payments;object={name}"]
            made = run([HERE / "softhsm.sh", "sh", "-c", script, "sh", *words])
            check(made.returncode == 0 and made.stdout.count(b'"status":"ok"') >= least, f"{name}: {made.stderr.decode()}")
            answers.append(made.stdout)
        check(answers[0] == answers[1], f"{name}: other verdicts with a key in a device")


def missing_provider(test):
    """A configuration whose provider cannot be loaded fails, with what to correct."""
    found = test.fips("doctor", "--keys", KEY_FILES / "two.pkcs1.pem", "--json", OPENSSL_MODULES="/nowhere")
    entry = next(entry for entry in json.loads(found.stdout)["checks"] if entry["check"] == "openssl")
    check(found.returncode == 3 and entry["result"] == "failed" and "FIPS provider and the base provider" in entry["advice"],
          f"doctor: {found}")
    listed = test.fips("keys", "list", "--keys", KEY_FILES / "two.pkcs1.pem", OPENSSL_MODULES="/nowhere")
    check(listed.returncode == 3 and b"lists a FIPS provider and the base provider" in listed.stderr, f"keys list: {listed}")


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} FOLDER-OF-PROGRAMS FOLDER")
    programs, provider = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        test = Comparison(programs, provider, pathlib.Path(name))
        for course in (provider_is_used, verdicts, failed_self_test, key_files, unknown_mac, new_keys, payments, connections,
                       devices, missing_provider):
            course(test)
            print(course.__name__, flush=True)


if __name__ == "__main__":
    main()
