/// The members of a JSON object, in order; a name may occur twice.
package struct JSONObject: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// One member.
    package struct Member: Equatable, Sendable {
        /// The name.
        package var name: String
        /// The value.
        package var value: JSONValue

        /// Creates a member.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members.
    package var members: [Member]

    /// Creates an object with its members in the given order.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member($0, $1) }
    }

    /// Accesses the first member with a name.
    ///
    /// Setting a value replaces that member or appends a new one; setting nil removes all members
    /// with the name.
    package subscript(_ name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            guard let index = members.firstIndex(where: { $0.name == name }) else {
                return members.append(Member(name, newValue))
            }
            members[index].value = newValue
        }
    }

    /// Accesses a member of a member that is an object.
    package subscript(_ outer: String, _ inner: String) -> JSONValue? {
        get {
            guard case .object(let object) = self[outer] else { return nil }
            return object[inner]
        }
        set {
            guard case .object(var object) = self[outer] else { return }
            object[inner] = newValue
            self[outer] = .object(object)
        }
    }

    /// Appends a member, even if the name is already used.
    package mutating func append(_ name: String, _ value: JSONValue) {
        members.append(Member(name, value))
    }

    /// Renames a member.
    package mutating func rename(_ name: String, to other: String) {
        for index in members.indices where members[index].name == name {
            members[index].name = other
        }
    }
}
