import ApplePayToken
import Foundation
import TestVectors
import Testing

/// The stub token of bepaid-dintero-rbs.json, which is well-formed but does not have a valid signature.
enum StubTokens {
    private static let method =
        #","paymentMethod":{"displayName":"Visa 1234","network":"Visa","type":"debit"},"#
        + #""transactionIdentifier":"8B1B1DADE0BFBC8F1F6677889BD36191A235CA1F26736E3B96970459545AD56E""#

    /// Returns the string with this name in the file.
    static func string(_ name: String) throws -> String {
        let file = TestVectors.directory.appending(path: "gateways/bepaid-dintero-rbs.json")
        let strings = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
        return try #require(strings[name])
    }

    /// Returns only `paymentData`, after an edit of its text.
    static func bare(_ edit: (String) -> String = { $0 }) throws -> PaymentToken {
        try PaymentToken(parsing: Array(edit(string("paymentData_json")).utf8))
    }

    /// Returns the whole PassKit token.
    static func whole() throws -> PaymentToken {
        try PaymentToken(
            parsing: Array(#"{"paymentData":\#(string("paymentData_json"))\#(method)}"#.utf8))
    }
}
