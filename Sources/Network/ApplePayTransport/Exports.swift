// The type of headers that an answer has.

@_exported public import ApplePayWire
