internal import ApplePayPrimitives
package import ApplePayWire

/// A type of values in a file: its description, and how a value is read.
package struct FileType<Value>: Sendable {
    package let kind: MemberDescription.Kind
    package let read: @Sendable (FileValue) throws(FileError) -> Value

    /// Creates a type from its description and its reader.
    package init(
        kind: MemberDescription.Kind,
        read: @escaping @Sendable (FileValue) throws(FileError) -> Value
    ) {
        self.kind = kind
        self.read = read
    }

    /// Returns the type whose values are made of this one's, after more checks.
    package func map<Other>(
        _ make: @escaping @Sendable (Value, FileValue) throws(FileError) -> Other
    ) -> FileType<Other> {
        FileType<Other>(kind: kind) { file throws(FileError) in try make(try read(file), file) }
    }
}

extension FileType where Value == String {
    /// Any text that is not empty.
    package static var text: FileType { text(1...Int.max) }

    /// A string with one of the permitted numbers of characters.
    package static func text(_ counts: ClosedRange<Int>) -> FileType {
        FileType<ExactText>.text(counts).map { text, _ in String(text) }
    }
}

extension FileType where Value == ExactText {
    /// Any text that is not empty.
    package static var text: FileType { text(1...Int.max) }

    /// A string with one of the permitted numbers of characters.
    package static func text(_ counts: ClosedRange<Int>) -> FileType {
        FileType(kind: .text(counts)) { file throws(FileError) in
            guard let text = file.text else { throw file.fault("must be a string") }
            let count = text.characterCount
            guard counts.contains(count) else {
                throw file.fault(
                    count < counts.lowerBound
                        ? "must not be empty"
                        : "must have at most \(counts.upperBound) characters; it has \(count)")
            }
            return text
        }
    }
}

extension FileType where Value == SensitiveBytes {
    /// The source of a secret; reading it reads the secret.
    package static var secret: FileType {
        FileType(kind: .secret) { file throws(FileError) in try file.secret() }
    }
}

extension FileType where Value == Bool {
    /// `true` or `false`.
    package static var boolean: FileType {
        FileType(kind: .boolean) { file throws(FileError) in
            guard let boolean = file.value.truth else { throw file.fault("must be true or false") }
            return boolean
        }
    }
}

extension FileType where Value == Int64 {
    /// A whole number.
    package static func integer(_ numbers: ClosedRange<Int64> = 0...Int64.max) -> FileType {
        FileType(kind: .integer(numbers)) { file throws(FileError) in
            guard let number = file.value.wholeNumber else {
                throw file.fault("must be a whole number")
            }
            guard numbers.contains(number) else {
                throw file.fault(
                    number < numbers.lowerBound
                        ? "must be at least \(numbers.lowerBound)"
                        : "must be at most \(numbers.upperBound)")
            }
            return number
        }
    }
}

extension FileType where Value == [ExactText] {
    /// An array of strings.
    package static var texts: FileType {
        FileType(kind: .texts) { file throws(FileError) in
            let texts = file.value.elements.map(\.quoted)
            guard file.value.isArray, !texts.contains(nil) else {
                throw file.fault("must be an array of strings")
            }
            return texts.compactMap { $0 }
        }
    }
}

extension FileType where Value: CaseIterable & RawRepresentable<String> & Sendable {
    package static var choice: FileType { choice(\.rawValue) }
}

extension FileType where Value: CaseIterable & Sendable {
    /// One of several names.
    package static func choice(_ name: (Value) -> String) -> FileType {
        .choice(Array(Value.allCases), Value.allCases.map(name))
    }
}

extension FileType where Value: Sendable {
    /// One of several names, each with its value.
    package static func choice(_ values: [Value], _ names: [String]) -> FileType {
        FileType(kind: .choice(names)) { file throws(FileError) in
            guard
                let position = file.text.flatMap({ text in
                    names.firstIndex { ExactText($0) == text }
                })
            else {
                throw file.fault("must be \(names.alternatives)")
            }
            return values[position]
        }
    }

    /// An object with declared members, and no others; `initial` is the value before any of them is read.
    package static func object(_ initial: Value, _ members: [FileMember<Value>]) -> FileType {
        let kind = MemberDescription.Kind.object(members.map(\.description.withoutExample))
        return FileType(kind: kind) { file throws(FileError) in
            try file.object(initial, members)
        }
    }
}

extension FileType {
    /// One of the raw values, or `none`.
    package static func choiceOrNone<Choice>() -> FileType
    where Value == Choice?, Choice: CaseIterable & RawRepresentable<String> & Sendable {
        .choice(Array(Choice.allCases) + [nil], Choice.allCases.map(\.rawValue) + ["none"])
    }

    /// An array of objects.
    package static func objects<Element: Sendable>(
        _ initial: Element, _ members: [FileMember<Element>]
    ) -> FileType where Value == [Element] {
        FileType(kind: .objects(members.map(\.description))) { file throws(FileError) in
            guard file.value.isArray else { throw file.fault("must be an array of objects") }
            var values: [Element] = []
            for element in file.value.elements {
                let child = file.child(element, "\(file.path)[\(values.count)]")
                values.append(try child.object(initial, members))
            }
            return values
        }
    }

    /// An object in which every name is permitted.
    package static func map<Element>(_ type: FileType<Element>) -> FileType
    where Value == [ExactText: Element] {
        FileType(kind: .map(type.kind)) { file throws(FileError) in
            guard file.value.isObject else { throw file.fault("must be an object") }
            var values: [ExactText: Element] = [:]
            for (name, value) in file.value.members {
                values[name] = try type.read(file.member(name, value))
            }
            return values
        }
    }
}
