#if PostgreSQL
    /// A row of the server's answer to a statement.
    struct Row {
        /// The values as text, nil for NULL.
        let values: [String?]

        /// The value of a column as text; nil for NULL, and if the row lacks the column.
        subscript(column: Int) -> String? {
            values.indices.contains(column) ? values[column] : nil
        }
    }
#endif
