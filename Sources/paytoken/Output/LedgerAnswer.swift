internal import ApplePayLedger
internal import ApplePayPrimitives
internal import ApplePayWire

/// One JSON object about a ledger, ended by a line feed.
struct LedgerAnswer: Sendable {
    private var sink = ByteArraySink()
    private var json = JSONWriter()

    private init(_ members: (inout LedgerAnswer) -> Void) {
        json.beginObject(into: &sink)
        string("status", "ok")
        members(&self)
        json.endObject(into: &sink)
        sink.append(UInt8(ascii: "\n"))
    }

    /// What kind of ledger it is, and its window.
    static func ledger(kind: String, window: Int) -> LedgerAnswer {
        LedgerAnswer {
            $0.string("ledger", kind)
            $0.integer("window", window)
        }
    }

    /// How many claims were forgotten.
    static func pruned(_ count: Int) -> LedgerAnswer {
        LedgerAnswer { $0.integer("pruned", count) }
    }

    /// How many faults were found, each of them reported on standard error.
    static func repaired(_ count: Int) -> LedgerAnswer {
        LedgerAnswer { $0.integer("findings", count) }
    }

    /// What is known of a transaction.
    static func record(
        _ record: ClaimRecord?,
        of transaction: TransactionIdentifier
    ) -> LedgerAnswer {
        LedgerAnswer {
            $0.string("transactionId", "\(transaction)")
            $0.string("state", record?.state.rawValue ?? "unknown")
            guard let record else { return }
            $0.string("signingTime", Answer.time(record.signingTime))
            $0.json.name("expires", into: &$0.sink)
            $0.json.boolean(record.isExpiring, into: &$0.sink)
        }
    }

    /// Writes the answer to standard output; false when nobody reads any more.
    func write() -> Bool { StandardStream.output.writeAll(sink.bytes.span) }

    private mutating func string(_ name: String, _ value: String) {
        json.name(name, into: &sink)
        json.string(value, into: &sink)
    }

    private mutating func integer(_ name: String, _ value: Int) {
        json.name(name, into: &sink)
        json.integer(Int64(value), into: &sink)
    }
}
