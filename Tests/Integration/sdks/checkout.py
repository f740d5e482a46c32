"""checkout-sdk, for Checkout.com."""
import enum
import inspect
import json
import typing

from . import SDK, kind


class Checkout(SDK):
    """Checkout.com."""

    STEPS = ("payment", "get-payment", "find-payments")
    SIGNATURE, SIGNED, MODELS, ANSWERS = None, (), True, False

    def __init__(self, recorder):
        from checkout_sdk.payments import payments
        self.recorder, self.request, self.query = recorder, payments.PaymentRequest, payments.PaymentsQueryFilter

    def call(self, example, answer):
        """Sends an example."""
        import requests
        from checkout_sdk.checkout_api import CheckoutApi
        from checkout_sdk.checkout_configuration import CheckoutConfiguration
        from checkout_sdk.default_keys_credentials import DefaultKeysSdkCredentials
        from checkout_sdk.environment import Environment
        from checkout_sdk.environment_subdomain import EnvironmentSubdomain
        from checkout_sdk.platform_type import PlatformType
        from checkout_sdk.sdk_authorization import SdkAuthorization

        class BareKey(DefaultKeysSdkCredentials):
            """A key of the previous platform."""

            def get_authorization(self, _):
                return SdkAuthorization(PlatformType.PREVIOUS, self.secret_key)

        scheme, _, key = example.header("Authorization").rpartition(" ")
        environment = Environment.sandbox() if ".sandbox." in example.url else Environment.production()
        subdomain, _, rest = example.target.netloc.partition(".")
        configuration = CheckoutConfiguration(
            (DefaultKeysSdkCredentials if scheme else BareKey)(key), environment, requests.Session(),
            EnvironmentSubdomain(environment, subdomain) if rest.startswith("api.") else None)
        self.recorder.answer = answer
        client = CheckoutApi(configuration).payments
        if example.step == "get-payment":
            client.get_payment_details(example.segments[1])
        elif example.step == "find-payments":
            query = {name: int(value) if value.isdigit() else value for name, value in example.query}
            client.get_payments_list(self.model("query", query, self.query, []))
        else:
            model = self.model("body", json.loads(example.body), self.request, [])
            client.request_payment(model, example.header("Cko-Idempotency-Key"))
        return self.recorder.sent, None

    def types(self, example):
        """Members whose types differ, or whose values are not in their enumerations."""
        differences = []
        if example.body:
            self.model("body", json.loads(example.body), self.request, differences)
        return differences

    def model(self, place, value, hint, differences):
        """A JSON value as the SDK's model, without the members that the model does not declare."""
        if inspect.isclass(hint) and issubclass(hint, enum.Enum):
            if value in [member.value for member in hint]:
                return hint(value)
            differences.append((place, f"{json.dumps(value)} is not in the SDK's {hint.__name__}"))
            return value
        if not inspect.isclass(hint) or not typing.get_type_hints(hint):
            differences += kind(place, value, hint)
            return value
        if "type" in value:
            # The class of the source is the one whose type the example names.
            hint = next(inner for inner in hint.__subclasses__() if inner().type == value["type"])
        model, hints = hint.__new__(hint), typing.get_type_hints(hint)
        for name, member in value.items():
            if name in hints:
                setattr(model, name, self.model(f"{place}.{name}", member, hints[name], differences))
        return model
