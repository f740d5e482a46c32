import Foundation

/// Draws the growth curves as SVG: the x axis shows counts, the y axis the time for a token, both
/// logarithmic.
struct Plot {
    private static let width = 720.0
    private static let height = 420.0
    private static let margin = (left: 86.0, right: 45.0, top: 44.0, bottom: 60.0)
    /// Colors for light and dark backgrounds; the curves' are `a` to `d`.
    private static let style = """
        <style>
        text { font: 12px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; fill: #1d1d1f }
        .title { font-size: 15px; font-weight: 600 } .grid { stroke: #d2d2d7 } .ground { fill: #ffffff }
        polyline { fill: none; stroke-width: 2 }
        .a { stroke: #0b6e4f } .b { stroke: #1f4e9e } .c { stroke: #b3401b } .d { stroke: #5b2a86 }
        circle.a { fill: #0b6e4f } circle.b { fill: #1f4e9e } circle.c { fill: #b3401b } circle.d { fill: #5b2a86 }
        @media (prefers-color-scheme: dark) {
        text { fill: #f5f5f7 } .grid { stroke: #48484c } .ground { fill: #1d1d1f }
        .a { stroke: #4cc495 } .b { stroke: #82b1ff } .c { stroke: #ff9a70 } .d { stroke: #cf9bff }
        circle.a { fill: #4cc495 } circle.b { fill: #82b1ff } circle.c { fill: #ff9a70 } circle.d { fill: #cf9bff }
        }
        </style>
        """
    private static let classes = ["a", "b", "c", "d"]
    private static let dashes = ["", "6 3", "2 3", "10 3 2 3"]

    private let growth: Growth

    /// The powers of ten on the x axis.
    private let exponents: ClosedRange<Double>

    init(_ growth: Growth) {
        self.growth = growth
        let counts = growth.curves.flatMap { $0.points.map { Double($0.count) } }
        let first = floor(log10(counts.min() ?? 1))
        exponents = first...max(ceil(log10(counts.max() ?? 1)), first + 1)
    }

    var svg: String {
        let labels =
            growth.labels
            ?? Growth.Labels(
                title: "Time per token as the numbers grow", subject: "Time per token",
                x: "number of tokens, keys or signers",
                y: "time per token, both axes by factors of ten")
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"420\" viewBox=\"0 0 720 420\" role=\"img\" aria-label=\"\(labels.subject)\">",
            Self.style,
            "<rect width=\"720\" height=\"420\" class=\"ground\"/>",
            "<text x=\"360\" y=\"24\" text-anchor=\"middle\" class=\"title\">\(labels.title)</text>",
        ]
        for exponent in Int(exponents.lowerBound)...Int(exponents.upperBound) {
            let x = x(Double(exponent))
            lines.append(line(x, Self.margin.top, x, Self.height - Self.margin.bottom))
            lines.append(text(x, Self.height - 40, Self.count(exponent), "middle"))
        }
        for exponent in 1...4 {
            let y = Self.y(Double(exponent))
            lines.append(line(Self.margin.left, y, Self.width - Self.margin.right, y))
            lines.append(text(Self.margin.left - 8, y + 4, "\(Self.count(exponent)) µs", "end"))
        }
        for (number, curve) in growth.curves.enumerated() {
            let points = curve.points.map { point in
                "\(x(log10(Double(point.count)))),\(Self.y(log10(point.microseconds)))"
            }
            let color = Self.classes[number % Self.classes.count]
            let dash = Self.dashes[number % Self.dashes.count]
            lines.append(
                "<polyline class=\"\(color)\" stroke-dasharray=\"\(dash)\" "
                    + "points=\"\(points.joined(separator: " "))\"/>")
            for point in points {
                let parts = point.split(separator: ",")
                lines.append(
                    "<circle cx=\"\(parts[0])\" cy=\"\(parts[1])\" r=\"3\" class=\"\(color)\"/>")
            }
            let y = 58.0 + Double(number) * 18
            lines.append(
                "<line x1=\"360\" y1=\"\(y)\" x2=\"390\" y2=\"\(y)\" class=\"\(color)\" stroke-width=\"2\" "
                    + "stroke-dasharray=\"\(dash)\"/>")
            lines.append(text(396, y + 4, curve.name, "start"))
        }
        lines.append(
            text(Self.width / 2, Self.height - 14, labels.x, "middle"))
        lines.append(
            "<text transform=\"translate(18 \(Self.height / 2)) rotate(-90)\" text-anchor=\"middle\">"
                + "\(labels.y)</text>")
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private func x(_ exponent: Double) -> Double {
        let part =
            (exponent - exponents.lowerBound) / (exponents.upperBound - exponents.lowerBound)
        return Self.margin.left + part * (Self.width - Self.margin.left - Self.margin.right)
    }

    /// Returns the y coordinate for a power of ten, from 10 µs at the bottom to 10,000 µs at the
    /// top.
    private static func y(_ exponent: Double) -> Double {
        height - margin.bottom - (exponent - 1) / 3 * (height - margin.top - margin.bottom)
    }

    private static func count(_ exponent: Int) -> String {
        ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"][min(exponent, 6)]
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" class=\"grid\"/>"
    }

    private func text(_ x: Double, _ y: Double, _ content: String, _ anchor: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(content)</text>"
    }
}
