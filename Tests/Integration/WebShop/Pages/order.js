// The page of an order. It shows what the server knows about the order, whatever the page's address or Apple's sheet claim.
"use strict";

const CHANGING = ["checking", "action", "offline"];

const reference = location.pathname.split("/").pop();
const element = id => document.getElementById(id);
let order = null;
let isPaying = false;
let isAvailable;
let timer;

/** Sends a request to the server, and returns the members of its answer. */
async function ask(path, body) {
    const answer = await fetch(`/orders/${reference}${path}`, body === undefined ? {} : { method: "POST", body });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answer.json();
}

function show(state, isPayable) {
    document.body.dataset.state = state;
    for (const text of document.querySelectorAll("[data-state]")) {
        if (text !== document.body) text.hidden = text.dataset.state !== state;
    }
    element("article").textContent = order?.article ?? "";
    element("price").textContent = order ? money(order.amount, order.currency) : "";
    element("reference").textContent = reference;
    element("pay").hidden = !isPayable;
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
        isAvailable ??= await canPayWithApple("merchant.example.shop");
        order = await ask("");
        show(order.state, order.payable);
    } catch {
        show("offline", false);
    }
}

/** Opens the payment sheet, whose code is Examples/Shop/apple-pay.js. */
function pay() {
    if (isPaying) return;
    const total = decimal(order.amount, order.currency);
    const recurring = order.isRecurring ? {
        paymentDescription: order.article, managementURL: `${location.origin}/`,
        regularBilling: {
            label: order.article, amount: total, paymentTiming: "recurring", recurringPaymentIntervalUnit: "month" },
    } : null;
    payWithApple({ total, currency: order.currency, recurring }, (path, body) => ask(`/${path}`, body), answer => {
        if (!answer) return end();
        isPaying = false;
        order = { ...order, ...answer };
        show(answer.state ?? "refused-by-operator", answer.payable);
    });
    isPaying = true;
}

function end() {
    isPaying = false;
    refresh();
}

element("apple-pay").addEventListener("click", pay);
// Also when the customer comes back, and the browser kept the page.
addEventListener("pageshow", end);
