#!/usr/bin/env python3
"""A verifier of EC_v1 Apple Pay tokens in Python, an example of how to take part in the conformance test.

usage: verifier.py CASES ROOT.pem KEYS [--broken no-chain|any-signer|no-time] > ANSWERS

CASES has one JSON object per line with the members id, token and now. One line is written for each, in order:
{"id", "status": "ok", "paymentData"} or {"id", "status": "error", "stage"}. The window is 300 s on either side.
RSA_v1 is not implemented, and CMS is read with just enough DER: an example, not for payments. --broken leaves out one
check; the judge must notice.
"""
import base64, datetime, hashlib, json, pathlib, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import pkcs7

SIGNER, AUTHORITY = "1.2.840.113635.100.6.29", "1.2.840.113635.100.6.2.14"
MERCHANT = x509.ObjectIdentifier("1.2.840.113635.100.6.32")
MESSAGE_DIGEST, SIGNING_TIME = (bytes.fromhex("2a864886f70d0109") + bytes([n]) for n in (4, 5))
broken = sys.argv[sys.argv.index("--broken") + 1] if "--broken" in sys.argv else None


class Refused(Exception):
    """The stage that refuses."""


def check(condition, stage):
    if not condition:
        raise Refused(stage)


def elements(data):
    """The elements of BER, each with its tag, its contents and its whole encoding."""
    found, at = [], 0
    while at < len(data) and data[at:at + 2] != b"\0\0":
        start, tag, length = at, data[at], data[at + 1]
        at += 2
        if length == 0x80:  # indefinite: up to 00 00
            inner = elements(data[at:])
            body = data[at:at + sum(len(e[2]) for e in inner)]
            at += len(body) + 2
        else:
            if length > 0x80:
                count = length & 0x7F
                length, at = int.from_bytes(data[at:at + count], "big"), at + count
            body, at = data[at:at + length], at + length
        check(at <= len(data), "cms")
        found.append((tag, body, data[start:at]))
    return found


def signed_data(signature):
    """The certificates, the only signer's serial number, attributes and signature value."""
    try:
        content = elements(elements(elements(elements(signature)[0][1])[1][1])[0][1])
        certificates = [x509.load_der_x509_certificate(e[2]) for e in elements(content[3][1])]
        (signer,) = elements(content[-1][1])
        fields = elements(signer[1])
        attributes = {elements(e[1])[0][1]: elements(elements(e[1])[1][1])[0] for e in elements(fields[3][1])}
        identifier = (elements(fields[1][1])[0][2], int.from_bytes(elements(fields[1][1])[1][1], "big"))
        return certificates, identifier, b"\x31" + fields[3][2][1:], attributes, fields[5][1]
    except (IndexError, ValueError, RecursionError):
        raise Refused("cms")


def extension(certificate, oid):
    return any(e.oid.dotted_string == oid for e in certificate.extensions)


def chain(certificates, identifier, root, time):
    """The signer's certificate, if it leads to the root over one intermediate and has Apple's markers."""
    named = [c for c in certificates if (c.issuer.public_bytes(), c.serial_number) == identifier]
    if broken == "any-signer":
        named = [c for c in certificates if extension(c, SIGNER)] or certificates
    if broken == "no-chain":
        return (named or certificates)[0]
    check(len(named) == 1 and extension(named[0], SIGNER), "chain")
    try:
        if not named[0].extensions.get_extension_for_class(x509.KeyUsage).value.digital_signature:
            raise Refused("chain")
        constraints = [e for e in named[0].extensions if e.oid == x509.ExtensionOID.BASIC_CONSTRAINTS]
        check(not any(e.value.ca for e in constraints), "chain")
    except (ValueError, x509.ExtensionNotFound):
        raise Refused("chain")
    for issuer in certificates:
        try:
            named[0].verify_directly_issued_by(issuer)
            issuer.verify_directly_issued_by(root)
            usage = issuer.extensions.get_extension_for_class(x509.KeyUsage).value
            is_authority = issuer.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
        except Exception:
            continue
        times = [c.not_valid_before_utc <= time <= c.not_valid_after_utc for c in (named[0], issuer)]
        if issuer != root and extension(issuer, AUTHORITY) and is_authority and usage.key_cert_sign and all(times):
            sha2 = all(c.signature_hash_algorithm.name in ("sha256", "sha384") for c in (named[0], issuer))
            check(sha2 and isinstance(named[0].public_key(), ec.EllipticCurvePublicKey), "chain")
            return named[0]
    raise Refused("chain")


def payment_data(text, now, root, keys):
    try:
        token = json.loads(text) if isinstance(text, str) else text
        header, version = token["header"], token["version"]
        data, signature = (base64.b64decode(token[name], validate=True) for name in ("data", "signature"))
        key, key_hash = (base64.b64decode(header[n], validate=True) for n in ("ephemeralPublicKey", "publicKeyHash"))
        transaction = bytes.fromhex(header["transactionId"])
        application = bytes.fromhex(header.get("applicationData", ""))
        check(version == "EC_v1" and len(transaction) == len(key_hash) == 32 and len(key) == 91, "field")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused("field")
    certificates, identifier, signed, attributes, value = signed_data(signature)
    try:
        digits = attributes[SIGNING_TIME][1].decode()
        digits = digits if len(digits) == 15 else "20" + digits
        time = datetime.datetime.strptime(digits, "%Y%m%d%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        digest = attributes[MESSAGE_DIGEST][1]
    except (KeyError, ValueError):
        raise Refused("cms")
    signer = chain(certificates, identifier, root, time)
    check(hashlib.sha256(key + data + transaction + application).digest() == digest, "signature")
    try:
        signer.public_key().verify(value, signed, ec.ECDSA(hashes.SHA256()))
    except Exception:
        raise Refused("signature")
    check(broken == "no-time" or abs((now - time).total_seconds()) <= 300, "signing-time")
    check(key_hash in keys, "key-selection")
    private, merchant = keys[key_hash]
    try:
        secret = private.exchange(ec.ECDH(), serialization.load_der_public_key(key))
    except Exception:
        raise Refused("key-agreement")
    derived = hashlib.sha256(b"\0\0\0\1" + secret + b"\x0did-aes256-GCM" + b"Apple" + merchant).digest()
    try:
        return json.loads(AESGCM(derived).decrypt(bytes(16), data, None))
    except Exception:
        raise Refused("decrypt")


def load_keys(folder):
    keys = {}
    for path in folder.glob("*.cert.pem"):
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
        public = certificate.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        pem = pathlib.Path(str(path).replace(".cert.pem", ".key.pem")).read_bytes()
        merchant = certificate.extensions.get_extension_for_oid(MERCHANT).value.value[2:]
        keys[hashlib.sha256(public).digest()] = (
            serialization.load_pem_private_key(pem, None), bytes.fromhex(merchant.decode()))
    return keys


root = x509.load_pem_x509_certificate(pathlib.Path(sys.argv[2]).read_bytes())
keys = load_keys(pathlib.Path(sys.argv[3]))
for line in open(sys.argv[1], encoding="utf-8"):
    case = json.loads(line)
    now = datetime.datetime.fromisoformat(case["now"].replace("Z", "+00:00"))
    try:
        answer = {"status": "ok", "paymentData": payment_data(case["token"], now, root, keys)}
    except Refused as refusal:
        answer = {"status": "error", "stage": str(refusal)}
    print(json.dumps({"id": case["id"], **answer}))
