#!/usr/bin/env python3
"""From a token to the refund, through every gateway of gateway-sandbox with the built command and curl: captures,
cancellations and refunds of parts, declines, customers who must act, answers that do not come, payments that are sent
twice. After every step the order's outcome is compared with the sandbox's books. Takes the folder of the programs.
"""
import sys

sys.dont_write_bytecode = True
from gateways import GATEWAYS  # noqa: E402
from programs import check, folder  # noqa: E402
from shop import Payment, Shop, for_each  # noqa: E402

PART = 20_000


def ask(payment, expected):
    """Asks the gateway, if it can be asked now: by the order's reference, or by an identifier that an answer named."""
    gateway = payment.gateway
    if "question" not in gateway.steps or not expected or not (gateway.by_reference or payment.id):
        return None
    if "search" in gateway.steps:
        payment.expect("search", expected)
    return payment.expect("question", expected)


def success(payment, answers):
    """Pays, sends the payment again, also with another token of the customer, and refunds a part and the rest."""
    gateway = payment.gateway
    answer = payment.pay(answers["payment"])
    if gateway.is_card:
        payment.consent = answer["consentId"]
        payment.visit(payment.expect("consent", answers["consent"])["url"])
        return
    booked = gateway.booked(payment.amount)
    payment.expect_books(*booked)
    if answers["payment"].startswith(("paid", "authorized")):
        payment.expect_no_other_order("payment")
    if ask(payment, answers["settled"]):
        payment.expect_no_other_order("question")
    if "look" in gateway.steps:
        payment.expect("look", answers["looked"])
    # A payment that is sent a second time is not made a second time, and neither is one with another token.
    if "repeated" in answers:
        payment.expect("payment", answers["repeated"])
    if "tapped" in answers:
        payment.tap()
        payment.expect("payment", answers["tapped"])
    ask(payment, answers["settled"])
    payment.expect_books(*booked)
    if "refund" in gateway.steps and not gateway.only_reserves:
        refund(payment, answers)


def example(payment, answers):
    """Pays with the example of a gateway file, unchanged apart from the server and the secrets."""
    if payment.use_example():
        payment.pay(answers["reserve"])
        payment.expect_books(payment.amount, 0, 0)
    else:
        payment.pay(answers["payment"])
        if not payment.gateway.is_card:
            payment.expect_books(*payment.gateway.booked(payment.amount))


def refund(payment, answers, *captures):
    """Refunds a part and the rest of what is captured: of one payment, or of the captures with these identifiers.

    The first question finds done what was requested.
    """
    amount = payment.amount
    if captures:
        payment.capture = captures[0]
    payment.operate("refund", answers["part_refund"], "refund-1", PART)
    # The same name is the same operation, but Dintero keeps no keys.
    if payment.gateway.has_keys or payment.gateway.keeps_refunds:
        payment.operate("refund", answers["part_refund"], "refund-1", PART)
    ask(payment, answers["refunded_part"])
    payment.expect_books(0, amount, PART)
    if captures:
        payment.capture = captures[-1]
    payment.operate("refund", answers["rest_refund"], "refund-2", amount - PART)
    ask(payment, answers["returned"])
    payment.expect_books(0, amount, amount)


def reservation(payment, answers):
    """Reserves the amount, captures a part and the rest, and refunds all of it."""
    amount = payment.amount
    reserve(payment, answers)
    first = payment.operate("capture", answers["part_capture"], "capture-1", PART)
    ask(payment, answers["captured_part"])
    if payment.gateway.is_final:
        return payment.expect_books(0, PART, 0)
    payment.expect_books(amount - PART, PART, 0)
    second = payment.operate("capture", answers["rest_capture"], "capture-2", amount - PART)
    ask(payment, answers["captured"])
    payment.expect_books(0, amount, 0)
    refund(payment, answers, first.get("operationId"), second.get("operationId"))


def capture(payment, answers):
    """Captures at once all that is reserved, and refunds it."""
    reserve(payment, answers)
    captured = payment.operate("capture", answers["rest_capture"], "capture-1")
    ask(payment, answers["captured"])
    payment.expect_books(0, payment.amount, 0)
    refund(payment, answers, captured.get("operationId"))


def cancellation(payment, answers):
    reserve(payment, answers)
    payment.operate("cancel", answers["cancel"], "cancel-1")
    ask(payment, answers["cancelled"])
    payment.expect_books(0, 0, 0)


def reserve(payment, answers):
    payment.prepare()
    if payment.gateway.reserves:
        payment.reserve()
        payment.expect("payment", answers["reserve"])
    else:
        payment.expect("payment", answers["payment"])
    ask(payment, answers["reserved"])
    payment.expect_books(payment.amount, 0, 0)


def decline(payment, answers):
    payment.pay(answers["decline"])
    ask(payment, answers.get("declined"))
    if not payment.gateway.is_card:
        payment.expect_books()


def customer(payment, answers, decision):
    """The customer must act first: they confirm in one course, and decline in the other."""
    answer = payment.pay(answers["action"])
    if not answer.get("url"):
        return
    ask(payment, answers.get("waiting"))
    payment.expect_books()
    payment.visit(f"{answer['url']}?decision={decision}")
    if decision == "decline":
        ask(payment, answers["denied"])
        return payment.expect_books()
    ask(payment, answers["confirmed"])
    if "finished" in answers:
        payment.expect("finish", answers["finished"])
    payment.expect_books(*payment.gateway.booked(payment.amount))


def confirmation(payment, answers):
    customer(payment, answers, "confirm")


def denial(payment, answers):
    customer(payment, answers, "decline")


def progress(payment, answers):
    """The gateway has not decided yet; it has when it is asked."""
    payment.pay(answers["progress"])
    ask(payment, answers["settled"])


def lost_answer(payment, answers):
    """The gateway books the payment, and its answer never comes, or another server's comes.

    The outcome is unknown until the gateway is asked. Where it cannot be asked, the same request with the same key gets
    the first answer.
    """
    gateway = payment.gateway
    is_silent = payment.amount == 40_800
    payment.pay("unknown -", 0.5 if is_silent else None)
    if gateway.is_card:
        return
    if gateway.has_keys and not gateway.by_reference:
        payment.expect("payment", answers["repeated"])
    ask(payment, answers["settled"])
    payment.expect_books(*gateway.booked(payment.amount))


def lost_request(payment, answers):
    """The gateway never gets the request; that it does not have the payment is no reason to charge again."""
    payment.pay("unknown -", 0.5)
    absence(payment, answers)


def failure(payment, answers):
    payment.pay(answers[{40_900: "duplicate", 50_000: "error", 50_300: "unavailable"}[payment.amount]])
    absence(payment, answers)


def absence(payment, answers):
    """Expects the gateway not to have the payment."""
    ask(payment, answers.get("absent"))
    if not payment.gateway.is_card:
        payment.expect_books()


def chargeback(payment, answers):
    amount = payment.amount
    payment.pay(answers["payment"])
    payment.expect_books(0, amount, 0)
    answer = ask(payment, answers["charged_back"])
    check(answer.get("cause") == "chargeback", f"{payment.gateway.name}: the cause is not a chargeback")
    payment.expect_books(0, amount, amount)


def part(payment, answers):
    """The bank approves the half, which does not pay the order."""
    payment.pay(answers["part"])
    ask(payment, answers["parted"])
    payment.expect_books(*payment.gateway.booked(payment.amount // 2))


def slow(payment, answers):
    """A capture that takes until the second question: until then, nothing is paid."""
    reserve(payment, answers)
    payment.operate("capture", answers["slow_capture"], "capture-1")
    payment.expect("question", answers["slow_waiting"])
    payment.expect_books(0, 0, 0)
    payment.expect("question", answers["captured"])
    payment.expect_books(0, payment.amount, 0)


def word(payment, answers):
    """An undocumented word is unknown, until the gateway is asked."""
    payment.pay(answers["word"])
    ask(payment, answers["settled"])


# The courses, with the amounts for which the sandbox plays them, and the member of `answers` that they need.
COURSES = (
    (71_929, success, "payment"), (71_933, example, "payment"), (71_930, reservation, "part_capture"), (71_931, capture, "part_capture"),
    (71_932, cancellation, "cancel"), (40_200, decline, "decline"), (30_300, confirmation, "action"),
    (30_300, denial, "denied"), (20_200, progress, "progress"), (40_800, lost_answer, "payment"),
    (50_200, lost_answer, "payment"), (40_801, lost_request, "payment"), (40_900, failure, "duplicate"),
    (50_000, failure, "error"), (50_300, failure, "unavailable"), (60_100, chargeback, "charged_back"),
    (60_200, part, "part"), (60_300, slow, "slow_capture"), (60_400, word, "word"),
)


def main(shop):
    def courses(gateway):
        for amount, course, needed in COURSES:
            if needed in gateway.answers:
                payment = Payment(shop, gateway, amount)
                course(payment, gateway.answers)
                print(f"{gateway.name}, {amount}: {', '.join(payment.course)}", flush=True)

    for_each(GATEWAYS, courses)
    print(f"\n{len(GATEWAYS)} gateways: every outcome, gateway's word and exit status is as expected,"
          " and agrees with the gateway's books")


with Shop.open(folder()) as shop:
    main(shop)
