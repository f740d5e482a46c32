"""onlinepayments-sdk-python3 for Worldline Direct, connect-sdk-python3 for Worldline Connect."""
import importlib
import inspect
import json
import re
import typing
import urllib.parse

from . import SDK, Unreadable, kind


class Worldline(SDK):
    """What both SDKs share."""

    SIGNATURE, SIGNED, MODELS, ANSWERS = "Authorization", ("authorization", "date"), True, True

    # The key of the examples.
    KEY, SECRET = "key-1", "not-a-real-secret"

    def __init__(self, recorder):
        self.recorder = recorder

        class Marshaller(self.module("json.default_marshaller").DefaultMarshaller):
            """Keeps the last answer that was read."""

            read = None

            def unmarshal(self, text, model):
                try:
                    self.read = super().unmarshal(text, model)
                except TypeError as error:
                    raise Unreadable(str(error))
                return self.read

        self.marshaller = Marshaller()
        self.header = self.module("communication.request_header").RequestHeader

    def module(self, name):
        """A module of the SDK."""
        return importlib.import_module(f"{self.PACKAGE}.{name}")

    def operation(self, example):
        """The function of the SDK's client that sends an example."""
        group, name = self.STEPS[example.step]
        communicator = self.module("communicator").Communicator(
            f"{example.target.scheme}://{example.target.netloc}",
            self.module("communication.default_connection").DefaultConnection(1, 1), self.authenticator(),
            self.module("communication.metadata_provider").MetadataProvider("ApplePayToken"), self.marshaller)
        merchant = self.merchant(self.module("client").Client(communicator), example.segments[1])
        return getattr(getattr(merchant, group)(), name)

    def model(self, example):
        """The body as the SDK's request model; None for no body."""
        if not example.body:
            return None
        return inspect.signature(self.operation(example)).parameters["body"].annotation().from_dictionary(
            json.loads(example.body))

    def call(self, example, answer):
        """Sends an example."""
        self.recorder.answer, self.marshaller.read = answer, None
        function = self.operation(example)
        parameters = inspect.signature(function).parameters
        # The identifier in the path, which precedes the operation's name.
        arguments = example.segments[3:4]
        if "body" in parameters:
            arguments.append(self.model(example))
        if "query" in parameters:
            arguments.append(parameters["query"].annotation())
            for name, value in example.query:
                name = re.sub(r"[A-Z]", lambda match: "_" + match.group().lower(), name)
                setattr(arguments[-1], name, int(value) if value.isdigit() else value)
        context = self.module("call_context").CallContext(example.header("X-GCS-Idempotence-Key"))
        try:
            function(*arguments, context=context)
        except RuntimeError as error:
            if getattr(error, "status_code", None) != answer[0]:
                raise
        return self.recorder.sent, lambda: json.loads(self.marshaller.marshal(self.marshaller.read))

    def types(self, example):
        """Members whose types differ from those that the models' properties declare."""
        model = self.model(example)
        if model is not None:
            yield from self.declared("body", model, type(model))

    def declared(self, place, value, hint):
        """Members of a model whose types differ."""
        if typing.get_origin(hint) is typing.Union:
            if value is not None:
                yield from self.declared(place, value, typing.get_args(hint)[0])
        elif typing.get_origin(hint) is list:
            for index, element in enumerate(value):
                yield from self.declared(f"{place}[{index}]", element, typing.get_args(hint)[0])
        elif hasattr(hint, "from_dictionary"):
            for name, member in inspect.getmembers(hint, lambda member: isinstance(member, property)):
                inner = re.sub(r"_([a-z])", lambda match: match.group(1).upper(), name)
                yield from self.declared(
                    f"{place}.{inner}", getattr(value, name), typing.get_type_hints(member.fget)["return"])
        else:
            yield from kind(place, value, hint)

    def signature(self, example):
        """The header that the SDK's authenticator creates from the example's date, content type and headers."""
        headers = [self.header(name, value) for name, value in example.headers if name != "Authorization"]
        return self.authenticator().get_authorization(example.method, urllib.parse.urlparse(example.url), headers)

    def event(self, message):
        """The event that the SDK's webhook helper reads from a message, as JSON; None if it refuses the message."""
        store = self.module("webhooks.in_memory_secret_key_store").InMemorySecretKeyStore()
        store.store_secret_key(message.key, message.secret)
        helper = self.module(self.WEBHOOKS).WebhooksHelper(self.marshaller, store)
        try:
            event = helper.unmarshal(message.body.encode(), [self.header(*header) for header in message.headers])
        except (self.module("webhooks.signature_validation_exception").SignatureValidationException,
                self.module("webhooks.api_version_mismatch_exception").ApiVersionMismatchException):
            return None
        return json.loads(self.marshaller.marshal(event))

    def listed(self, name):
        """The words in the documentation comment of a model's status."""
        model = getattr(self.module(f"{self.DOMAIN}.{name}"), "".join(part.title() for part in name.split("_")))
        return re.findall(r"^\s*\* ([A-Z_]+)\b", model.status.fget.__doc__, re.MULTILINE)


class Direct(Worldline):
    """Worldline Direct."""

    PACKAGE, WEBHOOKS, DOMAIN = "onlinepayments.sdk", "webhooks.webhooks_helper", "domain"
    READS = {
        ("payment", None): "payment", ("status", None): "get-payment", ("details", None): "get-payment-details",
        ("hosted-page", None): "hosted-checkout", ("hosted-page-status", None): "get-hosted-checkout",
        ("operation", "capture"): "capture", ("operation", "cancellation"): "cancel",
        ("operation", "refund"): "refund",
    }
    STEPS = {
        "payment": ("payments", "create_payment"), "encrypted-payment": ("payments", "create_payment"),
        "stored-card": ("payments", "create_payment"),
        "hosted-checkout": ("hosted_checkout", "create_hosted_checkout"),
        "get-hosted-checkout": ("hosted_checkout", "get_hosted_checkout"),
        "get-payment": ("payments", "get_payment"), "get-payment-details": ("payments", "get_payment_details"),
        "cancel": ("payments", "cancel_payment"), "capture": ("payments", "capture_payment"),
        "refund": ("payments", "refund_payment"),
    }

    def words(self):
        """The words in the documentation comments of the models; those of payments do not list any."""
        yield "hosted-page-status", None, ["status"], self.listed("get_hosted_checkout_response")

    def authenticator(self):
        """The SDK's authenticator."""
        configuration = self.module("communicator_configuration").CommunicatorConfiguration(
            api_key_id=self.KEY, secret_api_key=self.SECRET, authorization_type="v1HMAC", connect_timeout=1,
            socket_timeout=1)
        return self.module("authentication.v1hmac_authenticator").V1HmacAuthenticator(configuration)

    def merchant(self, client, identifier):
        """The part of the client for a merchant."""
        return client.merchant(identifier)


class Connect(Worldline):
    """Worldline Connect."""

    PACKAGE, WEBHOOKS, DOMAIN = "worldline.connect.sdk", "v1.webhooks.webhooks_helper", "v1.domain"
    READS = {
        ("payment", None): "payment", ("status", None): "get-payment", ("search", None): "find-payments",
        ("hosted-page", None): "hosted-checkout", ("hosted-page-status", None): "get-hosted-checkout",
        ("operation", "capture"): "capture", ("operation", "cancellation"): "cancel",
        ("operation", "refund"): "refund",
    }
    STEPS = {
        "payment": ("payments", "create"), "encrypted-payment": ("payments", "create"),
        "stored-card": ("payments", "create"),
        "hosted-checkout": ("hostedcheckouts", "create"), "get-hosted-checkout": ("hostedcheckouts", "get"),
        "get-payment": ("payments", "get"), "find-payments": ("payments", "find"),
        "approve": ("payments", "approve"), "cancel": ("payments", "cancel"), "capture": ("payments", "capture"),
        "get-captures": ("payments", "captures"), "refund": ("payments", "refund"),
        "get-refunds": ("payments", "refunds"),
    }

    def reads(self, answer):
        """The step of an answer; a payment is captured by its approval, or by a capture."""
        step = super().reads(answer)
        return "approve" if step == "capture" and "payment" in answer.content else step

    def words(self):
        """The words in the documentation comments of the models."""
        payment = self.listed("payment")
        yield "payment", None, ["payment", "status"], payment
        yield "status", None, ["status"], payment
        yield "hosted-page-status", None, ["status"], self.listed("get_hosted_checkout_response")
        yield "hosted-page-status", None, ["createdPaymentOutput", "payment", "status"], payment
        yield "operation", "capture", ["status"], self.listed("capture")
        yield "operation", "refund", ["status"], self.listed("refund_result")

    def authenticator(self):
        """The SDK's authenticator."""
        return self.module("authentication.v1hmac_authenticator").V1HMACAuthenticator(self.KEY, self.SECRET)

    def merchant(self, client, identifier):
        """The part of the client for a merchant."""
        return client.v1().merchant(identifier)
