package import ApplePayGateways
package import ApplePayPrimitives

/// Where the value of a secret is: a gateway file contains no secret itself.
package enum SecretSource: Hashable, Sendable {
    /// In the environment variable with this name.
    case environment(String)
    /// In the file with this path.
    case file(String)
}

/// Reads the value of a secret.
package typealias SecretReader = @Sendable (SecretSource) throws(MemberFault) -> SensitiveBytes

/// A value of a gateway file or an order file, with its path.
package struct FileValue: Sendable {
    /// The value.
    package let value: AnswerValue
    /// Its path, such as `account.merchantId`; empty for the whole file.
    package let path: String

    private let secrets: SecretReader

    /// Creates the value of a whole file, or of the member at `path`.
    package init(_ value: AnswerValue, path: String = "", secrets: @escaping SecretReader) {
        self.value = value
        self.path = path
        self.secrets = secrets
    }

    /// Returns the fault of this value.
    package func fault(_ text: String) -> MemberFault { MemberFault(path, text) }

    /// Reads a string with one of the permitted numbers of characters.
    package func text(_ counts: ClosedRange<Int>) throws(MemberFault) -> String {
        guard value.isString, let text = value.string else { throw fault("must be a string") }
        let count = text.unicodeScalars.count
        guard counts.contains(count) else {
            throw fault(
                count < counts.lowerBound
                    ? "must not be empty"
                    : "must have at most \(counts.upperBound) characters; it has \(count)")
        }
        return text
    }

    /// Reads a whole number.
    package func integer(_ numbers: ClosedRange<Int64>) throws(MemberFault) -> Int64 {
        guard let number = value.wholeNumber else { throw fault("must be a whole number") }
        guard numbers.contains(number) else {
            throw fault(
                number < numbers.lowerBound
                    ? "must be at least \(numbers.lowerBound)"
                    : "must be at most \(numbers.upperBound)")
        }
        return number
    }

    /// Reads `true` or `false`.
    package func boolean() throws(MemberFault) -> Bool {
        guard let boolean = value.truth else { throw fault("must be true or false") }
        return boolean
    }

    /// Reads one of several names, and returns its position.
    package func choice(_ names: [String]) throws(MemberFault) -> Int {
        guard value.isString, let text = value.string, let position = names.firstIndex(of: text)
        else { throw fault("must be \(names.alternatives)") }
        return position
    }

    /// Reads an array of strings.
    package func texts() throws(MemberFault) -> [String] {
        guard value.isArray else { throw fault("must be an array of strings") }
        var texts: [String] = []
        for element in value.elements {
            guard element.isString, let text = element.string else {
                throw fault("must be an array of strings")
            }
            texts.append(text)
        }
        return texts
    }

    /// Reads an object in which every name is permitted.
    package func map<Value>(
        _ read: (FileValue) throws(MemberFault) -> Value
    ) throws(MemberFault) -> [String: Value] {
        guard value.isObject else { throw fault("must be an object") }
        var values: [String: Value] = [:]
        for (name, value) in value.members {
            values[name] = try read(member(name, value))
        }
        return values
    }

    /// Reads an array of objects.
    package func objects<Value>(
        _ initial: Value, _ members: [FileMember<Value>]
    ) throws(MemberFault) -> [Value] {
        guard value.isArray else { throw fault("must be an array of objects") }
        var values: [Value] = []
        for element in value.elements {
            let child = FileValue(element, path: "\(path)[\(values.count)]", secrets: secrets)
            values.append(try child.object(initial, members))
        }
        return values
    }

    /// Reads the source of a secret, and the secret.
    package func secret() throws(MemberFault) -> SensitiveBytes {
        let forms =
            #"{"env":"NAME"} for an environment variable, or {"file":"/path"} for a file"#
        guard !value.isString else {
            throw fault("must not contain the secret itself; write \(forms)")
        }
        let members = value.members
        guard members.count == 1, members[0].value.isString, let name = members[0].value.string,
            !name.isEmpty, ["env", "file"].contains(members[0].name)
        else { throw fault("must be \(forms)") }
        let source: SecretSource =
            members[0].name == "env" ? .environment(name) : .file(name)
        do throws(MemberFault) {
            return try secrets(source)
        } catch {
            throw MemberFault(path, error.fault, isUnavailable: error.isUnavailable)
        }
    }

    /// Reads an object with declared members, and no others.
    ///
    /// - Parameters:
    ///   - initial: The value before any member is read.
    ///   - members: The members.
    /// - Returns: The value with what the members state.
    /// - Throws: The first fault in the order of the file, then the first mandatory member that is missing.
    package func object<Value>(
        _ initial: Value, _ members: [FileMember<Value>]
    ) throws(MemberFault) -> Value {
        guard value.isObject else { throw fault("must be an object") }
        var result = initial
        var seen: Set<String> = []
        for (name, value) in value.members {
            let child = member(name, value)
            guard let declared = members.first(where: { $0.name == name }) else {
                throw child.fault("is unknown; \(unknown(name, members.map(\.name)))")
            }
            try declared.read(child, &result)
            seen.insert(name)
        }
        for member in members where !seen.contains(member.name) {
            if let missing = member.description.mandatoryPath {
                let path = path.isEmpty ? missing.path : "\(path).\(missing.path)"
                throw MemberFault(path, "is missing: \(missing.help)")
            }
        }
        return result
    }

    private func member(_ name: String, _ value: AnswerValue) -> FileValue {
        let name = String(name.prefix(64))
        return FileValue(value, path: path.isEmpty ? name : "\(path).\(name)", secrets: secrets)
    }

    private func unknown(_ name: String, _ names: [String]) -> String {
        let place = path.isEmpty ? "this file" : path
        return names.isEmpty
            ? "\(place) has no members" : "\(place) can have \(names.joined(separator: ", "))"
    }
}

extension [String] {
    /// The words as alternatives: `a`, `a or b`, `a, b or c`.
    package var alternatives: String {
        guard let last, count > 1 else { return joined() }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}
