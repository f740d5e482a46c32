import ApplePayGateways
import ApplePayHTTPS
import ApplePayOtherGateways
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("The sandbox's gateway files", .serialized, .timeLimit(.minutes(5)))
struct SandboxFileTests {
    private let folder = URL.temporaryDirectory.appending(path: "gateway files \(UUID())")

    @Test("describe an account at every gateway, whose payment the list of payments contains")
    func files() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // The second sandbox replaces the files of the first one.
        _ = try SandboxProcess(files: folder)
        let sandbox = try SandboxProcess(files: folder)
        for declared in DeclaredGateway.all {
            let name = declared.name
            let secret = folder.appending(path: "\(name).secret").path
            let attributes = try FileManager.default.attributesOfItem(atPath: secret)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            let account = try account(declared)
            guard let gateway = account.gateway else {
                let cards = try #require(account.cards)
                let card = try await cards.addCard("card-1", over: HTTPSClient())
                #expect(card.state == .launch, "\(name)")
                continue
            }
            let shop = try SandboxShop(SandboxAccount(name: String(name)) { _ in gateway }, sandbox)
            let (_, outcome) = try await shop.pay(3000, "o-\(name)")
            #expect([.paid, .authorized].contains(outcome.state), "\(name) \(outcome)")
            _ = try await shop.pay(SandboxAmount.decline, "d-\(name)")
            let listed = try await sandbox.books().filter { $0.gateway == name }
            #expect(listed.map { ExactText($0.id) } == [outcome.report?.paymentID], "\(name)")
            #expect(listed.allSatisfy { $0.reference?.hasPrefix("o-\(name)") == true })
            #expect(listed.map(\.currency) == ["EUR"] && listed.map(\.requests) == [1])
            // Checkout.com captures the amount after an answer that states an authorization.
            let amounts = listed.first?.amounts
            #expect(amounts == [3000, 0, 0] || amounts == [0, 3000, 0], "\(name)")
        }
    }

    @Test("cannot be written in a folder that cannot exist")
    func wrongFolder() throws {
        #expect(try SandboxProcess.run(["--files"]).status == 2)
        #expect(try SandboxProcess.run(["--files", ""]).status == 2)
        #expect(try SandboxProcess.run(["--files", "/dev/null/files"]).status == 3)
    }

    private func account(_ declared: DeclaredGateway) throws -> GatewayAccount {
        let text = try Data(contentsOf: folder.appending(path: "\(declared.name).json"))
        let file = FileValue(try AnswerValue(Array(text))) { source throws(FileError) in
            guard case .file(let path) = source, path.hasPrefix("/"),
                let secret = FileManager.default.contents(atPath: path)
            else { throw FileError(path: "", reason: "must be a file") }
            return SensitiveBytes(copying: Array(secret).span)
        }
        return try declared.account(file)
    }
}
