// This module's interface uses payments, so that one import is enough.

@_exported public import ApplePayToken
