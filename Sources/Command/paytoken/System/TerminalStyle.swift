internal import ApplePayPrimitives
internal import ApplePayPrograms

extension CommandOption {
    static let color = choice(
        "--color", of: ColorChoice.self,
        "when to color text; default: auto, on a terminal unless NO_COLOR is set")
}

/// When text for people is colored.
enum ColorChoice: String, CaseIterable {
    /// On a terminal, unless the variable `NO_COLOR` is set or the terminal is `dumb`.
    case auto

    /// Also in a file or a pipe.
    case always

    /// Never.
    case never
}

/// The width and the colors of text for people on standard output.
struct TerminalStyle {
    /// How a piece of text is written: the parameter of an escape sequence (ECMA-48 §8.3.117).
    enum Appearance: String {
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// The longest line outside a terminal, in characters.
    private static let usualWidth = 100

    /// The width below which a terminal wraps the lines itself.
    private static let minimumWidth = 40

    /// The longest line, in characters.
    let width: Int

    /// Whether text is colored.
    let isColored: Bool

    /// Returns a piece of text, which must not contain a line feed, with escape sequences around it if the text is
    /// colored.
    func text(_ text: String, _ appearances: Appearance...) -> String {
        guard isColored, !text.isEmpty else { return text }
        let parameters = appearances.map(\.rawValue).joined(separator: ";")
        return "\u{1B}[\(parameters)m\(text)\u{1B}[0m"
    }
}

extension TerminalStyle {
    /// Reads `--color`, the environment and the terminal.
    ///
    /// Source: https://no-color.org for the variable `NO_COLOR`.
    init(_ arguments: Arguments) throws(CommandFailure) {
        let output = StandardStream.output
        let choice: ColorChoice = try arguments.choice(.color) ?? .auto
        let allowsColor = Self.variable("NO_COLOR").isEmpty && Self.variable("TERM") != "dumb"
        self.init(
            width: max(output.columns ?? Self.usualWidth, Self.minimumWidth),
            isColored: choice == .always || choice == .auto && output.isTerminal && allowsColor)
    }

    /// Returns a variable of the environment; empty if it is not set.
    private static func variable(_ name: String) -> String {
        EnvironmentVariable.read(name)?.revealText() ?? ""
    }
}
