package import ApplePayGatewayFiles
package import ApplePayGateways
internal import ApplePayToken

/// A command line of `paytoken request` with its files, the request line that it prints, a part of the body, and the
/// same request made with the library.
package struct ExampleCommand: Sendable {
    /// Creates the request with the library, from an account that its own initializer created.
    package typealias Library =
        @Sendable (ExampleMerchant, StepInput) throws -> GatewayRequest

    /// A part of the input that the step needs is missing.
    package struct MissingInput: Error {}

    /// The step.
    package let step: String

    /// The gateway file; its secrets are in the environment variables SECRET, and SECRET_BASE64 for CyberSource.
    package let account: String

    /// The order file; nil for a step without an order.
    package let order: String?

    /// The step's other options; SECRET is the name of an environment variable, FOLDER the folder of the files.
    package let options: [String]

    /// The method and the URL.
    package let line: String

    /// A part of the body; nil for a request without a body.
    package let fragment: String?

    /// Creates the same request with the library.
    package let library: Library

    /// Creates a command line; `options` are separated by spaces.
    init(
        _ step: String,
        _ account: String,
        order: String? = Self.order,
        options: String = "",
        _ line: String,
        _ fragment: String? = nil,
        library: @escaping Library
    ) {
        self.step = step
        self.account = account
        self.order = order
        self.options = options.split(separator: " ").map(String.init)
        self.line = line
        self.fragment = fragment
        self.library = library
    }

    /// The name of the gateway.
    package var gateway: String {
        account.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
    }

    /// The order that the example token pays for.
    package static let order = #"{"reference":"R-1","amount":3000,"currency":"EUR"}"#

    /// The same order with the members that some gateways require.
    package static let describedOrder =
        #"{"reference":"R-1","amount":3000,"currency":"EUR","description":"d","#
        + #""returnURL":"https://shop.example/r"}"#
}

extension ExampleCommand {
    /// Returns an account that the library's initializer created.
    typealias Account = @Sendable (ExampleMerchant) throws -> any PaymentGateway

    /// Creates the payment.
    static func payment(_ account: @escaping Account) -> Library {
        { merchant, input in
            guard let payment = input.payment else { throw MissingInput() }
            return try account(merchant).payment(payment).request(at: input.date)
        }
    }

    /// Creates the query for the state.
    static func status(_ account: @escaping Account) -> Library {
        { merchant, input in
            try account(merchant).status(of: attempt(input)).request(at: input.date)
        }
    }

    /// Creates a capture, a cancellation or a refund of a payment of which nothing but its identifier is known.
    static func operation(
        _ kind: PaymentOperation.Kind, _ account: @escaping Account, status: String? = nil
    ) -> Library {
        { merchant, input in
            let gateway = try account(merchant)
            var operation = PaymentOperation(kind, amount: input.amount, name: input.operation)
            operation.reason = input.reason
            operation.isFinal = input.isFinal
            var report = PaymentReport(gateway: gateway.name)
            if let status { (report.status, report.meaning) = (status, .booked) }
            return try gateway.perform(operation, on: report, of: attempt(input))
                .request(at: input.date)
        }
    }

    /// Returns the attempt.
    static func attempt(_ input: StepInput) throws -> PaymentAttempt {
        guard let attempt = input.attempt else { throw MissingInput() }
        return attempt
    }

    /// Returns the order.
    static func order(_ input: StepInput) throws -> Order {
        guard let order = input.order else { throw MissingInput() }
        return order
    }
}
