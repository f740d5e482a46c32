"""paypal-server-sdk."""
import importlib
import inspect
import json
import pkgutil
import re

from . import SDK, kind


class PayPal(SDK):
    """PayPal."""

    SIGNATURE, SIGNED, MODELS, ANSWERS = None, (), True, True
    STEPS = {"payment": "create_order", "get": "get_order", "capture": "capture_order",
             "authorize": "authorize_order", "access-token": "request_token"}
    READS = {("payment", None): "payment", ("status", None): "get", ("login", None): "access-token"}
    REQUESTS = {"payment": "OrderRequest", "capture": "OrderCaptureRequest", "authorize": "OrderAuthorizeRequest"}

    def __init__(self, recorder):
        import paypalserversdk.models
        self.recorder, self.models = recorder, {}
        for module in pkgutil.iter_modules(paypalserversdk.models.__path__):
            self.models.update(inspect.getmembers(
                importlib.import_module(f"paypalserversdk.models.{module.name}"), inspect.isclass))

    def client(self, example):
        """The SDK's client with the example's access token."""
        from paypalserversdk.configuration import Environment
        from paypalserversdk.http.auth.o_auth_2 import ClientCredentialsAuthCredentials
        from paypalserversdk.paypal_serversdk_client import PaypalServersdkClient
        token = self.models["OAuthToken"](
            access_token=example.header("Authorization").rpartition(" ")[2], token_type="Bearer")
        return PaypalServersdkClient(
            environment=Environment.SANDBOX if ".sandbox." in example.url else Environment.PRODUCTION,
            client_credentials_auth_credentials=ClientCredentialsAuthCredentials(
                o_auth_client_id="client-example", o_auth_client_secret="secret-example", o_auth_token=token))

    def call(self, example, answer):
        """Sends an example."""
        from paypalserversdk.api_helper import APIHelper
        from paypalserversdk.exceptions.api_exception import ApiException
        self.recorder.answer = answer
        client = self.client(example)
        options = {"id": (example.segments + [None] * 4)[3], "body": self.model(example),
                   "paypal_request_id": example.header("PayPal-Request-Id"), "prefer": example.header("Prefer"),
                   "authorization": client.oauth_2.build_basic_auth_header()}
        api = client.o_auth_authorization if example.step == "access-token" else client.orders
        try:
            read = getattr(api, self.STEPS[example.step])(options).body
        except ApiException as error:
            read = {name: value for name, value in vars(error).items()
                    if name not in ("reason", "response", "response_code") and value is not None}
        return self.recorder.sent, lambda: json.loads(APIHelper.json_serialize(read))

    def words(self):
        """The values of the enumerations."""
        def listed(name):
            return [value for constant, value in vars(self.models[name]).items()
                    if constant.isupper() and isinstance(value, str)]
        payments = ["purchase_units", 0, "payments"]
        for step in ("payment", "status"):
            yield step, None, ["status"], listed("OrderStatus")
            yield step, None, [*payments, "captures", 0, "status"], listed("CaptureStatus")
            yield step, None, [*payments, "authorizations", 0, "status"], listed("AuthorizationStatus")
        yield "status", None, [*payments, "refunds", 0, "status"], listed("RefundStatus")

    def model(self, example):
        """The body as the SDK's request model; None for no body, or a form."""
        if example.step not in self.REQUESTS:
            return None
        return self.models[self.REQUESTS[example.step]].from_dictionary(json.loads(example.body))

    def types(self, example):
        """Members whose types differ, or whose values are not in their enumerations."""
        if example.step in self.REQUESTS:
            yield from self.declared("body", json.loads(example.body), self.REQUESTS[example.step])

    def declared(self, place, value, name):
        """Members whose types differ from those that the models' documentation comments declare."""
        elements = re.fullmatch(r"List\[(.*)\]", name)
        model = self.models.get(name)
        if elements:
            for index, element in enumerate(value):
                yield from self.declared(f"{place}[{index}]", element, elements.group(1))
        elif model is None:
            yield from kind(place, value, {"str": str, "int": int, "bool": bool, "float": float}[name])
        elif hasattr(model, "_names"):
            declared = dict(re.findall(r"^ {8}(\w+) \(([^)]+)\):", model.__doc__, re.MULTILINE))
            for attribute, member in model._names.items():
                if member in value:
                    yield from self.declared(f"{place}.{member}", value[member], declared[attribute])
        else:
            values = [constant for constant in vars(model).values() if isinstance(constant, str)]
            if value not in values:
                yield place, f"{json.dumps(value)} is not in the SDK's {name}"
