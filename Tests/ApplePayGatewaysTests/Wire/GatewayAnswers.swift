import Foundation
import TestVectors

/// What each gateway answers to each of its requests, from TestVectors/gateways/answers.json.
struct GatewayAnswers: Decodable {
    /// An answer.
    struct Answer: Decodable {
        let status: Int
        let body: String
    }

    /// A request, and how it is answered.
    struct Entry: Decodable {
        let step: String
        let method: String
        let paths: [String]
        let success: Answer
        let failure: Answer

        /// Whether a request is this one; `*` stands for one segment.
        func matches(_ arrival: Arrival) -> Bool {
            let segments = arrival.path.split(separator: "/")
            return method == arrival.method
                && paths.contains { path in
                    let pattern = path.split(separator: "/")
                    return pattern.count == segments.count
                        && zip(pattern, segments).allSatisfy { $0 == "*" || $0 == $1 }
                }
        }
    }

    static let all: [Entry] = {
        let file = TestVectors.directory.appending(path: "gateways/answers.json")
        return (try? JSONDecoder().decode([Entry].self, from: Data(contentsOf: file))) ?? []
    }()

    /// The entry whose step a vector is of; names are GATEWAY-STEP-VARIANT.
    static func entry(ofVector name: String) -> Entry? {
        all.filter { name == $0.step || name.hasPrefix("\($0.step)-") }
            .max { $0.step.count < $1.step.count }
    }
}
