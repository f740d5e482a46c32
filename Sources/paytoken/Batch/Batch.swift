internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let batch = flag("--batch", "read one token a line, and write one answer a line")
    static let envelopes = flag(
        "--envelopes",
        "with \(batch): each line is {\"id\":…,\"at\":…,\"order\":{…},\"token\":…}, and for request also "
            + "\"reference\":…; only token is mandatory; not with \(Batch.sharedValues.sentence)"
    )
    static let jobs = number(
        "--jobs", "N", "the number of threads of \(batch); default: the number of processors")
}

/// `--batch`: a token a line in, or an envelope with `--envelopes`; an answer a line out, in the order of
/// the input.
///
/// Memory is bounded by the number of threads, however long the input, and a slow reader of the
/// answers holds up the reading of tokens.
struct Batch {
    static let options: [CommandOption] = [.batch, .envelopes, .jobs]

    /// Options that state for all lines what an envelope states for its own.
    static let sharedValues: [CommandOption] = [.receiptTime, .anyAge] + StatedOrder.options

    /// A token of 256 KiB, each of its bytes written as an escape of six, and what stands around it.
    static let lineLimit = 2 << 20

    /// More threads than any machine gains from.
    private static let jobLimit: Int64 = 1024

    private let path: String
    private let hasEnvelopes: Bool
    private let jobs: Int

    /// The batch that the options ask for; nil without `--batch`.
    ///
    /// - Throws: A usage failure for options that do not go together.
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

    /// Answers every line by itself.
    ///
    /// - Parameter answer: Makes the answer to a line, or throws what its answer reports; called by all threads
    ///   at once.
    /// - Returns: As ``run(partCount:_:)``.
    /// - Throws: As ``run(partCount:_:)``.
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

    /// Answers every line, those that are there already in parts.
    ///
    /// - Parameters:
    ///   - partCount: How many lines a part has at most.
    ///   - answers: Returns the answers to the lines of a part, or what those answers report; only to the first of them
    ///     if a signal came. Called by all threads at once.
    /// - Returns: Whether a line was refused, a signal came, or not all answers could be written.
    /// - Throws: A failure to read the input, after the answers to what was read.
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
        OrderedThreads.run(
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
                guard part.write() else {
                    progress.cutOff()
                    return false
                }
                progress.count(part)
                return true
            },
            discard: { part in part.discard() }
        )
        progress.end()
        if let failure = input.withLock({ $0.failure }) { throw .means("\(failure).") }
        guard !progress.isCutOff else { return .means }
        return progress.refused > 0 ? .refused : .done
    }
}
