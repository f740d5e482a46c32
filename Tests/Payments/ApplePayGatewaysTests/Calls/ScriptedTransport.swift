import ApplePayGateways
import ApplePayToken
import Synchronization
import TestVectors
import Testing

/// A transport that answers each request with the next step of a script, and remembers the requests.
final class ScriptedTransport: GatewayTransport {
    /// The fate of a request.
    enum Step: Sendable {
        case answer(Int, String)
        /// Nothing was sent.
        case notSent
        /// The answer was lost, or the request was.
        case lost
    }

    private let state: Mutex<(steps: ArraySlice<Step>, requests: [GatewayRequest])>
    private let further: (@Sendable (GatewayRequest) -> Step)?
    /// The reference that the gateway got, which answers contain instead of `order-1001`.
    private let reference: String

    /// Creates a transport; `further` is what follows the script for each request, and nil that nothing may.
    init(
        _ steps: [Step], reference: String = "order-1001",
        further: (@Sendable (GatewayRequest) -> Step)? = nil
    ) {
        state = Mutex((steps[...], []))
        self.reference = reference
        self.further = further
    }

    /// Creates a transport that answers each request after the script with the same step; nil permits no such request.
    convenience init(_ steps: [Step], reference: String = "order-1001", then step: Step?) {
        guard let step else {
            self.init(steps, reference: reference)
            return
        }
        self.init(steps, reference: reference) { _ in step }
    }

    /// The requests so far.
    var requests: [GatewayRequest] { state.withLock(\.requests) }

    /// The number of steps that no request needed.
    var rest: Int { state.withLock(\.steps.count) }

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.popFirst() ?? further?(request)
        }
        switch step {
        case .answer(let status, let body):
            let text = body.replacing("order-1001", with: reference)
            return GatewayResponse(status: status, body: Array(text.utf8))
        case .notSent:
            throw GatewayTransportError(.notConnected, requestMayHaveReachedGateway: false)
        case .lost: throw GatewayTransportError(.timedOut, requestMayHaveReachedGateway: true)
        case nil:
            Issue.record("A request that the script does not contain: \(request.url)")
            throw GatewayTransportError(.canceled, requestMayHaveReachedGateway: true)
        }
    }
}

extension GatewayRequest {
    /// The method and the path with its query.
    var line: String { "\(method) \(target)" }

    /// Returns the value of a header; nil if the request does not have it.
    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.revealValue()
    }
}
