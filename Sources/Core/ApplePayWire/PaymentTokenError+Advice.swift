extension PaymentTokenError.Code {
    /// One sentence of advice for the merchant's engineer or operator.
    public var advice: String {
        switch self {
        case .textTooLong, .invalidUTF8, .unexpectedEnd, .unexpectedCharacter, .invalidEscape,
            .loneSurrogate, .controlCharacter, .invalidNumber, .jsonDepthExceeded, .duplicateKey,
            .trailingText:
            "Pass on the payment object exactly as the browser or app sent it, as UTF-8 JSON."
        case .loneBase64:
            "Pass the whole payment object as JSON, not its member `data` alone, and no other text in base64."
        case .printedObject:
            "Serialize the payment object to JSON before you send it, for example with JSON.stringify."
        case .notAToken, .missingMember, .wrongType:
            "Pass on the object with version, data, signature and header exactly as the client received it; without it, ask the customer for another payment."
        case .unsupportedVersion, .unexpectedMember, .invalidBase64, .invalidHexadecimal,
            .wrongLength, .unsupportedPublicKey:
            "Compare the text with the token that the client received, and mend what changed it on its way; if nothing did, ask the customer for another payment."
        case .emptyToken:
            "Use a real device: simulators make empty tokens, which cannot be charged."
        case .alreadyDecrypted:
            "Pass the token as the client received it, before anything decrypts it."
        case .transactionIdentifierMismatch, .truncated, .unexpectedTag, .invalidLength,
            .trailingBytes, .cmsDepthExceeded, .notSignedData, .unsupportedCMSVersion,
            .unsupportedDigestAlgorithm, .unsupportedContentType, .attachedContent, .noCertificates,
            .tooManyCertificates, .malformedCertificate, .signerCount, .unsupportedSignerIdentifier,
            .signedAttributesMissing, .signedAttributesNotDER, .tooManyAttributes,
            .attributeRepeated,
            .attributeValueCount, .attributeMissing, .contentTypeMismatch, .invalidMessageDigest,
            .invalidSigningTime, .algorithmProtectionMismatch, .unsupportedSignatureAlgorithm,
            .invalidSignatureValue, .signerCertificateMissing, .signerCertificateAmbiguous,
            .intermediateMissing, .certificateNotDER, .unreadableCertificate, .signerMarkerMissing,
            .intermediateMarkerMissing, .signerIsAuthority, .signerKeyUsage, .signerKeyKind,
            .intermediateNotAuthority, .intermediateKeyUsage, .intermediateKeyKind,
            .certificateAlgorithm, .outsideValidity, .algorithmMismatch,
            .messageDigestMismatch, .signatureMismatch, .invalidPoint:
            "Refuse the payment: the token is forged or was altered on its way."
        case .noPathToAnchor:
            "Refuse the payment: the token is forged, unless a test tool made it; only in a test, trust the root of that tool."
        case .certificateRevoked:
            "Refuse the payment: you revoked the certificate or the key that signed this token."
        case .unverifiedRevocationList:
            "Download the revocation list again from the address in the certificate, and replace the file."
        case .environmentMismatch:
            "Check whether the client uses Apple's sandbox, or whether Apple has renamed its certificates."
        case .tooOld:
            "Ask the customer for another payment; if it happens often, look for a queue in front of this step."
        case .inFuture:
            "Synchronize this machine's clock, then ask the customer for another payment."
        case .noKeyWithHash:
            "Compare the hash with those of your keys, and watch how often this happens."
        case .keyKindMismatch:
            "Refuse the payment: a genuine token names a key of its version's kind."
        case .keyUnavailable:
            "Check the device that contains the key, or load the key's certificate."
        case .decryptionFailed:
            "Check your keys and merchant identifiers; if they are right, refuse the payment."
        case .payloadNotJSON, .payloadMemberMissing, .payloadWrongType, .payloadInvalidValue:
            "Report it to the maintainers, without the payload: Apple may have changed its format."
        case .chainLibraryFailure, .signatureLibraryFailure, .keyAgreementLibraryFailure,
            .decryptLibraryFailure:
            "Check the memory and the OpenSSL of this machine, then try again."
        }
    }
}
