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

    /// Returns the answer about a ledger's kind and window.
    static func ledger(kind: String, window: Int) -> LedgerAnswer {
        LedgerAnswer {
            $0.string("ledger", kind)
            $0.integer("window", window)
        }
    }

    /// Returns the answer with the number of claims forgotten.
    static func pruned(_ count: Int) -> LedgerAnswer {
        LedgerAnswer { $0.integer("pruned", count) }
    }

    /// Returns the answer with the number of faults found; each is also reported on standard error.
    static func repaired(_ count: Int) -> LedgerAnswer {
        LedgerAnswer { $0.integer("findings", count) }
    }

    /// Returns the answer with the record of a transaction.
    static func record(
        _ record: ClaimRecord?,
        of transaction: TransactionIdentifier
    ) -> LedgerAnswer {
        LedgerAnswer {
            $0.string("transactionId", "\(transaction)")
            $0.string("state", record?.state.rawValue ?? "unknown")
            guard let record else { return }
            $0.string("serial", record.claim.serial)
            $0.string("signingTime", Answer.time(record.signingTime))
            $0.json.name("expires", into: &$0.sink)
            $0.json.boolean(record.isExpiring, into: &$0.sink)
        }
    }

    /// Writes the answer to standard output; returns false if the reader has closed it.
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
