import Foundation
import TestVectors

/// A vector of TestVectors/gateways: a request and, in the first vector of each step, the answers to it.
struct GatewayVector {
    /// An answer of the gateway.
    struct Answer {
        let status: Int
        let body: String
    }

    /// The beginning of the lines that follow the request.
    private static let mark = "### "

    /// The request as text.
    let request: String

    /// The methods and paths to which these answers belong; `*` matches one segment.
    ///
    /// Empty in the other vectors of a step.
    let routes: [(method: String, path: String)]

    /// The answers: first the success, then the failure.
    let answers: [Answer]

    /// Reads the vector with this name.
    init(_ name: String) throws {
        let file = TestVectors.directory.appending(path: "gateways/\(name).http")
        var request: [Substring] = []
        var routes: [(method: String, path: String)] = []
        var answers: [Answer] = []
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix(Self.mark) else {
                request.append(line)
                continue
            }
            let words = line.dropFirst(Self.mark.count).split(separator: " ", maxSplits: 1)
            let rest = words.count == 2 ? String(words[1]) : ""
            if let status = Int(words[0]) {
                answers.append(Answer(status: status, body: rest))
            } else {
                routes.append((String(words[0]), rest))
            }
        }
        self.request = request.joined(separator: "\n")
        self.routes = routes
        self.answers = answers
    }
}

/// The answers of the gateways to each request, from the vectors of TestVectors/gateways.
enum GatewayAnswers {
    /// A step and its answers.
    struct Entry {
        let step: String
        let routes: [(method: String, path: String)]
        let success: GatewayVector.Answer
        let failure: GatewayVector.Answer

        /// Returns whether a request is this step's; `*` matches one segment.
        func matches(_ arrival: Arrival) -> Bool {
            let segments = arrival.path.split(separator: "/")
            return routes.contains { method, path in
                let pattern = path.split(separator: "/")
                return method == arrival.method && pattern.count == segments.count
                    && zip(pattern, segments).allSatisfy { $0 == "*" || $0 == $1 }
            }
        }
    }

    /// Returns the names of all vectors, without their file extension.
    static func vectorNames() throws -> [String] {
        let folder = TestVectors.directory.appending(path: "gateways")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.hasSuffix(".http") }.map { String($0.dropLast(5)) }.sorted()
    }

    static let all: [Entry] = {
        let names = (try? vectorNames()) ?? []
        return names.compactMap { name in
            guard let vector = try? GatewayVector(name), vector.answers.count == 2 else {
                return nil
            }
            let suffix = "-minimal"
            let step = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
            return Entry(
                step: step, routes: vector.routes, success: vector.answers[0],
                failure: vector.answers[1])
        }
    }()

    /// Returns the entry for the step of a vector, whose name is GATEWAY-STEP-VARIANT.
    static func entry(ofVector name: String) -> Entry? {
        all.filter { name == $0.step || name.hasPrefix("\($0.step)-") }
            .max { $0.step.count < $1.step.count }
    }
}
