import ApplePayGateways
import ApplePayGatewaysHTTP
import ApplePayLedger
import ApplePayPostgreSQL
import ApplePayToken
import Foundation

/// Prints each report about a token.
struct PrintedReports: PaymentTokenObserver {
    func record(_ report: PaymentTokenReport) {
        print("report", report.refusal?.rawValue ?? "accepted", report.durations.count)
    }
}

/// Accepts a token of 10.99 euro, pays it at a gateway, and uses each library of the package.
///
///     shop TOKEN KEYS ROOT GATEWAY DATABASE
///
/// GATEWAY is the address of gateway-sandbox, and DATABASE a location where no server answers.
@main
struct Shop {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 5, let euro = Currency(alphabetic: "EUR") else { exit(2) }
        let token = try Data(contentsOf: URL(filePath: words[1]))
        let root = try Data(contentsOf: URL(filePath: words[3]))
        let decryptor = try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: [words[2]]),
            anchor: TrustAnchor(testRootCertificate: Array(root)),
            observer: PrintedReports())
        let acceptor = try PaymentAcceptor(decryptor: decryptor, ledger: InMemoryLedger())
        let order = Order(amount: 1099, currency: euro)
        let accepted = try await acceptor.accept(token, order: order)
        print("accepted", accepted.payment.amount, accepted.payment.accountNumber.masked)
        do {
            _ = try await acceptor.accept(token, order: order)
        } catch {
            print("again", error.code.rawValue)
        }

        let request = try Checkout.createPayment(
            accepted.payment, order: order,
            secretKey: SensitiveBytes(copying: "sandbox-secret".utf8.span), endpoint: .sandbox
        ).replacingOrigin(words[4])
        let answer = try await Checkout.PaymentAnswer(URLSessionTransport().send(request))
        print("paid", answer.isApproved)
        try await accepted.confirm()

        do {
            _ = try await PostgreSQLLedger(words[5], timeout: 1)
        } catch {
            print("database", error.code == .ledgerUnavailable)
        }
    }
}
