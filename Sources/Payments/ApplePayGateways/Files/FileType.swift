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

/// The numbers of characters of the texts in files and requests; each member states one.
extension ClosedRange<Int> {
    /// A name, an identifier, a code or a date.
    package static var name: Self { 1...255 }

    /// An address of the Web.
    package static var address: Self { 1...2_048 }

    /// A sentence for people.
    package static var sentence: Self { 1...1_000 }
}

extension FileType where Value == String {
    /// A string with one of the permitted numbers of characters.
    package static func text(_ counts: ClosedRange<Int>) -> FileType {
        FileType<ExactText>.text(counts).map { text, _ in String(text) }
    }
}

extension FileType where Value == ExactText {
    /// A string with one of the permitted numbers of characters.
    package static func text(_ counts: ClosedRange<Int>) -> FileType {
        FileType(kind: .text(counts)) { file throws(FileError) in
            guard file.value.isString else { throw file.fault("must be a string") }
            guard let text = file.text(atMost: counts.upperBound) else {
                throw file.fault(
                    "must have at most \(counts.upperBound) characters; it has \(file.value.characterCount)"
                )
            }
            guard counts.lowerBound == 0 || !text.isEmpty else {
                throw file.fault("must not be empty")
            }
            return text
        }
    }
}

extension FileType {
    /// A string with one of the permitted numbers of characters, of which a value is made; `reason` is the fault of every
    /// other one.
    package static func parsed(
        _ counts: ClosedRange<Int>, _ reason: String,
        _ make: @escaping @Sendable (ExactText) -> Value?
    ) -> FileType {
        FileType(kind: .text(counts)) { file throws(FileError) in
            guard let value = file.text(atMost: counts.upperBound).flatMap(make) else {
                throw file.fault(reason)
            }
            return value
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
        integer(numbers, unit: "")
    }

    /// An amount.
    package static func minorUnits(_ numbers: ClosedRange<Int64> = 0...Int64.max) -> FileType {
        integer(numbers, unit: " of minor units, such as 1099 for 10.99 EUR")
    }

    private static func integer(_ numbers: ClosedRange<Int64>, unit: String) -> FileType {
        FileType(kind: .integer(numbers)) { file throws(FileError) in
            guard let number = file.value.wholeNumber, numbers.contains(number) else {
                throw file.fault(fault(of: file.value, numbers, unit))
            }
            return number
        }
    }

    /// Returns what a value must be that is none of these numbers.
    private static func fault(
        of value: AnswerValue, _ numbers: ClosedRange<Int64>, _ unit: String
    ) -> String {
        let text = "must be a whole number\(unit)"
        guard value.kind == .number else {
            return value.isString ? "\(text), without quotation marks" : text
        }
        let digits = value.raw
        guard !digits.contains(where: { ".eE".utf8.contains($0) }) else {
            return "\(text), without a decimal point or an exponent"
        }
        // A number that Int64 cannot represent is far below the range, or far above it.
        let isBelow =
            value.wholeNumber.map { $0 < numbers.lowerBound } ?? (digits.first == UInt8(ascii: "-"))
        return isBelow
            ? "must be at least \(numbers.lowerBound)" : "must be at most \(numbers.upperBound)"
    }
}

extension FileType where Value == [ExactText] {
    /// An array of strings, each with one of the permitted numbers of characters.
    package static func texts(_ counts: ClosedRange<Int>) -> FileType {
        FileType(kind: .texts(counts)) { file throws(FileError) in
            let elements = file.value.elements
            guard file.value.isArray, elements.allSatisfy(\.isString) else {
                throw file.fault("must be an array of strings")
            }
            var texts: [ExactText] = []
            for element in elements {
                let child = file.child(element, "\(file.path)[\(texts.count)]")
                texts.append(try FileType<ExactText>.text(counts).read(child))
            }
            return texts
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
        let longest = names.map(\.utf8.count).max() ?? 0
        return FileType(kind: .choice(names)) { file throws(FileError) in
            guard
                let position = file.text(atMost: longest).flatMap({ text in
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

    /// An object in which every name of at most 255 characters is permitted.
    package static func map<Element>(_ type: FileType<Element>) -> FileType
    where Value == [ExactText: Element] {
        FileType(kind: .map(type.kind)) { file throws(FileError) in
            guard file.value.isObject else { throw file.fault("must be an object") }
            var values: [ExactText: Element] = [:]
            for (name, value) in file.value.members {
                let child = file.member(name, value)
                let (most, count) = (ClosedRange.name.upperBound, name.characterCount)
                guard count <= most else {
                    throw child.fault(
                        "has a name of \(count) characters; at most \(most) are permitted")
                }
                values[name] = try type.read(child)
            }
            return values
        }
    }
}
