internal import ApplePayPrimitives

/// What one file of a merchant's holds: private keys and certificates, PEM or DER.
struct KeyFile {
    /// A key file is a few thousand bytes; a folder of rubbish must not fill memory.
    private static let limit = 1 << 20

    let path: String
    private(set) var privateKeys: [PrivateKey] = []
    private(set) var certificates: [X509Certificate] = []

    /// Reads a file, which must hold at least one key or certificate.
    init(_ path: String) throws(KeyringError) {
        self.path = path
        let contents: SecretBytes
        do throws(FileError) {
            contents = try FileContents.read(path, limit: Self.limit)
        } catch {
            throw KeyringError(path, error.reason)
        }
        try contents.withSpan { contents throws(KeyringError) in try read(contents) }
    }

    private mutating func read(_ contents: Span<UInt8>) throws(KeyringError) {
        let blocks: [PEMBlock]
        do throws(PrimitivesError) {
            blocks = try PEMBlock.blocks(in: contents)
        } catch {
            throw KeyringError(path, "could not be read: libcrypto failed")
        }
        guard !blocks.isEmpty else { return try readDER(contents) }
        for block in blocks { try read(block) }
        guard !privateKeys.isEmpty || !certificates.isEmpty else {
            throw KeyringError(path, "holds neither a private key nor a certificate")
        }
    }

    private mutating func read(_ block: PEMBlock) throws(KeyringError) {
        switch block.label {
        case "CERTIFICATE":
            certificates.append(
                try block.der.withSpan { der throws(KeyringError) in try certificate(der) })
        case "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY":
            guard !block.hasEncryptionHeaders else { throw encrypted }
            privateKeys.append(
                try block.der.withSpan { der throws(KeyringError) in try privateKey(der) })
        case "ENCRYPTED PRIVATE KEY":
            throw encrypted
        default:
            break  // `EC PARAMETERS` before a SEC 1 key, requests, public keys: nothing we need.
        }
    }

    private mutating func readDER(_ contents: Span<UInt8>) throws(KeyringError) {
        if let certificate = try? X509Certificate(der: contents) {
            certificates = [certificate]
        } else if let key = try? PrivateKey(der: contents) {
            privateKeys = [key]
        } else {
            throw KeyringError(
                path,
                "is neither PEM nor the DER of a certificate or of a P-256 or RSA-2048 private key")
        }
    }

    private func certificate(_ der: Span<UInt8>) throws(KeyringError) -> X509Certificate {
        do throws(PrimitivesError) {
            return try X509Certificate(der: der)
        } catch {
            throw KeyringError(path, "holds a certificate that cannot be read")
        }
    }

    private func privateKey(_ der: Span<UInt8>) throws(KeyringError) -> PrivateKey {
        do throws(PrimitivesError) {
            return try PrivateKey(der: der)
        } catch {
            throw KeyringError(
                path, "holds a private key that is not EC on P-256 (by name) or RSA of 2048 bits")
        }
    }

    private var encrypted: KeyringError {
        KeyringError(
            path, "holds an encrypted private key; decrypt it first, for example with openssl pkey")
    }
}
