/// What is wrong with a member of a JSON file that the merchant wrote.
struct MemberFault: Error {
    /// The member's name; empty for the whole value.
    let name: String

    /// What is wrong, to be read after the name: `must be a string`.
    let fault: String

    init(_ name: String, _ fault: String) {
        self.name = name
        self.fault = fault
    }
}
