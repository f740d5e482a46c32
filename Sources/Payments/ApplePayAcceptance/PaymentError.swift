public import ApplePayWire

/// Why a payment was not made, an order not changed, a request to a gateway not built, or its answer or message not accepted.
///
/// An error does not contain bytes of the token, of a request or of an answer, apart from what ``token`` names. Each check
/// that fails throws this type, so the caller receives the first failure unchanged.
public enum PaymentError: Error, Hashable, Sendable {
    /// The token was refused.
    case token(PaymentTokenError)

    /// The payment, the order, the claim or the request was refused.
    ///
    /// `members` are the paths of the members at fault, such as `currencyCode`, or the name of the gateway's field. There is
    /// at most one, except for `order/order-mismatch`, which lists all members that differ. `reason` is a detail for people,
    /// such as the message of the ledger, without a full stop. `token` is nil if the refusal is not about one.
    case refused(Code, members: [String], reason: String?, token: TokenIdentity?)

    package init(_ code: Code, members: [String] = [], reason: String? = nil) {
        self = .refused(code, members: members, reason: reason, token: nil)
    }

    /// Creates an error about one member.
    package init(_ code: Code, member: String) {
        self.init(code, members: [member])
    }

    /// Runs a step that judges a token.
    ///
    /// - Parameter step: The step.
    /// - Returns: The result of `step`.
    /// - Throws: ``PaymentError/token(_:)``.
    package static func ofToken<Output: ~Copyable>(
        _ step: () throws(PaymentTokenError) -> Output
    ) throws(PaymentError) -> Output {
        do throws(PaymentTokenError) {
            return try step()
        } catch {
            throw .token(error)
        }
    }

    /// Returns this error about a token; one that names a token already is unchanged.
    package func about(_ token: TokenIdentity) -> PaymentError {
        switch self {
        case .token(let error): .token(error.about(token))
        case .refused(_, _, _, .some): self
        case .refused(let code, let members, let reason, nil):
            .refused(code, members: members, reason: reason, token: token)
        }
    }

    /// Returns this error with another detail for people; the error of a token is unchanged.
    package func because(_ reason: String) -> PaymentError {
        guard case .refused(let code, let members, _, let token) = self else { return self }
        return .refused(code, members: members, reason: reason, token: token)
    }

    /// The token's refusal; nil for any other.
    package var tokenError: PaymentTokenError? {
        if case .token(let error) = self { error } else { nil }
    }

    /// The reason, if it is not the token's.
    public var code: Code? {
        if case .refused(let code, _, _, _) = self { code } else { nil }
    }

    /// The public name of the reason: `stage/code`.
    public var name: String {
        switch self {
        case .token(let error): error.code.rawValue
        case .refused(let code, _, _, _): code.rawValue
        }
    }

    /// The paths of the members at fault.
    public var members: [String] {
        switch self {
        case .token(let error): error.members
        case .refused(_, let members, _, _): members
        }
    }

    /// A detail for people, without a full stop; nil if the code is all that is known.
    public var reason: String? {
        switch self {
        case .token(let error): error.reason
        case .refused(_, _, let reason, _): reason
        }
    }

    /// Which token was refused; nil if that is not known, or if the error is not about one.
    public var token: TokenIdentity? {
        switch self {
        case .token(let error): error.token
        case .refused(_, _, _, let token): token
        }
    }

    /// Who has to act.
    public var disposition: PaymentTokenError.Disposition {
        switch self {
        case .token(let error): error.disposition
        case .refused(let code, _, _, _): code.disposition
        }
    }

    /// One sentence of advice for the merchant's engineer or operator: that of the code, or one for the member at fault.
    public var advice: String {
        switch self {
        case .token(let error): error.code.advice
        case .refused(let code, let members, let reason, _):
            Self.closerAdvice(code, members.first, reason) ?? code.advice
        }
    }
}

extension PaymentError.Code {
    /// Who has to act; a code that a customer can cause at will never has `operator`, except `unsupported-emv`: such payments are
    /// asked for by the page.
    public var disposition: PaymentTokenError.Disposition {
        switch self {
        case .orderMismatch, .tooLate, .cryptogramMissing, .unknownCurrency,
            .unsupportedTokenVersion:
            .customer
        case .orderLibraryFailure, .ledgerFull, .ledgerUnavailable, .windowTooWide,
            .gatewayLibraryFailure, .invalidReference, .notSent, .invalidKey, .unsupportedMessages,
            .unsupportedEMV:
            .operator
        case .referenceChanged, .noPayment, .operationOpen, .decisionRefused, .alreadyClaimed,
            .unsupportedLength, .unsupportedAmount, .unsupportedCharacter, .unsupportedValue,
            .tokenNotDecrypted, .unsupportedOperation, .notJSON, .missingMember, .malformed,
            .unknownKey, .wrongSignature, .outsideWindow, .otherAccount:
            .rejected
        }
    }
}
