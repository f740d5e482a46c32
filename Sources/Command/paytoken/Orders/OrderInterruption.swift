internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayPrograms

/// The effect of SIGINT and SIGTERM on payments: until money may move, they end the process; afterwards they are ignored,
/// so that the exchange and its record are finished.
enum OrderInterruption {
    /// Lets a claim be released after a signal; throws if a signal came first.
    static func postpone() throws(PaymentError) {
        guard Interruption.postpone() else { throw ended }
    }

    /// Ignores signals from now on; throws if a signal came first.
    static func hold() throws(PaymentError) {
        guard Interruption.hold() else { throw ended }
    }

    private static var ended: PaymentError {
        PaymentError(.notSent, reason: "A signal ended the process")
    }
}

/// Sends requests, and cancels one that is under way when a signal ends the process: nothing that can move money.
struct InterruptibleTransport: GatewayTransport {
    /// How often to look for a signal.
    private static let pause = Duration.milliseconds(20)

    let client: HTTPSClient

    func send(
        _ request: GatewayRequest
    ) async throws(GatewayTransportError) -> GatewayResponse {
        typealias Answer = Result<GatewayResponse, GatewayTransportError>
        let answer = await withTaskGroup(of: Answer?.self) { group in
            group.addTask {
                do throws(GatewayTransportError) {
                    return .success(try await client.send(request))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // No signal is reported once signals are ignored.
                while Interruption.signal == nil, !Task.isCancelled {
                    try? await Task.sleep(for: Self.pause)
                }
                return nil
            }
            // Whichever ends first ends the other; the exchange always has an answer.
            var answer = Answer.failure(.init(.canceled, requestMayHaveReachedGateway: true))
            for await ended in group {
                answer = ended ?? answer
                group.cancelAll()
            }
            return answer
        }
        return try answer.get()
    }
}
