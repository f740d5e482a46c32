internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayTransport
internal import ApplePayWire

extension CommandOption {
    static let check = CommandOption(
        "--check", "ANSWERS",
        "compare a verifier's answers with what the vectors expect; - is standard input",
        kind: .file)
    static let html = CommandOption(
        "--html", "FILE", "with \(check): the report as a page", kind: .file)
    static let markdown = CommandOption(
        "--markdown", "FILE", "with \(check): the report in Markdown", kind: .file)
    static let junit = CommandOption(
        "--junit", "FILE", "with \(check): the report in JUnit's XML", kind: .file)
}

/// `paytoken-testing conform --check`: compares the answers of any verifier with the expectations of the vectors.
struct ConformCheck {
    /// The options that request reports, each with the function that writes its report.
    static let reports: [(option: CommandOption, text: @Sendable (ConformanceReport) -> String)] = [
        (.html, \.html), (.markdown, \.markdown), (.junit, \.junit),
    ]

    /// The greatest number of cases; each takes a few hundred bytes.
    static let caseLimit = 1 << 20

    private let casesPath: String
    private let answersPath: String
    private let caseLimit: Int
    private let files: [(path: String, text: @Sendable (ConformanceReport) -> String)]

    /// Reads the options; `path` is the file of at most `caseLimit` cases.
    init(
        path: String, _ arguments: Arguments, caseLimit: Int = caseLimit
    ) throws(CommandFailure) {
        casesPath = path
        self.caseLimit = caseLimit
        answersPath = try arguments.required(.check)
        guard path != "-" || answersPath != "-" else {
            throw .usage(
                "only one of CASES and ANSWERS can be standard input; name a file for the other.")
        }
        for option in [CommandOption.trustAnchor, .keys, .report] where arguments.has(option) {
            throw .usage(
                "\(CommandOption.check) only compares answers; leave out \(option).")
        }
        files = Self.reports.compactMap { report in
            arguments.text(report.option).map { ($0, report.text) }
        }
    }

    /// Checks all answers, and writes one line for each result that is not as expected, and then the totals.
    func run() throws(CommandFailure) -> ExitStatus {
        var (results, positions) = try cases()
        let stray = try judge(&results, positions)
        let report = ConformanceReport(results: results, strayLines: stray)
        for file in files {
            try failing { () throws(FileError) in
                try ExclusiveFile.create(
                    file.path, mode: 0o644,
                    contents: SensitiveBytes(copying: Array(file.text(report).utf8).span))
            }
        }
        guard report.lines.allSatisfy({ $0.write() }) else { return .means }
        StandardStream.error.write(report.summary)
        return report.isPassed ? .done : .refused
    }

    /// Reads the cases, and the position of each by its name.
    private func cases() throws(CommandFailure) -> ([ConformanceResult], [ExactText: Int]) {
        var results: [ConformanceResult] = []
        var positions: [ExactText: Int] = [:]
        try Self.read(casesPath, "test vectors") { line throws(CommandFailure) in
            let number = results.count + 1
            guard let vector = ConformanceCase.object(line).flatMap(ConformanceCase.init) else {
                throw .means(
                    "line \(number) of \(casesPath) is not a case. A case is a JSON object with id and expect "
                        + "(accept, reject or either), and with plaintext if it expects accept.")
            }
            guard positions.updateValue(results.count, forKey: vector.id) == nil else {
                throw .means(
                    "line \(number) of \(casesPath) has the id of an earlier case; give each case another id."
                )
            }
            guard results.count < caseLimit else {
                throw .means("\(casesPath) has more than \(caseLimit) cases; divide it.")
            }
            results.append(ConformanceResult(vector))
        }
        guard !results.isEmpty else {
            throw .means("\(casesPath) contains no case; write one JSON object a line.")
        }
        return (results, positions)
    }

    /// Checks the answers as they are read.
    ///
    /// - Returns: The number of lines that do not answer a case: they are not answers, or their name is not that of a
    ///   case.
    private func judge(
        _ results: inout [ConformanceResult], _ positions: [ExactText: Int]
    ) throws(CommandFailure) -> Int {
        var stray = 0
        try Self.read(answersPath, "answers") { line in
            if let answer = ConformanceResult.answer(line),
                let position = answer["id"]?.quoted.flatMap({ positions[$0] })
            {
                results[position].judge(answer)
            } else {
                stray += 1
            }
        }
        return stray
    }

    /// Passes on each line of a file.
    private static func read(
        _ path: String, _ contents: String,
        _ body: (LineReader.Line) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        Notice.announce(path, contents)
        let reader = try failing { () throws(FileError) in
            try LineReader(path: path, limit: ConformanceCase.limits.textLength)
        }
        func next() throws(CommandFailure) -> LineReader.Line? {
            try failing { () throws(FileError) in try reader.next() }
        }
        while let line = try next() { try body(line) }
    }
}
