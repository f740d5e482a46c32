internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayOtherGateways
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

/// `paytoken gateway`: the gateways and their files.
enum GatewayCommand {
    /// The text that is written, which is the command's second word.
    enum Subject: String, CaseIterable {
        case list, example, schema

        /// The possible operands.
        var names: [String] {
            switch self {
            case .list: []
            case .example, .schema:
                DeclaredGateway.all.map(\.name.description) + [GatewayCommand.order]
            }
        }
    }

    /// The name of the order file among those of gateways.
    private static let order = "order"

    /// Writes the text about the gateway that the operand names.
    static func run(
        _ subject: Subject, _ arguments: Arguments
    ) throws(CommandFailure) -> ExitStatus {
        let name = arguments.operands.first
        let command = "gateway \(subject.rawValue)"
        let known = subject.names
        switch (subject, name) {
        case (.list, nil): break
        case (.list, let name?): throw .usage("\(command) takes no operand; leave out \(name).")
        case (_, let name?) where arguments.operands.count == 1:
            guard !known.contains(where: { ExactText($0) == ExactText(name) }) else { break }
            throw .usage(
                "there is no gateway \(name); \(known.question(about: name))choose one of "
                    + "\(known.joined(separator: ", ")).")
        default: throw .usage("\(command) needs one name: \(known.alternatives).")
        }
        let gateway = name.flatMap { DeclaredGateway.named(ExactText($0)) }
        let members = gateway?.members ?? OrderFile.members
        let text =
            switch subject {
            case .list: list
            case .example: "\(MemberJSON.example(members))\n"
            case .schema:
                "\(MemberJSON.schema(members, title: gateway.map { "\($0.title): account" } ?? "Order"))\n"
            }
        return StandardStream.output.write(text) ? .done : .means
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
            var words =
                forms.isEmpty ? ["adds cards to Apple Wallet"] : [forms.sentence + " tokens"]
            if abilities?.hasPages == true { words.append("pages") }
            if abilities?.takesSessions == true { words.append("sessions") }
            if abilities?.initiators.isEmpty == false { words.append("stored cards") }
            // Capture and refund are then done in the gateway's own tools.
            let isOnlyPaid = !forms.isEmpty && abilities?[.capture] == GatewayAbilities.Extent.none
            words += isOnlyPaid ? [(["the payment"] + operations).sentence + " only"] : operations
            return "\(gateway.name): \(gateway.title)\n    \(words.joined(separator: ", "))\n"
        }.joined()
    }
}
