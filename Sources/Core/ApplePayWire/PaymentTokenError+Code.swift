extension PaymentTokenError {
    /// Every reason for which a token can be refused, grouped by stage in the order of the stages.
    ///
    /// The raw value is the public name, `stage/code`. Names do not change between releases; a minor release
    /// may add new ones.
    @nonexhaustive
    public enum Code: String, CaseIterable, Sendable {
        // MARK: json

        /// The text is longer than the limit: 256 KiB for a token, 2 MiB for a line of a batch.
        case textTooLong = "json/text-too-long"
        /// The text contains bytes that are not well-formed UTF-8.
        case invalidUTF8 = "json/invalid-utf8"
        /// The text ends inside a JSON value.
        case unexpectedEnd = "json/unexpected-end"
        /// The text contains a character that JSON does not allow at that position.
        case unexpectedCharacter = "json/unexpected-character"
        /// A string contains an escape that JSON does not define.
        case invalidEscape = "json/invalid-escape"
        /// A string contains half of a surrogate pair.
        case loneSurrogate = "json/lone-surrogate"
        /// A string contains a control character that is not escaped.
        case controlCharacter = "json/control-character"
        /// A number is malformed.
        case invalidNumber = "json/invalid-number"
        /// Objects and arrays are nested more than 16 levels deep.
        case jsonDepthExceeded = "json/depth-exceeded"
        /// An object contains the same name twice.
        case duplicateKey = "json/duplicate-key"
        /// The text contains something after its JSON value.
        case trailingText = "json/trailing-text"
        /// The text is base64 of something other than JSON, such as a token's `data` alone.
        case loneBase64 = "json/lone-base64"
        /// The text is a printed object, such as `PaymentData(version=…`, instead of JSON.
        case printedObject = "json/printed-object"

        // MARK: field

        /// The JSON is not a payment token.
        case notAToken = "field/not-a-token"
        /// The token is empty, as in a simulator.
        case emptyToken = "field/empty-token"
        /// The text is payment data that has already been decrypted, so nothing in it is signed.
        case alreadyDecrypted = "field/already-decrypted"
        /// The token lacks a mandatory member.
        case missingMember = "field/missing-member"
        /// A member does not have the documented JSON type.
        case wrongType = "field/wrong-type"
        /// The version is neither EC_v1 nor RSA_v1.
        case unsupportedVersion = "field/unsupported-version"
        /// The token also contains the key member of the other version.
        case unexpectedMember = "field/unexpected-member"
        /// A member is not canonical base64 (RFC 4648 §4).
        case invalidBase64 = "field/invalid-base64"
        /// A member is not hexadecimal with two digits for each byte.
        case invalidHexadecimal = "field/invalid-hexadecimal"
        /// A member has the wrong number of bytes.
        case wrongLength = "field/wrong-length"
        /// The ephemeral key is not a P-256 SubjectPublicKeyInfo with an uncompressed point.
        case unsupportedPublicKey = "field/unsupported-public-key"
        /// The unsigned transactionIdentifier around the token differs from the signed transactionId.
        case transactionIdentifierMismatch = "field/transaction-identifier-mismatch"

        // MARK: cms

        /// The signature ends inside an element, or an element is longer than its container.
        case truncated = "cms/truncated"
        /// The signature contains an element with an unexpected tag.
        case unexpectedTag = "cms/unexpected-tag"
        /// A length is not in its shortest form, or is indefinite where it must be definite.
        case invalidLength = "cms/invalid-length"
        /// The signature contains bytes after its last element.
        case trailingBytes = "cms/trailing-bytes"
        /// Indefinite lengths are nested more than 16 levels deep.
        case cmsDepthExceeded = "cms/depth-exceeded"
        /// The content type is not id-signedData.
        case notSignedData = "cms/not-signed-data"
        /// SignedData or SignerInfo has a version other than 1.
        case unsupportedCMSVersion = "cms/unsupported-version"
        /// There is not exactly one digest algorithm, or it is not SHA-256.
        case unsupportedDigestAlgorithm = "cms/unsupported-digest-algorithm"
        /// The type of the encapsulated content is not id-data.
        case unsupportedContentType = "cms/unsupported-content-type"
        /// The signature contains the signed content, which must be detached.
        case attachedContent = "cms/attached-content"
        /// The signature does not contain a certificate.
        case noCertificates = "cms/no-certificates"
        /// The signature contains more than 8 certificates.
        case tooManyCertificates = "cms/too-many-certificates"
        /// A certificate is not X.509 version 3 in DER.
        case malformedCertificate = "cms/malformed-certificate"
        /// The signature does not have exactly one signer.
        case signerCount = "cms/signer-count"
        /// The signer is not identified by issuer and serial number.
        case unsupportedSignerIdentifier = "cms/unsupported-signer-identifier"
        /// The signature does not contain signed attributes.
        case signedAttributesMissing = "cms/signed-attributes-missing"
        /// The signed attributes are not in DER, or not in the order that DER requires.
        case signedAttributesNotDER = "cms/signed-attributes-not-der"
        /// The signature has more than 16 signed attributes.
        case tooManyAttributes = "cms/too-many-attributes"
        /// A signed attribute occurs twice.
        case attributeRepeated = "cms/attribute-repeated"
        /// A signed attribute does not have exactly one value.
        case attributeValueCount = "cms/attribute-value-count"
        /// The signed attribute contentType, messageDigest or signingTime is missing.
        case attributeMissing = "cms/attribute-missing"
        /// The attribute contentType differs from the type of the encapsulated content.
        case contentTypeMismatch = "cms/content-type-mismatch"
        /// The attribute messageDigest does not have 32 bytes.
        case invalidMessageDigest = "cms/invalid-message-digest"
        /// The attribute signingTime is not a UTCTime or GeneralizedTime in UTC with seconds.
        case invalidSigningTime = "cms/invalid-signing-time"
        /// The attribute CMSAlgorithmProtection differs from the signer's algorithms.
        case algorithmProtectionMismatch = "cms/algorithm-protection-mismatch"
        /// The signature algorithm is neither ecdsa-with-SHA256 nor sha256WithRSAEncryption.
        case unsupportedSignatureAlgorithm = "cms/unsupported-signature-algorithm"
        /// The signature value is empty or longer than 1,024 bytes.
        case invalidSignatureValue = "cms/invalid-signature-value"

        // MARK: chain

        /// No certificate in the signature has the signer's issuer and serial number.
        case signerCertificateMissing = "chain/signer-certificate-missing"
        /// Two different certificates have the signer's issuer and serial number.
        case signerCertificateAmbiguous = "chain/signer-certificate-ambiguous"
        /// The signature does not contain the certificate of the signer's issuer.
        case intermediateMissing = "chain/intermediate-missing"
        /// A certificate of the chain is not entirely encoded in DER.
        case certificateNotDER = "chain/certificate-not-der"
        /// A certificate of the chain cannot be read, or has more than 64 extensions or 4,096 bytes.
        case unreadableCertificate = "chain/malformed-certificate"
        /// The signer's certificate lacks Apple's marker 1.2.840.113635.100.6.29.
        case signerMarkerMissing = "chain/signer-marker-missing"
        /// The intermediate certificate lacks Apple's marker 1.2.840.113635.100.6.2.14.
        case intermediateMarkerMissing = "chain/intermediate-marker-missing"
        /// The signer's certificate belongs to a certificate authority.
        case signerIsAuthority = "chain/signer-is-authority"
        /// The signer's key usage is absent, lacks digitalSignature, or allows keyCertSign or cRLSign.
        case signerKeyUsage = "chain/signer-key-usage"
        /// The signer's key is not of the version's kind: P-256 for EC_v1, RSA-2048 for RSA_v1.
        case signerKeyKind = "chain/signer-key-kind"
        /// The intermediate certificate does not belong to a certificate authority.
        case intermediateNotAuthority = "chain/intermediate-not-authority"
        /// The intermediate's key usage is absent or lacks keyCertSign.
        case intermediateKeyUsage = "chain/intermediate-key-usage"
        /// The intermediate's key is not EC on P-256 or P-384.
        case intermediateKeyKind = "chain/intermediate-key-kind"
        /// A certificate is not signed with ECDSA and SHA-256 or SHA-384.
        case certificateAlgorithm = "chain/certificate-algorithm"
        /// A certificate of the chain was not valid at the signing time.
        case outsideValidity = "chain/outside-validity"
        /// No valid path leads from the signer through its issuer to the trust anchor.
        case noPathToAnchor = "chain/no-path-to-anchor"
        /// The signer or the intermediate is revoked, by certificate, by key or by a revocation list.
        case certificateRevoked = "chain/certificate-revoked"
        /// A revocation list that you configured is not signed by the issuer that it names.
        case unverifiedRevocationList = "chain/unverified-revocation-list"
        /// libcrypto failed while the chain was checked, for example because it ran out of memory.
        case chainLibraryFailure = "chain/library-failure"

        // MARK: signature

        /// The signature algorithm does not belong to the token's version.
        case algorithmMismatch = "signature/algorithm-mismatch"
        /// The signed digest is not the SHA-256 of this token's fields.
        case messageDigestMismatch = "signature/message-digest-mismatch"
        /// The signature value does not verify with the signer's key.
        case signatureMismatch = "signature/signature-mismatch"
        /// The signer's certificate is not for the environment that the caller requires.
        case environmentMismatch = "signature/environment-mismatch"
        /// libcrypto failed while the signature was checked, for example because it ran out of memory.
        case signatureLibraryFailure = "signature/library-failure"

        // MARK: signing-time

        /// The token was signed longer before its receipt than permitted; it may be a replay.
        case tooOld = "signing-time/too-old"
        /// The token was signed after its receipt, by more than the permitted difference between clocks.
        case inFuture = "signing-time/in-future"

        // MARK: key-selection

        /// None of the loaded keys has the public key hash that the token names.
        case noKeyWithHash = "key-selection/no-key-with-hash"
        /// The key with that hash is RSA and the token is EC_v1, or the other way round.
        case keyKindMismatch = "key-selection/key-kind-mismatch"

        // MARK: key-agreement

        /// The ephemeral public key is not a point of P-256.
        case invalidPoint = "key-agreement/invalid-point"
        /// The merchant's key cannot be used now: its device, such as an HSM, failed, or its certificate is missing.
        case keyUnavailable = "key-agreement/key-unavailable"
        /// libcrypto failed while the content key was restored, for example because it ran out of memory.
        case keyAgreementLibraryFailure = "key-agreement/library-failure"

        // MARK: decrypt

        /// The content key does not decrypt the data: wrong key, wrong merchant, or altered data.
        case decryptionFailed = "decrypt/decryption-failed"
        /// libcrypto failed while the data was decrypted, for example because it ran out of memory.
        case decryptLibraryFailure = "decrypt/library-failure"

        // MARK: payment-data

        /// The decrypted payload is not strict JSON.
        case payloadNotJSON = "payment-data/invalid-json"
        /// The decrypted payload lacks a mandatory member.
        case payloadMemberMissing = "payment-data/missing-member"
        /// A member of the decrypted payload does not have the documented JSON type.
        case payloadWrongType = "payment-data/wrong-type"
        /// A member of the decrypted payload has a value that is not allowed.
        case payloadInvalidValue = "payment-data/invalid-value"
    }
}
