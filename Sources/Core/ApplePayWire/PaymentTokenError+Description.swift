extension PaymentTokenError: CustomStringConvertible {
    /// One sentence for people, which names the fault and the member.
    ///
    /// The text may change between releases.
    public var description: String {
        fault + (reason.map { ": \($0)" } ?? "") + (offset.map { " (byte \($0))" } ?? "") + "."
    }

    /// The sentence without its full stop, offset and reason.
    private var fault: String {
        let member = members.first ?? (stage == .paymentData ? "the whole" : "the token")
        return switch code {
        case .textTooLong: "The text is longer than the limit"
        case .invalidUTF8: "The text is not valid UTF-8"
        case .unexpectedEnd: "The JSON text ends too early"
        case .unexpectedCharacter: "The JSON text has an unexpected character"
        case .invalidEscape: "A JSON string has an invalid escape"
        case .loneSurrogate: "A JSON string has half of a surrogate pair"
        case .controlCharacter: "A JSON string has a control character that is not escaped"
        case .invalidNumber: "A JSON number is malformed"
        case .jsonDepthExceeded: "The JSON text is nested too deeply"
        case .duplicateKey: "A JSON object has the same name twice"
        case .trailingText: "The JSON text continues after its value"
        case .loneBase64: "The text is base64 of something other than JSON"
        case .printedObject: "The text is an object printed by a program, not JSON"

        case .notAToken: "The text is JSON, but not a payment token"
        case .emptyToken: "The token is empty"
        case .alreadyDecrypted:
            "The text is payment data that was decrypted already, so nothing in it is signed"
        case .missingMember: "The token lacks \(member)"
        case .wrongType: "In the token, \(member) has the wrong JSON type"
        case .unsupportedVersion: "The token's version is neither EC_v1 nor RSA_v1"
        case .unexpectedMember: "The token has \(member), which does not belong to its version"
        case .invalidBase64: "In the token, \(member) is not canonical base64"
        case .invalidHexadecimal:
            members.isEmpty
                ? "The text is not hexadecimal" : "In the token, \(member) is not hexadecimal"
        case .wrongLength: "In the token, \(member) has the wrong length"
        case .unsupportedPublicKey:
            "In the token, \(member) is not an uncompressed P-256 key of 91 bytes"
        case .transactionIdentifierMismatch:
            "The transactionIdentifier around the token differs from the signed transactionId"

        case .truncated: "The signature ends inside an element"
        case .unexpectedTag: "The signature contains an element with an unexpected tag"
        case .invalidLength: "The signature contains a length that is not in the required form"
        case .trailingBytes: "The signature contains bytes after its last element"
        case .cmsDepthExceeded: "The signature is nested too deeply"
        case .notSignedData: "The signature is not CMS SignedData"
        case .unsupportedCMSVersion: "The version of the signature or of its signer is not 1"
        case .unsupportedDigestAlgorithm: "The signature's digest algorithm is not SHA-256 alone"
        case .unsupportedContentType: "The signature's content type is not id-data"
        case .attachedContent: "The signature contains the content, which must be detached"
        case .noCertificates: "The signature contains no certificate"
        case .tooManyCertificates: "The signature contains more than 8 certificates"
        case .malformedCertificate: "The signature contains a malformed certificate"
        case .signerCount: "The signature does not have exactly one signer"
        case .unsupportedSignerIdentifier:
            "The signer is not identified by issuer and serial number"
        case .signedAttributesMissing: "The signature has no signed attributes"
        case .signedAttributesNotDER: "The signed attributes are not in DER"
        case .tooManyAttributes: "The signature has more than 16 signed attributes"
        case .attributeRepeated: "A signed attribute occurs twice"
        case .attributeValueCount: "A signed attribute does not have exactly one value"
        case .attributeMissing:
            "The signed attribute contentType, messageDigest or signingTime is missing"
        case .contentTypeMismatch: "The signed content type differs from the type of the content"
        case .invalidMessageDigest: "The signed message digest does not have 32 bytes"
        case .invalidSigningTime: "The signing time is not a time in UTC with seconds"
        case .algorithmProtectionMismatch:
            "The signed algorithms differ from those that the signer used"
        case .unsupportedSignatureAlgorithm: "The signature algorithm is not one that Apple uses"
        case .invalidSignatureValue: "The signature value has an impossible length"

        case .signerCertificateMissing:
            "The signature contains no certificate with the signer's issuer and serial number"
        case .signerCertificateAmbiguous:
            "Two certificates in the signature have the signer's issuer and serial number"
        case .intermediateMissing:
            "The signature does not contain the certificate of the signer's issuer"
        case .certificateNotDER: "A certificate of the chain is not in DER"
        case .unreadableCertificate: "A certificate of the chain cannot be read"
        case .signerMarkerMissing:
            "The signer's certificate lacks Apple's marker 1.2.840.113635.100.6.29"
        case .intermediateMarkerMissing:
            "The intermediate certificate lacks Apple's marker 1.2.840.113635.100.6.2.14"
        case .signerIsAuthority: "The signer's certificate belongs to a certificate authority"
        case .signerKeyUsage: "The signer's certificate is not for signing messages alone"
        case .signerKeyKind: "The signer's key is not of the kind that the token's version uses"
        case .intermediateNotAuthority:
            "The intermediate certificate does not belong to a certificate authority"
        case .intermediateKeyUsage: "The intermediate certificate is not for signing certificates"
        case .intermediateKeyKind: "The intermediate's key is not P-256 or P-384"
        case .certificateAlgorithm:
            "A certificate of the chain is not signed with ECDSA and SHA-256 or SHA-384"
        case .outsideValidity: "A certificate of the chain was not valid at the signing time"
        case .noPathToAnchor: "No valid path leads from the signer to the trust anchor"
        case .certificateRevoked: "A certificate of the chain is revoked"
        case .unverifiedRevocationList:
            "A configured revocation list has the name of a certificate's issuer, but not its signature"

        case .algorithmMismatch: "The signature algorithm does not belong to the token's version"
        case .messageDigestMismatch:
            "The signature is for other contents: key, data, transactionId or applicationData differ"
        case .signatureMismatch: "The signature value does not verify with the signer's key"
        case .environmentMismatch: "The signer's certificate is not for the required environment"

        case .chainLibraryFailure: "libcrypto failed while the chain was checked"
        case .signatureLibraryFailure: "libcrypto failed while the signature was checked"
        case .keyAgreementLibraryFailure: "libcrypto failed while the content key was restored"
        case .decryptLibraryFailure: "libcrypto failed while the data was decrypted"

        case .tooOld, .inFuture:
            Self.age(seconds ?? 0, limit ?? 0, code == .tooOld ? "before" : "after")
        case .noKeyWithHash:
            limit == 1
                ? "The one loaded key does not have the publicKeyHash of the token"
                : "None of the \(limit ?? 0) loaded keys has the publicKeyHash of the token"
        case .keyKindMismatch:
            "The key with the token's publicKeyHash is not of the kind that the token's version uses"
        case .invalidPoint: "The token's ephemeralPublicKey is not a point of the curve P-256"
        case .keyUnavailable: "The merchant's key cannot be used now"
        case .decryptionFailed:
            "The data does not decrypt: it is for another key or merchant, or it was altered"
        case .payloadNotJSON: "The decrypted payload is not strict JSON"
        case .payloadMemberMissing: "The decrypted payload lacks \(member)"
        case .payloadWrongType: "In the decrypted payload, \(member) has the wrong JSON type"
        case .payloadInvalidValue:
            "In the decrypted payload, \(member) has a value that is not allowed"
                + Self.rule(for: member)
        }
    }

    /// Returns what a member of the payload must be, after a semicolon; empty for a member without a rule of its own.
    private static func rule(for member: String) -> String {
        let rule: String? =
            switch ExactText(String(member.split(separator: ".").last ?? "")) {
            case "applicationPrimaryAccountNumber": "12 to 19 digits, the first not 0"
            case "applicationExpirationDate": "six digits, YYMMDD, such as 281231"
            case "currencyCode": "one to three digits of ISO 4217, such as 978 for EUR"
            case "transactionAmount": "a whole number of minor units, such as 1099 for 10.99"
            case "paymentDataType": "3DSecure or EMV"
            case "eciIndicator": "one or two digits"
            case "onlinePaymentCryptogram", "emvData", "authenticationData": "base64"
            case "deviceManufacturerIdentifier", "encryptedPINData": "hexadecimal"
            default: nil
            }
        return rule.map { "; it must be \($0)" } ?? ""
    }

    /// Returns the sentence about an age, in words, or in seconds where the words would be the same for age and limit.
    private static func age(_ seconds: Int, _ limit: Int, _ relation: String) -> String {
        var (age, bound) = (ElapsedTime.text(seconds: seconds), ElapsedTime.text(seconds: limit))
        if age == bound { (age, bound) = ("\(seconds) seconds", "\(limit) seconds") }
        return "The token was signed \(age) \(relation) its receipt; the limit is \(bound)"
    }
}
