package import ApplePayLedger
internal import ApplePayPrograms

/// Where the changes of a ledger are read from: after a cursor, or from the beginning, whose text is `0`.
package struct ChangeStart: Sendable, LosslessStringConvertible {
    /// The cursor; nil for the beginning.
    package let cursor: ChangeCursor?

    /// What is wrong with a cursor that the ledger does not accept.
    package static let fault =
        "The cursor is of another ledger, of this one before it was restored, or ahead of its newest change; begin at 0"

    package init?(_ text: String) {
        let cursor = ChangeCursor(text)
        guard cursor != nil || ExactText(text) == "0" else { return nil }
        self.cursor = cursor
    }

    package var description: String { cursor?.description ?? "0" }
}
