/// Why a payment token was refused: the first check to fail, by its stage.
///
/// The cases stand in the order in which the checks are made. None carries bytes of the token.
/// New cases may appear in a minor release; switches need an `@unknown default`.
@nonexhaustive
public enum PaymentTokenError: Error, Hashable, Sendable {
    /// The text is not strict JSON.
    case json(JSONError)

    /// A member of the token is not what it must be.
    case field(FieldError)

    /// The signature is not CMS of Apple's form.
    case cms(CMSError)

    /// The signer is not proven to be Apple's.
    case chain(ChainError)

    /// The signature does not hold for this token.
    case signature(SignatureError)

    /// The token is too old, or from the future.
    case signingTime(SigningTimeError)

    /// None of the merchant's keys is meant.
    case keySelection(KeySelectionError)

    /// The ephemeral key is no point of the curve.
    case keyAgreement(KeyAgreementError)

    /// The data does not decrypt.
    case decrypt(DecryptionError)

    /// What was decrypted is not payment data.
    case paymentData(PaymentDataError)

    /// The payment is not for the order that was shown.
    case order(OrderError)

    /// The transaction cannot be claimed.
    case replay(ReplayError)

    /// The gateway cannot be told this payment.
    case gateway(GatewayError)

    /// The names of the stages, which are part of the interface.
    public enum Stage: String, CaseIterable, Sendable {
        /// The text.
        case json = "json"
        /// The members.
        case field = "field"
        /// The signature's structure.
        case cms = "cms"
        /// The signer's certificates.
        case chain = "chain"
        /// The signature.
        case signature = "signature"
        /// The time of signing.
        case signingTime = "signing-time"
        /// The choice of the merchant's key.
        case keySelection = "key-selection"
        /// The key agreement.
        case keyAgreement = "key-agreement"
        /// The decryption.
        case decrypt = "decrypt"
        /// The decrypted payload.
        case paymentData = "payment-data"
        /// The comparison with the order.
        case order = "order"
        /// The ledger.
        case replay = "replay"
        /// The gateway's request.
        case gateway = "gateway"
    }

    /// The stage that refused.
    public var stage: Stage {
        switch self {
        case .json: .json
        case .field: .field
        case .cms: .cms
        case .chain: .chain
        case .signature: .signature
        case .signingTime: .signingTime
        case .keySelection: .keySelection
        case .keyAgreement: .keyAgreement
        case .decrypt: .decrypt
        case .paymentData: .paymentData
        case .order: .order
        case .replay: .replay
        case .gateway: .gateway
        }
    }

    /// The check that refused: the kebab-case code of the error inside.
    public var code: String { content.code }

    private var content: (code: String, sentence: String) {
        switch self {
        case .json(let error): (error.code.rawValue, error.description)
        case .field(let error): (error.code.rawValue, error.description)
        case .cms(let error): (error.code.rawValue, error.description)
        case .chain(let error): (error.code.rawValue, error.description)
        case .signature(let error): (error.code.rawValue, error.description)
        case .signingTime(let error): (error.code.rawValue, error.description)
        case .keySelection(let error): (error.code.rawValue, error.description)
        case .keyAgreement(let error): (error.code.rawValue, error.description)
        case .decrypt(let error): (error.code.rawValue, error.description)
        case .paymentData(let error): (error.code.rawValue, error.description)
        case .order(let error): (error.code.rawValue, error.description)
        case .replay(let error): (error.code.rawValue, error.description)
        case .gateway(let error): (error.code.rawValue, error.description)
        }
    }
}

extension PaymentTokenError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String { content.sentence }
}
