/// Repeated measurements of one value.
struct Statistics {
    private let sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var median: Double { quantile(0.5) }

    /// Half the interquartile range, relative to the median.
    var spread: Double { median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / 2 / median }

    /// The standard error of the median, relative to the median.
    ///
    /// For a normal distribution the quartiles are 0.674 σ from the median, and the standard error of the
    /// median of n values is 1.253 σ / √n.
    var error: Double { 1.253 / 0.674 * spread / Double(sorted.count).squareRoot() }

    /// Whether more values would hardly change the median.
    var isSettled: Bool { error < 0.01 }

    private func quantile(_ part: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
    }
}
