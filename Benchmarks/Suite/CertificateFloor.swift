import BenchmarkFloor

/// The verification of one certificate's signature with its issuer's key, and no other work.
@safe
final class CertificateFloor {
    private let certificate: OpaquePointer

    init(_ der: [UInt8], issuer: [UInt8]) throws(BenchmarkFailure) {
        guard
            let certificate = unsafe FloorCertificate_new(der, der.count, issuer, issuer.count)
        else { throw BenchmarkFailure("libcrypto refuses a certificate") }
        unsafe self.certificate = certificate
    }

    func verify() throws(BenchmarkFailure) {
        guard unsafe FloorCertificate_verify(certificate) == 1 else {
            throw BenchmarkFailure("a certificate's signature does not hold")
        }
    }
}
