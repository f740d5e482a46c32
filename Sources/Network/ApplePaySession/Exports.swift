// The type of the identifiers of merchant tokens.

@_exported public import ApplePayWire
