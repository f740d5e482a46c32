import ApplePayGateways
import Foundation
import TestVectors
import Testing

/// A line of the file in `APPLEPAYTOKEN_ANSWERS`: an answer in the form of TestVectors/answers, or a signed message.
private struct AnswerLine: Decodable {
    let gateway: String
    let answer: AnswerVector?
    let message: SignatureVector?

    /// How the gateway's own readers read it.
    func read() throws -> [String: String] {
        if let message {
            guard let contents = try? message.merchant.read(message.message, receivedAt: Date()),
                let event = contents.event
            else { return [:] }
            return ["id": String(event.identifier), "type": String(event.type)]
        }
        var vector = try #require(answer)
        vector.gateway = gateway
        let reading = try AnswerReading(vector)
        return (reading.report?.stated ?? [:])
            .merging(["state": reading.state, "reason": reading.reason?.description ?? ""]) { $1 }
            .merging(reading.identifiers.mapValues(\.description)) { $1 }
    }
}

@Suite("A file of answers")
struct AnswerFileTests {
    private static let path = ProcessInfo.processInfo.environment["APPLEPAYTOKEN_ANSWERS"]

    @Test(
        "is read line by line for Tests/Integration/compare-sdks.py, into a file beside it",
        .enabled(if: path != nil, "needs a file in APPLEPAYTOKEN_ANSWERS"))
    func reading() throws {
        let path = try #require(Self.path)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let read = try lines.map { line in
            let line = try JSONDecoder().decode(AnswerLine.self, from: Data(line.utf8))
            return String(decoding: try encoder.encode(line.read()), as: UTF8.self)
        }
        try read.joined(separator: "\n").write(
            toFile: "\(path).read", atomically: true, encoding: .utf8)
        #expect(read.count == lines.count)
    }
}
