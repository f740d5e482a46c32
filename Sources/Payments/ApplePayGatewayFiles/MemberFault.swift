/// What is wrong with a member of a gateway file or an order file.
package struct MemberFault: Error, Hashable, Sendable {
    /// The member's path, such as `account.merchantId`; empty for the whole file.
    package let name: String

    /// What is wrong, to be read after the name: `must be a string`.
    package let fault: String

    /// Whether the file is right, and what it names could not be read.
    package let isUnavailable: Bool

    /// Creates a fault.
    package init(_ name: String, _ fault: String, isUnavailable: Bool = false) {
        self.name = name
        self.fault = fault
        self.isUnavailable = isUnavailable
    }
}
