import Foundation

/// Runs the command, or another program, that was built with the tests.
struct Command {
    let output: String
    let error: String
    let status: Int32

    init(
        _ arguments: [String],
        program: String = "paytoken",
        input: String = "",
        environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL =
            program.hasPrefix("/")
            ? URL(filePath: program) : URL(filePath: Self.path(of: program))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Use files, because a full pipe would block the command.
        let files = try ["in", "out", "err"].map { name in
            let file = folder.appending(path: name)
            try Data(name == "in" ? Array(input.utf8) : []).write(to: file)
            return file
        }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        output = try String(contentsOf: files[1], encoding: .utf8)
        error = try String(contentsOf: files[2], encoding: .utf8)
        status = process.terminationStatus
    }

    /// Returns the path of a program that was built with the tests.
    static func path(of program: String) -> String { products.appending(path: program).path() }

    /// The build folder, which also contains the tests.
    private static let products: URL = {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
            folder = URL(filePath: bundle).deletingLastPathComponent()
        }
        return folder
    }()
}
