"""Adyen's SDK."""
import json
import re

from . import SDK


class Adyen(SDK):
    """Adyen."""

    STEPS, SIGNATURE, SIGNED, MODELS, ANSWERS = ("payment",), None, (), False, False

    def __init__(self, recorder):
        self.recorder = recorder

    def call(self, example, answer):
        """Sends an example."""
        import Adyen as sdk
        self.recorder.answer = answer
        live = re.match(r"https://(.*)-checkout-live\.", example.url)
        adyen = sdk.Adyen()
        adyen.client.xapikey = example.header("X-API-Key")
        adyen.client.platform = "live" if live else "test"
        adyen.client.live_endpoint_prefix = live.group(1) if live else None
        # The SDK's default is a later version of the same call.
        adyen.client.api_checkout_version = re.search(r"/v(\d+)/", example.url).group(1)
        adyen.checkout.payments_api.payments(
            json.loads(example.body), idempotency_key=example.header("Idempotency-Key"))
        return self.recorder.sent, None
