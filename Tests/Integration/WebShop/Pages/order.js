// The page of an order. It shows what the server knows about the order, whatever the page's address or Apple's sheet claim.
"use strict";

const VERSION = 14;
const COUNTRY = "DE";
// Only in these states the customer may pay: nothing is charged, and nothing is being charged.
const PAYABLE = ["open", "not-accepted", "refused-by-issuer", "refused-by-customer", "refused-by-operator"];
const CHANGING = ["checking", "action", "offline"];

const reference = location.pathname.split("/").pop();
const element = id => document.getElementById(id);
let order = null;
let isPaying = false;
let timer;

/** Sends a request to the server, and returns the members of its answer. */
async function ask(path, body) {
    const answer = await fetch(`/orders/${reference}${path}`, body === undefined ? {} : { method: "POST", body });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answer.json();
}

function show(state) {
    const isPayable = PAYABLE.includes(state);
    document.body.dataset.state = state;
    for (const text of document.querySelectorAll("[data-state]")) {
        if (text !== document.body) text.hidden = text.dataset.state !== state;
    }
    element("article").textContent = order?.article ?? "";
    element("price").textContent = order ? money(order.amount, order.currency) : "";
    element("reference").textContent = reference;
    element("pay").hidden = !isPayable;
    const isAvailable = Boolean(window.ApplePaySession?.canMakePayments());
    element("apple-pay").hidden = !isAvailable;
    element("unavailable").hidden = isAvailable;
    const address = /^https?:/.test(order?.url ?? "") ? order.url : null;
    element("action").hidden = state !== "action" || !address;
    if (address) element("action").firstChild.href = address;
    element("order").hidden = false;
    clearTimeout(timer);
    if (CHANGING.includes(state)) timer = setTimeout(refresh, 2000);
}

/** Asks the server for the state of the order. */
async function refresh() {
    if (isPaying) return;
    try {
        order = await ask("");
        show(order.state);
    } catch {
        show("offline");
    }
}

/** Opens Apple's sheet; the server decides about amount, reference and merchant. */
function pay() {
    if (isPaying) return;
    const session = new ApplePaySession(VERSION, {
        countryCode: COUNTRY,
        currencyCode: order.currency,
        supportedNetworks: ["visa", "masterCard"],
        merchantCapabilities: ["supports3DS"],
        total: { label: "Test shop", amount: decimal(order.amount, order.currency) },
    });
    session.onvalidatemerchant = async () => {
        try {
            session.completeMerchantValidation(await ask("/session", ""));
        } catch {
            session.abort();
            isPaying = false;
            show("refused-by-operator");
        }
    };
    session.onpaymentauthorized = async event => {
        try {
            order = await ask("/pay", JSON.stringify(event.payment.token));
        } catch {
            // The answer is lost, and the payment may be made.
            order.state = "checking";
        }
        // FAILURE invites the customer to pay again. SUCCESS closes the sheet, and the page shows what is known.
        const isRefused = PAYABLE.includes(order.state);
        session.completePayment({ status: isRefused ? ApplePaySession.STATUS_FAILURE : ApplePaySession.STATUS_SUCCESS });
        isPaying = false;
        show(order.state);
        if (!element("action").hidden) location.assign(order.url);
    };
    session.oncancel = end;
    session.begin();
    isPaying = true;
}

function end() {
    isPaying = false;
    refresh();
}

element("apple-pay").addEventListener("click", pay);
// Also when the customer comes back, and the browser kept the page.
addEventListener("pageshow", end);
