internal import ApplePayGateways
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request that is being sent, and its answer as it arrives.
///
/// The exchange ends once: with an answer, a failure, the time limit or a cancellation, whichever comes first.
final class URLSessionExchange: NSObject, URLSessionDataDelegate, Sendable {
    /// The answer, or the reason why there is none.
    typealias Answer = Result<GatewayResponse, GatewayTransportError>

    private typealias Continuation = CheckedContinuation<Answer, Never>

    private struct State {
        var continuation: Continuation?
        var answer: Answer?
        var isStarted = false
        var body: [UInt8] = []
    }

    private let longestBody: Int
    private let state = Mutex(State())

    /// Creates an exchange that has not started.
    ///
    /// - Parameter longestBody: The maximum length of the answer's body, in bytes.
    init(longestBody: Int) { self.longestBody = longestBody }

    /// Starts a task and waits until the exchange ends.
    ///
    /// - Parameter task: The task, whose delegate this is.
    /// - Returns: The answer, or the reason why there is none.
    func answer(to task: URLSessionDataTask) async -> Answer {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state in
                if state.answer == nil {
                    state.continuation = continuation
                    state.isStarted = true
                }
                return state.answer
            }
            if let answer { continuation.resume(returning: answer) } else { task.resume() }
        }
    }

    /// Ends the exchange without an answer, unless it has ended.
    ///
    /// - Parameters:
    ///   - code: The reason.
    ///   - isUnsent: Whether it is certain that nothing was sent, for example because there was no connection.
    func fail(_ code: GatewayTransportError.Code, isUnsent: Bool = false) {
        end { isStarted in
            .failure(
                GatewayTransportError(
                    code, requestMayHaveReachedGateway: isStarted && !isUnsent))
        }
    }

    private func end(_ answer: (_ isStarted: Bool) -> Answer) {
        let waiting = state.withLock { state in
            guard state.answer == nil else { return nil as (Continuation, Answer)? }
            let answer = answer(state.isStarted)
            state.answer = answer
            state.body = []
            defer { state.continuation = nil }
            return state.continuation.map { ($0, answer) }
        }
        if let (continuation, answer) = waiting { continuation.resume(returning: answer) }
    }

    // MARK: URLSessionDataDelegate

    /// Refuses a redirect, so that the answer is the redirect itself.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// Appends bytes to the body, and ends the exchange if the body is too long.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let fits = state.withLock { state in
            guard state.answer == nil, data.count <= longestBody - state.body.count else {
                return false
            }
            state.body += data
            return true
        }
        guard !fits else { return }
        fail(.answerTooLong)
        dataTask.cancel()
    }

    /// Ends the exchange with the answer, or with the reason why there is none.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if let error {
            let code = Self.code(of: error)
            let isUnsent = task.response == nil && Self.unsentCodes.contains(code)
            fail(code, isUnsent: isUnsent)
        } else if let response = task.response as? HTTPURLResponse {
            let body = state.withLock(\.body)
            end { _ in
                .success(
                    GatewayResponse(
                        status: response.statusCode, headers: Self.headers(of: response),
                        body: body))
            }
        } else {
            fail(.connectionFailed)
        }
    }

    /// Returns an answer's headers, sorted by name because URLSession does not keep their order.
    private static func headers(of response: HTTPURLResponse) -> [(name: String, value: String)] {
        response.allHeaderFields
            .compactMap { name, value in
                guard let name = name as? String, let value = value as? String else { return nil }
                return (name, value)
            }.sorted { $0.name < $1.name }
    }

    /// The codes of failures that occur before the first byte of the request is sent.
    private static let unsentCodes: Set<GatewayTransportError.Code> = [.notConnected]

    /// Returns the code for an error of URLSession; ``GatewayTransportError/Code/connectionFailed`` if in doubt.
    ///
    /// URLSession also reports an unsupported URL for an answer that is not HTTP, when the request has arrived.
    private static func code(of error: any Error) -> GatewayTransportError.Code {
        guard let error = error as? URLError else { return .connectionFailed }
        return switch error.code {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost: .notConnected
        case .timedOut: .timedOut
        case .cancelled: .canceled
        default: .connectionFailed
        }
    }
}
