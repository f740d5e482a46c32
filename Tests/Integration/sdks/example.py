"""The examples of TestVectors/gateways."""
import re
import urllib.parse


class Example:
    """A request, and the answers that the first example of its step describes."""

    def __init__(self, path, sdks):
        self.name = path.name[:-len(".http")]
        self.gateway = max((name for name in sdks if self.name.startswith(f"{name}-")), key=len)
        self.sdk = sdks[self.gateway]
        # The step is followed by the name of the variant, which may contain hyphens too.
        self.step = max((step for step in getattr(self.sdk, "STEPS", ())
                         if self.name.startswith(f"{self.gateway}-{step}-")), key=len, default=None)
        request, *answers = re.split(r"^### ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        head, _, body = request.partition("\n\n")
        line, *headers = head.split("\n")
        self.method, self.url = line.split(" ", 1)
        self.url = self.url.replace("{merchantId}", "merchant-1")
        self.headers = [tuple(header.split(": ", 1)) for header in headers]
        self.body = body.rstrip("\n")
        # Lines that name a method and a path are not answers.
        self.answers = [(int(status), text) for status, _, text in (
            answer.strip().partition(" ") for answer in answers) if status.isdigit()]

    def header(self, name):
        """The value of a header, or None."""
        return {header.lower(): value for header, value in self.headers}.get(name.lower())

    @property
    def target(self):
        """The URL's parts; the host is in lower case, as in every SDK."""
        parts = urllib.parse.urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.lower())

    @property
    def segments(self):
        """The segments of the path, decoded."""
        return [urllib.parse.unquote(part) for part in self.target.path.split("/")[1:]]
