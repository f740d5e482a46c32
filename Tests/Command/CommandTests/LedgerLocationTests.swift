import ApplePayLedger
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

    @Test("lists 10,000 open claims, and a sentence says if there are more", arguments: [0, 1])
    func openClaims(_ more: Int) async throws {
        let ledger = InMemoryLedger()
        let requests = try (0..<10_000 + more).map { number in
            let digits = String(number + 1_000_000)
            let zeros = String(repeating: "0", count: 64 - digits.count)
            return ClaimRequest(
                transaction: try #require(TransactionIdentifier(hexadecimal: digits + zeros)),
                signingTime: Date(), window: 300, isExpiring: false)
        }
        #expect(await ledger.claim(requests).allSatisfy { (try? $0.get()) != nil })
        let outcome = try await LedgerCommand.openClaims(
            ledger, JSONLine { $0.member("ledger", "sqlite") })
        #expect(outcome.answers.count == 1 + 10_000)
        let sentence = "there are more than 10000 open claims; only the oldest 10000 are shown"
        #expect(outcome.notices == (more == 0 ? [] : [sentence]))
    }
}
