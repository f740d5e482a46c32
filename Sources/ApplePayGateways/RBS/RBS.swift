public import ApplePayPrimitives
internal import ApplePayToken

/// The gateways of the RBS family, whose software is made by BPC: those of Sberbank, Alfa-Bank and others.
///
/// `payment.do` accepts the encrypted token. `paymentDirect.do` and `token/payment.do` accept decrypted tokens and need
/// permissions that not every bank grants.
///
/// Source: BPC, *REST API* (Apple Pay, tokenised payment, status, order management); the RBS page
/// *Apple Pay (mobile application)*; for Sberbank's limits its merchants' public clients.
public enum RBS {
    /// The lengths that a host accepts for the same fields.
    public enum Limits: String, CaseIterable, Sendable {
        /// BPC's manual: `orderNumber` up to 36 characters, `description` up to 598.
        case bpc

        /// The clients of Russian banks: `orderNumber` up to 32 characters, `description` up to 1,024 characters
        /// without `%`, `+`, carriage return and line feed.
        case russianBanks = "russian-banks"

        var orderNumber: ClosedRange<Int> { self == .bpc ? 1...36 : 1...32 }
        var description: ClosedRange<Int> { self == .bpc ? 0...598 : 0...1024 }
    }

    /// The address of a gateway, and its limits.
    public struct Host: Hashable, Sendable {
        /// Scheme and host without a slash at the end.
        public var origin: String

        /// The beginning of every path, such as `/payment`.
        public var prefix: String

        /// The limits.
        public var limits: Limits

        /// Creates a host.
        ///
        /// - Parameters:
        ///   - origin: Scheme and host without a slash at the end.
        ///   - prefix: The beginning of every path, percent-encoded; may be empty.
        ///   - limits: The limits.
        public init(origin: String, prefix: String = "/payment", limits: Limits = .bpc) {
            self.origin = origin
            self.prefix = prefix
            self.limits = limits
        }

        /// Sberbank's gateway.
        public static let sberbank = Host(
            origin: "https://securepayments.sberbank.ru", limits: .russianBanks)

        /// Sberbank's test gateway.
        public static let sberbankTest = Host(
            origin: "https://3dsec.sberbank.ru", limits: .russianBanks)

        /// Alfa-Bank's gateway, which forwards at most 99 characters of a description.
        public static let alfaBank = Host(
            origin: "https://pay.alfabank.ru", limits: .russianBanks)

        /// BPC's sandbox.
        public static let sandbox = Host(origin: "https://dev.bpcbt.com")
    }

    /// A merchant's API login and password.
    public struct User: Sendable {
        /// `userName`: 1 to 100 characters.
        public var name: String

        /// `password`: 1 to 30 characters.
        public var password: SensitiveBytes

        /// Creates a user.
        ///
        /// - Parameters:
        ///   - name: `userName`.
        ///   - password: `password`.
        public init(name: String, password: SensitiveBytes) {
            self.name = name
            self.password = password
        }

        func check() throws(PaymentTokenError) {
            try FieldLength.check(name, "userName", 1...100)
            try FieldLength.check(password, "password", 1...30)
        }

        func write(into body: inout JSONBody) {
            body.string("userName", name)
            body.secret("password", password)
        }

        func write(into body: inout FormBody) {
            body.parameter("userName", name)
            body.secret("password", password)
        }
    }

    /// The merchant's credentials for requests that follow the payment.
    public enum Credentials: Sendable {
        /// `userName` and `password`.
        case user(User)

        /// `token`, instead of `userName` and `password`; not empty.
        case token(SensitiveBytes)

        func check() throws(PaymentTokenError) {
            switch self {
            case .user(let user): try user.check()
            case .token(let token): try FieldLength.check(token, "token", 1...Int.max)
            }
        }

        func write(into body: inout FormBody) {
            switch self {
            case .user(let user): user.write(into: &body)
            case .token(let token): body.secret("token", token)
            }
        }
    }

    /// The purpose of storing the card: `tii` of the customer's first payment in a series.
    public enum StoredCredential: String, CaseIterable, Sendable {
        /// Payments of any kind.
        case common = "CI"
        /// Recurring payments.
        case recurring = "RI"
        /// Installments.
        case instalments = "II"
    }
}
