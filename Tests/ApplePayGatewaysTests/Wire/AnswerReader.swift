import ApplePayGateways
import ApplePayGatewaysTesting

/// Reads the answer to each step in the way a merchant would.
enum AnswerReader {
    /// Returns whether an answer reports that the step succeeded.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - step: The step's name in its vectors.
    /// - Returns: Whether the step succeeded; nil for a step that no gateway has.
    /// - Throws: `UnreadableJSONError`.
    static func isSuccess(_ response: GatewayResponse, of step: String) throws -> Bool? {
        let readers = ExampleGateway.all.compactMap { $0.outcomes[step] }
        return try readers.first.map { try $0(response) }
    }
}
