import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("The lines of a Dintero order")
struct DinteroItemsTests {
    /// Reads a file with order lines.
    private func items(_ text: String) throws -> [OrderItem] {
        let step = try #require(Gateway.dintero.steps.first { $0.name == "session" })
        return try KeyFolder.with(["items.json": text]) { folder in
            try DinteroItems.items(Arguments(["--items", "\(folder)/items.json"], step.options))
        }
    }

    /// Returns what a file is refused for, between the name of the file and the description of its form.
    private func fault(_ text: String) -> String? {
        let failure = #expect(throws: CommandFailure.self) { try items(text) }
        #expect(failure?.status == .means)
        let parts = failure?.message.components(separatedBy: "not a list of order lines: ").last?
            .components(
                separatedBy: ". The file must be a JSON array of objects with id, line_id, ")
        #expect(
            parts?.last == "description and amount, and if needed quantity, vat_amount and vat.")
        return parts?.first
    }

    @Test("have each member of the file in its place")
    func members() throws {
        let lines = try items(
            #"""
            [{"id":"a","line_id":"b","description":"c","amount":1,"quantity":2,"vat_amount":3,"vat":4.5},
             {"amount":-6,"description":"d","line_id":"e","id":"f"}]
            """#)
        try #require(lines.count == 2)
        #expect(lines[0].id == "a" && lines[0].lineId == "b" && lines[0].description == "c")
        #expect(lines[0].amount == 1 && lines[0].quantity == 2 && lines[0].taxAmount == 3)
        #expect(lines[0].taxBasisPoints == 450)
        #expect(lines[1].id == "f" && lines[1].lineId == "e" && lines[1].description == "d")
        #expect(lines[1].amount == -6 && lines[1].quantity == 1)
        #expect(lines[1].taxAmount == nil && lines[1].taxBasisPoints == nil)
        #expect(try items("[]").isEmpty)
    }

    @Test(
        "have a VAT in per cent with at most two decimals and six characters",
        arguments: [
            ("0", 0), ("25", 2500), ("25.5", 2550), ("19.07", 1907), ("0.09", 9),
            ("999.99", 99_999),
            ("999999", 99_999_900), ("1000.00", nil), ("1000000", nil), ("1.234", nil), ("-1", nil),
            ("-0", nil), ("1e2", nil), ("1E+2", nil), ("\"25\"", nil), ("null", nil),
        ] as [(String, Int64?)])
    func vat(_ text: String, _ basisPoints: Int64?) throws {
        let line = #"[{"id":"a","line_id":"b","description":"c","amount":1,"vat":\#(text)}]"#
        if let basisPoints {
            #expect(try items(line).first?.taxBasisPoints == basisPoints)
        } else {
            #expect(fault(line) == "vat of line 1 must be per cent with at most two decimals")
        }
    }

    @Test("are refused with the member and the line at fault")
    func faults() throws {
        let good = #"{"id":"a","line_id":"b","description":"c","amount":1}"#
        let members = ["id", "line_id", "description", "amount"]
        let values = [#""a""#, #""b""#, #""c""#, "1"]
        for left in members.indices {
            let others = members.indices.filter { $0 != left }
                .map { "\"\(members[$0])\":\(values[$0])" }
            let line = "{\(others.joined(separator: ","))}"
            #expect(fault("[\(good),\(line)]") == "\(members[left]) of line 2 is missing")
        }
        for name in ["id", "line_id", "description"] {
            #expect(fault("[{\"\(name)\":1}]") == "\(name) of line 1 must be a string")
        }
        for name in ["amount", "quantity", "vat_amount"] {
            for value in ["1.5", "\"1\"", "null"] {
                #expect(
                    fault("[{\"\(name)\":\(value)}]") == "\(name) of line 1 must be a whole number")
            }
        }
        let name = String(repeating: "n", count: 64)
        #expect(fault("[{\"\(name)m\":1}]") == "\(name) of line 1 is unknown")
        #expect(fault("[\(good),[]]") == "line 2 must be a JSON object")
        #expect(fault("{}") == "the file must be a JSON array")
    }
}
