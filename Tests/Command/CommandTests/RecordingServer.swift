import ApplePayTokenTestingPrimitives
import Foundation

/// A server on the loopback interface that answers every request with the same bytes and records the requests.
final class RecordingServer: Sendable {
    /// Scheme, host and port.
    let origin: String

    private let arrivals: AsyncStream<[UInt8]>

    /// Answers `count` requests, sequentially.
    init(answer: String, count: Int = 1) throws {
        let socket = try LoopbackSocket()
        origin = "http://127.0.0.1:\(socket.port)"
        let (arrivals, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        self.arrivals = arrivals
        Thread.detachNewThread {
            for _ in 0..<count {
                guard let connection = socket.accept() else { break }
                var bytes: [UInt8] = []
                while !Self.isWhole(bytes) {
                    let more = connection.receive()
                    guard !more.isEmpty else { break }
                    bytes += more
                }
                connection.send(Array(answer.utf8))
                continuation.yield(bytes)
            }
            continuation.finish()
        }
    }

    /// Returns the next request: its first line, its headers in lowercase, and its body.
    func arrival() async -> (line: String, headers: [String: String], body: String)? {
        guard let bytes = await arrivals.first(where: { _ in true }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let halves = text.split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = halves[0].split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = String(sides[1].drop { $0 == " " })
        }
        return (String(lines[0]), headers, halves.count == 2 ? String(halves[1]) : "")
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.components(separatedBy: "content-length: ").dropFirst().first
            .flatMap { Int($0.prefix { $0.isNumber }) }
        return bytes.count - end.upperBound >= length ?? 0
    }
}
