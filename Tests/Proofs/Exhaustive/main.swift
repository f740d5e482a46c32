// exhaustive [STEP]: every small case of some kinds, on all cores. Prints how many ended in which way, and fails if a case is
// accepted that is not equal to the original or not in the grammar. With four bytes of JSON it takes some minutes. With a
// step, each STEP-th change of a token, element and usage, and texts of up to three bytes.

import ApplePayTokenTesting
import Foundation

let words = CommandLine.arguments.dropFirst()
guard words.count <= 1, let step = Int(words.first ?? "1"), step > 0 else {
    FileHandle.standardError.write(Data("usage: exhaustive [STEP]\n".utf8))
    exit(2)
}

var report = Report()
for length in 0...3 {
    report.add(ShortElements.der(length: length, step: step))
    report.add(ShortElements.signatures(length: length, step: step))
}
report.add(try KeyUsages.tally(ofSigner: true, step: step))
report.add(try KeyUsages.tally(ofSigner: false, step: step))
for length in 0...3 { report.add(ShortTexts.tokens(length: length)) }
if step == 1 { report.add(ShortTexts.tokens(length: 4, of: ShortTexts.printable)) }
for version in TokenVersion.allCases {
    let token = try EditedToken(version)
    for part in token.parts.reversed() {
        for kind in SingleByteEdit.allCases { report.add(token.tally(part, kind, step: step)) }
    }
}
let longest = step == 1 ? JSONGrammar.longest : 3
for length in 0...longest { report.add(ShortTexts.json(length: length)) }
exit(report.end() ? 0 : 1)

/// Prints tallies as they come: counts to standard output, progress to standard error.
struct Report {
    private let start = Date()
    private var total = 0
    private var faults = 0

    /// Prints a tally.
    mutating func add(_ tally: Tally) {
        for line in tally.lines { print(line) }
        total += tally.total
        faults += tally.faults.count
        let line = "\(seconds) s: \(tally.part): \(tally.total) cases\n"
        FileHandle.standardError.write(Data(line.utf8))
    }

    /// Prints the sums, and returns whether there are no faults.
    func end() -> Bool {
        print("\(total) cases in \(seconds) s; \(faults) faults")
        return faults == 0
    }

    private var seconds: Int { Int(Date().timeIntervalSince(start)) }
}
