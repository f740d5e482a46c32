/// The gateways that the command supports.
enum Gateway: String, CaseIterable {
    case worldlineDirect = "worldline-direct"
    case worldlineConnect = "worldline-connect"
    case bePaid = "bepaid"
    case dintero = "dintero"
    case rbs = "rbs"
    case intergiro = "intergiro"
    case cyberSource = "cybersource"
    case checkout = "checkout"
    case adyen = "adyen"
    case payPal = "paypal"

    /// The step if the command line does not name one.
    static let defaultStep = "payment"

    /// The gateway's name for people.
    var title: String {
        switch self {
        case .worldlineDirect: "Worldline Direct"
        case .worldlineConnect: "Worldline Connect (GlobalCollect)"
        case .bePaid: "bePaid and others that run beGateway"
        case .dintero: "Dintero"
        case .rbs: "RBS and BPC"
        case .intergiro: "Intergiro"
        case .cyberSource: "CyberSource"
        case .checkout: "Checkout.com"
        case .adyen: "Adyen Checkout"
        case .payPal: "PayPal Orders v2"
        }
    }

    /// Whether the gateway has a default address, so that `--origin` is optional; each bank of the RBS family has
    /// another address.
    var hasUsualOrigin: Bool { self != .rbs }

    /// Its steps, one for each name and input.
    var steps: [GatewayStep] {
        switch self {
        case .worldlineDirect: WorldlineDirectRequest.steps
        case .worldlineConnect: WorldlineConnectRequest.steps
        case .bePaid: BePaidRequest.steps
        case .dintero: DinteroRequest.steps
        case .rbs: RBSRequest.steps
        case .intergiro: IntergiroRequest.steps
        case .cyberSource: CyberSourceRequest.steps
        case .checkout: CheckoutRequest.steps
        case .adyen: AdyenRequest.steps
        case .payPal: PayPalRequest.steps
        }
    }

    /// The names of its steps in order, each once.
    var stepNames: [String] {
        steps.reduce(into: []) { names, step in
            if !names.contains(step.name) { names.append(step.name) }
        }
    }

    /// Returns the gateway that a command line names.
    static func named(_ name: String?, for command: String) throws(CommandFailure) -> Gateway {
        let names = allCases.map(\.rawValue).joined(separator: ", ")
        guard let name, !name.hasPrefix("-") else {
            throw .usage("\(command) needs the name of a gateway: one of \(names).")
        }
        guard let gateway = Gateway(rawValue: name) else {
            let meant =
                allCases.map(\.rawValue).question(about: name)
            throw .usage("there is no gateway \(name); \(meant)choose one of \(names).")
        }
        return gateway
    }

    /// Returns the steps that `--step` names, one for each input.
    func stepsNamed(_ arguments: Arguments) throws(CommandFailure) -> [GatewayStep] {
        try stepsNamed(arguments.text(.step) ?? Self.defaultStep)
    }

    /// Returns the steps with this name, one for each input.
    func stepsNamed(_ name: String) throws(CommandFailure) -> [GatewayStep] {
        let named = steps.filter { $0.name == name }
        guard !named.isEmpty else {
            let meant = stepNames.question(about: name)
            throw .usage(
                "\(rawValue) has no step \(name); \(meant)"
                    + "\(CommandOption.step) takes \(stepNames.joined(separator: ", ")).")
        }
        return named
    }

    /// Returns the step that `--step` and `--encrypted` select.
    func step(_ arguments: Arguments) throws(CommandFailure) -> GatewayStep {
        let named = try stepsNamed(arguments)
        let first = named[0]
        let name = first.name
        let isEncrypted = arguments.has(.encrypted)
        if let step = named.first(where: { ($0.input == .verified) == isEncrypted }) {
            return step
        }
        let encrypted = CommandOption.encrypted
        switch first.input {
        case .none: throw .usage("the step \(name) takes no token; leave out \(encrypted).")
        case .opened: throw .usage("the step \(name) decrypts the token; leave out \(encrypted).")
        case .verified:
            throw .usage("the step \(name) sends the encrypted token; add \(encrypted).")
        }
    }
}
