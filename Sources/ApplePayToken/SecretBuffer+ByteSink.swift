package import ApplePayPrimitives
internal import ApplePayWire

/// Lets JSON with card data be written straight into memory that is wiped.
extension SecretBuffer: ByteSink {}
