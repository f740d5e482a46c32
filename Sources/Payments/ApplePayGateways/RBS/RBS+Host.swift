internal import ApplePayAcceptance
public import ApplePayPrimitives
internal import ApplePayWire

extension RBS {
    /// The limits of a host, which differ for the same members.
    public enum Limits: String, CaseIterable, Sendable {
        /// BPC's manual: `orderNumber` up to 36 characters, `description` up to 598.
        case bpc

        /// The clients of Russian banks: `orderNumber` up to 32 characters, `description` up to 1,024 characters
        /// without `%`, `+`, carriage return and line feed.
        case russianBanks = "russian-banks"

        /// Checks `orderNumber`: visible characters without those that Sberbank's API excludes.
        ///
        /// - Throws: `gateway` with code `unsupported-length`, then `unsupported-character`.
        ///
        /// Source: Sberbank, OpenAPI 1.0.7 (2024-05-28); BPC, *REST API*, for the length.
        func check(orderNumber: ExactText) throws(PaymentError) {
            try FieldLength.check(orderNumber, "orderNumber", 1...(self == .bpc ? 36 : 32))
            let excluded = Array(##""/|#$%;'<>=*"##.utf8)
            try FieldCharacters.check(orderNumber, "orderNumber") { byte in
                byte > 0x20 && byte != 0x7F && !excluded.contains(byte)
            }
        }

        /// Checks `description`.
        ///
        /// - Throws: `gateway` with code `unsupported-length`, then `unsupported-character`.
        func check(description: String?) throws(PaymentError) {
            try FieldLength.check(description, "description", 0...(self == .bpc ? 598 : 1024))
            guard self == .russianBanks else { return }
            let excluded = Array("%+\r\n".utf8)
            try FieldCharacters.check(ExactText(description ?? ""), "description") {
                !excluded.contains($0)
            }
        }
    }

    /// The address of a gateway, and its limits.
    public struct Host: Hashable, Sendable {
        /// Scheme and host without a slash at the end.
        public var origin: String
        /// Whether its payments are tests.
        public var isTest: Bool
        /// The beginning of every path, such as `/payment`: segments of letters, digits, `-`, `.`, `_` and `~`, each
        /// after a slash; or an empty text.
        public var prefix: String
        /// The limits.
        public var limits: Limits

        /// Creates a host.
        public init(
            origin: String, isTest: Bool, prefix: String = "/payment", limits: Limits = .bpc
        ) {
            self.origin = origin
            self.isTest = isTest
            self.prefix = prefix
            self.limits = limits
        }

        /// Sberbank's gateway.
        public static let sberbank = Host(
            origin: "https://securepayments.sberbank.ru", isTest: false, limits: .russianBanks)

        /// Sberbank's test gateway.
        public static let sberbankTest = Host(
            origin: "https://3dsec.sberbank.ru", isTest: true, limits: .russianBanks)

        /// Alfa-Bank's gateway, which forwards at most 99 characters of a description.
        public static let alfaBank = Host(
            origin: "https://pay.alfabank.ru", isTest: false, limits: .russianBanks)

        /// BPC's sandbox.
        public static let sandbox = Host(origin: "https://dev.bpcbt.com", isTest: true)

        /// Returns the path of a request.
        ///
        /// - Throws: `gateway` with code `unsupported-value` for a prefix that could change the host or the query, such as
        ///   `@other.example`.
        func path(_ rest: String) throws(PaymentError) -> String {
            let segments = prefix.split(separator: "/", omittingEmptySubsequences: false)
            let isPath = segments.first == "" && segments.dropFirst().allSatisfy(Self.isSegment)
            guard prefix.isEmpty || isPath else { throw .gateway(.unsupportedValue, "prefix") }
            return prefix + rest
        }

        /// Returns whether a text is a segment of unreserved characters (RFC 3986 §2.3) that clients do not remove.
        private static func isSegment(_ text: Substring) -> Bool {
            text.utf8.allSatisfy(\.isUnreserved) && text != "" && text != "." && text != ".."
        }
    }

    /// A merchant's API login and password.
    public struct User: Sendable {
        /// `userName`: 1 to 100 characters.
        public var name: String
        /// `password`: 1 to 200 characters.
        public var password: SensitiveBytes

        /// Creates a user.
        public init(name: String, password: SensitiveBytes) {
            self.name = name
            self.password = password
        }
    }
}
