// Ledgers implement this module's protocol with its types, so that one import is enough.

@_exported public import ApplePayToken
