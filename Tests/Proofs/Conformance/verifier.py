#!/usr/bin/env python3
"""A verifier of EC_v1 Apple Pay tokens, as an example of how to take part in the conformance test.

usage: verifier.py CASES ROOT.pem KEYS [--broken FAULT] > ANSWERS

CASES has one JSON object per line with the members id, token and now. One answer is written for each, in order. RSA_v1,
wrappers and payments for several merchants are not implemented, so valid ones are refused. An example, not for payments.
--broken makes one of the mistakes in FAULTS; the judge must notice.
"""
import base64, datetime, hashlib, json, pathlib, re, sys
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization as form
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import GCM

SIGNER, AUTHORITY, MERCHANT = (x509.ObjectIdentifier(f"1.2.840.113635.100.6.{n}") for n in ("29", "2.14", "32"))
KNOWN = x509.ExtensionOID.BASIC_CONSTRAINTS, x509.ExtensionOID.KEY_USAGE
PKCS7, ATTRIBUTE, PROTECTION, SHA256, ECDSA = map(bytes.fromhex, (
    "2a864886f70d0107", "2a864886f70d0109", "2a864886f70d010934", "608648016503040201", "2a8648ce3d040302"))
TEXTS = {"applicationPrimaryAccountNumber": "[0-9]{12,19}", "currencyCode": "[0-9]{1,3}",
         "applicationExpirationDate": "[0-9]{2}(0[1-9]|1[0-2])[0-9]{2}", "paymentDataType": "3DSecure|EMV"}
OPTIONAL = {"deviceManufacturerIdentifier": "([0-9A-Fa-f]{2})*", "cardholderName": ".*", "merchantTokenIdentifier": ".*"}
FAULTS = {
    "no-signature": "the token is decrypted, and its signature is not looked at",
    "no-digest": "the signature is verified, but not that it covers this token",
    "no-chain": "the chain is not checked",
    "no-root": "the chain may end at any root",
    "no-markers": "Apple's markers are not checked",
    "other-signer": "the chain is checked for a certificate that may not have signed",
    "any-signer": "any certificate in the signature may be the signer",
    "first-signer": "the first certificate is taken as the signer's",
    "no-time": "the signing time is not compared",
    "any-key": "if no key has the token's hash, all are tried",
    "stripped-secret": "the shared secret is a number, without leading zeros",
    "no-party": "the key derivation omits the merchant",
    "no-tag": "the tag is not compared",
    "any-length": "transactionId may have any length",
    "repeated-members": "of two members with one name the last counts",
    "rounded-amount": "numbers are binary floating point",
    "padded-eci": "the ECI has two digits, and is 07 if there is none",
}
broken = sys.argv[sys.argv.index("--broken") + 1] if "--broken" in sys.argv else None
if broken is not None and broken not in FAULTS:
    sys.exit("--broken is one of " + ", ".join(FAULTS))

class Refused(Exception):
    """The token is refused at a stage, or for what is not implemented, at none."""

def check(condition, stage):
    if not condition:
        raise Refused(stage)

def stage(name, work, *arguments):
    """What the work returns; whatever goes wrong in it is a refusal at the stage."""
    try:
        return work(*arguments)
    except Refused:
        raise
    except Exception:
        raise Refused(name) from None

def elements(data):
    """The elements of BER: tag, contents and whole encoding of each."""
    found, at = [], 0
    while at < len(data) and data[at:at + 2] != b"\0\0":
        start, length, at = at, data[at + 1], at + 2
        if length == 0x80:  # indefinite: up to 00 00
            length, end = sum(len(e[2]) for e in elements(data[at:])), 2
        else:
            count, end = max(length - 0x80, 0), 0
            length, at = int.from_bytes(data[at:at + count], "big") if count else length, at + count
        body, at = data[at:at + length], at + length + end
        check(at <= len(data), "cms")
        found.append((data[start], body, data[start:at]))
    return found

def signed_data(signature):
    """The certificates, the only signer's issuer and serial number, and what is signed, when and with what."""
    (info,) = elements(signature)
    kind, content = elements(info[1])
    version, digests, data, certificates, signers = elements(elements(content[1])[0][1])
    certificates = [x509.load_der_x509_certificate(e[2]) for e in elements(certificates[1])]
    (signer,) = elements(signers[1])
    number, identifier, digest, signed, algorithm, value = elements(signer[1])
    check(info[2] == signature and version[1] == number[1] == b"\1" and kind[1] == PKCS7 + b"\2", "cms")
    check([e[1] for e in elements(data[1])] == [PKCS7 + b"\1"], "cms")
    check([elements(e[1])[0][1] for e in elements(digests[1]) + [digest]] == [SHA256, SHA256], "cms")
    check(elements(algorithm[1])[0][1] == ECDSA, "cms")
    attributes = {}
    for name, values in (elements(e[1]) for e in elements(signed[1])):
        check(name[1] not in attributes, "cms")
        (attributes[name[1]],) = elements(values[1])
    check(attributes[ATTRIBUTE + b"\3"][:2] == (6, PKCS7 + b"\1"), "cms")
    if PROTECTION in attributes:
        hash_, (tag, body, _) = elements(attributes[PROTECTION][1])
        check((elements(hash_[1])[0][1], tag, elements(body)[0][1]) == (SHA256, 0xA1, ECDSA), "cms")
    tag, digest, _ = attributes[ATTRIBUTE + b"\4"]
    check(tag == 4 and len(digest) == 32, "cms")
    tag, digits, _ = attributes[ATTRIBUTE + b"\5"]
    pattern, count = {23: ("%y%m%d%H%M%SZ", 13), 24: ("%Y%m%d%H%M%SZ", 15)}[tag]
    check(len(digits) == count, "cms")
    time = datetime.datetime.strptime(digits.decode(), pattern).replace(tzinfo=datetime.timezone.utc)
    named = elements(identifier[1])[0][2], int.from_bytes(elements(identifier[1])[1][1], "big")
    return certificates, named, digest, time, b"\x31" + signed[2][1:], value[1]

def issued(certificate, issuer):
    """Whether a certificate names its issuer, and that one's key signed it."""
    try:
        issuer.public_key().verify(certificate.signature, certificate.tbs_certificate_bytes, ec.ECDSA(certificate.signature_hash_algorithm))
    except (TypeError, InvalidSignature):
        return False
    return certificate.issuer == issuer.subject

def fits(certificate, marker, usage, is_authority, time):
    """Whether a certificate has Apple's marker, may be used so, and is of the permitted form."""
    found = {e.oid: e.value for e in certificate.extensions if not e.critical or e.oid in KNOWN}
    constraints = found.get(x509.ExtensionOID.BASIC_CONSTRAINTS)
    point = certificate.public_key().public_bytes(form.Encoding.X962, form.PublicFormat.UncompressedPoint)
    return (len(found) == len(certificate.extensions) and (marker in found or broken == "no-markers")
            and getattr(found[x509.ExtensionOID.KEY_USAGE], usage) and found[KNOWN[1]].key_cert_sign == is_authority
            and (constraints is not None and constraints.ca) == is_authority
            and point in certificate.public_bytes(form.Encoding.DER) and (is_authority or len(point) == 65)
            and certificate.signature_hash_algorithm.name in ("sha256", "sha384")
            and certificate.not_valid_before <= time.replace(tzinfo=None) <= certificate.not_valid_after)

def signer_of(certificates, named, root, time):
    """The signer's certificate, if it leads to the root over exactly one intermediate."""
    found = [c for c in certificates if (c.issuer.public_bytes(), c.serial_number) == named]
    candidates = {"any-signer": certificates, "other-signer": certificates, "first-signer": certificates[:1]}.get(broken, found)
    for leaf in candidates:
        if broken == "no-chain":
            return leaf
        for issuer in certificates if broken or len(found) == 1 else []:
            if not issued(leaf, issuer) or not issued(issuer, root) and broken != "no-root":
                continue
            if issuer.subject != root.subject and fits(issuer, AUTHORITY, "key_cert_sign", True, time):
                check(fits(leaf, SIGNER, "digital_signature", False, time), "chain")
                return found[0] if broken == "other-signer" else leaf
    raise Refused("chain")

def unique(pairs):
    check(len(dict(pairs)) == len(pairs) or broken == "repeated-members", "json")
    return dict(pairs)

def fields(token):
    header = token["header"]
    check(token["version"] != "RSA_v1" or "wrappedKey" not in header, None)
    texts = token["data"], token["signature"], header["ephemeralPublicKey"], header["publicKeyHash"]
    data, signature, key, key_hash = parts = [base64.b64decode(text, validate=True) for text in texts]
    transaction, application = (bytes.fromhex(header.get(n, "")) for n in ("transactionId", "applicationData"))
    check([base64.b64encode(part).decode() for part in parts] == list(texts), "field")
    check(token["version"] == "EC_v1" and "wrappedKey" not in header, "field")
    check(len(transaction) == 32 or broken == "any-length", "field")
    check(len(key_hash) == 32 and len(key) == 91 and key[26] == 4, "field")
    check(len(application) == (32 if "applicationData" in header else 0), "field")
    return data, signature, key, key_hash, key + data + transaction + application

def content(plaintext):
    payment = json.loads(plaintext.decode(), object_pairs_hook=unique)
    check(payment.get("authenticationResponses") in (None, []), None)
    present = {name: OPTIONAL[name] for name in OPTIONAL if payment.get(name) is not None}
    check(all(re.fullmatch(text, payment[name]) for name, text in {**TEXTS, **present}.items()), "payment-data")
    amount, inner = payment["transactionAmount"], payment["paymentData"]
    secret = inner["emvData" if payment["paymentDataType"] == "EMV" else "onlinePaymentCryptogram"]
    check(type(amount) is int and 0 <= amount < 1 << 63 and base64.b64decode(secret, validate=True), "payment-data")
    check(re.fullmatch("[0-9]*", inner.get("eciIndicator") or ""), "payment-data")
    check(isinstance(payment.get("merchantTokenMetadata") or {}, dict), "payment-data")
    if broken == "rounded-amount":
        payment["transactionAmount"] = int(float(amount))
    if broken == "padded-eci":
        inner["eciIndicator"] = (inner.get("eciIndicator") or "7").zfill(2)
    return payment

def decrypted(key, data):
    if broken != "no-tag":
        return AESGCM(key).decrypt(bytes(16), data, None)
    return Cipher(AES(key), GCM(bytes(16))).decryptor().update(data[:-16])

def payment_data(token, now, root, keys):
    if isinstance(token, str):  # a lone surrogate represents a byte that is not UTF-8
        token = stage("json", lambda: json.loads(token.encode(), object_pairs_hook=unique, parse_constant=int))
    data, signature, key, key_hash, message = stage("field", fields, token)
    if broken != "no-signature":
        verify(stage("cms", signed_data, signature), message, now, root)
    check(key_hash in keys or broken == "any-key", "key-selection")
    matching = list(keys.values()) if broken == "any-key" else [keys[key_hash]]
    for private, merchant in matching:
        try:
            return stage("payment-data", content, stage("decrypt", decrypted, content_key(private, merchant, key), data))
        except Refused as refusal:
            last = refusal
    raise last

def content_key(private, merchant, key):
    secret = stage("key-agreement", lambda: private.exchange(ec.ECDH(), form.load_der_public_key(key)))
    if broken == "stripped-secret":
        secret = secret.lstrip(b"\0")
    party = b"" if broken == "no-party" else merchant
    return hashlib.sha256(b"\0\0\0\1" + secret + b"\x0did-aes256-GCM" + b"Apple" + party).digest()

def verify(parts, message, now, root):
    """Checks the parts of a signature against the token's signed bytes and the time of its receipt."""
    certificates, named, digest, time, signed, value = parts
    signer = stage("chain", signer_of, certificates, named, root, time)
    check(hashlib.sha256(message).digest() == digest or broken == "no-digest", "signature")
    stage("signature", lambda: signer.public_key().verify(value, signed, ec.ECDSA(hashes.SHA256())))
    check(broken == "no-time" or abs((now - time).total_seconds()) <= 300, "signing-time")

root, keys = x509.load_pem_x509_certificate(pathlib.Path(sys.argv[2]).read_bytes()), {}
for path in pathlib.Path(sys.argv[3]).glob("*.cert.pem"):
    certificate = x509.load_pem_x509_certificate(path.read_bytes())
    public = certificate.public_key().public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)
    private = path.with_name(path.name.replace(".cert.pem", ".key.pem")).read_bytes()
    merchant = bytes.fromhex(certificate.extensions.get_extension_for_oid(MERCHANT).value.value[2:].decode())
    keys[hashlib.sha256(public).digest()] = form.load_pem_private_key(private, None), merchant
for line in open(sys.argv[1], encoding="utf-8"):
    case = json.loads(line)
    answer = {"id": case["id"], "status": "ok"}
    try:
        now = datetime.datetime.fromisoformat(case["now"].replace("Z", "+00:00"))
        answer["paymentData"] = payment_data(case["token"], now, root, keys)
    except Refused as refusal:
        answer = {"id": case["id"], "status": "error"} | ({"stage": refusal.args[0]} if refusal.args[0] else {})
    print(json.dumps(answer))
