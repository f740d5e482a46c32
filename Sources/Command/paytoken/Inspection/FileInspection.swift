internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

/// The contents of a file that is not a token: certificates, keys, requests for certificates or a domain association file.
struct FileInspection {
    /// A fact: its member for machines, its name for people, and its value, which may not be known.
    private typealias Fact = (member: String, name: String, value: String?)

    /// One part of the file.
    private struct Part {
        /// The name of its type, for people; for machines, hyphens replace the spaces.
        let type: String

        /// Its use, without a full stop.
        let purpose: String

        /// The facts about it.
        let facts: [Fact]

        /// The end of a merchant's certificate.
        var end: CertificateEnd?
    }

    private let parts: [Part]

    /// Recognizes a file; the result is nil for contents of another kind.
    ///
    /// - Parameters:
    ///   - contents: The contents of the file.
    ///   - path: The file's path, for messages.
    ///   - passphrases: The passphrases to try on encrypted contents.
    ///   - now: The time with which the ends of certificates are compared.
    /// - Throws: A failure if the contents are encrypted and none of the passphrases decrypts them.
    init?(
        _ contents: Span<UInt8>, path: String, passphrases: [Passphrase], now: Date
    ) throws(CommandFailure) {
        do throws(KeyringError) {
            let file = try KeyFile(contents, path: path, passphrases: passphrases)
            parts =
                file.certificates.map { Self.part($0, path, now) }
                + file.privateKeys.map { Self.part("private key", $0.publicKey) }
                + file.requestKeys.map {
                    Self.part(
                        "certificate signing request", $0,
                        note:
                            "; upload it in Apple's portal, and save the certificate that comes back"
                    )
                }
        } catch {
            guard !error.isEncrypted else { throw .means(error.commandDescription) }
            guard let file = DomainFile(contents.indices.map { contents[$0] }) else { return nil }
            parts = [Self.part(file)]
        }
    }

    private static func part(_ certificate: X509Certificate, _ path: String, _ now: Date) -> Part {
        guard !certificate.isAuthority,
            let merchant = try? MerchantCertificate(certificate, path: path), merchant.namesMerchant
        else {
            return Part(
                type: certificate.isAuthority ? "authority certificate" : "other certificate",
                purpose: "neither of Apple's two certificates for merchants",
                facts: [("subject", "subject", try? certificate.subjectText())])
        }
        let key = MerchantKeyDescription(merchant)
        return Part(
            type: merchant.purpose.certificateName,
            purpose: merchant.purpose == .merchantIdentity
                ? "for TLS with Apple's servers, which opens merchant sessions; decrypts no tokens"
                : "Apple encrypts tokens to its key",
            facts: [
                ("merchantIdentifier", "merchant", key.merchantIdentifier),
                ("merchantIdentifierHash", "merchant's SHA-256", key.merchantIdentifierHash),
                ("kind", "kind", key.kind.rawValue),
                ("publicKeyHash", "publicKeyHash", key.publicKeyHash),
                ("notBefore", "begins", key.notBefore?.internetTime),
                ("notAfter", "ends", key.notAfter?.internetTime),
            ], end: key.notAfter.map { CertificateEnd(end: $0, now: now) })
    }

    private static func part(
        _ type: String, _ key: RecipientPublicKey?, note: String = ""
    ) -> Part {
        let use =
            switch key?.kind {
            case .p256: "for a payment processing certificate"
            case .rsa2048:
                "for a merchant identity certificate, or in China mainland for a payment processing certificate"
            case nil: "for neither of Apple's two certificates for merchants"
            }
        let purpose = key == nil ? use : use + note
        guard let key, let hash = try? key.hash() else {
            return Part(type: type, purpose: purpose, facts: [])
        }
        let kind: MerchantKeyDescription.Kind = key.kind == .p256 ? .ec : .rsa
        return Part(
            type: type, purpose: purpose,
            facts: [
                ("kind", "kind", kind.rawValue),
                ("publicKeyHash", "publicKeyHash", MerchantKeyring.base64(hash)),
            ])
    }

    private static func part(_ file: DomainFile) -> Part {
        Part(
            type: "domain association file",
            purpose: "served unchanged by the shop, so that Apple can verify the domain",
            facts: [
                ("domain", "domain", file.domain?.description),
                ("owner", "owner", file.owner.description),
                ("dateCreated", "made on", file.date?.description),
            ])
    }

    /// Returns the text for people.
    func tree(_ style: TerminalStyle) -> TreeText {
        let entries = parts.map { part in
            TreeEntry(
                part.end.map { $0.isPast ? .failed : $0.isSoon ? .warning : .passed }, part.type,
                [part.purpose, part.end?.text].compactMap(\.self).joined(separator: "; "),
                entries: part.facts.compactMap { fact in
                    fact.value.map { TreeEntry(fact.name, $0) }
                })
        }
        return TreeText(
            "Not a token: \(parts.map(\.type).withoutRepetitions.sentence)",
            parts.contains { $0.end?.isPast == true } ? .failed : .passed, entries, style: style)
    }

    /// The object for machines, which TestVectors/schemas/inspect-file.schema.json describes.
    var json: JSONLine {
        JSONLine { json in
            json.member("status", "ok")
            json.objects("contents", parts) { json, part in
                json.member("type", part.type.replacing(" ", with: "-"))
                for fact in part.facts { json.member(fact.member, fact.value) }
                json.member("daysLeft", part.end?.daysLeft)
                json.member("purpose", part.purpose)
            }
        }
    }
}
