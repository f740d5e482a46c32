extension Intergiro {
    /// What the SDK's callback brought: `completion([String: Any]?, Error?)`, sent on by the app as JSON.
    ///
    /// The vendor's page calls the argument `callback:`; in SDK 1.1.0 it is `completion:`. It is the app
    /// that says so: whether the card was added is for Intergiro to confirm.
    ///
    /// Source: Intergiro, *Apple Pay*, step 3; its iOS SDK 1.1.0.
    public struct LaunchAnswer: Sendable {
        /// `status`.
        public let status: LaunchStatus

        /// Reads the callback's payload.
        ///
        /// - Parameter json: The payload as JSON, UTF-8, at most 1 MiB.
        /// - Throws: ``GatewayResponseError`` with code `not-json` or `wrong-type`, then
        ///   `missing-member` for no `status` and `wrong-type` for one that is not documented.
        public init(_ json: [UInt8]) throws(GatewayResponseError) {
            let payload = try GatewayResponse(status: 200, body: json).object()
            guard let status = LaunchStatus(rawValue: try payload.mandatoryText("status")) else {
                throw GatewayResponseError(.wrongType, field: "status")
            }
            self.status = status
        }
    }

    /// The outcome that the SDK's callback names.
    public enum LaunchStatus: String, CaseIterable, Sendable {
        /// The cardholder consented.
        case approved

        /// Something went wrong; the cardholder may begin again.
        case error
    }

    /// `IntergiroError`, by its raw values: the code of the `NSError` in the SDK's callback.
    public enum LaunchError: Int, CaseIterable, Sendable {
        /// The `NSError`'s domain.
        public static let domain = "IntergiroSDK.IntergiroError"

        /// The cardholder closed the view.
        case cancelled = 0
        /// The device could not reach Intergiro.
        case connectionIssue = 1
        /// The SDK was launched without a token.
        case missedToken = 2
        /// `setPublicKey` was not called.
        case missedPublicKey = 3
        /// Anything else.
        case unexpectedError = 4
        /// The SDK could not read an answer.
        case decodingError = 5
    }
}
