import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import BenchmarkFloor
import Foundation

#if SQLite
    import ApplePaySQLite
#endif

/// Compares the payment of an order at Worldline Direct with the sum of its parts.
///
/// The parts are the decryption of the token, the contents of the three records as JSON, the three changes of the ledger, the
/// request, and the reading of the answer. No part includes the look for earlier attempts.
struct OrderBenchmark {
    /// Microseconds of processor time with a ledger in memory.
    let memory: Turns

    /// Microseconds by the clock with an `SQLiteLedger`, which waits for its disk, of the payment and of all its parts; nil
    /// without the trait SQLite.
    let file: Turns?

    /// The ratios of payments to the sums of their parts, by the ledger.
    var memoryRatio: Statistics { Self.ratio(memory) }
    var fileRatio: Statistics? { file.map(Self.ratio) }

    /// The measurements, in the order of the table.
    static let names = [pay, parts, token, records, ledger, request, answer]

    /// Those with an `SQLiteLedger`.
    static let fileNames = [pay, parts]

    private static let pay = "pay"
    private static let parts = "its parts together"
    private static let token = "part: token"
    private static let records = "part: records"
    private static let ledger = "part: ledger"
    private static let request = "part: request"
    private static let answer = "part: answer"

    init(_ corpus: Corpus, rounds: Int) throws {
        let orders = try Orders(corpus, corpus.ec.prefix(Corpus.tokenCount))
        memory = try Turns(
            orders.subjects(clock: { Floor_process_now() }) {
                InMemoryLedger(capacity: Corpus.tokenCount)
            }, rounds: rounds)
        #if SQLite
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(at: folder) }
            // Few orders, because each waits for the disk three times.
            let few = try Orders(corpus, corpus.ec.prefix(8))
            file = try Turns(
                few.subjects(clock: { Floor_now() }) {
                    try await SQLiteLedger.create(
                        folder.appending(path: UUID().uuidString).path(), window: 300)
                }.filter { Self.fileNames.contains($0.name) }, rounds: rounds)
        #else
            file = nil
        #endif
    }

    private static func ratio(_ turns: Turns) -> Statistics {
        turns.ratio(pay, over: parts)
    }

    /// The orders that one call pays, and what each part of a payment takes.
    private struct Orders: Sendable {
        /// An order with what the parts take; a class, so that iterating over the items takes almost no time.
        private final class Item: Sendable {
            let text: [UInt8]
            let order: Order
            let answer: GatewayResponse
            let claim: ClaimRequest
            let accepted: AcceptedPayment
            let call: PaymentCall
            let paymentID: ExactText

            init(
                _ sample: Sample, _ number: Int, _ decryptor: PaymentTokenDecryptor,
                _ gateway: WorldlineDirect
            ) throws {
                text = sample.text
                let payment = try decryptor.decrypt(text, agePolicy: Corpus.receipt)
                guard let currency = payment.data.currency else {
                    throw BenchmarkFailure("a token has no currency")
                }
                order = Order(
                    reference: "order-\(100_000 + number)", amount: payment.data.amount,
                    currency: currency)
                paymentID = "\(3_254_564_000 + number)_0"
                answer = Orders.answer(to: order, paymentID)
                claim = ClaimRequest(payment)
                accepted = try AcceptedPayment(
                    order, PaymentAttempt(order, at: gateway), payment.token, payment)
                call = try gateway.payment(accepted)
            }
        }

        private let items: [Item]
        private let decryptor: PaymentTokenDecryptor
        private let gateway: WorldlineDirect
        private let contents: Contents

        /// The contents of a record as ApplePayOrders encodes them: the members that this payment has.
        private struct Contents: Codable {
            struct Report: Codable {
                let authorized: Int64?
                let canBeAsked: Bool?
                let captured: Int64?
                let currency: String?
                let meaning: String
                let ordered: Int64?
                let reference: String?
                let refunded: Int64?
                let status: String?
            }

            struct Requests: Codable {
                var answered: Int
                let last: Int64
                let sent: Int
            }

            let amount: Int64
            let currency: String
            let format: Int
            let key: String
            let mark: String
            let owner: String
            let reference: String
            var report: Report?
            var requests: Requests?
            let slot: Int
            let slotBeginning: Int64
            let transactions: [String]

            private static let encoder = {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return encoder
            }()

            var text: ExactText {
                get throws {
                    ExactText(String(decoding: try Self.encoder.encode(self), as: UTF8.self))
                }
            }

            /// The contents before the payment is sent.
            var claimed: Contents {
                var contents = sending
                contents.requests = nil
                return contents
            }

            /// The contents once the request is counted.
            var sending: Contents {
                var contents = self
                contents.report = nil
                contents.requests?.answered = 0
                return contents
            }
        }

        init(_ corpus: Corpus, _ samples: some Collection<Sample>) throws {
            let (decryptor, gateway) = (try corpus.decryptor(), Self.gateway)
            let items = try samples.enumerated().map { number, sample in
                try Item(sample, number, decryptor, gateway)
            }
            (self.items, self.decryptor, self.gateway) = (items, decryptor, gateway)
            guard let item = items.first else { throw BenchmarkFailure("no order") }
            let stored = try Turns.waiting {
                let ledger = InMemoryLedger(capacity: 1)
                try await Self.pay(item, decryptor, gateway, ledger)
                return await ledger.attempts(of: item.order.reference).last?.contents ?? ""
            }
            contents = try JSONDecoder().decode(Contents.self, from: Data(stored.utf8))
            guard try contents.text == stored else {
                throw BenchmarkFailure("a record has other contents than those that are measured")
            }
        }

        /// Returns the payment and its parts; each call gets a new ledger.
        func subjects(
            clock: @escaping @Sendable () -> UInt64,
            _ makeLedger: @escaping @Sendable () async throws -> any AttemptLedger
        ) -> [Turns.Subject] {
            let (items, decryptor, gateway) = (items, decryptor, gateway)
            let (claimed, sending, paid) = (contents.claimed, contents.sending, contents)
            let encode = { @Sendable in
                (claimed: try claimed.text, sending: try sending.text, paid: try paid.text)
            }
            func subject<Input: Sendable>(
                _ name: String, prepare: @escaping @Sendable () async throws -> Input,
                run: @escaping @Sendable (Input, Item) async throws -> Void
            ) -> Turns.Subject {
                .init(
                    name, orders: items.count, clock: clock, prepare: prepare,
                    run: { input in for item in items { try await run(input, item) } })
            }
            return [
                subject(
                    OrderBenchmark.pay, prepare: makeLedger,
                    run: { ledger, item in
                        try await Self.pay(item, decryptor, gateway, ledger)
                    }),
                subject(
                    OrderBenchmark.parts, prepare: makeLedger,
                    run: { ledger, item in
                        _ = try decryptor.decrypt(item.text, agePolicy: Corpus.receipt)
                        _ = try gateway.payment(item.accepted).request(at: Date())
                        try Self.read(item)
                        try await Self.store(item, encode(), at: gateway.name, in: ledger)
                    }),
                subject(
                    OrderBenchmark.token, prepare: {},
                    run: { _, item in
                        _ = try decryptor.decrypt(item.text, agePolicy: Corpus.receipt)
                    }),
                subject(OrderBenchmark.records, prepare: {}, run: { _, _ in _ = try encode() }),
                subject(
                    OrderBenchmark.ledger, prepare: { (try await makeLedger(), try encode()) },
                    run: { input, item in
                        try await Self.store(item, input.1, at: gateway.name, in: input.0)
                    }),
                subject(
                    OrderBenchmark.request, prepare: {},
                    run: { _, item in
                        _ = try gateway.payment(item.accepted).request(at: Date())
                    }),
                subject(
                    OrderBenchmark.answer, prepare: {}, run: { _, item in try Self.read(item) }),
            ]
        }

        /// Pays an order; creating the payments, which a shop does once, takes almost no time.
        private static func pay(
            _ item: Item, _ decryptor: PaymentTokenDecryptor, _ gateway: WorldlineDirect,
            _ ledger: any AttemptLedger
        ) async throws {
            let payments = try OrderPayments(
                decryptor: decryptor, ledger: ledger, gateway: gateway,
                transport: FixedAnswer(answer: item.answer))
            let outcome = try await payments.pay(
                item.text, for: item.order, agePolicy: Corpus.receipt)
            guard outcome.state == .paid, outcome.isRecorded else {
                throw BenchmarkFailure("an order is \(outcome.state): \(outcome.reason ?? "")")
            }
        }

        /// Makes the three changes of the ledger that a payment makes.
        private static func store(
            _ item: Item, _ contents: (claimed: ExactText, sending: ExactText, paid: ExactText),
            at gateway: ExactText, in ledger: any AttemptLedger
        ) async throws {
            let claimed = AttemptRecord(
                reference: item.order.reference,
                account: AttemptAccount(gateway: gateway, identifier: "shop", mode: .test),
                at: Date(), contents: contents.claimed)
            var isStored = try await ledger.begin(claimed, claiming: item.claim, after: nil)
            var sending = claimed.next(at: Date())
            sending.state = .sending
            sending.contents = contents.sending
            isStored = try await ledger.replace(claimed, with: sending, freeing: []) && isStored
            var paid = sending.next(at: Date())
            paid.state = .paid
            paid.listing = .none
            paid.paymentID = item.paymentID
            paid.contents = contents.paid
            guard try await ledger.replace(sending, with: paid, freeing: []), isStored else {
                throw BenchmarkFailure("a ledger did not store an attempt")
            }
        }

        private static func read(_ item: Item) throws {
            guard case .outcome(let outcome) = item.call.read(item.answer), outcome.state == .paid
            else { throw BenchmarkFailure("an answer does not state that the order is paid") }
        }

        private static var gateway: WorldlineDirect {
            WorldlineDirect(
                merchantId: "shop",
                credentials: .init(
                    apiKeyId: "0123456789ABCDEF",
                    secretAPIKey: SensitiveBytes(copying: Array("not a real key".utf8).span)),
                environment: .preproduction)
        }

        /// Returns the answer of Worldline Direct to a payment that is captured at once.
        ///
        /// Source: Worldline Direct server SDKs, `CreatePaymentResponse`.
        fileprivate static func answer(to order: Order, _ paymentID: ExactText) -> GatewayResponse {
            let text = """
                {"creationOutput":{"additionalReference":"\(order.reference)",\
                "externalReference":"\(order.reference)"},"payment":{"id":"\(paymentID)",\
                "paymentOutput":{"amountOfMoney":{"amount":\(order.amount),\
                "currencyCode":"\(order.currency)"},"references":{"merchantReference":\
                "\(order.reference)"},"paymentMethod":"mobile","mobilePaymentMethodSpecificOutput":\
                {"paymentProductId":302,"authorisationCode":"OK1131","network":"VISA"}},\
                "status":"CAPTURED","statusOutput":{"isCancellable":false,"statusCategory":\
                "COMPLETED","statusCode":9,"isAuthorized":false,"isRefundable":true}}}
                """
            return GatewayResponse(
                status: 201, headers: [("Content-Type", "application/json")],
                body: Array(text.utf8))
        }
    }

    /// A transport without a network, which answers at once.
    private struct FixedAnswer: GatewayTransport {
        let answer: GatewayResponse

        func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse
        {
            answer
        }
    }
}
