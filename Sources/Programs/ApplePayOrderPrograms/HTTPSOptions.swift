package import ApplePayHTTPS
package import ApplePayPrograms

extension CommandOption {
    package static let proxy = CommandOption(
        "--proxy", "HOST:PORT", "a proxy that opens a tunnel with CONNECT")
    package static let proxyLogin = secret(
        "--proxy-login-env", "the proxy's USER:PASSWORD")
}

extension Arguments {
    /// The options of the HTTPS client.
    package static let httpsOptions: [CommandOption] = [.proxy, .proxyLogin]

    /// Returns a client that uses the proxy of `--proxy`.
    package func client() throws(CommandFailure) -> HTTPSClient {
        var client = HTTPSClient()
        client.proxy = try proxy()
        return client
    }

    /// Returns the proxy of `--proxy`; nil without the option.
    package func proxy() throws(CommandFailure) -> HTTPProxy? {
        guard let authority = text(.proxy) else { return nil }
        let credentials = has(.proxyLogin) ? try secret(.proxyLogin) : nil
        guard let proxy = HTTPProxy(authority, credentials: credentials) else {
            throw .usage("\(CommandOption.proxy) takes HOST:PORT, not \(authority).")
        }
        return proxy
    }
}
