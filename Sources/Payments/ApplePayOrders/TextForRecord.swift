extension String {
    /// This text with an ellipsis in place of each number of 12 digits or more, also with spaces or hyphens in between.
    ///
    /// A gateway may repeat the number of a card in its message, and a person may type it as part of a reason.
    package var withoutCardNumbers: String {
        replacing(/[0-9](?:[ \-]?[0-9]){11,}/, with: "…")
    }

    /// A person's text as a ledger keeps it: without card numbers, and at most 1,000 characters of it.
    var limitedForRecord: String { String(withoutCardNumbers.unicodeScalars.prefix(1_000)) }
}
