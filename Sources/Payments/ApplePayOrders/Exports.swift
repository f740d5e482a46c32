// A program that pays orders needs the gateways' types and a ledger, so that one import is enough.

@_exported public import ApplePayGateways
@_exported public import ApplePayLedger
