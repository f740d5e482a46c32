// The page of the order in its address, such as page.html?order-1001.
"use strict";

const address = `order.php/${location.search.slice(1)}`;
const element = id => document.getElementById(id);
let order, canPay, timer;

async function ask(path, body) {
    const answer = await fetch(path ? `${address}/${path}` : address, body === undefined ? {} : { method: "POST", body });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answer.json();
}

async function show(answer) {
    clearTimeout(timer);
    try {
        order = { ...order, ...(answer ?? await ask("")) };
    } catch {
        order = { ...order, payable: false, wait: true, text: "The shop does not answer. This page tries again." };
    }
    element("text").textContent = order.text;
    element("total").textContent = `${order.total} ${order.currency}`;
    canPay ??= await canPayWithApple("merchant.example.shop");
    element("button").hidden = !order.payable || !canPay;
    element("unavailable").hidden = !order.payable || canPay;
    element("bank").hidden = !order.url;
    if (order.url) element("bank").href = order.url;
    if (order.wait) timer = setTimeout(show, 2000);
}

element("button").addEventListener("click", () => payWithApple(order, ask, show));
// Also when the customer comes back from their bank, and the browser kept the page.
addEventListener("pageshow", () => show());
