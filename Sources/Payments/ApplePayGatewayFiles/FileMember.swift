package import ApplePayPrimitives

/// What a member of a file is, without the type that it belongs to: the source of help, schema and example.
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
        /// An array of strings.
        case texts
        /// An object whose names are the merchant's, with strings or secrets.
        case map(Kind)
        /// An object.
        case object([MemberDescription])
        /// An array of objects.
        case objects([MemberDescription])
        /// An object in a form of Apple's.
        case contact
    }

    /// The member's name.
    package let name: String
    /// The type.
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
    var withoutExample: MemberDescription {
        var kind = kind
        if case .object(let members) = kind { kind = .object(members.map(\.withoutExample)) }
        return MemberDescription(
            name: name, kind: kind, isMandatory: isMandatory, help: help, key: key, example: nil)
    }

    /// The path and the help of the first value that the file must have; nil if there is none.
    var mandatoryPath: (path: String, help: String)? {
        guard isMandatory else { return nil }
        if case .object(let members) = kind,
            let inner = members.lazy.compactMap(\.mandatoryPath).first
        {
            return ("\(name).\(inner.path)", inner.help)
        }
        return (name, help)
    }
}

/// One member of a gateway file or an order file: its declaration, and how it is read.
package struct FileMember<Value>: Sendable {
    /// Reads the member's value into the value that the file describes.
    package typealias Reader = @Sendable (FileValue, inout Value) throws(MemberFault) -> Void

    /// The place of the member's value.
    package typealias Path<Member> = any WritableKeyPath<Value, Member> & Sendable

    /// What the member is.
    package let description: MemberDescription
    /// Reads it.
    package let read: Reader

    /// The member's name.
    package var name: String { description.name }

    /// Creates a member.
    package init(
        _ name: String,
        _ kind: MemberDescription.Kind,
        mandatory isMandatory: Bool = false,
        _ help: String,
        key: String? = nil,
        example: String? = nil,
        read: @escaping Reader
    ) {
        description = MemberDescription(
            name: name, kind: kind, isMandatory: isMandatory, help: help, key: key,
            example: example)
        self.read = read
    }
}

extension FileMember {
    /// Declares a mandatory string.
    package static func text(
        _ name: String,
        _ path: Path<String>,
        _ help: String,
        key: String? = nil,
        _ counts: ClosedRange<Int> = 1...Int.max,
        example: String
    ) -> FileMember {
        FileMember(
            name, .text(counts), mandatory: true, help, key: key, example: "\"\(example)\""
        ) { file, value throws(MemberFault) in value[keyPath: path] = try file.text(counts) }
    }

    /// Declares an optional string.
    package static func text(
        _ name: String,
        _ path: Path<String?>,
        _ help: String,
        key: String? = nil,
        _ counts: ClosedRange<Int> = 1...Int.max,
        example: String? = nil
    ) -> FileMember {
        FileMember(name, .text(counts), help, key: key, example: example.map { "\"\($0)\"" }) {
            file, value throws(MemberFault) in value[keyPath: path] = try file.text(counts)
        }
    }

    /// Declares a mandatory secret; the example names this environment variable.
    package static func secret(
        _ name: String,
        _ path: Path<SensitiveBytes>,
        _ help: String,
        key: String? = nil,
        variable: String
    ) -> FileMember {
        FileMember(
            name, .secret, mandatory: true, help, key: key, example: #"{"env":"\#(variable)"}"#
        ) { file, value throws(MemberFault) in value[keyPath: path] = try file.secret() }
    }

    /// Declares an optional secret.
    package static func secret(
        _ name: String,
        _ path: Path<SensitiveBytes?>,
        _ help: String,
        key: String? = nil,
        variable: String? = nil
    ) -> FileMember {
        FileMember(
            name, .secret, help, key: key, example: variable.map { #"{"env":"\#($0)"}"# }
        ) { file, value throws(MemberFault) in value[keyPath: path] = try file.secret() }
    }

    /// Declares a choice between `true` and `false`, which is false if the member is missing.
    package static func flag(
        _ name: String,
        _ path: Path<Bool>,
        _ help: String,
        key: String? = nil
    ) -> FileMember {
        FileMember(name, .boolean, "\(help); default: false", key: key) {
            file, value throws(MemberFault) in value[keyPath: path] = try file.boolean()
        }
    }

    /// Declares a choice between `true` and `false`, which is not sent if the member is missing.
    package static func boolean(
        _ name: String,
        _ path: Path<Bool?>,
        _ help: String,
        key: String? = nil
    ) -> FileMember {
        FileMember(name, .boolean, help, key: key) { file, value throws(MemberFault) in
            value[keyPath: path] = try file.boolean()
        }
    }

    /// Declares an optional whole number.
    package static func integer(
        _ name: String,
        _ path: Path<Int64?>,
        _ help: String,
        key: String? = nil,
        _ numbers: ClosedRange<Int64> = 0...Int64.max
    ) -> FileMember {
        FileMember(name, .integer(numbers), help, key: key) { file, value throws(MemberFault) in
            value[keyPath: path] = try file.integer(numbers)
        }
    }

    /// Declares an optional choice between names.
    package static func choice<Choice: CaseIterable & Sendable>(
        _ name: String,
        _ path: Path<Choice?>,
        _ help: String,
        key: String? = nil,
        name nameOf: (Choice) -> String
    ) -> FileMember {
        let cases = Array(Choice.allCases)
        let names = cases.map(nameOf)
        return FileMember(name, .choice(names), help, key: key) { file, value throws(MemberFault) in
            value[keyPath: path] = cases[try file.choice(names)]
        }
    }

    /// Declares a choice between names that has a default.
    package static func choice<Choice: CaseIterable & Sendable>(
        _ name: String,
        _ path: Path<Choice>,
        _ help: String,
        key: String? = nil,
        name nameOf: (Choice) -> String
    ) -> FileMember {
        let cases = Array(Choice.allCases)
        let names = cases.map(nameOf)
        return FileMember(name, .choice(names), help, key: key) { file, value throws(MemberFault) in
            value[keyPath: path] = cases[try file.choice(names)]
        }
    }

    /// Declares an optional array of strings.
    package static func texts(
        _ name: String,
        _ path: Path<[String]>,
        _ help: String,
        key: String? = nil
    ) -> FileMember {
        FileMember(name, .texts, help, key: key) { file, value throws(MemberFault) in
            value[keyPath: path] = try file.texts()
        }
    }

    /// Declares an object whose members belong to the same value; it is mandatory if one of them is.
    package static func group(
        _ name: String, _ help: String, _ members: [FileMember]
    ) -> FileMember {
        FileMember(
            name, .object(members.map(\.description)),
            mandatory: members.contains(where: \.description.isMandatory), help
        ) { file, value throws(MemberFault) in value = try file.object(value, members) }
    }

    /// Declares an optional object that is a value of its own.
    package static func object<Child: Sendable>(
        _ name: String,
        _ path: Path<Child?>,
        _ initial: Child,
        _ help: String,
        key: String? = nil,
        _ members: [FileMember<Child>]
    ) -> FileMember {
        let kind = MemberDescription.Kind.object(members.map(\.description.withoutExample))
        return FileMember(name, kind, help, key: key) { file, value throws(MemberFault) in
            value[keyPath: path] = try file.object(initial, members)
        }
    }

    /// Returns this member as one of a value that contains its value.
    package func lifted<Outer>(
        to path: any WritableKeyPath<Outer, Value> & Sendable
    ) -> FileMember<Outer> {
        FileMember<Outer>(
            name, description.kind, mandatory: description.isMandatory, description.help,
            key: description.key, example: description.example
        ) { file, outer throws(MemberFault) in try read(file, &outer[keyPath: path]) }
    }
}
