// This module's interface has orders, payments, requests and responses in it, so that one import is enough.

@_exported public import ApplePayAcceptance
@_exported public import ApplePayTransport
