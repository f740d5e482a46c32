public import ApplePayWire

/// A fault for which a token must be refused with a certain code.
public struct TokenFault: Sendable {
    /// The code with which the token must be refused.
    public let code: PaymentTokenError.Code

    /// The versions of the tokens that can have the fault.
    public let versions: [TokenVersion]

    /// A sentence that describes the fault.
    public var sentence: String { PaymentTokenError(code, member: "a member").description }

    /// The names of the vectors that have the fault, for EC_v1 and RSA_v1.
    let vectors: [TokenVersion: String]

    private init(
        _ code: PaymentTokenError.Code, ec: String? = nil, rsa: String? = nil
    ) {
        self.code = code
        vectors = [TokenVersion.ec: ec, .rsa: rsa].compactMapValues { $0 }
        versions = TokenVersion.allCases.filter { $0 == .ec ? ec != nil : rsa != nil }
    }

    /// Creates a fault that tokens of both versions can have.
    private init(_ code: PaymentTokenError.Code, _ vector: String) {
        self.init(code, ec: vector, rsa: vector)
    }

    /// All faults, in the order of the checks.
    public static let all: [TokenFault] = [
        .init(.textTooLong, "fault/text-too-long"), .init(.invalidUTF8, "json/bad-utf8"),
        .init(.unexpectedEnd, "json/cut-middle"), .init(.unexpectedCharacter, "json/bare-name"),
        .init(.invalidEscape, "json/unknown-escape"),
        .init(.loneSurrogate, "json/lone-surrogate"),
        .init(.controlCharacter, "json/control-character"),
        .init(.invalidNumber, "json/leading-zero"), .init(.jsonDepthExceeded, "json/deep"),
        .init(.duplicateKey, "json/duplicate-data"), .init(.trailingText, "json/trailing-text"),
        .init(.loneBase64, "wrapper/data-alone"), .init(.printedObject, "json/to-string"),

        .init(.notAToken, "json/array"), .init(.emptyToken, "field/empty-strings"),
        .init(.alreadyDecrypted, "wrapper/decrypted"),
        .init(.missingMember, "field/signature-missing"),
        .init(.wrongType, "field/data-number"),
        .init(.unsupportedVersion, "field/version-other"),
        .init(.unexpectedMember, ec: "field/both-keys", rsa: "field/rsa-both-keys"),
        .init(.invalidBase64, "field/signature-bad-character"),
        .init(.invalidHexadecimal, "field/transactionId-no-digit"),
        .init(.wrongLength, "field/transactionId-short"),
        .init(.unsupportedPublicKey, ec: "field/key-hybrid"),
        .init(.transactionIdentifierMismatch, "wrapper/other-identifier"),

        .init(.truncated, "cms/end-cut-1"), .init(.unexpectedTag, "cms/text"),
        .init(.invalidLength, "cms/reserved-length"), .init(.trailingBytes, "cms/trailing-nul"),
        .init(.cmsDepthExceeded, "cms/nested"), .init(.notSignedData, "cms/content-info-data"),
        .init(.unsupportedCMSVersion, "cms/version-3"),
        .init(.unsupportedDigestAlgorithm, "cms/digest-algorithms-two"),
        .init(.unsupportedContentType, "cms/content-type"),
        .init(.attachedContent, "cms/content-attached"),
        .init(.noCertificates, "cms/certificates-none"),
        .init(.tooManyCertificates, "cms/certificates-nine"),
        .init(.malformedCertificate, "chain/leaf-serial"),
        .init(.signerCount, "cms/signers-two"),
        .init(.unsupportedSignerIdentifier, "cms/signer-key-identifier-version-1"),
        .init(.signedAttributesMissing, "cms/attributes-absent"),
        .init(.signedAttributesNotDER, "cms/attributes-unsorted"),
        .init(.tooManyAttributes, "cms/attributes-many"),
        .init(.attributeRepeated, "cms/signingTime-twice"),
        .init(.attributeValueCount, "cms/messageDigest-two-values"),
        .init(.attributeMissing, "cms/signingTime-missing"),
        .init(.contentTypeMismatch, "cms/contentType-other"),
        .init(.invalidMessageDigest, "cms/messageDigest-31"),
        .init(.invalidSigningTime, "cms/signingTime-no-zone"),
        .init(.algorithmProtectionMismatch, "cms/protection-digest"),
        .init(
            .unsupportedSignatureAlgorithm, ec: "cms/ec-signature-sha1", rsa: "cms/rsa-called-pss"),
        .init(.invalidSignatureValue, "signature/ecdsa-empty"),

        .init(.signerCertificateMissing, "chain/leaf-absent"),
        .init(.signerCertificateAmbiguous, ec: "chain/twin-first"),
        .init(.intermediateMissing, "chain/intermediate-absent"),
        .init(.certificateNotDER, "fault/certificate-not-der"),
        .init(.unreadableCertificate, "chain/leaf-marker-twice"),
        .init(.signerMarkerMissing, "chain/leaf-no-marker"),
        .init(.intermediateMarkerMissing, "chain/intermediate-no-marker"),
        .init(.signerIsAuthority, "chain/leaf-authority"),
        .init(.signerKeyUsage, "chain/leaf-no-usage"),
        .init(.signerKeyKind, ec: "cms/ec-token-by-rsa-leaf", rsa: "cms/rsa-token-by-ec-leaf"),
        .init(.intermediateNotAuthority, "chain/intermediate-no-authority"),
        .init(.intermediateKeyUsage, "chain/intermediate-no-usage"),
        .init(.intermediateKeyKind, ec: "chain/intermediate-rsa"),
        .init(.certificateAlgorithm, "chain/leaf-sha1"),
        .init(.outsideValidity, "chain/leaf-ended"),
        .init(.noPathToAnchor, "chain/root-of-same-name"),

        .init(.algorithmMismatch, ec: "cms/ec-called-rsa", rsa: "cms/rsa-called-ecdsa"),
        .init(
            .messageDigestMismatch, ec: "signature/ec-data-first", rsa: "signature/rsa-data-first"),
        .init(
            .signatureMismatch, ec: "signature/ec-value-last", rsa: "signature/rsa-value-last"),
        .init(.tooOld, ec: "signing-time/ec-3600", rsa: "signing-time/rsa-3600"),
        .init(.inFuture, ec: "signing-time/ec--86400", rsa: "signing-time/rsa--86400"),
        .init(.noKeyWithHash, ec: "key-selection/ec-bit", rsa: "key-selection/rsa-bit"),
        .init(
            .keyKindMismatch, ec: "key-selection/of-rsa-key", rsa: "key-selection/of-ec-key"),
        .init(.invalidPoint, ec: "key-agreement/off-curve"),
        .init(.decryptionFailed, ec: "decrypt/ec-data-middle", rsa: "decrypt/rsa-data-middle"),
        .init(.payloadNotJSON, "payment-data/text-word"),
        .init(.payloadMemberMissing, "payment-data/currencyCode-missing"),
        .init(.payloadWrongType, "payment-data/transactionAmount-array"),
        .init(.payloadInvalidValue, "payment-data/account-number-masked"),
    ]

    /// Returns the fault with a code, or nil for a code that a token by itself cannot cause.
    public static func fault(_ code: PaymentTokenError.Code) -> TokenFault? {
        all.first { $0.code == code }
    }

    /// Returns why a token by itself cannot cause a code, or nil for a code that a token can cause.
    public static func reasonForAbsence(of code: PaymentTokenError.Code) -> String? {
        guard fault(code) == nil else { return nil }
        return switch code {
        case .certificateRevoked: "the verifier must be given revocation lists or hashes"
        case .unverifiedRevocationList: "the verifier must be given a damaged revocation list"
        case .environmentMismatch: "the verifier must be told to accept one environment"
        case .keyUnavailable: "a key must await its certificate, or an HSM must fail"
        case .chainLibraryFailure, .signatureLibraryFailure, .keyAgreementLibraryFailure,
            .decryptLibraryFailure:
            "libcrypto or an allocation must fail"
        default: "no recipe is known"
        }
    }
}
