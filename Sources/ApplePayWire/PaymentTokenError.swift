/// Why a payment token was refused: one code, and what an operator needs to act on it.
///
/// Never contains bytes of the token, except that the ``reason`` of a file ledger's failure can name a claim's file, which
/// is called by its transactionId. Each check that fails throws this type, so the first failure reaches the caller
/// unchanged.
public struct PaymentTokenError: Error, Hashable, Sendable {
    /// The reason.
    public let code: Code

    /// The byte offset of the fault: for `json` in the JSON text being read, which after unwrapping is the inner one;
    /// for `cms` in the decoded `signature`; nil for other stages.
    ///
    /// For `json/text-too-long` it is the limit, for `json/unexpected-end` the length of the text.
    public let offset: Int?

    /// The paths of the members at fault, such as `header.publicKeyHash`.
    ///
    /// There is one at most, except for `order/order-mismatch`, which lists all that differ. For `gateway` it is
    /// the name of the gateway's field.
    public let members: [String]

    /// The whole seconds by which the signing time and the time of receipt differ, never negative; nil for
    /// other stages than `signing-time`.
    public let seconds: Int?

    /// The permitted seconds for `signing-time`, and the number of loaded keys for `key-selection`; nil for other stages.
    public let limit: Int?

    /// More detail for people, such as what OpenSSL, a device or the ledger reports, without a full stop; nil where there
    /// is no more than the code.
    public let reason: String?

    /// Creates an error.
    package init(
        _ code: Code,
        offset: Int? = nil,
        members: [String] = [],
        seconds: Int? = nil,
        limit: Int? = nil,
        reason: String? = nil
    ) {
        self.code = code
        self.offset = offset
        self.members = members
        self.seconds = seconds
        self.limit = limit
        self.reason = reason
    }

    /// Creates an error in one member.
    package init(_ code: Code, member: String) {
        self.init(code, members: [member])
    }

    /// The step that refused.
    public var stage: Stage { code.stage }

    /// Who has to act.
    public var disposition: Disposition { code.disposition }

    /// The steps of a token, in their order; raw values are stable names for programs.
    public enum Stage: String, CaseIterable, Sendable {
        /// Reading the text.
        case json
        /// Reading the token's members.
        case field
        /// Reading the PKCS#7 signature.
        case cms
        /// Validating the signer's certificate chain.
        case chain
        /// Verifying the signature.
        case signature
        /// Comparing the signing time with the time of receipt.
        case signingTime = "signing-time"
        /// Finding the merchant's key.
        case keySelection = "key-selection"
        /// Restoring the content key.
        case keyAgreement = "key-agreement"
        /// Decrypting the data.
        case decrypt
        /// Reading the decrypted payment data.
        case paymentData = "payment-data"
        /// Comparing the payment with the order.
        case order
        /// Claiming the transaction in the ledger.
        case replay
        /// Building the gateway's request.
        case gateway
    }

    /// Who has to act on a refusal.
    public enum Disposition: String, CaseIterable, Sendable {
        /// The customer: ask for another payment.
        case customer
        /// Nobody at once: the token is forged, altered or not for this merchant, or an option or an input is wrong,
        /// as ``Code/advice`` says. Watch how often it happens.
        case rejected
        /// The merchant's operator: the ledger, a device or libcrypto failed.
        case `operator`
    }
}

extension PaymentTokenError.Code {
    /// The step that refuses with this code.
    public var stage: PaymentTokenError.Stage {
        let name = rawValue.prefix { $0 != "/" }
        guard let stage = PaymentTokenError.Stage(rawValue: String(name)) else {
            preconditionFailure("the raw value of every code begins with a stage")
        }
        return stage
    }

    /// The code's name within its stage: the raw value after the slash.
    public var name: String { String(rawValue.drop { $0 != "/" }.dropFirst()) }

    /// Who has to act; no code that a customer can cause at will is the operator's.
    public var disposition: PaymentTokenError.Disposition {
        switch self {
        case .tooOld, .inFuture, .orderMismatch, .tooLate, .cryptogramMissing, .unknownCurrency,
            .unsupportedTokenVersion:
            .customer
        case .chainLibraryFailure, .signatureLibraryFailure, .keyUnavailable,
            .keyAgreementLibraryFailure, .decryptLibraryFailure, .orderLibraryFailure, .ledgerFull,
            .ledgerUnavailable, .windowTooWide, .notClaimed, .gatewayLibraryFailure:
            .operator
        default: .rejected
        }
    }
}
