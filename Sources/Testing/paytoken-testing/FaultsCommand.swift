internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayTokenTesting

extension CommandOption {
    static let others = flag(
        "--others", "the codes that a token alone cannot cause, and why, instead")
}

/// `paytoken-testing faults`: lists the codes with which made tokens can be refused.
enum FaultsCommand: OptionCommand {
    static let options: [CommandOption] = [.others]

    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        try arguments.requireNoOperand(of: "faults")
        let lines = arguments.has(.others) ? otherCodes : faults
        return StandardStream.output.write(lines.joined()) ? .done : .means
    }

    private static var faults: [String] {
        TokenFault.all.map { fault in
            let versions = fault.versions.map(\.rawValue).joined(separator: ",")
            return "\(fault.code.rawValue)\t\(versions)\t\(fault.sentence)\n"
        }
    }

    private static var otherCodes: [String] {
        PaymentTokenError.Code.allCases.compactMap { code in
            TokenFault.reasonForAbsence(of: code).map { "\(code.rawValue)\t\($0)\n" }
        }
    }
}
