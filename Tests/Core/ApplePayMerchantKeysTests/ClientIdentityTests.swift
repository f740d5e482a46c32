import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import Testing

@testable import ApplePayMerchantKeys

@Suite("A client's certificate and key")
struct ClientIdentityTests {
    private let pki = TestPKI(seed: "client identity")

    /// Reads the files `key` and, if there is one, `certificate` of a temporary folder.
    private func identity(_ files: [String: String]) throws -> ClientIdentity {
        try KeyFolder.with(files) { folder in
            do throws(KeyringError) {
                return try ClientIdentity(
                    key: folder + "/key",
                    certificate: files["certificate"].map { _ in folder + "/certificate" })
            } catch {
                throw Refusal(
                    file: URL(filePath: error.path).lastPathComponent,
                    reason: error.reason.replacing(folder, with: ""))
            }
        }
    }

    private struct Refusal: Error, Equatable {
        let file: String
        let reason: String
    }

    private func client(
        _ name: String, _ version: TokenVersion = .ec, seconds: Double? = nil
    ) throws -> Merchant {
        try pki.merchant(name, version) { recipe in
            if let seconds { recipe.notAfter = recipe.notBefore.addingTimeInterval(seconds) }
            recipe.setExtension(
                CertificateExtension(
                    "2.5.29.37", .sequence([.objectIdentifier("1.3.6.1.5.5.7.3.2")])))
        }
    }

    @Test("are read from one file or two, RSA and EC", arguments: [TokenVersion.rsa, .ec])
    func files(_ version: TokenVersion) throws {
        let client = try client("one", version)
        for files in [
            ["key": client.keyPEM + client.certificatePEM],
            ["key": client.certificatePEM + client.keyPEM],
            ["key": client.keyPEM, "certificate": client.certificatePEM],
        ] {
            let identity = try identity(files)
            #expect(identity.certificates == [client.certificateDER])
            #expect(identity.merchantIdentifier == "merchant.example.one")
            #expect(identity.isForTLSClients)
            #expect(identity.notBefore < identity.notAfter)
            let key = identity.key.withRevealedBytes { der in der.indices.map { der[$0] } }
            #expect(key == client.keyDER)
        }
        #expect(
            !(try identity(["key": client.keyPEM + pki.merchant("one", version).certificatePEM]))
                .isForTLSClients)
    }

    @Test(
        "are found among other keys and certificates; the authority is sent after the certificate")
    func order() throws {
        let (client, other) = (try client("one"), try client("two"))
        let (authority, root) = (try pki.processingAuthority.certificate, try pki.root.certificate)
        let identity = try identity([
            "key": other.keyPEM + client.keyPEM,
            "certificate": root.pem + authority.pem + client.certificatePEM,
        ])
        // Not the root, which the server has.
        #expect(identity.certificates == [client.certificateDER, authority.der])
        #expect(identity.merchantIdentifier == client.identifier)
    }

    @Test("are the certificate that expires last, of several for the key")
    func renewal() throws {
        let (old, new) = (try client("one", seconds: 60), try client("one", seconds: 3600))
        for certificates in [
            old.certificatePEM + new.certificatePEM, new.certificatePEM + old.certificatePEM,
        ] {
            let identity = try identity(["key": old.keyPEM, "certificate": certificates])
            #expect(identity.certificates == [new.certificateDER])
            #expect(identity.notAfter == identity.notBefore.addingTimeInterval(3600))
        }
        // The server decides on one that has expired.
        let expired = try identity(["key": old.keyPEM + old.certificatePEM])
        #expect(expired.notAfter < Date())
    }

    @Test("are refused with the file at fault, and with both files if they do not belong together")
    func refusals() throws {
        let (client, other) = (try client("one"), try client("two"))
        for (files, refusal) in [
            (
                ["key": client.keyPEM, "certificate": other.certificatePEM],
                Refusal(
                    file: "certificate",
                    reason: "contains no certificate for the private key in /key; name the key to "
                        + "which the certificate was issued")
            ),
            (
                ["key": client.keyPEM + other.certificatePEM],
                Refusal(
                    file: "key",
                    reason:
                        "contains no certificate for its private key; give the merchant identity certificate too, not the "
                        + "payment processing certificate"
                )
            ),
            (
                ["key": client.certificatePEM],
                Refusal(
                    file: "key",
                    reason:
                        "contains a certificate, but no private key; name the file with the private key"
                )
            ),
        ] {
            #expect(throws: refusal) { try identity(files) }
        }
        let missing = #expect(throws: KeyringError.self) {
            try ClientIdentity(key: "/nonexistent/key.pem")
        }
        #expect(missing?.path == "/nonexistent/key.pem")
    }

    @Test("show nothing of the key in descriptions")
    func masked() throws {
        let client = try client("one")
        let identity = try identity(["key": client.keyPEM + client.certificatePEM])
        #expect("\(identity)" == "ClientIdentity(merchant.example.one, key masked)")
        var dumped = ""
        dump(identity, to: &dumped)
        #expect(dumped.split(separator: "\n").count == 1)
    }

    @Test("are refused if the key is in an HSM, without the rest of the URI")
    func device() throws {
        let refusal = #expect(throws: KeyringError.self) {
            try ClientIdentity(key: "pkcs11:token=shop?pin-value=2468")
        }
        #expect(refusal?.path == "pkcs11:…")
        #expect(
            refusal?.reason
                == "names a key in an HSM, but a merchant identity key is read from a file; "
                + "name the file with the private key")
    }
}
