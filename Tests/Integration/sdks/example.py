"""The examples of TestVectors/gateways, and the answers and messages of TestVectors/answers."""
import base64
import hmac
import json
import re
import urllib.parse


class Example:
    """A request."""

    def __init__(self, path, sdks):
        self.name = path.name[:-len(".http")]
        self.gateway = max((name for name in sdks if self.name.startswith(f"{name}-")), key=len)
        self.sdk = sdks[self.gateway]
        # The step is followed by the name of the variant, which may contain hyphens too.
        self.step = max((step for step in getattr(self.sdk, "STEPS", ())
                         if self.name.startswith(f"{self.gateway}-{step}-")), key=len, default=None)
        head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
        line, *headers = head.split("\n")
        self.method, self.url = line.split(" ", 1)
        self.url = self.url.replace("{merchantId}", "merchant-1")
        self.headers = [tuple(header.split(": ", 1)) for header in headers]
        self.body = body.rstrip("\n")

    def header(self, name):
        """The value of a header, or None."""
        return {header.lower(): value for header, value in self.headers}.get(name.lower())

    @property
    def target(self):
        """The URL's parts; the host is in lower case, as in every SDK."""
        parts = urllib.parse.urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.lower())

    @property
    def query(self):
        """The names and values of the query, decoded."""
        return urllib.parse.parse_qsl(self.target.query, strict_parsing=bool(self.target.query))

    @property
    def segments(self):
        """The segments of the path, decoded."""
        return [urllib.parse.unquote(part) for part in self.target.path.split("/")[1:]]


class Answer:
    """A published answer or message: a line of TestVectors/answers."""

    def __init__(self, gateway, line):
        line = json.loads(line)
        self.gateway, self.id, self.step, self.outcome = gateway, line["id"], line.get("step"), line.get("outcome")
        self.status, self.order = line["http"].get("status"), line.get("order")
        self.operation = (line.get("operation") or {}).get("kind")
        self.content = line["body"]
        self.line = line

    @property
    def text(self):
        """The body as text."""
        return self.content if isinstance(self.content, str) else json.dumps(self.content)

    def with_word(self, path, word):
        """The body with another value at a path; None if it does not have this member."""
        content = json.loads(self.text)
        place = content
        try:
            for name in path[:-1]:
                place = place[name]
            place[path[-1]]
        except (KeyError, IndexError):
            return None
        place[path[-1]] = word
        return json.dumps(content)


class Message:
    """A message of Worldline's, which can be altered."""

    def __init__(self, body, key="key-1", secret="message-secret", headers=None):
        self.body, self.key, self.secret = body, key, secret
        self.headers = headers or [("X-GCS-KeyId", key), ("X-GCS-Signature", self.signature(body, secret))]

    @staticmethod
    def signature(body, secret):
        """The signature of a body: the base64 of its HMAC-SHA256."""
        return base64.b64encode(hmac.digest(secret.encode(), body.encode(), "sha256")).decode()

    def variants(self):
        """The message, and messages that differ from it in one place, with what differs."""
        identifier, signature = self.headers
        yield "as published", self
        for what, body, headers in (
                ("a line feed is added", self.body + "\n", self.headers),
                ("a digit is altered", self.body.replace("1", "2", 1), self.headers),
                ("the body is empty", "", self.headers),
                ("another secret signed it", self.body,
                 [identifier, (signature[0], self.signature(self.body, "other"))]),
                ("the key is another one", self.body, [("X-GCS-KeyId", "key-2"), signature]),
                ("the key is missing", self.body, [signature]),
                ("the signature is missing", self.body, [identifier]),
                ("the signature is empty", self.body, [identifier, (signature[0], "")]),
                ("the signature is incomplete", self.body, [identifier, (signature[0], signature[1][:-4])]),
                ("the signature is repeated", self.body, [*self.headers, signature])):
            yield what, Message(body, self.key, self.secret, headers)
