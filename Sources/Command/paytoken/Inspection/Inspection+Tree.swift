internal import ApplePayCMS
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension Inspection {
    /// The most keys that are listed for people.
    private static let keyLimit = 8

    /// Returns the text for people.
    func tree(_ style: TerminalStyle) -> TreeText {
        let subject = token.map { "\($0.version.rawValue) token" } ?? "Not a readable token"
        let verdict = refusal.map { "refused, \($0.code.rawValue)" } ?? "accepted"
        let entries = checks.map { check in
            TreeEntry(
                check.result, check.stage.rawValue, text(check),
                advice: check.result == .failed ? advice : [], entries: facts(check.stage))
        }
        return TreeText(
            "\(subject): \(verdict)", refusal == nil ? .passed : .failed, entries + keyEntries,
            style: style)
    }

    private func text(_ check: Check) -> String {
        switch check.result {
        case .failed:
            guard check.stage == .signingTime, let ageText else {
                return wrongToken?.message ?? refusal?.description ?? ""
            }
            return
                "\(ageText); the limit is \(ElapsedTime.text(seconds: refusal?.limit ?? 0))"
        case .notReached:
            return refusal == nil ? "not reached without \(CommandOption.keys)" : "not reached"
        case .passed, .warning: return passedText(check.stage)
        }
    }

    private func passedText(_ stage: PaymentTokenError.Stage) -> String {
        switch stage {
        case .json:
            let wrappers = (token?.unwrapped ?? []).joined(separator: " > ")
            return "\(textCount) bytes, "
                + (wrappers.isEmpty ? "without a wrapper" : "wrapped in \(wrappers)")
        case .field: return "all members are well-formed"
        case .cms:
            let count = certificates.count
            return "SignedData with \(count) \(count == 1 ? "certificate" : "certificates")"
        case .chain: return "from the signer's certificate to \(options.anchorName)"
        case .signature: return "covers \(keyMember), data, transactionId and applicationData"
        case .signingTime:
            let limit = receiptTime == nil ? "; any age is permitted" : ""
            return (ageText ?? "") + limit
        case .keySelection: return keys?.wantedKey?.source ?? ""
        case .keyAgreement:
            let key = keys?.wantedKey
            let merchant = key?.merchantIdentifier ?? key?.merchantIdentifierHash ?? ""
            return token?.version == .rsaV1
                ? "the content key is unwrapped" : "the content key is derived for \(merchant)"
        case .decrypt: return "the data is decrypted and unaltered"
        case .paymentData:
            guard let data = payment?.data else { return "" }
            return "\(data.type.rawValue), \(data.amount) in minor units of "
                + "\(data.currency?.alphabetic ?? data.currencyCode), account number "
                + data.accountNumber.masked
        }
    }

    /// The time between signing and receipt in words: `signed 24 seconds before receipt, at 2026-05-04T09:29:36Z`.
    private var ageText: String? {
        guard let signingTime else { return nil }
        let interval = now.timeIntervalSince(signingTime).rounded(.down)
        let words = ElapsedTime.text(seconds: Int(exactly: interval.magnitude) ?? Int.max)
        let relation =
            switch (receiptTime == nil || isReceivedNow, interval < 0) {
            case (true, false): "\(words) ago"
            case (true, true): "\(words) in the future"
            case (false, false): "\(words) before receipt"
            case (false, true): "\(words) after receipt"
            }
        return "signed \(relation), at \(signingTime.internetTime)"
    }

    /// The advice for the check that failed.
    private var advice: [String] {
        guard let refusal else { return [] }
        guard refusal.stage == .signingTime, let signingTime else {
            return [wrongToken?.advice ?? refusal.code.advice]
        }
        return [
            "To judge the token as of then, try \(CommandOption.receiptTime) "
                + "\(signingTime.internetTime)",
            refusal.code.advice,
        ]
    }

    /// Returns the facts below a check.
    private func facts(_ stage: PaymentTokenError.Stage) -> [TreeEntry] {
        switch stage {
        case .field: return token.map(fields) ?? []
        case .cms:
            guard let signedData, let signingTime else { return [] }
            return [
                TreeEntry("algorithm", signedData.signer.signatureAlgorithm.name),
                TreeEntry("signing time", signingTime.internetTime),
            ]
        case .chain:
            let roles: [CertificateInspection.Role] = [.signer, .intermediate, .other]
            let chain = roles.flatMap { role in certificates.filter { $0.role == role } }
            return chain.map(\.entry) + chainWarnings.map { TreeEntry(.warning, "", $0) }
        case .signature:
            return (proof?.environment).map {
                [TreeEntry("environment", "\($0.rawValue), by the signer's common name")]
            } ?? []
        case .paymentData: return paymentWarnings.map { TreeEntry(.warning, "", $0) }
        default: return []
        }
    }

    private func fields(_ token: PaymentToken) -> [TreeEntry] {
        [
            TreeEntry("data", "\(token.dataRange.count) bytes, the last 16 of them the tag"),
            TreeEntry("signature", "\(token.signature.count) bytes"),
            TreeEntry(keyMember, "\(token.keyRange.count) bytes"),
            TreeEntry("publicKeyHash", publicKeyHash ?? ""),
            TreeEntry("transactionId", token.transactionId),
            TreeEntry("applicationData", applicationData ?? "absent"),
        ]
    }

    /// The keys, or the advice to give some.
    private var keyEntries: [TreeEntry] {
        guard let publicKeyHash else { return [] }
        guard let keys else {
            let advice =
                "Add \(CommandOption.keys) PATH to see whether the wanted key is loaded and opens the token."
            return [
                TreeEntry(
                    .notReached, "keys", "not given", advice: [advice],
                    entries: [TreeEntry("wanted", publicKeyHash)])
            ]
        }
        var entries = keys.keys.prefix(Self.keyLimit).map { entry($0, in: keys) }
        if keys.wantedKey == nil {
            entries.insert(TreeEntry("wanted", "\(publicKeyHash), not loaded"), at: 0)
        }
        let more = keys.keys.count - Self.keyLimit
        if more > 0 {
            entries.append(TreeEntry("", "and \(more) more \(more == 1 ? "key" : "keys")"))
        }
        if let merchants = keys.diagnosis?.merchantsTried, !merchants.isEmpty {
            entries.append(TreeEntry("merchants tried", merchants.joined(separator: ", ")))
        }
        entries += keys.problems.map { TreeEntry(.warning, "", $0.commandDescription) }
        return [TreeEntry(keys.result, "keys", keys.conclusion, entries: entries)]
    }

    private func entry(_ key: MerchantKeyDescription, in keys: KeyInspection) -> TreeEntry {
        TreeEntry(
            key.publicKeyHash == keys.wanted ? "wanted" : "other key", key.publicKeyHash,
            entries: [
                TreeEntry("loaded from", key.source),
                TreeEntry("kind", key.kind.rawValue),
                TreeEntry(
                    "merchant", key.merchantIdentifier ?? key.merchantIdentifierHash ?? "unknown"),
                TreeEntry("certificate", keys.certificate(of: key)),
            ])
    }
}

extension CertificateInspection {
    /// The facts for people.
    fileprivate var entry: TreeEntry {
        var entries = [
            TreeEntry("valid", "\(notBefore.internetTime) to \(notAfter.internetTime)"),
            TreeEntry("serial number", serialNumber),
        ]
        if let contents {
            let markers = contents.markers.joined(separator: ", ")
            entries.insert(
                TreeEntry("Apple's marker", markers.isEmpty ? "none" : markers), at: 1)
            entries.append(TreeEntry("fingerprint", contents.fingerprint))
            entries.append(TreeEntry("key hash", contents.keyHash))
        }
        return TreeEntry(
            role == .other ? "not in the chain" : role.rawValue,
            contents?.subject ?? "cannot be read", entries: entries)
    }
}
