// Whoever writes a gateway's request needs the order and the payment, so that one import is enough.

@_exported public import ApplePayAcceptance
