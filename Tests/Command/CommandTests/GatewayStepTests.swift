import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@testable import paytoken

@Suite("The steps of gateways, as the command offers them")
struct GatewayStepTests {
    private func make(
        _ steps: [GatewayStep],
        _ name: String,
        _ words: [String]
    ) throws -> GatewayRequest {
        let step = try #require(steps.first { $0.name == name })
        let arguments = try Arguments(words, step.options)
        try arguments.check(step.options, of: name)
        return try step.make(arguments, StepInput(payment: nil, token: nil, order: nil))
    }

    @Test("are those of the gateways that the tests have examples of")
    func gateways() {
        #expect(Gateway.allCases.map(\.rawValue) == ExampleGateway.all.map(\.name))
    }

    @Test("are named once for each input, and their options look like options")
    func names() {
        for gateway in Gateway.allCases {
            let steps = gateway.steps
            #expect(Set(steps.map { "\($0.name) \($0.input)" }).count == steps.count, "\(gateway)")
            let options = steps.flatMap(\.options)
            let flags = Set(options.filter { $0.kind == .flag }.map(\.name))
            let valued = Set(options.filter { $0.kind != .flag }.map(\.name))
            #expect(valued.isDisjoint(with: flags), "\(gateway)")
            let orders = StatedOrder.options.map(\.name)
            let common = Set(RequestCommand.options.map(\.name)).subtracting(orders)
            #expect(valued.union(flags).isDisjoint(with: common), "\(gateway)")
            for option in options {
                #expect(option.name.hasPrefix("--"))
                #expect(option.name == option.name.lowercased())
            }
        }
    }

    @Test("have one reference where a step is a payment")
    func references() {
        for gateway in Gateway.allCases {
            for step in gateway.steps {
                let references = step.options.filter(\.isReference)
                #expect(references.count <= 1, "\(gateway) \(step.name)")
                #expect(references.allSatisfy { !$0.isInHeader }, "\(gateway) \(step.name)")
                let isPayment = step.input != .none && step.name != "checkout-payment"
                #expect((step.referenceOption != nil) == isPayment, "\(gateway) \(step.name)")
            }
        }
    }

    @Test("read identifiers from options and secrets from the environment")
    func withoutToken() throws {
        let consent = try make(
            IntergiroRequest.steps, "consent",
            [
                "--consent-id", "c1", "--access-token-env", "HOME", "--return-url", "https://a",
                "--staging",
            ])
        #expect(consent.url == "https://3d.staging.intergiro.tech/v3/consents/c1")
        #expect(consent.body?.revealText() == #"{"return_url":"https://a"}"#)
        let tokenize = try make(
            IntergiroRequest.steps, "tokenize", ["--card-id", "k1", "--access-token-env", "HOME"])
        #expect(tokenize.path == "/v3/cards/k1/apple_pay/tokenize")
        let login = try make(IntergiroRequest.steps, "login", ["--api-key-env", "HOME"])
        #expect(login.path == "/v3/auth/login")
        let refresh = try make(IntergiroRequest.steps, "refresh", ["--refresh-token-env", "HOME"])
        #expect(refresh.path == "/v3/auth/refresh")
        let session = ["--access-token-env", "HOME", "--order-id", "o1"]
        let get = try make(PayPalRequest.steps, "get", session + ["--test"])
        #expect(get.url == "https://api-m.sandbox.paypal.com/v2/checkout/orders/o1")
        for name in ["capture", "authorize"] {
            let words = session + ["--reference-id", "order-1"]
            let request = try make(PayPalRequest.steps, name, words)
            #expect(request.path == "/v2/checkout/orders/o1/\(name)")
            let other = try make(PayPalRequest.steps, name, words + ["--request-id", "r1"])
            let keys = [request, other].map { request in
                request.headers.first { $0.name == "PayPal-Request-Id" }?.revealValue()
            }
            #expect(Set(keys).count == 2 && !keys.contains(nil) && !keys.contains("r1"))
        }
        let accessToken = try make(
            PayPalRequest.steps, "access-token",
            ["--client-id", "c1", "--client-secret-env", "HOME"])
        #expect(accessToken.path == "/v1/oauth2/token")
    }

    @Test("say what is missing")
    func failures() {
        func status(_ body: () throws -> GatewayRequest) -> paytoken.ExitStatus? {
            let failure = #expect(throws: CommandFailure.self) { try body() }
            return failure?.status
        }
        #expect(status { try make(IntergiroRequest.steps, "login", []) } == .usage)
        #expect(
            status {
                try make(IntergiroRequest.steps, "login", ["--api-key-env", "NOT_IN_HERE"])
            } == .means)
        for gateway in Gateway.allCases
        where gateway.steps.contains(where: { $0.name == Gateway.defaultStep }) {
            #expect(status { try make(gateway.steps, "payment", []) } == .usage, "\(gateway)")
        }
    }
}
