#if PostgreSQL
    internal import ApplePayWire

    /// A row of the server's answer to a statement.
    struct Row {
        /// The values as text, nil for NULL.
        let values: [String?]

        /// About the number of bytes that the row takes in memory.
        var size: Int { values.reduce(64) { $0 + 16 + ($1?.utf8.count ?? 0) } }

        /// The value of a column as text; nil for NULL, and if the row lacks the column.
        subscript(column: Int) -> String? {
            values.indices.contains(column) ? values[column] : nil
        }

        /// The value of a column that others wrote; nil for NULL, and if the row lacks the column.
        func text(_ column: Int) -> ExactText? { self[column].map { ExactText($0) } }
    }
#endif
