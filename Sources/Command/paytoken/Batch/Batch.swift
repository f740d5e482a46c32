internal import ApplePayAcceptance
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms

extension CommandOption {
    static let batch = flag("--batch", "read one token a line, and write one answer a line")
    static let jobs = number(
        "--jobs", "N", "the number of threads of \(batch); default: the number of processors")
}

/// `--batch`: reads one token per line, and writes one answer per line, in the order of the input.
///
/// A token comes from a customer, so its members never control the command. The number of threads bounds the memory,
/// however long the input is. If answers are read slowly, reading tokens waits.
struct Batch {
    static let options = [CommandOption.batch, .jobs].titled("Batches")

    /// The greatest length of a line in bytes: a token of 256 KiB with each byte written as a six-byte escape.
    static let lineLimit = 2 << 20

    /// The greatest number of threads, more than any machine can use.
    private static let jobLimit: Int64 = 1024

    /// The greatest number of lines that a thread answers before the answers are written.
    private static let partCount = 16

    private let path: String
    private let jobs: Int

    /// Creates the batch that the options request; nil without `--batch`.
    ///
    /// - Throws: A usage failure for options that exclude one another.
    init?(_ arguments: Arguments, path: String) throws(CommandFailure) {
        let jobs = try arguments.number(.jobs)
        guard arguments.has(.batch) else {
            guard jobs == nil else {
                throw .usage("\(CommandOption.jobs) needs \(CommandOption.batch).")
            }
            return nil
        }
        if let jobs, !(1...Self.jobLimit).contains(jobs) {
            throw .usage(
                "\(CommandOption.jobs) takes a number from 1 to \(Self.jobLimit), not \(jobs).")
        }
        self.path = path
        self.jobs = jobs.map { Int($0) } ?? SystemThread.processorCount
    }

    /// Answers every line; lines that are already available are answered in parts.
    ///
    /// - Parameter answer: Returns the answer to a token, or throws its refusal, which becomes the answer; all threads call it at
    ///   once.
    /// - Returns: The exit status: whether a line was refused, a signal came, or some answers could not be written.
    /// - Throws: A failure to read the input, after the answers to the lines read before it were written.
    func run(
        _ answer: @escaping @Sendable ([UInt8]) throws(PaymentError) -> JSONLine
    ) throws(CommandFailure) -> ExitStatus {
        Notice.announce(path, "tokens, one a line,")
        let reader = try failing { () throws(FileError) in
            try LineReader(path: path, limit: Self.lineLimit)
        }
        guard Interruption.postpone() else { return .interrupted }
        let input = Lock((reader: reader, failure: FileError?.none, isFirst: true))
        let progress = BatchProgress()
        let isWhole = OrderedThreads.run(
            count: jobs,
            read: {
                input.withLock { input in
                    guard Interruption.signal == nil, input.failure == nil else { return nil }
                    do throws(FileError) {
                        let lines = try input.reader.lines(upTo: Self.partCount)
                        if input.isFirst, case .text(let line)? = lines.first { announce(line) }
                        input.isFirst = false
                        return lines.isEmpty ? nil : lines
                    } catch {
                        input.failure = error
                        return nil
                    }
                }
            },
            work: { BatchPart($0, answer) },
            write: { part in
                guard part.write() else { return false }
                progress.count(part)
                return true
            }
        )
        progress.end()
        if let failure = input.withLock({ $0.failure }) { throw .means("\(failure).") }
        guard isWhole else { return .means }
        return progress.refused > 0 ? .refused : .done
    }

    /// Says what is wrong if the first line is only the beginning of an object in several lines, or begins an array.
    private func announce(_ line: [UInt8]) {
        let text = line[...].trimmingBlanks()
        let rule = "\(CommandOption.batch) reads one token a line"
        if text == Array("{".utf8)[...] {
            Notice.write(
                "the first line of \(path) is only {, as of one token in several lines; \(rule), so leave it out, or write "
                    + "each token in one line.")
        } else if text.first == UInt8(ascii: "[") {
            Notice.write(
                "the first line of \(path) begins with [, as an array of tokens does; \(rule), so write each element of the "
                    + "array in a line of its own, without brackets and commas around it.")
        }
    }
}

extension TokenOptions {
    /// Answers each token of a batch, or without a batch the token of the options.
    func answer(
        _ batch: Batch?,
        _ answer: @escaping @Sendable ([UInt8]) throws(PaymentError) -> JSONLine
    ) throws(CommandFailure) -> ExitStatus {
        if let batch { return try batch.run(answer) }
        let line = try judging { text throws(CommandFailure) in try refusing(try answer(text)) }
        return line.write() ? .done : .means
    }
}
