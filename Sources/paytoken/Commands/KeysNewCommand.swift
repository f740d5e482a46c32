internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken keys new --out NAME`: a new private key in NAME.key.pem.
struct KeysNewCommand {
    private let kind: KeyKind
    private let path: String
    private let passphrase: Passphrase?

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(
            words, options: KeyOptions.passphraseOptions.union(["--kind", "--out"]))
        switch try arguments.one("--kind") ?? "ec" {
        case "ec": kind = .p256
        case "rsa": kind = .rsa2048
        case let other: throw .usage("--kind is ec or rsa, not \(other).")
        }
        guard let name = try arguments.one("--out"), arguments.operands.isEmpty else {
            throw .usage("keys new takes --out NAME, and writes NAME.key.pem.")
        }
        path = name + ".key.pem"
        let passphrases = try KeyOptions.passphrases(arguments)
        guard passphrases.count <= 1 else { throw .usage("a new key takes one passphrase.") }
        passphrase = passphrases.first
        // A variable that is set to nothing, or a file that begins with a newline.
        guard passphrase?.sensitiveBytes.count != 0 else {
            throw .means("the passphrase is empty and would protect nothing.")
        }
    }

    /// Makes the key and tells where it is.
    func run() throws(CommandFailure) -> ExitStatus {
        let pem: SensitiveBytes
        do throws(PrimitivesError) {
            pem = try NewPrivateKey(kind).pem(passphrase: passphrase?.sensitiveBytes)
        } catch {
            throw .means("libcrypto could not make a key.")
        }
        do throws(FileError) {
            try ExclusiveFile.createSynced(path, mode: 0o600, contents: pem)
        } catch {
            throw .means("\(error).")
        }
        Notice.write("wrote \(path). Now: paytoken keys csr --key \(path) --out NAME")
        return .done
    }
}
