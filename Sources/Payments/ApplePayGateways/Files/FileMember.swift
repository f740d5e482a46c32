internal import ApplePayPrimitives
package import ApplePayWire

/// A member of a file, without the type of the value that it belongs to: the source of help, schema and example.
package struct MemberDescription: Sendable {
    /// The types of values.
    package indirect enum Kind: Sendable {
        /// A string with so many characters.
        case text(ClosedRange<Int>)
        /// `{"env":NAME}` or `{"file":PATH}`.
        case secret
        /// `true` or `false`.
        case boolean
        /// A whole number.
        case integer(ClosedRange<Int64>)
        /// One of several strings.
        case choice([String])
        /// An array of strings with so many characters each.
        case texts(ClosedRange<Int>)
        /// An object whose names are the merchant's, with strings or secrets.
        case map(Kind)
        /// An object.
        case object([MemberDescription])
        /// An array of objects.
        case objects([MemberDescription])
        /// An object in a form of Apple's.
        case contact
        /// A payment token, as an object or as a string with its text.
        case token
    }

    /// The member's name.
    package let name: String
    package let kind: Kind
    /// Whether the file must have it, if it has the object around it.
    package let isMandatory: Bool
    /// One sentence without a capital letter and a full stop.
    package let help: String
    /// The member or header of the request that it becomes; nil if it becomes none.
    package let key: String?
    /// The value in the example, as JSON; nil leaves the member out.
    package let example: String?

    /// This member, left out of the example.
    package var withoutExample: MemberDescription {
        var kind = kind
        if case .object(let members) = kind { kind = .object(members.map(\.withoutExample)) }
        return MemberDescription(
            name: name, kind: kind, isMandatory: isMandatory, help: help, key: key, example: nil)
    }
}

/// One member of a gateway file or an order file: its declaration, and how it is read into the value around it.
package struct FileMember<Value>: Sendable {
    /// The place of the member's value.
    package typealias Path<Member> = any WritableKeyPath<Value, Member> & Sendable

    /// Reads the member's value into the value around it.
    package typealias Reader = @Sendable (FileValue, inout Value) throws(FileError) -> Void

    package let description: MemberDescription
    package let read: Reader
}

extension FileMember {
    /// Creates a member; `example` is the text of a string, the name of a secret's variable, or JSON.
    package init(
        _ name: String, _ kind: MemberDescription.Kind, mandatory isMandatory: Bool, _ help: String,
        _ key: String? = nil, _ example: String? = nil, read: @escaping Reader
    ) {
        let json = example.map { example in
            switch kind {
            case .text, .choice: "\"\(example)\""
            case .secret: #"{"env":"\#(example)"}"#
            default: example
            }
        }
        let description = MemberDescription(
            name: name, kind: kind, isMandatory: isMandatory, help: help, key: key, example: json)
        self.init(description: description, read: read)
    }

    /// Declares a member that the file must have.
    package static func mandatory<Member>(
        _ name: String, _ type: FileType<Member>, _ path: Path<Member>, _ help: String,
        key: String? = nil, example: String
    ) -> FileMember {
        FileMember(name, type.kind, mandatory: true, help, key, example) {
            file, value throws(FileError) in value[keyPath: path] = try type.read(file)
        }
    }

    /// Declares a member that has a default, which is the value before the file is read.
    package static func defaulted<Member>(
        _ name: String, _ type: FileType<Member>, _ path: Path<Member>, _ help: String,
        key: String? = nil, example: String? = nil
    ) -> FileMember {
        FileMember(name, type.kind, mandatory: false, help, key, example) {
            file, value throws(FileError) in value[keyPath: path] = try type.read(file)
        }
    }

    /// Declares a member without a default.
    package static func optional<Member>(
        _ name: String, _ type: FileType<Member>, _ path: Path<Member?>, _ help: String,
        key: String? = nil, example: String? = nil
    ) -> FileMember {
        FileMember(name, type.kind, mandatory: false, help, key, example) {
            file, value throws(FileError) in value[keyPath: path] = try type.read(file)
        }
    }

    /// Declares a choice between `true` and `false`, which is false if the member is missing.
    package static func flag(
        _ name: String, _ path: Path<Bool>, _ help: String, key: String? = nil
    ) -> FileMember {
        .defaulted(name, .boolean, path, "\(help); default: false", key: key)
    }

    /// Declares an object whose members belong to the same value; it is mandatory if one of them is.
    package static func group(_ name: String, _ help: String, _ members: [FileMember]) -> FileMember
    {
        FileMember(
            name, .object(members.map(\.description)),
            mandatory: members.contains(where: \.description.isMandatory), help
        ) { file, value throws(FileError) in value = try file.object(value, members) }
    }

    /// Declares the object of the merchant's account.
    package static func account(_ members: FileMember...) -> FileMember {
        group("account", "the merchant's account", members)
    }

    /// Declares the identifier of an account to which the gateway gives none.
    package static func identifier(_ path: Path<ExactText>) -> FileMember {
        .mandatory(
            "identifier", .text(.name), path,
            "a name for the account that you choose and never change", example: "shop")
    }

    /// Declares the object of the credentials.
    package static func credentials(_ help: String, _ members: FileMember...) -> FileMember {
        group("credentials", help, members)
    }

    /// Declares the credentials of a client of OAuth 2.0.
    package static func client(
        _ id: Path<String>, _ secret: Path<SensitiveBytes>, example: String
    ) -> FileMember {
        .credentials(
            "what a login needs",
            .mandatory(
                "clientId", .text(.name), id, "the client's identifier", key: "Authorization",
                example: "shop"),
            .mandatory(
                "clientSecret", .secret, secret, "the client's secret", key: "Authorization",
                example: example))
    }

    /// Declares the object of what verifies messages.
    package static func webhooks(_ member: FileMember) -> FileMember {
        group("webhooks", "what verifies messages", [member])
    }

    /// Declares the object of a payment's members.
    package static func payment(_ members: FileMember...) -> FileMember { payment(members) }

    /// Declares the object of a payment's members.
    package static func payment(_ members: [FileMember]) -> FileMember {
        group("payment", "the members of a payment that are the same for every order", members)
    }

    /// Returns this member as one of a value that contains its value.
    package func lifted<Outer>(to path: FileMember<Outer>.Path<Value>) -> FileMember<Outer> {
        FileMember<Outer>(description: description) { file, outer throws(FileError) in
            try read(file, &outer[keyPath: path])
        }
    }
}
