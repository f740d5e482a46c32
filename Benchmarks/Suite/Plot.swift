import Foundation

/// Draws the growth curves as SVG: the x axis shows counts, the y axis the time for a token, both
/// logarithmic.
struct Plot {
    private static let width = 720.0
    private static let height = 400.0
    private static let margin = (left: 70.0, right: 45.0, top: 20.0, bottom: 60.0)
    private static let colors = ["#0b6e4f", "#1f4e9e", "#b3401b", "#5b2a86"]
    private static let dashes = ["", "6 3", "2 3", "10 3 2 3"]

    private let growth: Growth

    init(_ growth: Growth) {
        self.growth = growth
    }

    var svg: String {
        let counts = growth.curves.flatMap { $0.points.map { Double($0.count) } }
        let rightmost = ceil(log10(counts.max() ?? 1))
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 400\" font-family=\"sans-serif\" font-size=\"12\">",
            "<rect width=\"720\" height=\"400\" fill=\"#ffffff\"/>",
        ]
        for exponent in 0...Int(rightmost) {
            let x = Self.x(Double(exponent), rightmost)
            lines.append(line(x, Self.margin.top, x, Self.height - Self.margin.bottom, "#dddddd"))
            lines.append(text(x, Self.height - 40, Self.count(exponent), "middle"))
        }
        for exponent in 1...4 {
            let y = Self.y(Double(exponent))
            lines.append(line(Self.margin.left, y, Self.width - Self.margin.right, y, "#dddddd"))
            lines.append(text(Self.margin.left - 8, y + 4, "\(Self.count(exponent)) µs", "end"))
        }
        for (number, curve) in growth.curves.enumerated() {
            let points = curve.points.map { point in
                "\(Self.x(log10(Double(point.count)), rightmost)),\(Self.y(log10(point.microseconds)))"
            }
            let color = Self.colors[number % Self.colors.count]
            let dash = Self.dashes[number % Self.dashes.count]
            lines.append(
                "<polyline fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\" stroke-dasharray=\"\(dash)\" "
                    + "points=\"\(points.joined(separator: " "))\"/>")
            for point in points {
                let parts = point.split(separator: ",")
                lines.append(
                    "<circle cx=\"\(parts[0])\" cy=\"\(parts[1])\" r=\"3\" fill=\"\(color)\"/>")
            }
            let y = 32.0 + Double(number) * 18
            lines.append(
                "<line x1=\"360\" y1=\"\(y)\" x2=\"390\" y2=\"\(y)\" stroke=\"\(color)\" stroke-width=\"2\" "
                    + "stroke-dasharray=\"\(dash)\"/>")
            lines.append(text(396, y + 4, curve.name, "start"))
        }
        lines.append(text(Self.width / 2, Self.height - 14, "how many of them", "middle"))
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func x(_ exponent: Double, _ rightmost: Double) -> Double {
        margin.left + exponent / max(rightmost, 1) * (width - margin.left - margin.right)
    }

    /// Returns the y coordinate for a power of ten, from 10 µs at the bottom to 10,000 µs at the
    /// top.
    private static func y(_ exponent: Double) -> Double {
        height - margin.bottom - (exponent - 1) / 3 * (height - margin.top - margin.bottom)
    }

    private static func count(_ exponent: Int) -> String {
        ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"][min(exponent, 6)]
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String)
        -> String
    {
        "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"\(color)\"/>"
    }

    private func text(_ x: Double, _ y: Double, _ content: String, _ anchor: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(content)</text>"
    }
}
