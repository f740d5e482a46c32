// Ledgers implement the protocols of this module with its types, so that one import is enough.

@_exported public import ApplePayAcceptance
