// What accepts a payment has the payment in its interface, so that one import is enough.

@_exported public import ApplePayToken
