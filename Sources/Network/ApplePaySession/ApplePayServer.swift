public import ApplePayHTTPS
public import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayTransport
internal import FoundationEssentials

/// The Apple Pay server, which a merchant's server asks for merchant sessions and about merchant tokens.
///
/// The merchant identity certificate proves who asks. The hosts are constants: the address that a browser names in
/// `onvalidatemerchant` is never used, because any page can name any address there. Each request is sent once, on a new
/// connection, and takes at most 10 s.
///
/// Source: Apple, *Apple Pay on the Web*, "Requesting an Apple Pay payment session" and "Setting up your server".
public struct ApplePayServer: Sendable {
    /// The regions, each with its own server.
    public enum Region: String, CaseIterable, Sendable {
        /// Everywhere but China mainland.
        case global
        /// China mainland.
        case china
    }

    /// The certificate with which the merchant identifies itself.
    public let identity: ClientIdentity

    /// The merchant identifier, from the certificate.
    public let merchantIdentifier: String

    private let origin: String
    private var client: HTTPSClient

    /// Creates a server of Apple, whose certificate the system's authorities verify.
    ///
    /// - Parameters:
    ///   - region: The region of the merchant identifier.
    ///   - isSandbox: Whether to ask the server for development, which serves only testers of the sandbox.
    ///   - identity: The merchant identity certificate and its key.
    ///   - proxy: A proxy for the connection; nil connects directly.
    /// - Throws: ``ApplePayServerError`` with code `wrong-certificate`, then `outside-validity`.
    public init(
        _ region: Region = .global, isSandbox: Bool = false, identity: ClientIdentity,
        proxy: HTTPProxy? = nil
    ) throws(ApplePayServerError) {
        let country = region == .china ? "cn-" : ""
        let host = "\(country)apple-pay-gateway\(isSandbox ? "-cert" : "").apple.com"
        try self.init("https://\(host)", identity, HTTPSClient(identity: identity))
        client.proxy = proxy
    }

    /// Creates a server for tests.
    ///
    /// - Parameters:
    ///   - testHost: `HOST` or `HOST:PORT`.
    ///   - testAuthorities: The path of a PEM file with the authorities that issued the server's certificate.
    ///   - identity: A certificate in the form of a merchant identity certificate, and its key.
    /// - Throws: ``ApplePayServerError`` with code `wrong-certificate`, `outside-validity`, then `not-connected` if the
    ///   file cannot be read.
    public init(
        testHost: String, testAuthorities: String, identity: ClientIdentity
    ) throws(ApplePayServerError) {
        let client: HTTPSClient
        do {
            client = try HTTPSClient(authorities: testAuthorities, identity: identity)
        } catch {
            throw ApplePayServerError(error)
        }
        try self.init("https://\(testHost)", identity, client)
    }

    private init(
        _ origin: String, _ identity: ClientIdentity, _ client: HTTPSClient
    ) throws(ApplePayServerError) {
        guard let merchantIdentifier = identity.merchantIdentifier, identity.isForTLSClients else {
            throw ApplePayServerError(.wrongCertificate)
        }
        guard (identity.notBefore...identity.notAfter).contains(Date()) else {
            let days = [identity.notBefore, identity.notAfter].map {
                $0.formatted(.iso8601.year().month().day())
            }
            throw ApplePayServerError(
                .outsideValidity, detail: "it is valid from \(days[0]) to \(days[1])")
        }
        self.origin = origin
        self.identity = identity
        self.merchantIdentifier = merchantIdentifier
        self.client = client
        self.client.connectionLimit = .seconds(10)
        self.client.timeLimit = .seconds(10)
        self.client.longestBody = 64 << 10
    }

    /// Sends a request and returns the answer, if Apple accepted the request.
    func answer(
        to path: String, method: String = "POST", _ headers: [GatewayHeader] = [],
        body: SensitiveBytes? = nil
    ) async throws(ApplePayServerError) -> GatewayResponse {
        let request = GatewayRequest(
            method: method, origin, path, headers: [.contentType()] + headers, body: body)
        let response: GatewayResponse
        do {
            response = try await client.send(request)
        } catch {
            throw ApplePayServerError(error)
        }
        guard response.isAccepted else {
            throw ApplePayServerError(response, merchantIdentifier: merchantIdentifier)
        }
        return response
    }
}
