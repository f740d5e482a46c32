import ApplePayGateways
import ApplePayMerchantKeys
import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import HangingPKCS11
import TestVectors
import Testing

@testable import ApplePayHTTPS

@Suite("A client's certificate in TLS", .timeLimit(.minutes(5)))
struct ClientCertificateTests {
    private static func context(_ key: String, _ certificate: String?) throws -> TLSContext {
        try TLSContext(
            authorities: TestVectors.root.path(),
            identity: ClientIdentity(key: key, certificate: certificate))
    }

    @Test(
        "is accepted by libssl with its key and its authority",
        arguments: [TokenVersion.rsa, .ec])
    func files(_ version: TokenVersion) throws {
        let pki = TestPKI(seed: "client certificate")
        let client = try pki.merchant("one", version)
        let authority = try pki.processingAuthority.certificate.pem
        try KeyFolder.with(["all": client.keyPEM + client.certificatePEM + authority]) { folder in
            let context = try Self.context(folder + "/all", nil)
            #expect(context.deviceKey == nil)
        }
    }

    @Test("with a key in a device is signed with on each connection", arguments: ["one", "two"])
    func device(_ name: String) throws {
        let module = try HangingModule(key: TestVectors.keys.appending(path: "\(name).key.pem"))
        let context = try Self.context(
            "pkcs11:token=hanging?module-path=\(module.path)",
            TestVectors.keys.appending(path: "\(name).cert.pem").path())
        #expect(context.deviceKey != nil)
        // libssl compares the key with the certificate, and does not ask for a signature yet.
        for _ in 0..<2 {
            let session = try TLSSession(
                context, host: "shop.example", WakeUp(), Deadline(after: .seconds(60)))
            #expect(try !session.handshake())
        }
        #expect(try module.calls("C_SignInit") == 0)
    }

    @Test("waits for a device no longer than for a socket")
    func waiting() throws {
        let limit = ThreadLimit(1)
        let isOpen = Monitor(false)
        func wait(_ time: Duration, _ cancellation: WakeUp = WakeUp()) throws(GatewayTransportError)
            -> Int?
        {
            try limit.result(cancellation, Deadline(after: time)) {
                isOpen.wait { $0 ? 7 : nil }
            }
        }
        #expect(throws: GatewayTransportError.unsent(.timedOut)) { try wait(.milliseconds(50)) }
        // The abandoned work keeps its thread.
        #expect(throws: GatewayTransportError.unsent(.busy)) { try wait(.seconds(60)) }
        isOpen.change { $0 = true }
        var found: Int?
        while found == nil {
            do {
                found = try wait(.seconds(60))
            } catch {
                #expect(error == .unsent(.busy))
            }
        }
        #expect(found == 7)
    }

    @Test("does not wait for a device after the task was canceled")
    func canceled() {
        let (isOpen, cancellation) = (Monitor(false), WakeUp())
        cancellation.signal()
        #expect(throws: GatewayTransportError.unsent(.canceled)) {
            try ThreadLimit(1).result(cancellation, Deadline(after: .seconds(60))) {
                isOpen.wait { $0 ? 7 : nil }
            }
        }
        isOpen.change { $0 = true }
    }
}
