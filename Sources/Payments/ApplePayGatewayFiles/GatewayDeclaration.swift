package import ApplePayGateways
internal import ApplePayToken

/// Everything that programs need to use a gateway by its name and a file with the merchant's account: the members of
/// the file, and the steps of the gateway's flow.
///
/// `Account` is the gateway, or a value around it.
struct GatewayDeclaration<Account: Sendable>: Sendable {
    /// The gateway's name, such as `worldline-direct`.
    let name: String
    /// The gateway's name for people.
    let title: String
    /// The account before any member is read; every mandatory member replaces a value.
    let initial: Account
    /// The members of the file in addition to `gateway`, `environment`, `origin` and `token`.
    let members: [FileMember<Account>]
    /// Chooses the servers of an environment; nil if the gateway has no servers that all merchants share.
    let environment: (@Sendable (inout Account, AccountEnvironment) throws(MemberFault) -> Void)?
    /// Replaces the address of the servers.
    let origin: @Sendable (inout Account, String) -> Void
    /// The forms in which tokens are sent; the first is the default.
    let forms: [GatewayAbilities.Form]
    /// Chooses the form, for a gateway that takes both.
    let form: @Sendable (inout Account, GatewayAbilities.Form) -> Void
    /// Checks the whole account after all members are read.
    let check: @Sendable (Account) throws(MemberFault) -> Void
    /// Returns the gateway of an account; nil for a service without payments.
    let gateway: @Sendable (Account) -> (any PaymentGateway)?
    /// The abilities with complete credentials, if they differ from those of the account before it is read.
    let abilities: GatewayAbilities?
    /// The steps of the gateway's flow.
    let steps: [GatewayStep<Account>]

    init(
        _ name: String,
        _ title: String,
        _ initial: Account,
        forms: [GatewayAbilities.Form],
        environment: (
            @Sendable (inout Account, AccountEnvironment) throws(MemberFault) -> Void
        )?,
        origin: @escaping @Sendable (inout Account, String) -> Void,
        form: @escaping @Sendable (inout Account, GatewayAbilities.Form) -> Void = { _, _ in },
        check: @escaping @Sendable (Account) throws(MemberFault) -> Void = { _ in },
        gateway: @escaping @Sendable (Account) -> (any PaymentGateway)?,
        abilities: GatewayAbilities? = nil,
        members: [FileMember<Account>],
        steps: [GatewayStep<Account>]
    ) {
        self.name = name
        self.title = title
        self.initial = initial
        self.forms = forms
        self.environment = environment
        self.origin = origin
        self.form = form
        self.check = check
        self.gateway = gateway
        self.abilities = abilities
        self.members = members
        self.steps = steps
    }
}

/// The two kinds of a vendor's servers.
package enum AccountEnvironment: String, CaseIterable, Sendable {
    /// Real money.
    case live
    /// Tests.
    case test
}

/// A gateway by its name: the declaration without the type of its account.
package struct DeclaredGateway: Sendable {
    /// The gateway's name, such as `worldline-direct`.
    package let name: String
    /// The gateway's name for people.
    package let title: String
    /// The members of its file.
    package let members: [MemberDescription]
    /// The steps of its flow.
    package let steps: [StepDescription]
    /// The abilities; nil for a service without payments.
    package let abilities: GatewayAbilities?
    /// Reads the account of a file.
    package let account: @Sendable (FileValue) throws(MemberFault) -> GatewayAccount

    init<Account>(_ declaration: GatewayDeclaration<Account>) {
        typealias Draft = AccountDraft<Account>
        let members = declaration.fileMembers
        name = declaration.name
        title = declaration.title
        self.members = members.map(\.description)
        steps = declaration.steps.map(\.description)
        abilities =
            declaration.abilities ?? declaration.gateway(declaration.initial)?.abilities
        account = { file throws(MemberFault) in
            let draft = try file.object(Draft(account: declaration.initial), members)
            return try declaration.account(draft)
        }
    }

    /// Returns the gateway with a name; nil if there is none.
    package static func named(_ name: String) -> DeclaredGateway? {
        all.first { $0.name == name }
    }
}

/// A merchant's account at a gateway, as its file describes it.
package struct GatewayAccount: Sendable {
    /// The gateway's name.
    package let name: String
    /// The environment; nil if the file states only an origin.
    package let environment: AccountEnvironment?
    /// The form in which tokens are sent.
    package let form: GatewayAbilities.Form
    /// The gateway; nil for a service without payments.
    package let gateway: (any PaymentGateway)?
    /// The steps of the gateway's flow.
    package let steps: [AccountStep]
}

/// An account while its file is read.
struct AccountDraft<Account: Sendable>: Sendable {
    var account: Account
    var environment: AccountEnvironment?
    var origin: String?
    var form: GatewayAbilities.Form?
}

extension GatewayDeclaration {
    /// The members of the file, those that all gateways share first.
    fileprivate var fileMembers: [FileMember<AccountDraft<Account>>] {
        typealias Draft = AccountDraft<Account>
        let name = name
        var found: [FileMember<Draft>] = [
            FileMember(
                "gateway", .choice([name]), mandatory: true, "the gateway", example: "\"\(name)\""
            ) { file, _ throws(MemberFault) in _ = try file.choice([name]) }
        ]
        if environment != nil {
            let names = AccountEnvironment.allCases.map(\.rawValue)
            found.append(
                FileMember(
                    "environment", .choice(names),
                    "the vendor's servers; mandatory unless origin is given", example: "\"test\""
                ) { file, draft throws(MemberFault) in
                    draft.environment = AccountEnvironment.allCases[try file.choice(names)]
                })
        }
        let isMandatory = environment == nil
        found.append(
            FileMember(
                "origin", .text(1...Int.max), mandatory: isMandatory,
                "scheme and host of the server, or of a proxy, such as https://proxy.example",
                example: isMandatory ? "\"https://bank.example\"" : nil
            ) { file, draft throws(MemberFault) in
                let origin = try file.text(1...Int.max)
                guard GatewayOrigin.isPermitted(origin) else {
                    throw file.fault(
                        "must be https://HOST or https://HOST:PORT, without a slash at the end; plain http is for "
                            + "loopback addresses only, such as http://127.0.0.1:8080")
                }
                draft.origin = origin
            })
        if forms.count > 1 {
            let names = forms.map(\.rawValue)
            found.append(
                FileMember(
                    "token", .choice(names),
                    "the form in which tokens are sent; default: \(names[0])",
                    example: "\"\(names[0])\""
                ) { [forms] file, draft throws(MemberFault) in
                    draft.form = forms[try file.choice(names)]
                })
        }
        return found
            + members.map { member in
                let description = member.description
                return FileMember(
                    description.name, description.kind, mandatory: description.isMandatory,
                    description.help, key: description.key, example: description.example
                ) { file, draft throws(MemberFault) in try member.read(file, &draft.account) }
            }
    }

    /// Returns the account of a file that was read.
    fileprivate func account(
        _ draft: AccountDraft<Account>
    ) throws(MemberFault) -> GatewayAccount {
        var account = draft.account
        if let environment = draft.environment {
            try self.environment?(&account, environment)
        } else if draft.origin == nil {
            throw MemberFault("environment", "is missing: it must be live or test")
        }
        if let origin = draft.origin { self.origin(&account, origin) }
        let form = draft.form ?? forms.first ?? .decrypted
        self.form(&account, form)
        try check(account)
        let complete = account
        return GatewayAccount(
            name: name, environment: draft.environment, form: form, gateway: gateway(account),
            steps: steps.map { step in
                AccountStep(
                    description: step.description,
                    request: { input throws(PaymentTokenError) in try step.request(complete, input)
                    },
                    reader: step.reader(complete))
            })
    }
}
