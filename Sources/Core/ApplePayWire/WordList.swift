/// Words in a sentence.
extension [String] {
    /// All of them: `a`, `a and b`, `a, b and c`.
    package var sentence: String { list("and") }

    /// One of them: `a`, `a or b`, `a, b or c`.
    package var alternatives: String { list("or") }

    private func list(_ conjunction: String) -> String {
        guard let last, count > 1 else { return joined() }
        return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}
