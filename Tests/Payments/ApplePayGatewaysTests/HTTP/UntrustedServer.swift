import ApplePayTokenTestingPrimitives
import Foundation

/// A TLS server on the loopback interface with a certificate that clients do not trust.
final class UntrustedServer {
    /// The path of the program that runs the server.
    static let program = "/usr/bin/openssl"

    /// Whether ``program`` exists.
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// Scheme, address and port.
    let origin: String

    private let folder: URL
    private let process: Process
    private let output: URL

    /// Starts the server.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (key, certificate) = ("\(folder.path())/key.pem", "\(folder.path())/certificate.pem")
        output = folder.appending(path: "output")
        try Data().write(to: output)
        let maker = try Self.start(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                "-out", certificate,
            ], output)
        maker.waitUntilExit()
        // Closing this socket makes its port free for the server.
        let port = try { try LoopbackSocket().port }()
        origin = "https://127.0.0.1:\(port)"
        process = try Self.start(
            ["s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate],
            output)
        while process.isRunning, !self.text.contains("ACCEPT") {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The server's output so far, with the decrypted bytes that clients sent.
    var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func start(_ arguments: [String], _ output: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        // The server would end when its standard input ends.
        process.standardInput = Pipe()
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
