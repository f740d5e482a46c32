import Foundation
import TestVectors
import Testing

/// A running `gateway-sandbox`; it ends when this object is released.
final class SandboxProcess: Sendable {
    /// The sandbox's origin, from the first line of its output.
    let origin: String

    private let process: Process

    /// Starts the sandbox on a free port.
    ///
    /// - Parameters:
    ///   - silence: How long the sandbox keeps the connection of a request that times out open, in seconds.
    ///   - delay: How long after its request a late payment is made, in seconds.
    ///   - folder: The folder for gateway files; nil to write none.
    /// - Throws: An error of Foundation if it cannot be started.
    init(silence: Int = 60, delay: Int = 30, files folder: URL? = nil) throws {
        process = Process()
        process.executableURL = try Self.executable()
        process.arguments =
            ["--port", "0", "--silence", String(silence), "--late", String(delay)]
            + (folder.map { ["--files", $0.path] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            line += more
        }
        origin = String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Whether the sandbox is running.
    var isRunning: Bool { process.isRunning }

    /// The sandbox's port.
    var port: Int? { URL(string: origin)?.port }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs the sandbox with arguments until it ends.
    ///
    /// - Returns: The standard output and the exit code.
    /// - Throws: An error of Foundation if it cannot be started.
    static func run(_ arguments: [String]) throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: text, as: UTF8.self), process.terminationStatus)
    }

    private static func executable() throws -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
            folder = URL(filePath: bundle).deletingLastPathComponent()
        }
        return folder.appending(path: "gateway-sandbox")
    }
}
