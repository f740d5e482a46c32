import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("The limits of files")
struct FileLimitTests {
    /// Sets the length of a file that consists of zeros.
    private func resize(_ path: String, _ length: Int) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
    }

    @Test("are the documented ones, and a file with one byte more is refused")
    func limits() throws {
        try KeyFolder.with(["file": ""]) { folder in
            let path = "\(folder)/file"
            let token = try TokenOptions(Arguments([], TokenOptions.options), path: path)
            let dintero = try #require(Gateway.dintero.steps.first { $0.name == "session" })
            let answer = CommandOption("--answer", "FILE", "an answer")
            let rows: [(limit: Int, read: () throws -> Void)] = [
                (4_194_304, { _ = try token.text() }),
                (65_536, { _ = try TokenOptions.anchor(path) }),
                (
                    16_777_216,
                    {
                        _ = try TokenOptions(
                            Arguments(["--crl", path], TokenOptions.options), path: "-")
                    }
                ),
                (262_144, { _ = try OrderFile.order(path) }),
                (
                    262_144,
                    { _ = try DinteroItems.items(Arguments(["--items", path], dintero.options)) }
                ),
                (1_048_576, { _ = try Arguments(["--answer", path], [answer]).answer(answer) }),
                (
                    2_097_152,
                    {
                        let words = [
                            "bepaid", path, "--reference", "r", "--amount", "1", "--currency",
                            "EUR",
                        ]
                        _ = try AnswerCommand(Arguments(words, AnswerCommand.options)).run()
                    }
                ),
                (
                    16_384,
                    {
                        let words = ["--webhook", "--public-key", path]
                        _ = try WebhookOptions(Arguments(words, WebhookOptions.options), .bePaid)
                    }
                ),
            ]
            for (limit, read) in rows {
                try resize(path, limit + 1)
                let failure = #expect(throws: CommandFailure.self) { try read() }
                #expect(failure?.message == "\(path) is larger than \(limit) bytes.")
                #expect(failure?.status == .means)
            }
        }
    }

    @Test("permit files of exactly that length")
    func reached() throws {
        try KeyFolder.with(["file": ""]) { folder in
            let path = "\(folder)/file"
            try resize(path, 4_194_304)
            let token = try TokenOptions(Arguments([], TokenOptions.options), path: path)
            #expect(try token.text().count == 4_194_304)
            try resize(path, 262_144)
            let order = #expect(throws: CommandFailure.self) { try OrderFile.order(path) }
            #expect(order?.message.hasPrefix("\(path) is not an order") == true)
        }
    }
}
