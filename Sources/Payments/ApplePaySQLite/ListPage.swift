#if SQLite
    internal import ApplePayLedger

    /// A part of a list of attempts.
    struct ListPage<Element: Sendable>: Sendable {
        /// The attempts.
        let elements: [Element]

        /// The position of the last one; nil if there is none.
        let last: ListPosition?
    }

    /// Reads the page of a list after a position, with at most a number of elements.
    typealias PageReader<Element: Sendable> =
        @Sendable (SQLiteWriter, ListPosition, Int) throws(LedgerError) -> ListPage<Element>

    /// The position of an attempt in a list.
    struct ListPosition: Sendable {
        /// The value by which the list is ordered: a time in seconds since 1970, or the number of a change.
        let key: Int64

        /// The number of its row.
        let row: Int64

        /// The position before the first one.
        static let start = ListPosition(key: .min, row: .min)

        /// Creates a position from two columns; nil if one of them is not a number.
        init?(_ key: SQLiteValue?, _ row: SQLiteValue?) {
            guard let key = key?.integer, let row = row?.integer else { return nil }
            self.init(key: key, row: row)
        }

        /// Creates a position.
        init(key: Int64, row: Int64) {
            self.key = key
            self.row = row
        }
    }
#endif
