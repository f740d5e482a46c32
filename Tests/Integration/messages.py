"""Messages of Worldline and bePaid about a payment, signed as the gateways sign them."""
import base64
import hashlib
import hmac
import json

from programs import check, run


class Hook:
    """The keys of a shop's messages, in files of a folder: `hook` for Worldline's, and bePaid's key pair."""

    GATEWAYS = ("worldline-direct", "bepaid")

    def __init__(self, folder, secret=b"sandbox-secret"):
        self.folder, self.secret = folder, secret
        (folder / "hook").write_bytes(secret)
        for words in (["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder / "shop.key"],
                      ["pkey", "-in", folder / "shop.key", "-pubout", "-out", folder / "shop.pem"]):
            made = run(["openssl", *words])
            check(made.returncode == 0, made.stderr.decode())

    def account(self, file):
        """Returns the members of a gateway file, with the keys of its messages if they are supported."""
        account = json.loads(file.read_text())
        members = {"worldline-direct": {"keys": {"key-1": {"file": str(self.folder / "hook")}}},
                   "bepaid": {"publicKey": {"file": str(self.folder / "shop.pem")}}}
        name = account["gateway"]
        return {**account, "webhooks": members[name]} if name in members else account

    def message(self, gateway, entry, amount, merchant="shop"):
        """Returns the headers and the body of a message about a payment in the sandbox's books, or in the state `refused`.

        Worldline's says that the payment is only reserved, as one that is late.
        """
        is_refused = entry.get("state") == "refused"
        if gateway == "bepaid":
            body = json.dumps({"transaction": {
                "uid": entry["id"], "status": "failed" if is_refused else "successful", "type": "payment", "amount": amount,
                "currency": "EUR", "tracking_id": entry["reference"], "test": True}}).encode()
            signature = run(["openssl", "dgst", "-sha256", "-sign", self.folder / "shop.key"], input=body).stdout
            return [("Content-Signature", base64.b64encode(signature).decode())], body
        word = "rejected" if is_refused else "pending_capture"
        body = json.dumps({
            "id": "e-1", "created": "2026-11-21T08:30:00.123+0000", "type": f"payment.{word}", "merchantId": merchant,
            "apiVersion": "v1", "payment": {"id": entry["id"], "status": word.upper(), "paymentOutput": {
                "amountOfMoney": {"amount": amount, "currencyCode": "EUR"},
                "references": {"merchantReference": entry["reference"]}}}}).encode()
        signature = base64.b64encode(hmac.digest(self.secret, body, hashlib.sha256)).decode()
        return [("X-GCS-KeyId", "key-1"), ("X-GCS-Signature", signature)], body


def http(headers, body):
    """Returns the request that a shop's server receives."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"POST /hook HTTP/1.1\r\nHost: shop\r\n{lines}\r\n".encode() + body
