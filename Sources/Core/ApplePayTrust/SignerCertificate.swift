internal import ApplePayCMS
public import FoundationEssentials

/// Apple's certificate that signed a token; its chain to the trust anchor has been verified.
public struct SignerCertificate: Hashable, Sendable {
    /// The first common name of the subject, such as `ecc-smp-broker-sign_UC4-PROD`.
    ///
    /// It is nil when the subject does not have a common name, or when that is neither a UTF8String nor a
    /// PrintableString.
    public let commonName: String?

    /// The serial number, which is unique among the certificates of one issuer.
    ///
    /// These are the contents octets of the DER INTEGER, in big-endian order: at least one byte, with a
    /// leading zero byte if the next byte is 128 or more (X.690 §8.3).
    public let serialNumber: [UInt8]

    /// The validity from its first to its last second, both included.
    public let validity: ClosedRange<Date>

    /// The environment that ``commonName`` indicates.
    public let environment: SigningEnvironment

    /// Reads the values of a certificate, whose notBefore must not be after its notAfter.
    init(_ certificate: Certificate, in signedData: SignedData) {
        commonName = certificate.subjectCommonName(in: signedData)
        serialNumber = Array(signedData[certificate.serialNumber])
        validity = certificate.notBefore.date...certificate.notAfter.date
        environment = SigningEnvironment(commonName: commonName)
    }
}

/// The environment in which Apple uses a signer's certificate, according to its common name.
///
/// This follows Apple's naming convention, not a documented rule, and Apple can change it without
/// notice. It does not prove that a payment is real: Apple has signed payments with sandbox test cards
/// by certificates whose name indicates production.
public enum SigningEnvironment: String, CaseIterable, Hashable, Sendable {
    /// One of the name's parts is `UC4-PROD`, as in `ecc-smp-broker-sign_UC4-PROD`.
    case production

    /// One of the name's parts is `UC4-SANDBOX`, as in `ecc-smp-broker-sign_UC4-SANDBOX`.
    case sandbox

    /// The name indicates neither, or both.
    case unknown

    /// Determines the environment from a common name, whose parts are separated by underscores.
    init(commonName: String?) {
        let parts = commonName?.utf8.split(separator: UInt8(ascii: "_")) ?? []
        let contains = { (name: String) in parts.contains { $0.elementsEqual(name.utf8) } }
        self =
            switch (contains("UC4-PROD"), contains("UC4-SANDBOX")) {
            case (true, false): .production
            case (false, true): .sandbox
            case (false, false), (true, true): .unknown
            }
    }
}
