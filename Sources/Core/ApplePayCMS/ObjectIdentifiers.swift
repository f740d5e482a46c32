/// The object identifiers of RFC 5652 and its algorithms, as the contents octets of their DER.
enum ObjectIdentifiers {
    /// 1.2.840.113549.1.7.1, id-data.
    static let data: InlineArray<9, UInt8> = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// 1.2.840.113549.1.7.2, id-signedData.
    static let signedData: InlineArray<9, UInt8> = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02,
    ]

    /// 1.2.840.113549.1.9.3, id-contentType.
    static let contentType: InlineArray<9, UInt8> = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03,
    ]

    /// 1.2.840.113549.1.9.4, id-messageDigest.
    static let messageDigest: InlineArray<9, UInt8> = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04,
    ]

    /// 1.2.840.113549.1.9.5, id-signingTime.
    static let signingTime: InlineArray<9, UInt8> = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x05,
    ]

    /// 1.2.840.113549.1.9.52, id-aa-cmsAlgorithmProtect (RFC 6211).
    static let algorithmProtection: InlineArray<9, UInt8> = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x34,
    ]

    /// 2.5.4.3, id-at-commonName (RFC 5280 §4.1.2.4).
    static let commonName: InlineArray<3, UInt8> = [0x55, 0x04, 0x03]

    /// 2.16.840.1.101.3.4.2.1, id-sha256.
    static let sha256: InlineArray<9, UInt8> = [
        0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01,
    ]

    /// 1.2.840.10045.4.3.2, ecdsa-with-SHA256.
    static let ecdsaWithSHA256: InlineArray<8, UInt8> = [
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02,
    ]

    /// 1.2.840.113549.1.1.11, sha256WithRSAEncryption.
    static let rsaWithSHA256: InlineArray<9, UInt8> = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B,
    ]
}
