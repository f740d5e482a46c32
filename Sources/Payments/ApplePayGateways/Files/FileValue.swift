package import ApplePayPrimitives
package import ApplePayWire

/// Where the value of a secret is: a gateway file contains no secret itself.
package enum SecretSource: Hashable, Sendable {
    /// In the environment variable with this name.
    case environment(String)
    /// In the file with this path.
    case file(String)
}

/// Reads the value of a secret.
package typealias SecretReader = @Sendable (SecretSource) throws(FileError) -> SensitiveBytes

/// Reads the account of a gateway file.
package typealias AccountReader = @Sendable (FileValue) throws(FileError) -> GatewayAccount

/// A value of a gateway file or an order file, with its path.
package struct FileValue: Sendable {
    package let value: AnswerValue
    /// Its path, such as `account.merchantId`; empty for the whole file.
    package let path: String

    /// The most characters of a path, or of the name of a variable.
    private static let sourceLimit = 4_096

    private let secrets: SecretReader

    /// The whole text, for messages.
    private let whole: String

    /// The members of the whole file that are not read.
    private let omitted: Set<ExactText>

    /// Creates the value of a whole file, or of the member at `path`.
    package init(
        _ value: AnswerValue, path: String = "", whole: String = "this file",
        omitting omitted: Set<ExactText> = [], secrets: @escaping SecretReader
    ) {
        self.value = value
        self.path = path
        self.whole = whole
        self.omitted = omitted
        self.secrets = secrets
    }

    /// Returns the characters of a string; nil for one with more characters, which is not copied, and for any other value.
    package func text(atMost limit: Int) -> ExactText? {
        value.isString && value.characterCount <= limit ? ExactText(utf8: value.characters) : nil
    }

    package func fault(_ text: String) -> FileError { FileError(path: path, reason: text) }

    package func child(_ value: AnswerValue, _ path: String) -> FileValue {
        FileValue(value, path: path, whole: whole, secrets: secrets)
    }

    /// Returns a member of this object.
    package func member(_ name: ExactText, _ value: AnswerValue) -> FileValue {
        child(value, below(String(String(name).unicodeScalars.prefix(64))))
    }

    /// Reads the source of a secret, and the secret.
    package func secret() throws(FileError) -> SensitiveBytes {
        let forms =
            #"{"env":"NAME"} for an environment variable, or {"file":"/path"} for a file"#
        guard !value.isString else {
            throw fault("must not contain the secret itself; write \(forms)")
        }
        let members = value.members
        guard members.count == 1, members[0].value.isString,
            ["env", "file"].contains(members[0].name)
        else { throw fault("must be \(forms)") }
        let source = child(members[0].value, path)
        guard let name = source.text(atMost: Self.sourceLimit) else {
            throw fault("must name its source with at most \(Self.sourceLimit) characters")
        }
        guard !name.isEmpty else { throw fault("must be \(forms)") }
        do throws(FileError) {
            return try secrets(
                members[0].name == "env" ? .environment(String(name)) : .file(String(name)))
        } catch {
            throw FileError(path: path, reason: error.reason, isUnavailable: error.isUnavailable)
        }
    }

    /// Reads an object with declared members, and no others; `initial` is the value before any member is read.
    ///
    /// - Throws: The first fault in the order of the file, then the first mandatory member that is missing.
    package func object<Value>(
        _ initial: Value, _ members: [FileMember<Value>]
    ) throws(FileError) -> Value {
        guard value.isObject else { throw fault("must be an object") }
        var result = initial
        var seen: Set<ExactText> = []
        for (name, value) in value.members {
            let child = member(name, value)
            let declared = members.first { $0.description.name.utf8.elementsEqual(name.utf8) }
            guard let declared else {
                let names = members.map(\.description.name)
                let meant = names.suggestion(for: String(name)).map { "did you mean \($0)? " } ?? ""
                throw child.fault("is unknown; \(meant)\(known(names))")
            }
            if !omitted.contains(ExactText(child.path)) { try declared.read(child, &result) }
            seen.insert(name)
        }
        // No key path here: in a generic function, each call makes it anew from the names of its types.
        for member in members.lazy.map({ $0.description })
        where member.isMandatory && !seen.contains(ExactText(member.name)) {
            throw FileError(path: below(member.name), reason: "is missing: \(member.help)")
        }
        return result
    }

    private func below(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private func known(_ names: [String]) -> String {
        let place = path.isEmpty ? whole : path
        return names.isEmpty
            ? "\(place) has no members" : "\(place) can have \(names.joined(separator: ", "))"
    }
}
