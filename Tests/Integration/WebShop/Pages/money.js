// Amounts in minor units, for people and for Apple's sheet.
"use strict";

/** Returns how many decimals a currency has. */
function decimals(currency) {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
}

/** Returns an amount as in `10.99`. */
function decimal(amount, currency) {
    return (amount / 10 ** decimals(currency)).toFixed(decimals(currency));
}

/** Returns an amount with its currency, for people. */
function money(amount, currency) {
    return new Intl.NumberFormat("en", { style: "currency", currency }).format(decimal(amount, currency));
}
