import ApplePayCMS
import ApplePayDecryption
import ApplePayGateways
import ApplePayHTTPS
import ApplePayMerchantKeys
import ApplePayPrimitives
import ApplePayToken

/// The code to fuzz, and the conditions that its result must meet.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// The strict form of a token.
    case envelope

    /// A token in any form, and hexadecimal.
    case wrappers

    /// A CMS signature.
    case cms

    /// Certificates and revocation lists, which OpenSSL parses.
    case certificates

    /// A decrypted payload.
    case paymentData = "payment-data"

    /// Key files, whose contents OpenSSL parses.
    case keyFiles = "key-files"

    /// A gateway's answer over HTTP.
    case answers

    /// Requests of a client of the service.
    case requests

    /// Gateways' messages.
    case messages

    /// Processes one input.
    ///
    /// - Returns: nil, or the condition that the result violates.
    public func fault(of input: [UInt8]) -> String? {
        switch self {
        case .envelope: Self.envelope(input, form: .paymentData)
        case .wrappers:
            Self.envelope(input, form: .any) ?? Self.envelope(input, form: .hexadecimal)
        case .cms: Self.cms(input)
        case .certificates: Self.certificates(input)
        case .paymentData: Self.paymentData(input)
        case .keyFiles: Self.keyFiles(input)
        case .answers: Self.answer(input)
        case .requests: ReadRequests.fault(of: input)
        case .messages: ReadMessages.fault(of: input)
        }
    }

    private static func envelope(_ input: [UInt8], form: TokenForm) -> String? {
        do throws(PaymentTokenError) {
            let token = try PaymentToken(parsing: input, form: form)
            guard token.transactionId.utf8.count == 64 else { return "transactionId" }
            if form == .paymentData { return token.unwrapped.isEmpty ? nil : "unwrapped" }
            guard token.unwrapped.count <= 8 else { return "wrapper depth" }
            // The verified values depend only on the token: parsing again gives the same result.
            let again = try PaymentToken(parsing: input, form: form)
            return token.signature == again.signature ? nil : "two parses differ"
        } catch {
            switch error.stage {
            case .json, .field: return error.description.isEmpty ? "no sentence" : nil
            default: return "stage \(error.stage.rawValue)"
            }
        }
    }

    private static func cms(_ input: [UInt8]) -> String? {
        do throws(PaymentTokenError) {
            let signedData = try SignedData(parsing: input)
            guard (1...8).contains(signedData.certificates.count) else { return "certificates" }
            for certificate in signedData.certificates {
                // The returned ranges must be inside the input, and inside the certificate that
                // they describe.
                let parts = [certificate.serialNumber, certificate.issuer, certificate.subject]
                guard (0..<input.count).contains(certificate.der),
                    parts.allSatisfy({ !$0.isEmpty && certificate.der.contains($0) })
                else { return "a certificate from elsewhere" }
            }
            return nil
        } catch {
            let offset = error.offset ?? -1
            return (0...input.count).contains(offset) ? nil : "offset outside the input"
        }
    }

    private static func answer(_ input: [UInt8]) -> String? {
        let limit = 4096
        func state(_ parts: [ArraySlice<UInt8>], isCertain: Bool) -> ResponseReader {
            var reader = ResponseReader(longestBody: limit)
            for part in parts { reader.read(Array(part)) }
            reader.readEnd(isCertain: isCertain)
            return reader
        }
        let whole = state([input[...]], isCertain: true)
        // The bytes can arrive in any parts.
        let half = input.count / 2
        guard whole.state == state([input[..<half], input[half...]], isCertain: true).state,
            whole.state == state(input.indices.map { input[$0...$0] }, isCertain: true).state
        else { return "the parts change the answer" }
        // A connection that breaks can only make an answer incomplete.
        let broken = state([input[...]], isCertain: false).state
        guard broken == whole.state || broken == .refused(.cut) else { return "a cut answer" }
        guard let response = whole.response else { return nil }
        return (200..<600).contains(response.status) ? nil : "status \(response.status)"
    }

    private static func certificates(_ input: [UInt8]) -> String? {
        _ = try? CertificateRevocationList(der: input.span)
        guard let certificate = try? X509Certificate(der: input.span) else { return nil }
        _ = certificate.isAuthority
        _ = certificate.isForTLSClients
        _ = certificate.keyUsage
        _ = try? certificate.hasAuthorityKey()
        _ = certificate.isSignedWithECDSA
        _ = try? certificate.subjectUserIdentifier()
        _ = try? certificate.subjectCommonName()
        _ = try? certificate.notBefore()
        _ = try? certificate.notAfter()
        _ = try? certificate.subjectText()
        _ = try? MerchantIdentifierHash.of(certificate)
        if certificate.isAuthority, certificate.isEndEntity { return "authority and end entity" }
        if let key = try? certificate.recipientPublicKey(), key.kind == .p256,
            key.subjectPublicKeyInfo.count != 91
        {
            return "a P-256 key of another form"
        }
        _ = try? certificate.verificationKey()
        return nil
    }

    private static func paymentData(_ input: [UInt8]) -> String? {
        let payload = SensitiveBytes(SecretBytes(copying: input.span))
        do throws(PaymentTokenError) {
            let data = try PaymentData(payload)
            let account = data.accountNumber
            let digits = account.reveal().utf8.count
            guard (12...19).contains(digits) else { return "account number of \(digits) digits" }
            let shown = account.masked.utf8.filter { $0 != 0xE2 && $0 < 0x80 }.count
            guard shown <= digits / 2 else { return "a mask that shows \(shown) of \(digits)" }
            return "\(data)".contains(account.reveal()) ? "a description that shows it" : nil
        } catch {
            return error.description.isEmpty ? "no sentence" : nil
        }
    }

    private static let passphrase = Passphrase(Array("apple-pay".utf8).span)

    private static func keyFiles(_ input: [UInt8]) -> String? {
        do throws(KeyringError) {
            let file = try KeyFile(input.span, path: "fuzz", passphrases: [passphrase])
            _ = try? file.publicKeyHashes()
            return file.privateKeys.isEmpty && file.certificates.isEmpty ? "an empty file" : nil
        } catch {
            return error.reason.contains("libcrypto failed") ? error.reason : nil
        }
    }
}
