// A STAND-IN for Apple's script, for tests on one machine. It is not Apple Pay: the sheet is drawn here, any click authorizes
// the payment, and the token comes from `paytoken-testing` through wallet.py, signed by a test PKI that no merchant trusts.
//
// It has the interface of Apple's ApplePaySession as far as the shop's page uses it, and refuses what Apple's refuses: a
// session without a click, a second session, a sheet whose merchant was not validated. A test sets the answer of
// `applePayCapabilities` in the page's storage; with `paymentCredentialStatusUnknown` the sheet asks for an iPhone, as in other
// browsers.
//
// Source: Apple, *Apple Pay on the Web*, ApplePaySession.
"use strict";

{
    const wallet = new URL(document.currentScript.src).origin;
    const paymentCredentialStatus = sessionStorage.getItem("paymentCredentialStatus") ?? "paymentCredentialsAvailable";
    const needsPhone = paymentCredentialStatus === "paymentCredentialStatusUnknown";
    const STATES = { new: 0, validating: 1, ready: 2, authorized: 3, ended: 4 };
    const BUTTON = "font: inherit; border: 0; border-radius: .6rem; display: block; width: 100%; min-height: 3rem; cursor: pointer;";
    let current = null;

    /** Creates an element of the sheet; its style does not depend on the page's. */
    const create = (name, style, text = "") => Object.assign(document.createElement(name), { textContent: text, style });

    /** Creates squares in the place of a code. */
    function code() {
        const canvas = Object.assign(document.createElement("canvas"), { width: 21, height: 21 });
        canvas.style = "display: block; width: 10rem; margin: 0 auto; image-rendering: pixelated; border: .5rem solid #fff";
        const pen = canvas.getContext("2d");
        for (let place = 0; place < 441; place++) {
            pen.fillStyle = Math.imul(place, 2654435761) & 4096 ? "#fff" : "#000";
            pen.fillRect(place % 21, Math.floor(place / 21), 1, 1);
        }
        return canvas;
    }

    class ApplePaySession {
        static STATUS_SUCCESS = 0;
        static STATUS_FAILURE = 1;
        static async applePayCapabilities(merchantIdentifier) {
            if (!merchantIdentifier?.startsWith("merchant.")) throw new TypeError("This is no merchant identifier.");
            return { paymentCredentialStatus };
        }
        static supportsVersion(version) { return version >= 1 && version <= 14; }

        onvalidatemerchant = null;
        onpaymentauthorized = null;
        oncancel = null;

        #request;
        #state = STATES.new;
        #sheet;
        #button;
        #message;

        constructor(version, request) {
            const isClicked = navigator.userActivation.isActive;
            if (!isClicked) throw new DOMException("Only a click creates a session.", "InvalidAccessError");
            if (!ApplePaySession.supportsVersion(version)) throw new DOMException("Unknown version.", "InvalidAccessError");
            const { countryCode, currencyCode, supportedNetworks, merchantCapabilities, total } = request;
            const isComplete = /^[A-Z]{2}$/.test(countryCode) && /^[A-Z]{3}$/.test(currencyCode)
                && supportedNetworks?.length > 0 && merchantCapabilities?.includes("supports3DS")
                && total?.label && /^[0-9]+(\.[0-9]{2})?$/.test(total.amount);
            if (!isComplete) throw new TypeError("The request is not complete.");
            const { paymentDescription, managementURL, regularBilling } = request.recurringPaymentRequest ?? {};
            const isRecurring = paymentDescription && /^https?:/.test(managementURL) && regularBilling?.label
                && regularBilling.amount === total.amount && regularBilling.paymentTiming === "recurring";
            if (request.recurringPaymentRequest && (version < 14 || !isRecurring)) {
                throw new TypeError("The recurring payment is not complete, or the version is too low.");
            }
            this.#request = structuredClone(request);
        }

        begin() {
            if (current || this.#state !== STATES.new) throw new DOMException("There is a session.", "InvalidAccessError");
            current = this;
            this.#state = STATES.validating;
            this.#open();
            queueMicrotask(() => this.onvalidatemerchant?.({ validationURL: `${wallet}/paymentservices/paymentSession` }));
        }

        completeMerchantValidation(session) {
            if (this.#state !== STATES.validating) throw new DOMException("Not expected now.", "InvalidAccessError");
            if (!session?.merchantSessionIdentifier) throw new TypeError("This is no merchant session.");
            this.#state = STATES.ready;
            this.#button.disabled = false;
            this.#message.textContent = "";
        }

        completePayment(result) {
            if (this.#state !== STATES.authorized) throw new DOMException("Not expected now.", "InvalidAccessError");
            const isSuccess = result.status === ApplePaySession.STATUS_SUCCESS;
            this.#message.textContent = isSuccess ? "Done" : "Payment not completed";
            this.#end(isSuccess ? 600 : 1200);
        }

        abort() { this.#end(0); }

        #open() {
            const { total, currencyCode } = this.#request;
            this.#sheet = create("dialog", "font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#000, #fff);"
                + "background: light-dark(#fff, #2c2c2e); border: 0; border-radius: 1rem; padding: 1.25rem;"
                + "box-sizing: border-box;"
                + "width: min(24rem, calc(100vw - 2rem)); margin: auto auto 1rem;"
                + "box-shadow: 0 0 3rem #0006");
            this.#sheet.id = "apple-pay-stand-in";
            this.#button = create("button", BUTTON + "margin: 1rem 0 .5rem; color: #fff; background: #0057b8",
                needsPhone ? "Authorize on the iPhone" : "Authorize");
            this.#button.disabled = true;
            this.#message = create("p", "min-height: 1.5em; margin: 0; text-align: center", "Checking the merchant …");
            const cancel = create("button", BUTTON + "color: inherit; background: none", "Cancel");
            this.#sheet.append(
                create("p", "margin: 0; padding: .25rem .5rem; background: #ffd60a; color: #000; border-radius: .4rem;"
                    + "font-size: .85rem", "Stand-in for Apple Pay, for tests. No money moves."),
                create("p", "margin: 1rem 0 0", `Pay ${total.label}`),
                create("p", "margin: 0; font-size: 1.5rem; font-weight: 600", `${total.amount} ${currencyCode}`),
                ...needsPhone ? [create("p", "", "Scan the code with your iPhone"), code()] : [], this.#button, cancel, this.#message);
            this.#button.addEventListener("click", () => this.#authorize());
            cancel.addEventListener("click", () => this.#cancel());
            this.#sheet.addEventListener("cancel", event => { event.preventDefault(); this.#cancel(); });
            document.body.append(this.#sheet);
            this.#sheet.showModal();
        }

        async #authorize() {
            if (this.#state !== STATES.ready) return;
            this.#state = STATES.authorized;
            this.#button.disabled = true;
            this.#message.textContent = "Processing …";
            const { total, currencyCode } = this.#request;
            const body = new URLSearchParams({ amount: total.amount, currency: currencyCode });
            // The card's issuer gives merchant tokens.
            if (this.#request.recurringPaymentRequest) body.set("merchantToken", "merchant-token-1");
            const answer = await fetch(`${wallet}/token`, { method: "POST", body });
            if (!answer.ok) {
                this.#message.textContent = "The stand-in has no token for this amount.";
                this.#state = STATES.ready;
                return;
            }
            this.onpaymentauthorized?.({ payment: { token: await answer.json() } });
        }

        #cancel() {
            if (this.#state === STATES.authorized) return;
            this.#end(0);
            this.oncancel?.({});
        }

        #end(delay) {
            this.#state = STATES.ended;
            current = null;
            setTimeout(() => this.#sheet.remove(), delay);
        }
    }

    window.ApplePaySession = ApplePaySession;
    customElements.define("apple-pay-button", class extends HTMLElement {
        connectedCallback() {
            const button = create("button", BUTTON + "color: #fff; background: #000", "Buy with Apple Pay (test)");
            this.attachShadow({ mode: "open" }).append(button);
        }
    });
}
