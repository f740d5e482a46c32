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
        switch code {
        case .textTooLong: return "The text is longer than the limit"
        case .invalidUTF8: return "The text is not valid UTF-8"
        case .unexpectedEnd: return "The JSON text ends too early"
        case .unexpectedCharacter: return "The JSON text has an unexpected character"
        case .invalidEscape: return "A JSON string has an invalid escape"
        case .loneSurrogate: return "A JSON string has half of a surrogate pair"
        case .controlCharacter: return "A JSON string has a control character that is not escaped"
        case .invalidNumber: return "A JSON number is malformed"
        case .jsonDepthExceeded: return "The JSON text is nested too deeply"
        case .duplicateKey: return "A JSON object has the same name twice"
        case .trailingText: return "The JSON text continues after its value"
        case .loneBase64: return "The text is base64 of something other than JSON"
        case .printedObject: return "The text is an object printed by a program, not JSON"
        case .invalidEnvelope: return "The line is not an envelope"
        case .invalidCase: return "The line is not a test case"

        case .notAToken: return "The text is JSON, but not a payment token"
        case .emptyToken:
            return "The token is empty"
        case .alreadyDecrypted:
            return "The text is payment data that was decrypted already, so nothing in it is signed"
        case .missingMember: return "The token lacks \(member)"
        case .wrongType: return "In the token, \(member) has the wrong JSON type"
        case .unsupportedVersion: return "The token's version is neither EC_v1 nor RSA_v1"
        case .unexpectedMember:
            return "The token has \(member), which does not belong to its version"
        case .invalidBase64: return "In the token, \(member) is not canonical base64"
        case .invalidHexadecimal:
            return members.isEmpty
                ? "The text is not hexadecimal" : "In the token, \(member) is not hexadecimal"
        case .wrongLength: return "In the token, \(member) has the wrong length"
        case .unsupportedPublicKey:
            return "In the token, \(member) is not an uncompressed P-256 key of 91 bytes"
        case .transactionIdentifierMismatch:
            return
                "The transactionIdentifier around the token differs from the signed transactionId"

        case .truncated: return "The signature ends inside an element"
        case .unexpectedTag: return "The signature contains an element with an unexpected tag"
        case .invalidLength:
            return "The signature contains a length that is not in the required form"
        case .trailingBytes: return "The signature contains bytes after its last element"
        case .cmsDepthExceeded: return "The signature is nested too deeply"
        case .notSignedData: return "The signature is not CMS SignedData"
        case .unsupportedCMSVersion: return "The version of the signature or of its signer is not 1"
        case .unsupportedDigestAlgorithm:
            return "The signature's digest algorithm is not SHA-256 alone"
        case .unsupportedContentType: return "The signature's content type is not id-data"
        case .attachedContent: return "The signature contains the content, which must be detached"
        case .noCertificates: return "The signature contains no certificate"
        case .tooManyCertificates: return "The signature contains more than 8 certificates"
        case .malformedCertificate: return "The signature contains a malformed certificate"
        case .signerCount: return "The signature does not have exactly one signer"
        case .unsupportedSignerIdentifier:
            return "The signer is not identified by issuer and serial number"
        case .signedAttributesMissing: return "The signature has no signed attributes"
        case .signedAttributesNotDER: return "The signed attributes are not in DER"
        case .tooManyAttributes: return "The signature has more than 16 signed attributes"
        case .attributeRepeated: return "A signed attribute occurs twice"
        case .attributeValueCount: return "A signed attribute does not have exactly one value"
        case .attributeMissing:
            return "The signed attribute contentType, messageDigest or signingTime is missing"
        case .contentTypeMismatch:
            return "The signed content type differs from the type of the content"
        case .invalidMessageDigest: return "The signed message digest does not have 32 bytes"
        case .invalidSigningTime: return "The signing time is not a time in UTC with seconds"
        case .algorithmProtectionMismatch:
            return "The signed algorithms differ from those that the signer used"
        case .unsupportedSignatureAlgorithm:
            return "The signature algorithm is not one that Apple uses"
        case .invalidSignatureValue: return "The signature value has an impossible length"

        case .signerCertificateMissing:
            return
                "The signature contains no certificate with the signer's issuer and serial number"
        case .signerCertificateAmbiguous:
            return "Two certificates in the signature have the signer's issuer and serial number"
        case .intermediateMissing:
            return "The signature does not contain the certificate of the signer's issuer"
        case .certificateNotDER: return "A certificate of the chain is not in DER"
        case .unreadableCertificate: return "A certificate of the chain cannot be read"
        case .signerMarkerMissing:
            return "The signer's certificate lacks Apple's marker 1.2.840.113635.100.6.29"
        case .intermediateMarkerMissing:
            return "The intermediate certificate lacks Apple's marker 1.2.840.113635.100.6.2.14"
        case .signerIsAuthority:
            return "The signer's certificate belongs to a certificate authority"
        case .signerKeyUsage: return "The signer's certificate is not for signing messages alone"
        case .signerKeyKind:
            return "The signer's key is not of the kind that the token's version uses"
        case .intermediateNotAuthority:
            return "The intermediate certificate does not belong to a certificate authority"
        case .intermediateKeyUsage:
            return "The intermediate certificate is not for signing certificates"
        case .intermediateKeyKind: return "The intermediate's key is not P-256 or P-384"
        case .certificateAlgorithm:
            return "A certificate of the chain is not signed with ECDSA and SHA-256 or SHA-384"
        case .outsideValidity: return "A certificate of the chain was not valid at the signing time"
        case .noPathToAnchor: return "No valid path leads from the signer to the trust anchor"
        case .certificateRevoked: return "A certificate of the chain is revoked"

        case .algorithmMismatch:
            return "The signature algorithm does not belong to the token's version"
        case .messageDigestMismatch:
            return
                "The signature is for other contents: key, data, transactionId or applicationData differ"
        case .signatureMismatch: return "The signature value does not verify with the signer's key"
        case .environmentMismatch:
            return "The signer's certificate is not for the required environment"

        case .chainLibraryFailure: return "libcrypto failed while the chain was checked"
        case .signatureLibraryFailure: return "libcrypto failed while the signature was checked"
        case .keyAgreementLibraryFailure:
            return "libcrypto failed while the content key was restored"
        case .decryptLibraryFailure: return "libcrypto failed while the data was decrypted"
        case .orderLibraryFailure: return "libcrypto failed while the application data was compared"
        case .gatewayLibraryFailure: return "libcrypto failed while \(member) was computed"

        case .tooOld, .inFuture:
            return Self.age(seconds ?? 0, limit ?? 0, code == .tooOld ? "before" : "after")
        case .noKeyWithHash:
            return limit == 1
                ? "The one loaded key does not have the publicKeyHash of the token"
                : "None of the \(limit ?? 0) loaded keys has the publicKeyHash of the token"
        case .keyKindMismatch:
            return
                "The key with the token's publicKeyHash is not of the kind that the token's version uses"
        case .invalidPoint:
            return "The token's ephemeralPublicKey is not a point of the curve P-256"
        case .keyUnavailable: return "The merchant's key cannot be used now"
        case .decryptionFailed:
            return "The data does not decrypt: it is for another key or merchant, or it was altered"
        case .orderMismatch:
            return "The payment is not for this order: \(members.joined(separator: " and ")) "
                + (members.count == 1 ? "differs" : "differ")

        case .invalidReference:
            return
                "The order's reference must have 1 to 255 characters without controls, and no suffix like .r2"
        case .referenceChanged:
            return "The order's amount or currency differs from that of the attempt to pay it"

        case .payloadNotJSON: return "The decrypted payload is not strict JSON"
        case .payloadMemberMissing: return "The decrypted payload lacks \(member)"
        case .payloadWrongType: return "In the decrypted payload, \(member) has the wrong JSON type"
        case .payloadInvalidValue:
            return "In the decrypted payload, \(member) has a value that is not allowed"

        case .alreadyClaimed: return "The transaction was claimed before, so this token is a replay"
        case .alreadyConfirmed:
            return "The transaction was claimed and charged before, so this token is a replay"
        case .ledgerFull: return "The ledger is full, so the transaction was not claimed"
        case .ledgerUnavailable: return "The ledger cannot be used, so nothing may be charged"
        case .windowTooWide:
            return "The decryptor accepts older tokens than the ledger's window permits"
        case .tooLate:
            return
                "The transaction is claimed so late that the ledger may have forgotten an earlier claim"
        case .notClaimed:
            return "The transaction is not claimed, or another claim has replaced this one"

        case .cryptogramMissing:
            return "The payment has no cryptogram, which \(member) must contain"
        case .unsupportedLength: return "The gateway does not accept \(member) with this length"
        case .unknownCurrency:
            return "The payment's currency is not in ISO 4217, so \(member) cannot be filled"
        case .unsupportedAmount: return "The gateway does not accept this amount as \(member)"
        case .unsupportedCharacter:
            return "\(member) contains a character that cannot be sent there"
        case .unsupportedValue: return "The gateway does not accept this value as \(member)"
        case .unsupportedTokenVersion:
            return "The gateway does not accept a token of this version, which has no \(member)"
        case .invalidOptions: return "The options do not fit this token"
        case .tokenNotDecrypted:
            return "The token was only verified, and \(member) needs the decrypted payment"
        case .unsupportedOperation: return "The gateway does not support this: \(member)"
        case .notSent: return "Nothing that could charge the customer was sent"
        }
    }

    /// Returns the sentence about an age, in words, or in seconds where the words would be the same for age and limit.
    private static func age(_ seconds: Int, _ limit: Int, _ relation: String) -> String {
        var (age, bound) = (ElapsedTime.text(seconds: seconds), ElapsedTime.text(seconds: limit))
        if age == bound { (age, bound) = ("\(seconds) seconds", "\(limit) seconds") }
        return "The token was signed \(age) \(relation) its receipt; the limit is \(bound)"
    }
}
