"""The gateways of gateway-sandbox as payments.py and crashes.py use them: their steps, and what each answers."""
import dataclasses


@dataclasses.dataclass
class Gateway:
    """A gateway.

    `steps` has a function for each step, which takes the payment and returns the step's name and the words after it:
    `payment`; `question`, which changes nothing and is asked by the order's reference if `by_reference` is true, else by
    the payment's identifier; operations. `before` has the steps that come before the payment, with what they are
    expected to answer, and perhaps the payment's attribute for an identifier and the pattern that finds it in the answer.
    `reserves` has the members of a payment that only reserves the amount, and `live` those of a live account. No key is
    stated for a request, so the command derives it.

    `answers` has outcome and gateway's word for each step of the courses in payments.py; those of `question` end with -ed
    or -ing, and `settled` is that of a success if it differs. Those that are the same at most gateways have defaults.
    """

    name: str
    steps: dict
    answers: dict
    before: tuple = ()
    reserves: dict = None
    live: dict = None
    by_reference: bool = False
    # A repeated request with the same key gets the first answer; or only that of a refund does.
    has_keys: bool = False
    keeps_refunds: bool = False
    # A payment is not captured at once.
    only_reserves: bool = False
    # The capture of a part releases the rest.
    is_final: bool = False
    # Cards are added to a wallet, and no money moves.
    is_card: bool = False

    def __post_init__(self):
        settled = self.answers.get("settled", self.answers["payment"])
        self.answers = {
            "settled": settled, "confirmed": settled, "parted": self.answers.get("part"),
            "reserve": self.answers.get("reserved"), "absent": "unknown -", "duplicate": "unknown -", "error": "unknown -",
            "unavailable": "unknown -", "word": "unknown SANDBOX_WORD", **self.answers}

    def booked(self, amount):
        """Returns what the books have after a success: authorized, captured, refunded."""
        return (amount, 0, 0) if self.only_reserves else (0, amount, 0)


def pay_with_token(payment):
    return ("payment", *payment.token)


def status(payment):
    return "status", "--payment-id", payment.id


def search(_):
    return ("search",)


def login(_):
    return ("login",)


def operations(access=lambda payment: ()):
    """Returns capture, cancellation and refund."""
    return {name: lambda payment, name=name: (name, *access(payment), "--payment-id", payment.id, *payment.operation)
            for name in ("capture", "cancel", "refund")}


def worldline(name):
    is_direct = name == "worldline-direct"
    captured = "CAPTURED" if is_direct else "PAID"
    # Direct's kept answers omit the totals.
    again = "pending CAPTURED" if is_direct else "paid PAID"
    answers = dict(
        payment=f"paid {captured}", repeated=again, tapped=again, looked=f"paid {captured}",
        reserved="authorized PENDING_CAPTURE", part_capture="pending CAPTURE_REQUESTED",
        captured_part="partly-paid PENDING_CAPTURE", rest_capture="pending CAPTURE_REQUESTED",
        captured=f"paid {captured}", slow_capture="pending CAPTURE_REQUESTED",
        slow_waiting="authorized CAPTURE_REQUESTED", cancel=f"{'pending' if is_direct else 'done'} CANCELLED",
        cancelled="returned CANCELLED", part_refund="pending REFUND_REQUESTED",
        refunded_part=f"partly-returned {captured}", rest_refund="pending REFUND_REQUESTED",
        returned="returned REFUNDED", decline="refused REJECTED", declined="refused REJECTED",
        action="action-required REDIRECTED", waiting="pending REDIRECTED", denied="refused REJECTED",
        progress="pending AUTHORIZATION_REQUESTED")
    if not is_direct:
        answers["charged_back"] = "returned CHARGEBACKED"
    return Gateway(
        name, has_keys=True, by_reference=not is_direct, reserves={"authorizationMode": "PRE_AUTHORIZATION"},
        steps=dict(operations(), payment=pay_with_token, question=status if is_direct else search, look=status),
        answers=answers)


GATEWAYS = (
    worldline("worldline-direct"), worldline("worldline-connect"),
    Gateway(
        "bepaid", has_keys=True, by_reference=True, reserves={"kind": "authorization"},
        # The refund of an authorization names its capture.
        steps=dict(operations(), payment=pay_with_token, question=search, refund=lambda payment: (
            "refund", "--payment-id", payment.capture or payment.id, *payment.operation, "--reason", "returned")),
        # The first answer is repeated for a day, so it omits the totals.
        answers=dict(
            payment="pending successful", repeated="pending successful", tapped="pending successful",
            settled="paid successful", reserve="pending successful", reserved="authorized successful",
            part_capture="done successful", captured_part="partly-paid successful", rest_capture="done successful",
            captured="paid successful", slow_capture="pending pending", slow_waiting="authorized successful",
            cancel="done successful", cancelled="returned successful", part_refund="done successful",
            refunded_part="partly-returned successful", rest_refund="done successful", returned="returned successful",
            decline="refused failed", declined="refused failed", action="action-required incomplete",
            waiting="action-required incomplete", denied="refused failed", progress="pending pending",
            charged_back="returned successful")),
    Gateway(
        "dintero", only_reserves=True, by_reference=True, live={"accountId": "P12345678"},
        before=(("session", "pending -", "session", '"id":"([^"]+)"'), ("operations", "pending -"),
                ("submission", "pending -", "transaction", '"transaction_id":"([^"]+)"')),
        steps=dict(
            operations(lambda payment: payment.access),
            session=lambda payment: ("session", *payment.access),
            operations=lambda payment: ("operations", "--session-id", payment.session),
            submission=lambda payment: ("payment", *payment.token, "--previous", f"{payment.folder}/operations"),
            payment=lambda payment: ("pay", "--session-id", payment.session, "--payment-id", payment.transaction),
            # The transaction's identifier was known before the payment.
            question=lambda payment: ("status", *payment.access, "--payment-id", payment.transaction),
            search=lambda payment: ("search", *payment.access)),
        answers=dict(
            payment="pending -", settled="authorized AUTHORIZED", repeated="unknown -",
            reserved="authorized AUTHORIZED", part_capture="done PARTIALLY_CAPTURED",
            captured_part="partly-paid PARTIALLY_CAPTURED", rest_capture="done CAPTURED", captured="paid CAPTURED",
            slow_capture="pending AUTHORIZED", slow_waiting="authorized AUTHORIZED", cancel="done AUTHORIZATION_VOIDED",
            cancelled="returned AUTHORIZATION_VOIDED", part_refund="done PARTIALLY_REFUNDED",
            refunded_part="partly-returned PARTIALLY_REFUNDED", rest_refund="done REFUNDED",
            returned="returned REFUNDED", decline="refused -", declined="refused FAILED", action="action-required -",
            waiting="pending INITIATED", denied="refused FAILED", progress="pending unknown")),
    Gateway(
        "rbs", by_reference=True, is_final=True, keeps_refunds=True, reserves={"preAuth": True},
        steps=dict(operations(), payment=pay_with_token, question=lambda _: ("status",)),
        answers=dict(
            payment="paid 2", repeated="unknown -", tapped="unknown -", reserved="authorized 1", part_capture="done 0",
            rest_capture="done 0", captured_part="partly-paid 2", captured="paid 2", cancel="done 0",
            cancelled="returned 3", part_refund="done 0", refunded_part="partly-returned 4", rest_refund="done 0",
            returned="returned 4", decline="unknown -", declined="refused 6", action="action-required 5",
            waiting="pending 5", denied="refused 6", progress="pending 7", word="unknown 99",
            charged_back="returning 2", part="partly-paid 2")),
    # A card is added to the customer's wallet, once they have consented. There is nothing to ask or to refund, and the
    # number at the end of the card's identifier is what amounts are elsewhere.
    Gateway(
        "intergiro", is_card=True,
        before=(("login", "pending -", "access_token", '"access_token":"([^"]+)"'),),
        steps=dict(
            login=login, payment=lambda payment: ("tokenize", *payment.access, "--id", f"card-{payment.amount}"),
            consent=lambda payment: ("consent", *payment.access, "--id", payment.consent, "--url",
                                     "https://shop.example/r")),
        answers=dict(payment="pending -", consent="browser -", decline="unknown -", word="unknown -")),
    # Payments do not have keys, and the gateway cannot be asked.
    Gateway(
        "cybersource", only_reserves=True, steps=dict(payment=pay_with_token),
        answers=dict(
            payment="authorized AUTHORIZED", decline="refused DECLINED", action="pending PENDING_AUTHENTICATION",
            progress="pending AUTHORIZED_PENDING_REVIEW", duplicate="unknown INVALID_REQUEST",
            error="unknown SERVER_ERROR", unavailable="unknown SERVER_ERROR",
            part="partly-authorized PARTIAL_AUTHORIZED")),
    Gateway(
        "checkout", by_reference=True, steps=dict(payment=pay_with_token, question=search),
        answers=dict(
            payment="authorized Authorized", settled="paid Captured", repeated="authorized Authorized",
            tapped="unknown -", decline="refused Declined", declined="refused Declined",
            action="action-required Pending", waiting="pending Pending", denied="refused Declined",
            progress="pending Pending", part="partly-authorized Authorized", parted="partly-paid Captured")),
    Gateway(
        "adyen", has_keys=True, only_reserves=True, steps=dict(payment=pay_with_token),
        answers=dict(
            payment="authorized Authorised", repeated="authorized Authorised", tapped="unknown -",
            decline="refused Refused", action="action-required RedirectShopper", progress="pending Pending",
            part="partly-authorized PartiallyAuthorised")),
    Gateway(
        "paypal", has_keys=True,
        before=(("login", "pending -", "access_token", '"access_token":"([^"]+)"'),),
        steps=dict(
            login=login, payment=lambda payment: (*pay_with_token(payment), *payment.access),
            question=lambda payment: (*status(payment), *payment.access),
            finish=lambda payment: ("finish", *payment.access, "--payment-id", payment.id)),
        answers=dict(
            payment="paid COMPLETED", repeated="paid COMPLETED", tapped="unknown -", decline="refused -",
            action="action-required PAYER_ACTION_REQUIRED", waiting="action-required PAYER_ACTION_REQUIRED",
            denied="refused COMPLETED", progress="authorized COMPLETED", confirmed="pending APPROVED",
            finished="paid COMPLETED")),
)
