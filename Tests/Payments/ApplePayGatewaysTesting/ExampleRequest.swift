package import ApplePayAcceptance
package import ApplePayGateways
package import Foundation

/// A request of an account that a gateway file describes, and the same account made with the library.
package struct ExampleRequest: Sendable {
    /// Creates the account with the library.
    package typealias Library = @Sendable (ExampleMerchant) throws -> Account

    /// What an account does.
    package enum Account: Sendable {
        case payments(any PaymentGateway)
        case cards(Intergiro)
    }

    /// What the request is for.
    package enum Call: Sendable {
        /// A payment; `session` is the gateway's object in which it is made.
        case payment(session: ExactText? = nil)
        case page
        /// A query by what is known.
        case status(paymentID: ExactText? = nil, session: ExactText? = nil)
        /// A capture, a cancellation or a refund of a payment of which nothing else is known.
        case operation(PaymentOperation, paymentID: ExactText? = nil, status: ExactText? = nil)
        case card(ExactText, returnURL: String? = nil)
    }

    /// An answer that is read before the request is not the one that it needs.
    package struct WrongAnswer: Error {}

    /// The call.
    package let call: Call

    /// The gateway file; its secrets are in the environment variables SECRET, and SECRET_BASE64 for CyberSource.
    package let account: String

    /// The order file.
    package let order: String

    /// The bodies of the answers to the requests before this one.
    package let answers: [String]

    /// The method and the URL.
    package let line: String

    /// A part of the body; nil for a request without a body.
    package let fragment: String?

    /// Creates the same account with the library.
    package let library: Library

    /// Creates an example.
    init(
        _ call: Call,
        _ account: String,
        order: String = Self.order,
        after answers: [String] = [],
        _ line: String,
        _ fragment: String? = nil,
        library: @escaping Library
    ) {
        self.call = call
        self.account = account
        self.order = order
        self.answers = answers
        self.line = line
        self.fragment = fragment
        self.library = library
    }

    /// The name of the gateway.
    package var gateway: String {
        account.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
    }

    /// Whether it is the first request of a payment with a token and nothing else.
    package var isPayment: Bool {
        guard case .payment(nil) = call else { return false }
        return answers.isEmpty
    }

    /// Whether the gateway decrypts the token.
    package var isEncrypted: Bool {
        gateway == "dintero" || account.contains(#""token":"encrypted""#)
    }

    /// The order that the example token pays for.
    package static let order = #"{"reference":"R-1","amount":3000,"currency":"EUR"}"#

    /// The same order with the members that some gateways require.
    package static let describedOrder =
        #"{"reference":"R-1","amount":3000,"currency":"EUR","description":"d","#
        + #""returnURL":"https://shop.example/r"}"#
}

extension ExampleRequest {
    /// Returns the request of an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - order: The order, as ``order`` states it or changed.
    ///   - payment: The decrypted token, and the verified one if the gateway decrypts it.
    ///   - date: The time that is signed.
    /// - Returns: The request.
    /// - Throws: A `PaymentError`, or ``WrongAnswer``.
    package func request(
        of account: Account, for order: Order, _ payment: Payment, at date: Date
    ) throws -> GatewayRequest {
        switch account {
        case .cards(let cards):
            guard case .card(let identifier, let returnURL) = call else { throw WrongAnswer() }
            return try request(cards.addition(of: identifier, returnURL: returnURL), at: date)
        case .payments(let gateway):
            var attempt = try PaymentAttempt(order)
            switch call {
            case .payment(let session):
                attempt.sessionID = session
                let accepted = AcceptedPayment(
                    order, attempt, payment.token, isEncrypted ? nil : payment)
                return try request(gateway.payment(accepted), at: date)
            case .page: return try request(gateway.page(for: order, attempt: attempt), at: date)
            case .status(let paymentID, let session):
                (attempt.paymentID, attempt.sessionID) = (paymentID, session)
                return try request(gateway.status(of: attempt), at: date)
            case .operation(let operation, let paymentID, let status):
                attempt.paymentID = paymentID
                var report = PaymentReport(gateway: gateway.name)
                if let status { (report.status, report.meaning) = (status, .booked) }
                return try request(
                    gateway.perform(operation, on: report, of: attempt), at: date)
            case .card: throw WrongAnswer()
            }
        }
    }

    /// Returns the request after the answers.
    private func request<Outcome>(
        _ call: GatewayCall<Outcome>, at date: Date
    ) throws -> GatewayRequest {
        var call = call
        for answer in answers {
            switch call.read(GatewayResponse(answer)) {
            case .next(let next): call = next
            case .notSent(let error): throw error
            case .outcome: throw WrongAnswer()
            }
        }
        return try call.request(at: date)
    }

    /// Returns an operation with the name `o-1`.
    static func operation(
        _ kind: PaymentOperation.Kind, _ amount: Int64? = nil,
        _ change: (inout PaymentOperation) -> Void = { _ in }
    ) -> PaymentOperation {
        var operation = PaymentOperation(kind, amount: amount, name: "o-1")
        change(&operation)
        return operation
    }
}

extension GatewayAccount {
    /// What the account does; nil if that is nothing.
    package var example: ExampleRequest.Account? {
        gateway.map { .payments($0) } ?? cards.map { .cards($0) }
    }
}
