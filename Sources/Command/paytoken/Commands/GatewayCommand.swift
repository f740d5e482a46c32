internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayWire

/// `paytoken gateway`: the gateways, their steps, and their files.
struct GatewayCommand {
    /// The text that is written, which is the command's second word.
    enum Subject: String, CaseIterable {
        case list, steps, example, schema

        /// The possible operands.
        var names: [String] {
            let names = DeclaredGateway.all.map(\.name)
            return switch self {
            case .list: []
            case .steps: names
            case .example, .schema: names + [GatewayCommand.order]
            }
        }
    }

    /// The name of the order file among those of gateways.
    private static let order = "order"

    private let subject: Subject
    private let name: String?

    init(_ subject: Subject, _ arguments: Arguments) throws(CommandFailure) {
        self.subject = subject
        name = arguments.operands.first
        let command = "gateway \(subject.rawValue)"
        guard subject != .list else {
            guard let name else { return }
            throw .usage("\(command) takes no operand; leave out \(name).")
        }
        let known = subject.names
        guard arguments.operands.count == 1, let name else {
            throw .usage("\(command) needs one name: \(known.alternatives).")
        }
        guard known.contains(name) else {
            throw .usage(
                "there is no gateway \(name); \(known.question(about: name))choose one of "
                    + "\(known.joined(separator: ", ")).")
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        StandardStream.output.write(text) ? .done : .means
    }

    private var text: String {
        let gateway = name.flatMap(DeclaredGateway.named)
        let members = gateway?.members ?? OrderFile.members
        return switch subject {
        case .list: Self.list
        case .steps: gateway.map(Self.steps) ?? ""
        case .example: "\(MemberJSON.example(members))\n"
        case .schema:
            "\(MemberJSON.schema(members, title: gateway.map { "\($0.title): account" } ?? "Order"))\n"
        }
    }

    private static var list: String {
        DeclaredGateway.all.map { gateway in
            let abilities = gateway.abilities
            let forms = GatewayAbilities.Form.allCases
                .filter { abilities?.forms.contains($0) == true }.map(\.rawValue)
            let operations = PaymentOperation.Kind.allCases.compactMap { kind -> String? in
                switch abilities?[kind] {
                case .part: "\(kind.rawValue) in parts"
                case .whole: kind.rawValue
                default: nil
                }
            }
            let words =
                forms.isEmpty ? ["no payments"] : [forms.sentence + " tokens"] + operations
            return "\(gateway.name): \(gateway.title)\n    \(words.joined(separator: ", "))\n"
        }.joined()
    }

    private static func steps(_ gateway: DeclaredGateway) -> String {
        gateway.steps.map { step in
            let token = step.takesToken ? ["TOKEN"] : []
            let needs = step.needs.compactMap(\.option?.usage)
            let takes = step.takes.compactMap { $0.option.map { "[\($0.usage)]" } }
            let input = (token + needs + takes).joined(separator: " ")
            return "\(step.name)\n    \(step.help)\n" + (input.isEmpty ? "" : "    \(input)\n")
        }.joined()
    }
}
