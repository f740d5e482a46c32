// Apple Pay on the page of an order. The server has the amount and the reference, and decides what the customer sees.
"use strict";

/** Returns whether this browser can pay: with its own sheet, or with a code that the customer's iPhone scans. */
async function canPayWithApple(merchantIdentifier) {
    try {
        const found = await ApplePaySession.applePayCapabilities(merchantIdentifier);
        return found.paymentCredentialStatus !== "applePayUnsupported";
    } catch {
        return false; // The script of Apple was not loaded.
    }
}

/**
 * Opens the payment sheet for an order with `total`, such as "10.99", `currency`, and for a subscription `recurring`: Apple's
 * recurringPaymentRequest. Call it in the handler of a click.
 *
 * `ask(path, body)` sends a POST to the server and returns the object of its answer. The answer to "pay" has `payable`: whether
 * the customer may pay again, and `url` if they must go to their bank. `show(answer)` gets it, or null: ask the server.
 */
function payWithApple(order, ask, show) {
    const request = { countryCode: "DE", currencyCode: order.currency, merchantCapabilities: ["supports3DS"],
        supportedNetworks: ["visa", "masterCard"], total: { label: "Shop", amount: order.total } };
    // It asks for a merchant token, which needs version 14.
    if (order.recurring) request.recurringPaymentRequest = order.recurring;
    const session = new ApplePaySession(order.recurring ? 14 : 3, request);
    session.onvalidatemerchant = async () => { // The server does not need event.validationURL.
        try {
            session.completeMerchantValidation(await ask("session", ""));
        } catch {
            session.abort();
            show({ payable: true, text: "We cannot take payments now. Nothing was charged. Please try again later." });
        }
    };
    session.onpaymentauthorized = async event => {
        let answer = null;
        try {
            answer = await ask("pay", JSON.stringify(event.payment.token));
        } catch { /* The answer is lost, and the payment may be made. */ }
        // FAILURE invites the customer to pay again.
        const status = answer?.payable ? ApplePaySession.STATUS_FAILURE : ApplePaySession.STATUS_SUCCESS;
        session.completePayment({ status });
        show(answer);
        if (answer?.url) location.assign(answer.url);
    };
    session.oncancel = () => show(null);
    session.begin();
}
