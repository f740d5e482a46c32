import ApplePayTokenTestingPrimitives
package import FoundationEssentials

/// All modifiable parts of one token; unmodified, the recipe creates a valid token.
///
/// The steps run in this order: payload, ciphertext, ``beforeSigning``, signature,
/// ``afterSigning``, JSON, ``editJSON(_:)``, ``editText(_:)``.
package struct TokenRecipe: Sendable {
    /// Changes to the bytes of the token's members.
    package struct Edits: Equatable, Sendable {
        /// The ephemeral public key's SubjectPublicKeyInfo, or the wrapped key.
        package var key = ByteEdits()
        /// The ciphertext and tag.
        package var data = ByteEdits()
        /// The transaction identifier.
        package var transactionId = ByteEdits()
        /// The applicationData hash, if there is one.
        package var applicationData = ByteEdits()
        /// The hash of the merchant's key; not signed.
        package var publicKeyHash = ByteEdits()
        /// The CMS; only in ``TokenRecipe/afterSigning``.
        package var signature = ByteEdits()
    }

    /// The members that are signed, before they are concatenated.
    package struct SignedFields: Sendable {
        /// The ephemeral public key's SubjectPublicKeyInfo, or the wrapped key.
        package var key: [UInt8]
        /// The ciphertext and tag.
        package var data: [UInt8]
        /// The transaction identifier.
        package var transactionId: [UInt8]
        /// The applicationData hash.
        package var applicationData: [UInt8]?

        /// The signed bytes: all members, without separators.
        package var message: [UInt8] { key + data + transactionId + (applicationData ?? []) }
    }

    /// The name of the token, which determines its random parts.
    package let name: String

    /// The recipient to which the token is encrypted.
    package var recipient: Recipient

    /// The text of the `version` member.
    package var version: String

    /// The signing time.
    package var signingTime: Date

    /// The payment data.
    package var payload: Payload

    /// The transaction identifier, 32 bytes.
    package var transactionId: [UInt8]

    /// The SHA-256 of the merchant's application data, or nil for none.
    package var applicationData: [UInt8]?

    /// The encryption.
    package var encryption: EncryptionRecipe

    /// The certificates.
    package var chain: ChainRecipe

    /// The signature.
    package var cms = SignedDataRecipe()

    /// Changes before signing, so that the signature covers them.
    package var beforeSigning = Edits()

    /// Changes after signing, which the signature does not cover.
    package var afterSigning = Edits()

    /// Whether slashes are written as `\/`, as some of Apple's serializers do.
    package var escapesSlashes = false

    private var message: @Sendable (SignedFields) -> [UInt8] = { $0.message }
    private var jsonEdits: [@Sendable (inout JSONObject) -> Void] = []
    private var textEdits: [@Sendable (inout [UInt8]) -> Void] = []

    /// Creates the recipe of a valid token.
    init(
        name: String,
        recipient: Recipient,
        chain: ChainRecipe,
        seed: String
    ) throws(TestingError) {
        var bytes = try SeededBytes(seed: seed, label: "token \(name)")
        self.name = name
        self.recipient = recipient
        self.chain = chain
        version = recipient.version.rawValue
        signingTime = TestPKI.signingTime
        transactionId = try bytes.next(32)
        encryption = EncryptionRecipe(
            ephemeralKey: recipient.version == .ec ? try ECKey(curve: .p256, from: &bytes) : nil,
            partyVInfo: recipient.identifierHash,
            contentKey: recipient.version == .rsa ? try bytes.next(16) : nil,
            paddingSeed: try bytes.next(32)
        )
        payload = try Payload(from: &bytes)
    }

    /// Signs other bytes than those of the members.
    package mutating func sign(_ message: @escaping @Sendable (SignedFields) -> [UInt8]) {
        self.message = message
    }

    /// Changes the token's JSON.
    package mutating func editJSON(_ edit: @escaping @Sendable (inout JSONObject) -> Void) {
        jsonEdits.append(edit)
    }

    /// Changes the token's text.
    package mutating func editText(_ edit: @escaping @Sendable (inout [UInt8]) -> Void) {
        textEdits.append(edit)
    }

    /// Creates the token with an issued chain.
    func testToken(with issued: Chain) throws(TestingError) -> TestToken {
        let encrypted = try encryption.encrypt(payload.plaintext, to: recipient.publicKey)
        var fields = edited(
            SignedFields(
                key: encrypted.keyField,
                data: encrypted.data,
                transactionId: transactionId,
                applicationData: applicationData
            ),
            beforeSigning
        )
        let signed = message(fields)
        let context = SignerInfoRecipe.Context(
            message: signed,
            signingTime: signingTime,
            chain: issued,
            leafKey: chain.leaf.key
        )
        let cms = try cms.element(context).encoded
        fields = edited(fields, afterSigning)
        let signature = afterSigning.signature.applied(to: cms)
        let publicKeyHash = afterSigning.publicKeyHash.applied(
            to: beforeSigning.publicKeyHash.applied(to: recipient.publicKeyHash))
        return TestToken(
            name: name,
            json: text(fields, signature: signature, publicKeyHash: publicKeyHash),
            signature: signature,
            message: signed,
            keyField: fields.key,
            data: fields.data,
            transactionId: fields.transactionId,
            applicationData: fields.applicationData,
            publicKeyHash: publicKeyHash,
            plaintext: payload.plaintext,
            sharedSecret: encrypted.sharedSecret,
            contentKey: encrypted.contentKey,
            signingTime: signingTime,
            chain: issued,
            recipient: recipient,
            payload: payload,
            isTextEdited: escapesSlashes || !textEdits.isEmpty
        )
    }

    private func edited(_ fields: SignedFields, _ edits: Edits) -> SignedFields {
        SignedFields(
            key: edits.key.applied(to: fields.key),
            data: edits.data.applied(to: fields.data),
            transactionId: edits.transactionId.applied(to: fields.transactionId),
            applicationData: fields.applicationData.map(edits.applicationData.applied)
        )
    }

    private func text(
        _ fields: SignedFields,
        signature: [UInt8],
        publicKeyHash: [UInt8]
    ) -> [UInt8] {
        var header: JSONObject = [
            recipient.version.keyMember: Payload.base64(fields.key),
            "publicKeyHash": Payload.base64(publicKeyHash),
            "transactionId": .string(Hexadecimal.text(fields.transactionId)),
        ]
        header["applicationData"] = fields.applicationData.map { .string(Hexadecimal.text($0)) }
        var object: JSONObject = [
            "version": .string(version),
            "data": Payload.base64(fields.data),
            "signature": Payload.base64(signature),
            "header": .object(header),
        ]
        for edit in jsonEdits { edit(&object) }
        var text = Array(JSONValue.object(object).text(escapingSlashes: escapesSlashes).utf8)
        for edit in textEdits { edit(&text) }
        return text
    }
}
