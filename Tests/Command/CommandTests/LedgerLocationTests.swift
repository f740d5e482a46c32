import ApplePayLedger
import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayToken
import Foundation
import Testing

@testable import paytoken

@Suite("The location of a ledger")
struct LedgerLocationTests {
    @Test(
        "is a file, unless it may contain a password",
        arguments: [
            ("claims", true), ("/claims", true), (".", true), ("./a:b", true), ("/a=b", true),
            ("../a@b", true), ("postgresql", true), ("a:b", false), ("a=b", false), ("a@b", false),
            ("postgres:/x", false), (" postgres://x", false),
        ])
    func files(_ text: String, _ isFile: Bool) throws {
        guard isFile else {
            let failure = #expect(throws: CommandFailure.self) { try LedgerLocation(text) }
            #expect(failure?.status == .usage)
            #expect(failure?.message.contains("looks like a connection string") == true)
            return
        }
        let location = try LedgerLocation(text)
        #expect(location.kind == "sqlite")
        #expect(
            location.command("ledger show") == "`paytoken ledger show --ledger \(text.shellWord)`")
    }
}
