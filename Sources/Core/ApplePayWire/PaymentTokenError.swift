/// The reason why a payment token was refused, with the details that an operator needs.
///
/// An error does not contain bytes of the token, apart from what ``token`` names. Each check that fails throws this type,
/// so the caller receives the first failure unchanged.
public struct PaymentTokenError: Error, Hashable, Sendable {
    /// The reason.
    public let code: Code

    /// The byte offset of the fault; nil for stages other than `json` and `cms`.
    ///
    /// For `json` it is the offset in the JSON text being read, which is the inner text after unwrapping; for
    /// `cms` the offset in the decoded `signature`. For `json/text-too-long` it is the limit, for
    /// `json/unexpected-end` the length of the text.
    public let offset: Int?

    /// The paths of the members at fault, such as `header.publicKeyHash`.
    ///
    /// There is at most one.
    public let members: [String]

    /// The difference between signing time and time of receipt in whole seconds, never negative.
    ///
    /// It is nil for stages other than `signing-time`.
    public let seconds: Int?

    /// For `signing-time` the permitted number of seconds, for `key-selection` the number of loaded keys; or nil.
    public let limit: Int?

    /// A detail for people, such as the message of OpenSSL or of a device.
    ///
    /// The text does not end with a full stop. It is nil when only the code is known.
    public let reason: String?

    /// Which token was refused; nil if it was refused before its signature was verified, or if the error is not about one.
    public private(set) var token: TokenIdentity?

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

    /// Creates an error about one member.
    package init(_ code: Code, member: String) {
        self.init(code, members: [member])
    }

    /// Returns this error about a token; one that names a token already is unchanged.
    package func about(_ token: TokenIdentity) -> PaymentTokenError {
        var error = self
        error.token = error.token ?? token
        return error
    }

    /// The step that refused the token.
    public var stage: Stage { code.stage }

    /// Who has to act.
    public var disposition: Disposition { code.disposition }

    /// The steps of processing a token, in order; the raw values are stable names for programs.
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
    }

    /// Who has to act on a refusal.
    public enum Disposition: String, CaseIterable, Sendable {
        /// The customer: ask for another payment.
        case customer
        /// No immediate action: the token is forged, altered or not for this merchant, or an option or an input is
        /// wrong (see ``Code/advice``). Monitor how often it happens.
        case rejected
        /// The merchant's operator: a ledger, a device, the network or libcrypto failed.
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

    /// Who has to act; a code that a customer can cause at will never has `operator`.
    public var disposition: PaymentTokenError.Disposition {
        switch self {
        case .tooOld, .inFuture:
            .customer
        case .unverifiedRevocationList, .chainLibraryFailure, .signatureLibraryFailure,
            .keyUnavailable,
            .keyAgreementLibraryFailure, .decryptLibraryFailure:
            .operator
        case .textTooLong, .invalidUTF8, .unexpectedEnd, .unexpectedCharacter, .invalidEscape,
            .loneSurrogate, .controlCharacter, .invalidNumber, .jsonDepthExceeded,
            .duplicateKey, .trailingText, .loneBase64, .printedObject,
            .notAToken, .emptyToken, .alreadyDecrypted, .missingMember,
            .wrongType, .unsupportedVersion, .unexpectedMember, .invalidBase64,
            .invalidHexadecimal, .wrongLength, .unsupportedPublicKey,
            .transactionIdentifierMismatch, .truncated, .unexpectedTag, .invalidLength,
            .trailingBytes, .cmsDepthExceeded, .notSignedData, .unsupportedCMSVersion,
            .unsupportedDigestAlgorithm, .unsupportedContentType, .attachedContent,
            .noCertificates, .tooManyCertificates, .malformedCertificate, .signerCount,
            .unsupportedSignerIdentifier, .signedAttributesMissing, .signedAttributesNotDER,
            .tooManyAttributes, .attributeRepeated, .attributeValueCount, .attributeMissing,
            .contentTypeMismatch, .invalidMessageDigest, .invalidSigningTime,
            .algorithmProtectionMismatch, .unsupportedSignatureAlgorithm,
            .invalidSignatureValue, .signerCertificateMissing, .signerCertificateAmbiguous,
            .intermediateMissing, .certificateNotDER, .unreadableCertificate,
            .signerMarkerMissing, .intermediateMarkerMissing, .signerIsAuthority,
            .signerKeyUsage, .signerKeyKind, .intermediateNotAuthority, .intermediateKeyUsage,
            .intermediateKeyKind, .certificateAlgorithm, .outsideValidity, .noPathToAnchor,
            .certificateRevoked, .algorithmMismatch, .messageDigestMismatch,
            .signatureMismatch, .environmentMismatch, .noKeyWithHash, .keyKindMismatch,
            .invalidPoint, .decryptionFailed, .payloadNotJSON, .payloadMemberMissing,
            .payloadWrongType, .payloadInvalidValue:
            .rejected
        }
    }
}
