internal import ApplePayPrimitives
package import ApplePayWire

/// The two kinds of a vendor's servers.
package enum AccountEnvironment: String, CaseIterable, Sendable {
    /// Real money.
    case live
    /// Tests.
    case test
}

/// A merchant's account at a gateway, as its file describes it.
package struct GatewayAccount: Sendable {
    /// The gateway's name.
    package let gatewayName: ExactText
    /// The name of the account among the files of a service: the gateway's, or one that the file states.
    package let name: ExactText
    package let environment: AccountEnvironment
    /// The form in which tokens are sent.
    package let form: GatewayAbilities.Form
    /// The gateway; nil for a service without payments.
    package let gateway: (any PaymentGateway)?
    /// The service that adds cards to Wallet; nil for a gateway.
    package let cards: Intergiro?
    /// The addresses of the servers, such as `https://gateway.bepaid.by`.
    package let origins: [String]
}

/// A gateway by its name, and the members of the file that describes an account.
package struct DeclaredGateway: Sendable {
    /// The gateway's name, such as `worldline-direct`.
    package let name: ExactText
    /// The gateway's name for people.
    package let title: String
    /// The members of its file.
    package let members: [MemberDescription]
    /// The abilities; nil for a service without payments.
    package let abilities: GatewayAbilities?
    /// Reads the account of a file.
    package let account: AccountReader
    /// The gateways of ApplePayGateways; a new one is added here.
    package static let documented = [
        WorldlineDirect.declaration, WorldlineConnect.declaration, BePaid.declaration,
        Dintero.declaration, RBS.declaration, Intergiro.declaration,
    ]

    /// Declares a gateway; `Account` is the gateway itself, or a value around it.
    ///
    /// - Parameters:
    ///   - name: The gateway's name.
    ///   - title: The gateway's name for people.
    ///   - initial: The account before any member is read; every mandatory member replaces a value.
    ///   - forms: The forms in which tokens are sent; the first is the default.
    ///   - environment: Chooses the servers of an environment, and states whether payments are tests.
    ///   - hasSharedServers: Whether the vendor has servers that all merchants share; otherwise the file names one.
    ///   - origins: The addresses of the servers, which the member `origin` replaces.
    ///   - form: Chooses the form, for a gateway that takes both.
    ///   - check: Checks the whole account after all members are read.
    ///   - gateway: Returns the gateway of an account; nil for a service without payments.
    ///   - cards: Returns the service that adds cards to Wallet; nil for a gateway.
    ///   - abilities: The abilities with complete credentials, if they differ from those of the initial account.
    ///   - members: The members of the file in addition to `gateway`, `environment`, `origin` and `token`.
    package init<Account: Sendable>(
        _ name: ExactText,
        _ title: String,
        _ initial: Account,
        forms: [GatewayAbilities.Form],
        environment:
            @escaping @Sendable (inout Account, AccountEnvironment) throws(FileError)
            -> Void,
        hasSharedServers: Bool = true,
        origins: [FileMember<Account>.Path<String>],
        form: @escaping @Sendable (inout Account, GatewayAbilities.Form) -> Void = { _, _ in },
        check: @escaping @Sendable (Account) throws(FileError) -> Void = { _ in },
        gateway: @escaping @Sendable (Account) -> (any PaymentGateway)?,
        cards: @escaping @Sendable (Account) -> Intergiro? = { _ in nil },
        abilities: GatewayAbilities? = nil,
        members: [FileMember<Account>]
    ) {
        let members =
            AccountDraft<Account>.members(String(name), forms, hasSharedServers)
            + members.map { $0.lifted(to: \.account) }
        self.name = name
        self.title = title
        self.members = members.map(\.description)
        self.abilities = abilities ?? gateway(initial)?.abilities
        account = { file throws(FileError) in
            let draft = try file.object(AccountDraft(account: initial), members)
            var account = draft.account
            try environment(&account, draft.environment)
            if let address = draft.origin {
                for origin in origins { account[keyPath: origin] = address }
            }
            let chosen = draft.form ?? forms.first ?? .decrypted
            form(&account, chosen)
            try check(account)
            return GatewayAccount(
                gatewayName: name, name: draft.name.map { ExactText($0) } ?? name,
                environment: draft.environment,
                form: chosen, gateway: gateway(account), cards: cards(account),
                origins: origins.map { account[keyPath: $0] })
        }
    }
}

extension SensitiveBytes {
    /// The value of a mandatory secret before a file is read.
    package static var unset: SensitiveBytes { SensitiveBytes(copying: [UInt8]().span) }
}

/// An account while its file is read.
private struct AccountDraft<Account: Sendable>: Sendable {
    var account: Account
    var gateway = ""
    var name: String?
    var environment = AccountEnvironment.test
    var origin: String?
    var form: GatewayAbilities.Form?

    private static var accountName: FileType<String> {
        FileType.text(.name).map { text, file throws(FileError) in
            let permitted = UInt8(ascii: "a")...UInt8(ascii: "z")
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            guard (1...40).contains(text.utf8.count),
                text.utf8.allSatisfy({
                    permitted.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-")
                })
            else {
                throw file.fault("must have 1 to 40 lower-case letters, digits and hyphens")
            }
            return text
        }
    }

    /// Returns the members that the files of all gateways share.
    static func members(
        _ name: String, _ forms: [GatewayAbilities.Form], _ hasSharedServers: Bool
    ) -> [FileMember<Self>] {
        let origin = FileType.text(.address).map { text, file throws(FileError) in
            guard GatewayOrigin.isPermitted(text) else {
                throw file.fault(
                    "must be https://HOST or https://HOST:PORT, without a slash at the end; plain http is for "
                        + "loopback addresses only, such as http://127.0.0.1:8080")
            }
            return text
        }
        let help = "scheme and host of the server, or of a proxy, such as https://proxy.example"
        var members: [FileMember<Self>] = [
            .mandatory(
                "gateway", .choice([name], [name]), \.gateway, "the gateway", example: name),
            .optional(
                "name", accountName, \.name,
                "a name for the account in a service that has several of this gateway, 1 to 40 lower-case letters, digits "
                    + "and hyphens; default: \(name)"),
            .mandatory(
                "environment", .choice, \.environment,
                "live, or test if payments move no money"
                    + (hasSharedServers ? "; it also chooses the vendor's servers" : ""),
                example: "test"),
            hasSharedServers
                ? .optional("origin", origin, \.origin, help)
                : .mandatory(
                    "origin", origin.map { text, _ in Optional(text) }, \.origin, help,
                    example: "https://bank.example"),
        ]
        if forms.count > 1 {
            let names = forms.map(\.rawValue)
            members.append(
                .optional(
                    "token", .choice(forms, names), \.form,
                    "the form in which tokens are sent; default: \(names[0])", example: names[0]))
        }
        return members
    }
}
