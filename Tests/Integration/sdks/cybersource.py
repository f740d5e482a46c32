"""cybersource-rest-client-python."""
import base64
import hashlib
import importlib
import json
import re
import types
import warnings

from . import SDK, Unreadable


class CyberSource(SDK):
    """CyberSource."""

    SIGNATURE, MODELS, ANSWERS = "Signature", True, True
    STEPS = {
        "payment": ("PaymentsApi", "create_payment", "CreatePaymentRequest"),
        "reversal": ("ReversalApi", "mit_reversal", "MitReversalRequest"),
        "void": ("VoidApi", "mit_void", "MitVoidRequest"),
    }
    READS = {("payment", None): "payment", ("reversal", "cancellation"): "reversal"}
    SIGNED = ("date", "digest", "signature", "v-c-date", "v-c-merchant-id")

    # The merchant, the key and the shared secret of the examples.
    MERCHANT, KEY, SECRET = "merchant-1", "key-1", base64.b64encode(b"not-a-real-secret").decode()

    def __init__(self, recorder):
        self.recorder = recorder
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.sdk = importlib.import_module("CyberSource")

    def configuration(self, example):
        """The SDK's configuration for the host of an example."""
        return {"authentication_type": "http_signature", "merchantid": self.MERCHANT, "merchant_keyid": self.KEY,
                "merchant_secretkey": self.SECRET, "run_environment": example.target.netloc}

    def call(self, example, answer):
        """Sends an example."""
        self.recorder.answer = answer
        group, function, request = self.STEPS[example.step]
        api = getattr(self.sdk, group)(self.configuration(example))
        client = api.api_client
        model = client.deserialize(types.SimpleNamespace(data=example.body), request)
        # The SDK's samples pass the model's own members, whose names begin with an underscore.
        text = json.dumps(model, default=lambda member: {
            name: value for name, value in vars(member).items() if value is not None})
        try:
            read, _, _ = getattr(api, f"{function}_with_http_info")(text)
        except self.sdk.rest.ApiException as error:
            # The client returns an error as a text, although the SDK has models of errors.
            operation = {"payment": "", "reversal": "Reversals", "void": "Voids"}[example.step]
            name = f"PtsV2Payments{operation}Post{error.status}Response"
            if not hasattr(self.sdk, name):
                raise Unreadable(f"it has no {name}") from error
            read = client.deserialize(types.SimpleNamespace(data=answer[1]), name)
        return self.recorder.sent, lambda: client.sanitize_for_serialization(read)

    def reads(self, answer):
        """The step of an answer; those to reversals and voids differ in their links."""
        return "void" if "/pts/v2/voids/" in answer.text else super().reads(answer)

    def words(self):
        """The words in the documentation comments of the models."""
        def listed(name):
            return re.findall(r"- ([A-Z_]+)", getattr(self.sdk, name).status.fget.__doc__)
        payment = ["PtsV2PaymentsPost201Response", "PtsV2PaymentsPost400Response"]
        for name in payment:
            yield "payment", None, ["status"], listed(name)
        for name in ("PtsV2PaymentsReversalsPost201Response", "PtsV2PaymentsReversalsPost400Response",
                     "PtsV2PaymentsVoidsPost201Response"):
            yield "reversal", "cancellation", ["status"], listed(name)

    def types(self, example):
        """Nothing: the SDK converts a member to the declared type, so that the body differs."""
        return ()

    def signature(self, example):
        """The header that the SDK's authenticator creates for an example."""
        from authenticationsdk.core.MerchantConfiguration import MerchantConfiguration
        from authenticationsdk.http.HTTPSignatureToken import HTTPSignatureToken
        from authenticationsdk.util.GlobalLabelParameters import GlobalLabelParameters
        digest = base64.b64encode(hashlib.sha256(example.body.encode()).digest()).decode()
        if example.header("Digest") != f"SHA-256={digest}":
            return f"for the digest SHA-256={digest}"
        configuration = MerchantConfiguration()
        configuration.set_merchantconfig(self.configuration(example))
        # The SDK signs `Date`; CyberSource also accepts `v-c-date` in its place.
        name = "v-c-date" if example.header("v-c-date") else "date"
        original, GlobalLabelParameters.DATE = GlobalLabelParameters.DATE, name
        try:
            token = HTTPSignatureToken()
            token.http_signature_token(
                configuration, example.header(name), example.method, example.target.path, example.body)
            return re.sub(r'(headers="host )date\b', rf"\1{name}", token.get_token())
        finally:
            GlobalLabelParameters.DATE = original
