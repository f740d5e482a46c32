extension [String] {
    /// Returns a question for a message about a wrong word, followed by a space: those of these words of which it is the
    /// first part, before a hyphen, or else the one that is similar; empty if there is none.
    package func question(about word: String) -> String {
        let longer = filter { $0.utf8.starts(with: "\(word)-".utf8) }
        let meant = longer.isEmpty ? suggestion(for: word) : longer.alternatives
        guard let meant else { return "" }
        return "did you mean \(meant)? "
    }

    /// Returns the word that a misspelled word probably means.
    ///
    /// - Parameter word: The misspelled word.
    /// - Returns: The most similar of these words, if it is at most two typing errors away, or one for a word of fewer
    ///   than five characters; otherwise nil.
    package func suggestion(for word: String) -> String? {
        // A longer word, such as a file name, is not a misspelled one, and takes long to compare: bytes, not characters.
        guard word.utf8.count <= 40 else { return nil }
        let limit = word.count < 5 ? 1 : 2
        let distances = map {
            (word: $0, distance: Self.distance([UInt8]($0.utf8), [UInt8](word.utf8)))
        }
        return distances.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// Returns the number of typing errors between two words.
    ///
    /// An error is a missing, an additional or a different character, or two adjacent characters in the wrong order
    /// (the optimal string alignment distance).
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var beforePrevious: [Int] = []
        var previous = [Int](0...second.count)
        for (row, left) in first.enumerated() {
            var current = [row + 1]
            for (column, right) in second.enumerated() {
                var distance = Swift.min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (left == right ? 0 : 1))
                if row > 0, column > 0, left == second[column - 1], first[row - 1] == right {
                    distance = Swift.min(distance, beforePrevious[column - 1] + 1)
                }
                current.append(distance)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
