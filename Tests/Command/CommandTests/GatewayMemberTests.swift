import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayOtherGateways
import ApplePayPrograms
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import paytoken

/// A member of a gateway file or an order file, with its path.
struct DeclaredMember {
    let path: [String]
    let description: MemberDescription

    /// The path as messages write it.
    var name: String { path.joined(separator: ".") }

    /// Returns the members of a file at all depths; those of arrays are not among them.
    static func all(
        _ members: [MemberDescription], below path: [String] = []
    ) -> [DeclaredMember] {
        members.flatMap { member in
            let path = path + [member.name]
            let inner: [DeclaredMember] =
                if case .object(let members) = member.kind { all(members, below: path) } else { [] }
            return [DeclaredMember(path: path, description: member)] + inner
        }
    }

    /// Returns a permitted value of the member; others with which its object has all it needs.
    func value() -> JSONTree {
        switch description.kind {
        case .text(let counts): .string(String(repeating: "a", count: max(counts.lowerBound, 1)))
        case .secret: .object(["env": .string("HOME")])
        case .boolean: .boolean(true)
        case .integer(let numbers): .number(Decimal(numbers.lowerBound))
        case .choice(let names): .string(names[0])
        case .texts: .array([.string("a")])
        case .map(let kind):
            if case .secret = kind {
                .object(["k": .object(["env": .string("HOME")])])
            } else {
                .object(["k": .string("v")])
            }
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.filter(\.isMandatory).map {
                        ($0.name, DeclaredMember(path: path + [$0.name], description: $0).value())
                    }))
        case .objects: .array([])
        case .contact: .object(["givenName": .string("Jane")])
        case .token: .object([:])
        }
    }
}

extension JSONTree {
    /// Returns this object with another value at a path, and with the objects on the way; nil removes the member.
    func with(_ value: JSONTree?, at path: some Collection<String>) -> JSONTree {
        guard let name = path.first else { return value ?? .null }
        var members = members
        let rest = path.dropFirst()
        members[name] =
            rest.isEmpty ? value : (members[name] ?? .object([:])).with(value, at: rest)
        return .object(members)
    }

    /// The value as JSON.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? String(decoding: encoder.encode(self), as: UTF8.self)) ?? ""
    }
}

@Suite("The members of gateway files")
struct GatewayMemberTests {
    private static let names = DeclaredGateway.all.map(\.name.description)

    /// A gateway, the example of its file, and its members.
    private struct File {
        let gateway: DeclaredGateway
        let example: JSONTree
        let members: [DeclaredMember]

        init(_ name: String) throws {
            gateway = try #require(DeclaredGateway.named(ExactText(name)))
            members = DeclaredMember.all(gateway.members)
            let text = MemberJSON.example(gateway.members)
            var example = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
            for member in members {
                guard case .secret = member.description.kind,
                    member.description.example != nil
                else { continue }
                // A variable that every process has.
                example = example.with(.object(["env": .string("HOME")]), at: member.path)
            }
            self.example = example
        }

        /// Returns the example with a value at a path, and with what the objects on the way need.
        func with(_ value: JSONTree?, at path: [String]) -> JSONTree {
            var tree = example
            for count in 1..<max(path.count, 1) {
                let outer = Array(path.prefix(count))
                let member = members.first { $0.path == outer }
                guard let member, tree.member(at: outer) == nil else { continue }
                tree = tree.with(member.value(), at: outer)
            }
            return tree.with(value, at: path)
        }

        /// Expects that a file is refused because of a member, for a reason.
        func expectFault(_ tree: JSONTree, _ member: String, _ fault: String) throws {
            try KeyFolder.with(["shop.json": tree.text]) { folder in
                let failure = #expect(throws: CommandFailure.self) {
                    try GatewayFile.account("\(folder)/shop.json")
                }
                let isUnavailable = fault.hasPrefix("names ")
                #expect(failure?.status == (isUnavailable ? .means : .usage))
                let start = "\(folder)/shop.json cannot be used: its member \(member) \(fault)"
                let end = "`paytoken gateway example \(gateway.name)` shows a file."
                #expect(failure?.message.hasPrefix(start) == true, "\(failure?.message ?? "")")
                // The file is right if only a secret is missing.
                #expect(
                    failure?.message.hasSuffix(end) == !isUnavailable, "\(failure?.message ?? "")")
            }
        }
    }

    @Test("are all in a file that is accepted, and the example is accepted", arguments: names)
    func accepted(_ name: String) throws {
        let file = try File(name)
        func read(_ tree: JSONTree) throws -> GatewayAccount {
            try KeyFolder.with(["shop.json": tree.text]) { folder in
                try GatewayFile.account("\(folder)/shop.json")
            }
        }
        #expect(try read(file.example).name == name)
        for member in file.members where member.name != "origin" {
            guard !Self.checked.contains("\(name) \(member.name)") else { continue }
            let tree = file.with(member.value(), at: member.path)
            #expect(throws: Never.self, "\(member.name)") { try read(tree) }
        }
    }

    @Test("are in groups, each with a help text and named once", arguments: names)
    func groups(_ name: String) throws {
        let gateway = try #require(DeclaredGateway.named(ExactText(name)))
        func check(_ members: [MemberDescription]) {
            #expect(Set(members.map(\.name)).count == members.count)
            for member in members {
                #expect(!member.help.isEmpty && !member.help.hasSuffix("."), "\(member.name)")
                #expect(
                    member.help.first?.isUppercase == false || member.help.hasPrefix("Worldline"))
                switch member.kind {
                case .object(let members), .objects(let members): check(members)
                default: break
                }
            }
        }
        check(gateway.members)
        let head = ["gateway", "name", "environment", "origin", "token"]
        let groups = ["account", "credentials", "webhooks", "payment", "page"]
        let known = gateway.members.map(\.name)
        #expect(known == (head + groups).filter(known.contains))
        let forms = gateway.abilities?.forms ?? []
        #expect(known.contains("token") == (forms.count > 1))
        #expect(known.contains("webhooks") == (gateway.abilities?.messages == true))
    }

    @Test("belong to the gateways that the tests have examples of")
    func gateways() {
        #expect(DeclaredGateway.all.map(\.name.description) == ExampleGateway.all.map(\.name))
        for gateway in DeclaredGateway.all {
            #expect(DeclaredGateway.named(gateway.name)?.title == gateway.title)
            #expect(!gateway.title.isEmpty)
        }
        #expect(DeclaredGateway.named("acme") == nil)
    }

    /// Members other than `origin` that are checked beyond their type, or together with others.
    private static let checked: Set<String> = [
        "bepaid webhooks.publicKey", "bepaid payment.contract", "adyen environment",
        "dintero environment", "dintero account", "dintero account.accountId",
        "rbs account", "rbs credentials", "rbs token",
    ]

    @Test("name is the gateway's unless the file states another one", arguments: names)
    func name(_ name: String) throws {
        let file = try File(name)
        #expect(try ExampleAccounts.account(file.example.text).name == name)
        for permitted in ["a", "shop-2", String(repeating: "z", count: 40)] {
            let tree = file.example.with(.string(permitted), at: ["name"])
            let account = try ExampleAccounts.account(tree.text)
            #expect(account.name == permitted && account.gatewayName == name)
        }
        try file.expectFault(
            file.example.with(.string(""), at: ["name"]), "name", "must not be empty.")
        for refused in ["A", "shop 2", "a/b", "a_b", "\u{e9}", String(repeating: "z", count: 41)] {
            try file.expectFault(
                file.example.with(.string(refused), at: ["name"]), "name",
                "must have 1 to 40 lower-case letters, digits and hyphens.")
        }
    }

    @Test("are refused with another type, by their path", arguments: names)
    func types(_ name: String) throws {
        let file = try File(name)
        for member in file.members {
            let (fault, values): (String, [JSONTree]) =
                switch member.description.kind {
                case .text:
                    (
                        "must be a string.",
                        [.number(1), .boolean(true), .array([]), .object([:]), .null]
                    )
                case .secret:
                    (
                        #"must be {"env":"NAME"} for an environment variable, or {"file":"/path"} for a file."#,
                        [
                            .number(1), .array([]), .object([:]), .null,
                            .object(["env": .number(1)]), .object(["env": .string("")]),
                            .object(["other": .string("HOME")]),
                            .object(["env": .string("HOME"), "file": .string("/x")]),
                        ]
                    )
                case .boolean: ("must be true or false.", [.string("true"), .number(1), .null])
                case .integer:
                    (
                        "must be a whole number",
                        [.string("1"), .number(1.5), .null, .boolean(true)]
                    )
                case .choice(let names):
                    (
                        "must be \(names.alternatives).",
                        [.string("other"), .number(1), .null, .boolean(true)]
                    )
                case .texts:
                    ("must be an array of strings.", [.string("a"), .array([.number(1)]), .null])
                case .map, .object: ("must be an object.", [.string("a"), .array([]), .null])
                case .objects:
                    ("must be an array of objects.", [.string("a"), .object([:]), .null])
                case .contact: ("must be a contact in Apple's form", [.string("a"), .array([])])
                case .token: ("must be the token", [.number(1), .array([])])
                }
            for value in values where member.name != "gateway" {
                try file.expectFault(file.with(value, at: member.path), member.name, fault)
            }
        }
    }

    @Test(
        "refuse a name that is not declared, with its path and the names that are", arguments: names
    )
    func unknown(_ name: String) throws {
        let file = try File(name)
        let tree = file.with(.number(1), at: ["nonsense"])
        let names = file.gateway.members.map(\.name).joined(separator: ", ")
        try file.expectFault(tree, "nonsense", "is unknown; this file can have \(names).")
        for member in file.members {
            guard case .object(let members) = member.description.kind else { continue }
            let path = member.path + ["nonsense"]
            let names = members.map(\.name).joined(separator: ", ")
            try file.expectFault(
                file.with(.number(1), at: path), path.joined(separator: "."),
                "is unknown; \(member.name) can have \(names).")
        }
    }

    @Test("that are mandatory are named if they are missing", arguments: names)
    func missing(_ name: String) throws {
        let file = try File(name)
        for member in file.members where member.description.isMandatory && member.name != "gateway"
        {
            try file.expectFault(
                file.with(nil, at: member.path), member.name,
                "is missing: \(member.description.help).")
        }
    }

    @Test("are refused over and below their limits", arguments: names)
    func limits(_ name: String) throws {
        let file = try File(name)
        for member in file.members {
            func expect(_ value: JSONTree, _ fault: String) throws {
                try file.expectFault(file.with(value, at: member.path), member.name, fault)
            }
            switch member.description.kind {
            case .text(let counts):
                if counts.lowerBound > 0 { try expect(.string(""), "must not be empty.") }
            case .integer(let numbers):
                try expect(
                    .number(Decimal(numbers.lowerBound) - 1),
                    "must be at least \(numbers.lowerBound).")
                guard numbers.upperBound < Int64.max else { continue }
                try expect(
                    .number(Decimal(numbers.upperBound) + 1),
                    "must be at most \(numbers.upperBound).")
            default: continue
            }
        }
    }

    @Test("that are secrets are refused as text, with the correct form", arguments: names)
    func secrets(_ name: String) throws {
        let file = try File(name)
        let forms = #"{"env":"NAME"} for an environment variable, or {"file":"/path"} for a file"#
        for member in file.members {
            let path: [String]
            switch member.description.kind {
            case .secret: path = member.path
            case .map(.secret): path = member.path + ["key-1"]
            default: continue
            }
            for text in ["sk_live_oops", ""] {
                let tree = file.with(.string(text), at: path)
                try file.expectFault(
                    tree, path.joined(separator: "."),
                    "must not contain the secret itself; write \(forms).")
            }
            // What may be the secret itself in place of the name of a variable is not repeated.
            for (text, variable) in [
                (
                    "PAYTOKEN_TEST_SECRET_2",
                    "the environment variable PAYTOKEN_TEST_SECRET_2, which"
                ),
                ("sk_live_oops", "an environment variable that"),
                ("7KQ2XW5ZP", "an environment variable that"),
                (String(repeating: "A", count: 65), "an environment variable that"),
            ] {
                try file.expectFault(
                    file.with(.object(["env": .string(text)]), at: path),
                    path.joined(separator: "."),
                    "names \(variable) is not set or is empty; set it")
            }
            try file.expectFault(
                file.with(.object(["file": .string("/nowhere/key")]), at: path),
                path.joined(separator: "."),
                "names a file that cannot be used: /nowhere/key cannot be read: No such file or directory; write the secret to it."
            )
        }
    }

    @Test(
        "are checked together",
        arguments: [
            (
                "adyen", #"{"environment":"live"}"#, "account.livePrefix",
                "must be the prefix of the account's live server: letters, digits and hyphens."
            ),
            (
                "adyen",
                #"{"environment":"live","account":{"merchantAccount":"S","livePrefix":"a.b"}}"#,
                "account.livePrefix",
                "must be the prefix of the account's live server: letters, digits and hyphens."
            ),
            (
                "checkout", #"{"account":{"identifier":"s","subdomain":"a.b"}}"#,
                "account.subdomain",
                "must consist of letters, digits and hyphens."
            ),
            (
                "dintero", #"{"environment":"live"}"#, "account.accountId",
                "must begin with P, as all live accounts do."
            ),
            (
                "dintero", #"{"account":{"accountId":"P12345678"}}"#, "account.accountId",
                "must begin with T, as all test accounts do."
            ),
            (
                "dintero", #"{"payment":{"profileId":"p","generatesPaymentToken":true}}"#,
                "payment.generatesPaymentToken", "cannot be combined with payment.profileId."
            ),
            (
                "rbs", #"{"credentials":{"userName":"u"}}"#, "credentials.password",
                "is missing: a login needs both."
            ),
            (
                "rbs", #"{"credentials":{"password":{"env":"HOME"}}}"#, "credentials.userName",
                "is missing: a login needs both."
            ),
            (
                "rbs", #"{"credentials":{}}"#, "credentials.userName",
                "is missing: decrypted payments need a login, and queries and operations a login or a token."
            ),
            (
                "rbs", #"{"account":{}}"#, "account.identifier",
                "is missing: choose a name for the account, and never change it."
            ),
            (
                "rbs", #"{"token":"encrypted","account":{"identifier":"s"}}"#, "account.merchant",
                "is missing: encrypted tokens are paid with the merchant's login for Apple Pay."
            ),
            (
                "bepaid", #"{"webhooks":{"publicKey":{"env":"HOME"}}}"#, "webhooks.publicKey",
                "must be an RSA public key in PEM or base64."
            ),
            (
                "bepaid", #"{"payment":{"contract":["recurring","other"]}}"#, "payment.contract",
                "must contain recurring, oneclick, credit or card_on_file."
            ),
            ("paypal", #"{"environment":null}"#, "environment", "must be live or test."),
        ])
    func together(_ name: String, _ change: String, _ member: String, _ fault: String) throws {
        let file = try File(name)
        let change = try JSONDecoder().decode(JSONTree.self, from: Data(change.utf8))
        var tree = file.example
        for (name, value) in change.members { tree = tree.with(value, at: [name]) }
        try file.expectFault(tree, member, fault)
    }

    @Test("environment is mandatory, also beside an origin", arguments: names)
    func servers(_ name: String) throws {
        let file = try File(name)
        let origin = file.example.with(.string("http://127.0.0.1:8080"), at: ["origin"])
        for environment in AccountEnvironment.allCases where name != "dintero" && name != "adyen" {
            let value = JSONTree.string(environment.rawValue)
            let account = try ExampleAccounts.account(origin.with(value, at: ["environment"]).text)
            #expect(account.environment == environment)
            #expect(account.gateway?.isTest ?? (environment == .test) == (environment == .test))
        }
        let help = try #require(file.members.first { $0.name == "environment" }).description.help
        for tree in [file.example, origin] {
            try file.expectFault(
                tree.with(nil, at: ["environment"]), "environment", "is missing: \(help).")
        }
        for origin in [
            "http://gateway.example", "https://a.example/", "ftp://a.example", "a.example",
            "https://a.example/path", "https://",
        ] {
            try file.expectFault(
                file.example.with(.string(origin), at: ["origin"]), "origin",
                "must be https://HOST or https://HOST:PORT, without a slash at the end; plain http is for "
                    + "loopback addresses only, such as http://127.0.0.1:8080.")
        }
    }

    @Test("token chooses the form; without it, it is the first", arguments: names)
    func form(_ name: String) throws {
        let file = try File(name)
        guard file.example.members["token"] != nil else { return }
        let without = try ExampleAccounts.account(file.example.with(nil, at: ["token"]).text)
        #expect(without.form == .decrypted)
        for form in GatewayAbilities.Form.allCases {
            let tree = file.example.with(.string(form.rawValue), at: ["token"])
            #expect(try ExampleAccounts.account(tree.text).form == form)
        }
    }

    @Test("of a file that is not a JSON object are not read")
    func noObject() throws {
        try KeyFolder.with([
            "a": "[]", "b": "", "c": #"{"gateway":1}"#, "d": #"{"gateway":"acme"}"#, "e": "1",
        ]) {
            folder in
            for (name, sentence) in [
                ("a", "its member gateway must be worldline-direct, "), ("b", "; it is empty. "),
                ("c", "its member gateway must be worldline-direct, "),
                ("d", "its member gateway must be worldline-direct, "),
                ("e", "its member gateway must be worldline-direct, "),
            ] {
                let failure = #expect(throws: CommandFailure.self) {
                    try GatewayFile.account("\(folder)/\(name)")
                }
                #expect(failure?.status == .usage)
                #expect(
                    failure?.message.hasPrefix("\(folder)/\(name) is not a gateway file") == true
                        && failure?.message.contains(sentence) == true, "\(failure?.message ?? "")")
            }
        }
    }
}

extension JSONTree {
    /// Returns the value at a path.
    func member(at path: some Collection<String>) -> JSONTree? {
        path.reduce(self) { value, name in value?.members[name] }
    }
}
