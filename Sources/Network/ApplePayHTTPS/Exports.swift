// The client takes requests and returns responses, so that one import is enough.

@_exported public import ApplePayTransport
