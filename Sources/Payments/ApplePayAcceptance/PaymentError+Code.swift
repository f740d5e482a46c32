extension PaymentError {
    /// Every reason for which an order, a claim, a request to a gateway, or its answer or message can be refused, grouped by
    /// stage in the order of the stages.
    ///
    /// The raw value is the public name, `stage/code`. Names do not change between releases; a minor release
    /// may add new ones.
    @nonexhaustive
    public enum Code: String, CaseIterable, Sendable {
        // MARK: order

        /// The payment differs from the order.
        case orderMismatch = "order/order-mismatch"
        /// The order's reference is empty, too long, contains a control character, or ends like that of a later slot.
        case invalidReference = "order/invalid-reference"
        /// The order has another amount, currency, gateway or account than the attempt to pay it, or an operation the name of another one.
        case referenceChanged = "order/reference-changed"
        /// The order has no payment, or not the attempt that was named, so that nothing can be done with it.
        case noPayment = "order/no-payment"
        /// The order's payment, or another capture, cancellation or refund of it, is not decided.
        case operationOpen = "order/operation-open"
        /// A person's decision about a payment contradicts the gateway, is not safe yet, or is not needed any more.
        case decisionRefused = "order/decision-refused"
        /// libcrypto failed while the application data or a key was computed or compared, for example because it ran out of memory.
        case orderLibraryFailure = "order/library-failure"

        // MARK: replay

        /// The transaction was claimed before, with this token or a copy of it.
        case alreadyClaimed = "replay/already-claimed"
        /// The ledger contains the maximum number of claims.
        case ledgerFull = "replay/ledger-full"
        /// The ledger cannot be read or written.
        case ledgerUnavailable = "replay/ledger-unavailable"
        /// The decryptor accepts tokens that are older than the claims that the ledger keeps.
        case windowTooWide = "replay/window-too-wide"
        /// The claim is so late that the ledger may already have deleted an earlier claim of the transaction.
        case tooLate = "replay/too-late"

        // MARK: gateway

        /// The payment is EMV, which a page requests with `supportsEMV`, and the gateway accepts only 3-D Secure payments.
        case unsupportedEMV = "gateway/unsupported-emv"
        /// The gateway requires a cryptogram, which the payment does not contain.
        case cryptogramMissing = "gateway/cryptogram-missing"
        /// A text is longer or shorter than the gateway accepts.
        case unsupportedLength = "gateway/unsupported-length"
        /// The payment's currency is not in ISO 4217.
        case unknownCurrency = "gateway/unknown-currency"
        /// The gateway does not accept an amount of this size or with these decimals.
        case unsupportedAmount = "gateway/unsupported-amount"
        /// A text contains a character that cannot be sent in its field.
        case unsupportedCharacter = "gateway/unsupported-character"
        /// The gateway does not accept this value.
        case unsupportedValue = "gateway/unsupported-value"
        /// The gateway does not accept encrypted tokens of this version.
        case unsupportedTokenVersion = "gateway/unsupported-version"
        /// The gateway's request needs the decrypted payment, and the token was only verified.
        case tokenNotDecrypted = "gateway/token-not-decrypted"
        /// The gateway, or its API as far as it is supported here, does not have this operation.
        case unsupportedOperation = "gateway/unsupported-operation"
        /// A text of the gateway's, or a contact from the customer's device, is not strict JSON, or is longer than 1 MiB.
        case notJSON = "gateway/not-json"
        /// A text of the gateway's lacks a member, a header or a parameter that every such text has.
        case missingMember = "gateway/missing-member"
        /// A value in a text of the gateway's, or in a contact, occurs twice, or does not have the documented form.
        case malformed = "gateway/malformed"
        /// A message names a key that the gateway's file does not have.
        case unknownKey = "gateway/unknown-key"
        /// The key for messages is not an RSA public key of 2048 bits.
        case invalidKey = "gateway/invalid-key"
        /// A message was not signed with the given key: it is forged or altered.
        case wrongSignature = "gateway/wrong-signature"
        /// A message was signed more than 5 minutes ago, or in the future.
        case outsideWindow = "gateway/outside-window"
        /// A message has a valid signature, and is for another account or another version of the API.
        case otherAccount = "gateway/other-account"
        /// The gateway's messages are not supported, or no key for them is configured.
        case unsupportedMessages = "gateway/unsupported-messages"
        /// No request that can move money was sent.
        case notSent = "gateway/not-sent"
        /// libcrypto failed while the request was signed, for example because it ran out of memory.
        case gatewayLibraryFailure = "gateway/library-failure"
    }
}
