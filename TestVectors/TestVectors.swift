public import Foundation

/// The paths of the vectors in this folder, for the tests that read them.
public enum TestVectors {
    /// The folder TestVectors of this checkout.
    public static let directory = URL(filePath: #filePath).deletingLastPathComponent()

    /// The folder with the cases that the project's own test PKI made.
    public static let synthetic = directory.appending(path: "synthetic")

    /// The cases, one JSON object per line.
    public static let syntheticCasesFile = synthetic.appending(path: "cases.jsonl")

    /// Returns the stage and the code of the refusal for each case that this project refuses.
    public static func syntheticRefusals() throws -> [String: String] {
        let file = directory.appending(path: "synthetic-refusals.tsv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let columns = line.split(separator: "\t")
                return (String(columns[0]), String(columns[1]))
            })
    }

    /// The folder with the merchants' NAME.key.pem and NAME.cert.pem.
    public static let keys = synthetic.appending(path: "keys")

    /// The folder with the keys of the merchants one and two in every form, accepted and refused.
    public static let keyFiles = directory.appending(path: "key-files")

    /// The folder with the heads of requests that HTTP clients sent, CLIENT-METHOD.head.
    public static let httpHeads = directory.appending(path: "http-heads")

    /// The root of the synthetic tokens, as a PEM certificate.
    public static let root = synthetic.appending(path: "pki/root.pem")

    /// A valid token for merchant one in a separate file, signed at the time of every valid case.
    public static let demoToken = synthetic.appending(path: "demo-token.json")

    /// The folder with tokens that Apple signed.
    public static let appleSigned = directory.appending(path: "apple-signed")

    /// The folder `shared` next to the checkout, with material that the project may not copy; nil
    /// if there is none.
    public static let sharedFolder: URL? = {
        let folder = directory.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "shared")
        return FileManager.default.fileExists(atPath: folder.path()) ? folder : nil
    }()

    /// The cases, which are read once: decoding them takes longer than most tests.
    private static let readCases = Result { try cases(in: syntheticCasesFile) }

    /// Returns the synthetic cases, in order.
    public static func syntheticCases() throws -> [SyntheticCase] { try readCases.get() }

    /// Reads a file of cases in the form of cases.jsonl.
    public static func cases(in file: URL) throws -> [SyntheticCase] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try decoder.decode(
                SyntheticCase.self, from: Data(SurrogateEscapes.replaced(in: $0).utf8))
        }
    }
}
