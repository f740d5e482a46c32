"""The vendors' Python SDKs for compare-sdks.py: each sends an example's request, to a transport that records it.

An SDK has STEPS, the steps of the examples that it can send; SIGNATURE, the header that its authenticator creates, and
SIGNED, the headers that are compared only as a part of it; MODELS and ANSWERS, whether it has models of requests and of
answers; `call`, which sends an example and returns what was sent, and a function that returns what the SDK's model
kept of the answer; and `types`, which yields the members of the request whose types the SDK's model does not declare.

An SDK also has `reads`, which returns the example's step to which an answer of TestVectors/answers belongs, and `words`,
which yields the status words that it lists: the step of the answer, the kind of the operation or None, the path to the
word in the answer, and the words.
"""
import json
import types

# The releases that were compared last; compare-sdks.py --newest installs the newest.
PACKAGES = {
    "Adyen": "16.0.0",
    "checkout-sdk": "4.8.1",
    "connect-sdk-python3": "6.3.0",
    "cybersource-rest-client-python": "0.0.80",
    "onlinepayments-sdk-python3": "10.3.0",
    "paypal-server-sdk": "2.4.0",
}

# The gateways that cannot be compared, and the reason.
WITHOUT_SDK = dict.fromkeys(("bepaid", "dintero", "intergiro", "rbs"), "PyPI has no SDK by the vendor")


class Unreadable(Exception):
    """An answer that an SDK cannot read."""


class SDK:
    """What is the same for most SDKs."""

    # The example's step for each step and operation of TestVectors/answers whose answers the SDK can read.
    READS = {}

    def reads(self, answer):
        """The example's step to which an answer belongs; None if the SDK cannot read it."""
        return self.READS.get((answer.step, answer.operation))

    def words(self):
        """The status words that the SDK lists: none."""
        return ()


class Sent:
    """A request that an SDK would have sent."""

    def __init__(self, method, url, headers, body):
        def text(value):
            return value.decode() if isinstance(value, bytes) else value
        self.method, self.url, self.body = text(method), text(url), text(body) or ""
        self.headers = {text(name).lower(): text(value) for name, value in headers.items()}


class Recorder:
    """Takes the place of the HTTP libraries: keeps the last request, and answers it."""

    def __init__(self):
        import requests.adapters
        import urllib3
        self.sent, self.answer = None, (200, "{}")

        def send(_, request, **__):
            self.sent = Sent(request.method, request.url, request.headers, request.body)
            status, text = self.answer
            response = requests.Response()
            response.status_code, response.request, response.url = status, request, request.url
            response.headers["Content-Type"] = "application/json" if text.startswith(("{", "[")) else "text/html"
            response.raw = types.SimpleNamespace(
                stream=lambda *_, **__: iter([text.encode()]), release_conn=lambda: None, close=lambda: None)
            return response

        def request(_, method, url, headers=None, body=None, **__):
            self.sent = Sent(method, url, headers, body)
            status, text = self.answer
            return types.SimpleNamespace(status=status, reason="", data=text.encode(), getheaders=dict)

        requests.adapters.HTTPAdapter.send = send
        urllib3.PoolManager.request = request


def kind(place, value, hint):
    """Yields a difference if a value is not of a simple type; an integer is a number, but a Boolean is neither."""
    if hint in (str, int, bool, float) and type(value) not in ((int, float) if hint is float else (hint,)):
        yield place, f"{json.dumps(value)}, and the SDK declares {hint.__name__}"


def load():
    """The SDKs, or the reasons why there are none, by their gateways."""
    from . import adyen, checkout, cybersource, paypal, worldline
    recorder = Recorder()
    return {
        "adyen": adyen.Adyen(recorder), "checkout": checkout.Checkout(recorder),
        "cybersource": cybersource.CyberSource(recorder), "paypal": paypal.PayPal(recorder),
        "worldline-connect": worldline.Connect(recorder), "worldline-direct": worldline.Direct(recorder),
        **WITHOUT_SDK,
    }
