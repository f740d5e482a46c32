import ApplePayGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("A published answer")
struct AnswerVectorTests {
    @Test(
        "is read into the report and the outcome that its source describes",
        arguments: AnswerVector.all)
    func reading(_ vector: AnswerVector) throws {
        let reading = try AnswerReading(vector)
        #expect(reading.identifiers.mapValues(\.description) == vector.identifiers ?? [:])
        if let expected = vector.expected {
            let stated = try #require(reading.report).stated
            if expected["fault"] == "true" {
                // Only what the line states is certain.
                let certain = stated.filter { expected[$0.key] != nil }
                #expect(certain["fault"] == "true" && certain["about"] == expected["about"])
            } else {
                let names = Set(stated.keys).union(expected.keys)
                let differences = names.filter { stated[$0] != expected[$0] }.sorted().map {
                    "\($0): \(stated[$0] ?? "-"), not \(expected[$0] ?? "-")"
                }
                #expect(differences == [], "\(reading.report?.fault ?? "")")
            }
        }
        if let card = vector.card {
            let outcome = try #require(reading.card)
            #expect(outcome.state.rawValue == card["state"])
            if outcome.state == .browser {
                #expect(outcome.address?.absoluteString == card["address"])
            }
        } else {
            #expect(reading.state == vector.outcome, "\(reading.reason ?? "")")
        }
        if vector.canBeAsked == true { #expect(reading.report?.canBeAsked == true) }
    }
}
