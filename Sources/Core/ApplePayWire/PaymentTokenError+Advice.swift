extension PaymentTokenError.Code {
    /// One sentence of advice for the merchant's engineer or operator.
    public var advice: String {
        switch self {
        case .textTooLong, .invalidUTF8, .unexpectedEnd, .unexpectedCharacter, .invalidEscape,
            .loneSurrogate, .controlCharacter, .invalidNumber, .jsonDepthExceeded, .duplicateKey,
            .trailingText:
            "Pass on the payment object exactly as the browser or app sent it, as UTF-8 JSON."
        case .loneBase64:
            "Pass the whole payment object, not its member `data` alone."
        case .printedObject:
            "Serialize the payment object to JSON before you send it, for example with JSON.stringify."
        case .invalidCase:
            "Write one object a line, with `id`, `token` and `now`."
        case .notAToken, .missingMember, .wrongType, .unsupportedVersion, .unexpectedMember,
            .invalidBase64, .invalidHexadecimal, .wrongLength, .unsupportedPublicKey:
            "Compare the text with the token that the client received; if they are equal, refuse the payment."
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
            .certificateAlgorithm, .outsideValidity, .noPathToAnchor, .algorithmMismatch,
            .messageDigestMismatch, .signatureMismatch, .invalidPoint:
            "Refuse the payment: the token is forged or was altered on its way."
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
        case .orderMismatch:
            "Do not charge: show the customer the order again, and ask for another payment."
        case .invalidReference:
            "Give each order a short reference that is unique in your shop, such as its number, and keep it."
        case .referenceChanged:
            "Do not charge, and keep the order's reference: ask for its state; after the gateway refused the payment, this reference takes the changed order. Repeat an operation unchanged, and give another one its own name."
        case .noPayment:
            "Check the order's reference and the attempt's serial."
        case .operationOpen:
            "Ask for the order's state until that is decided, then try again."
        case .decisionRefused:
            "Look at the payment in the gateway's own books, and decide again."
        case .alreadyClaimed:
            "Do not charge: only if the order certainly has no payment, ask the customer for another one."
        case .ledgerFull:
            "Do not charge: wait until old claims expire; a restart with another ledger would forget the orders of this one."
        case .ledgerUnavailable:
            "Do not charge: keep the ledger's files, repair what the reason names, then try again."
        case .windowTooWide:
            "Lower the decryptor's maximum age to the ledger's window, which cannot be changed."
        case .tooLate:
            "Do not charge: this token came too late to be claimed; only if the order certainly has no payment, ask the customer for another one."
        case .cryptogramMissing, .unknownCurrency, .unsupportedTokenVersion:
            "Ask the customer for another card, or pay the same order at another gateway: this payment cannot be expressed here."
        case .unsupportedLength, .unsupportedAmount, .unsupportedCharacter, .unsupportedValue:
            "Correct the value that the message names, in the order, the gateway's options or the customer's data, but keep the order's reference."
        case .tokenNotDecrypted:
            "Load the key with which the token can be decrypted, or use a gateway that takes encrypted tokens."
        case .unsupportedOperation:
            "Use what the table of abilities lists for the gateway; capture, cancel or refund an existing payment in its back office."
        case .notSent:
            "Check the network, the gateway's address and its certificate, then let the customer pay the same order again."
        case .chainLibraryFailure, .signatureLibraryFailure, .keyAgreementLibraryFailure,
            .decryptLibraryFailure, .orderLibraryFailure, .gatewayLibraryFailure:
            "Check the memory and the OpenSSL of this machine, then try again."
        }
    }
}
