internal import ApplePayCMS
internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension Inspection {
    /// The object for machines, which TestVectors/schemas/inspect.schema.json describes.
    var json: JSONLine {
        JSONLine { json in
            json.member("status", refusal == nil ? "ok" : "error")
            if let refusal {
                json.member("stage", refusal.stage.rawValue)
                json.member("code", refusal.code.name)
                json.member("disposition", refusal.disposition.rawValue)
                json.member("message", wrongToken?.message ?? refusal.description)
                json.member("advice", wrongToken?.advice ?? refusal.code.advice)
            }
            json.objects("checks", checks) { json, check in
                json.member("stage", check.stage.rawValue)
                json.member("result", check.result.rawValue)
            }
            json.member("receiptTime", receiptTime)
            writeToken(to: &json)
            writeSignature(to: &json)
            if let keys { json.object("keys") { keys.write(to: &$0) } }
            if let payment { json.paymentData(payment.data) }
        }
    }

    private func writeToken(to json: inout JSONOutput) {
        json.member("version", token?.version.rawValue)
        json.member("unwrapped", token?.unwrapped)
        json.object("sizes") { json in
            json.member("text", textCount)
            guard let token else { return }
            json.member("data", token.dataRange.count)
            json.member("signature", token.signature.count)
            json.member(keyMember, token.keyRange.count)
        }
        json.member("publicKeyHash", publicKeyHash)
        json.member("transactionId", token?.transactionId)
        json.member("applicationData", applicationData)
    }

    private func writeSignature(to json: inout JSONOutput) {
        guard let signedData else { return }
        json.member("signatureAlgorithm", signedData.signer.signatureAlgorithm.name)
        json.member("signingTime", signingTime)
        json.member("ageSeconds", age)
        json.member("signatureProven", proof != nil)
        json.member("environment", proof?.environment.rawValue)
        json.objects("certificates", certificates) { json, certificate in
            json.member("role", certificate.role.rawValue)
            json.member("subject", certificate.contents?.subject)
            json.member("serialNumber", certificate.serialNumber)
            json.member("notBefore", certificate.notBefore)
            json.member("notAfter", certificate.notAfter)
            json.member("size", certificate.count)
            json.member("markers", certificate.contents?.markers)
            json.member("fingerprint", certificate.contents?.fingerprint)
            json.member("keyHash", certificate.contents?.keyHash)
        }
        json.member("warnings", warnings)
    }
}

extension SignatureAlgorithm {
    /// The algorithm's name in its standard (RFC 5758 §3.2, RFC 4055 §5).
    var name: String {
        self == .ecdsaWithSHA256 ? "ecdsa-with-SHA256" : "sha256WithRSAEncryption"
    }
}

extension KeyInspection {
    /// Writes the members of the object `keys`.
    fileprivate func write(to json: inout JSONOutput) {
        json.member("wanted", wanted)
        json.member("wantedIsLoaded", wantedKey != nil)
        json.member("finding", finding)
        json.member("conclusion", conclusion)
        json.member("merchantsTried", diagnosis?.merchantsTried)
        json.objects("loaded", keys) { json, key in
            json.member("publicKeyHash", key.publicKeyHash)
            json.member("wanted", key.publicKeyHash == wanted)
            json.member("kind", key.kind.rawValue)
            json.member("status", key.status.rawValue)
            json.member("merchantIdentifier", key.merchantIdentifier)
            json.member("merchantIdentifierHash", key.merchantIdentifierHash)
            json.member("notBefore", key.notBefore)
            json.member("notAfter", key.notAfter)
            json.member("source", key.source)
        }
        json.member("problems", problems.map(\.commandDescription))
    }
}
