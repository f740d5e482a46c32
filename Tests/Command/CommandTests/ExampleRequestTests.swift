import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayOtherGateways
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayToken
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("The requests of accounts in gateway files")
struct ExampleRequestTests {
    private static let examples = ExampleGateway.all.flatMap(\.requests)

    /// Returns the account of an example with the secrets of ``ExampleMerchant``.
    private func account(_ text: String) throws -> ExampleRequest.Account? {
        try ExampleAccounts.account(text) { source in
            let secret =
                if case .environment("SECRET_BASE64") = source { "dG9wLXNlY3JldA==" } else {
                    "top-secret"
                }
            return SensitiveBytes(copying: secret.utf8.span)
        }.example
    }

    @Test("are tried for every gateway, each ability and both forms of tokens")
    func complete() {
        #expect(DeclaredGateway.all.map(\.name.description) == ExampleGateway.all.map(\.name))
        for gateway in DeclaredGateway.all {
            let own = Self.examples.filter { $0.gateway == gateway.name }
            let payments = own.filter { if case .payment = $0.call { true } else { false } }
            guard let abilities = gateway.abilities else {
                #expect(payments.isEmpty && !own.isEmpty)
                continue
            }
            #expect(
                Set(payments.map(\.isEncrypted)).count == abilities.forms.count, "\(gateway.name)")
            var kinds: Set<PaymentOperation.Kind> = []
            var (hasPage, hasStatus, hasSession) = (false, false, false)
            for example in own {
                switch example.call {
                case .operation(let operation, _, _): kinds.insert(operation.kind)
                case .page: hasPage = true
                case .status: hasStatus = true
                case .payment(let session): hasSession = hasSession || session != nil
                case .card: Issue.record("\(gateway.name) takes payments")
                }
            }
            let declared = PaymentOperation.Kind.allCases.filter { abilities[$0] != .none }
            #expect(kinds == Set(declared), "\(gateway.name)")
            #expect(hasPage == abilities.hasPages && hasSession == abilities.takesSessions)
            #expect(hasStatus == !abilities.status.isEmpty, "\(gateway.name)")
        }
    }

    @Test(
        "are those of the same accounts made with the library",
        arguments: ExampleGateway.all.map(\.name))
    func library(_ gateway: String) throws {
        try RequestFolder.with { folder in
            let accounts = try ExampleAccounts(folder)
            let merchant = ExampleMerchant(secret: "top-secret")
            for example in Self.examples where example.gateway == gateway {
                let read = try accounts.request(example, of: account(example.account))
                let made = try accounts.request(example, of: example.library(merchant))
                let name: Comment = "\(example.line)"
                #expect(ExampleAccounts.text(read) == ExampleAccounts.text(made), name)
                #expect("\(read.method) \(read.url)" == example.line, name)
                let body = read.body?.revealText()
                if let fragment = example.fragment {
                    #expect(body?.contains(fragment) == true, "\(name) \(body ?? "")")
                } else {
                    #expect(body == nil, name)
                }
                for secret in ["top-secret", "4761120010000492", "jiSRYgf6G2rj", "eyJ"]
                where !read.url.contains(secret) {
                    #expect(!"\(read)".contains(secret), name)
                }
            }
        }
    }

    @Test("go to the vendor's servers in each environment, and to another origin instead of them")
    func servers() throws {
        try RequestFolder.with { folder in
            let accounts = try ExampleAccounts(folder)
            for example in Self.examples where !example.line.contains("psp.dintero.example") {
                let text = example.account.replacing(/,"origin":"[^"]*"/, with: "")
                    .replacing(/"environment":"\w+"/) {
                        #"\#($0.0),"origin":"http://127.0.0.1:8080""#
                    }
                let moved = try accounts.request(example, of: account(text))
                #expect(moved.url.hasPrefix("http://127.0.0.1:8080/"), "\(example.line)")
                #expect(
                    moved.url.split(separator: "/", maxSplits: 2).last
                        == example.line.split(separator: "/", maxSplits: 2).last)
                // Adyen's live servers have another path; bePaid's checkouts and Dintero's accounts state the environment.
                guard !["adyen", "bepaid", "dintero"].contains(example.gateway) else { continue }
                let other = text.replacing(/"environment":"(\w+)"/) {
                    #""environment":"\#($0.1 == "live" ? "test" : "live")""#
                }
                let same = try accounts.request(example, of: account(other))
                #expect(same.url == moved.url, "\(example.line)")
            }
        }
    }
}
