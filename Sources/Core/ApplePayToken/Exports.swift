// This module's public interface uses types of these modules, so that one import is enough.

@_exported public import ApplePayDecryption
@_exported public import ApplePayMerchantKeys
@_exported public import ApplePayPrimitives
@_exported public import ApplePayTrust
@_exported public import ApplePayWire
