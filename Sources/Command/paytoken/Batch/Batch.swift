internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let batch = flag("--batch", "read one token a line, and write one answer a line")
    static let envelopes = flag(
        "--envelopes",
        "with \(batch): each line is {\"id\":…,\"at\":…,\"order\":{…},\"reference\":…,\"token\":…}; token is "
            + "mandatory, and for payments of request the reference, which the order can contain; not with "
            + Batch.sharedValues.sentence
    )
    static let jobs = number(
        "--jobs", "N", "the number of threads of \(batch); default: the number of processors")
}

/// `--batch`: reads one token, or with `--envelopes` one envelope, per line, and writes one answer per line, in the
/// order of the input.
///
/// The number of threads bounds the memory, however long the input is. If answers are read slowly, reading tokens
/// waits.
struct Batch {
    static let options: [CommandOption] = [.batch, .envelopes, .jobs]

    /// The options that apply to all lines, and that an envelope can state for its own line.
    static let sharedValues: [CommandOption] = [.receiptTime, .anyAge] + StatedOrder.options

    /// The greatest length of a line in bytes: a token of 256 KiB with each byte written as a six-byte escape, and an
    /// envelope.
    static let lineLimit = 2 << 20

    /// The greatest number of threads, more than any machine can use.
    private static let jobLimit: Int64 = 1024

    private let path: String
    private let hasEnvelopes: Bool
    private let jobs: Int

    /// Creates the batch that the options request; nil without `--batch`.
    ///
    /// - Throws: A usage failure for options that exclude one another.
    init?(_ arguments: Arguments, path: String) throws(CommandFailure) {
        let jobs = try arguments.number(.jobs)
        hasEnvelopes = arguments.has(.envelopes)
        guard arguments.has(.batch) else {
            if let option = arguments.first(of: [.jobs, .envelopes]) {
                throw .usage("\(option) needs \(CommandOption.batch).")
            }
            return nil
        }
        if hasEnvelopes, let option = arguments.first(of: Self.sharedValues) {
            throw .usage(
                "\(option) sets one value for all lines, but with \(CommandOption.envelopes) each line has its own, "
                    + "in its members at and order; leave out \(option).")
        }
        if let jobs, !(1...Self.jobLimit).contains(jobs) {
            throw .usage(
                "\(CommandOption.jobs) takes a number from 1 to \(Self.jobLimit), not \(jobs).")
        }
        self.path = path
        self.jobs = jobs.map { Int($0) } ?? SystemThread.processorCount
    }

    /// Answers every line separately.
    ///
    /// - Parameter answer: Returns the answer to a line, or throws the failure that the answer reports; all threads
    ///   call it at once.
    /// - Returns: The exit status of ``run(partCount:_:)``.
    /// - Throws: The failure of ``run(partCount:_:)``.
    func run(
        _ answer: @escaping @Sendable (BatchLine) throws(CommandFailure) -> BatchAnswer
    ) throws(CommandFailure) -> ExitStatus {
        try run(partCount: 16) { lines in
            var answers: [Result<BatchAnswer, CommandFailure>] = []
            for line in lines {
                guard !Interruption.isWorkOver else { break }
                answers.append(Result { () throws(CommandFailure) in try answer(line) })
            }
            return answers
        }
    }

    /// Answers every line; lines that are already available are answered in parts.
    ///
    /// - Parameters:
    ///   - partCount: The greatest number of lines of a part.
    ///   - answers: Returns, for each line of a part, the answer or the failure that the answer reports; after a signal
    ///     it may return the results of only the first lines. All threads call it at once.
    /// - Returns: The exit status: whether a line was refused, a signal came, or some answers could not be written.
    /// - Throws: A failure to read the input, after the answers to the lines read before it were written.
    func run(
        partCount: Int,
        _ answers: @escaping @Sendable ([BatchLine]) -> [Result<BatchAnswer, CommandFailure>]
    ) throws(CommandFailure) -> ExitStatus {
        Notice.announce(path, "tokens, one a line,")
        let reader = try failing { () throws(FileError) in
            try LineReader(path: path, limit: Self.lineLimit)
        }
        guard Interruption.postpone() else { return .interrupted }
        let input = Lock((reader: reader, failure: FileError?.none))
        let progress = BatchProgress()
        let isWhole = OrderedThreads.run(
            count: jobs,
            read: {
                input.withLock { input in
                    guard Interruption.signal == nil, input.failure == nil else { return nil }
                    do throws(FileError) {
                        let lines = try input.reader.lines(upTo: partCount)
                        return lines.isEmpty ? nil : lines
                    } catch {
                        input.failure = error
                        return nil
                    }
                }
            },
            work: { [hasEnvelopes] lines in
                BatchPart(lines, hasEnvelopes: hasEnvelopes, answers)
            },
            write: { part in
                guard part.write() else { return false }
                progress.count(part)
                return true
            },
            discard: { part in part.discard() }
        )
        progress.end()
        if let failure = input.withLock({ $0.failure }) { throw .means("\(failure).") }
        guard isWhole else { return .means }
        return progress.refused > 0 ? .refused : .done
    }
}
