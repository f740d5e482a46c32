import ApplePayGateways
import ApplePayPrimitives
import Foundation
import TestVectors

/// A server that behaves as BPC documents its gateway, which banks run as RBS.
///
/// No keys. An `orderNumber` is unique for each merchant; that is documented for registering, and here a setting for
/// `paymentDirect.do`. A query by `orderNumber` returns one order; the documents leave open which one, and here it is the
/// newest. `additionalParameters` come back as `merchantOrderParams`. A card is stored for the `clientId` of a payment with `tii`,
/// and only the status names it. A registered order is paid once, and ends when its time is over. The library reads no messages of
/// this vendor.
struct RBSServer: Vendor {
    var refusesRepeatedNumbers = true
    var password = "secret"
    /// The customer for whom cards are stored.
    static let client = "customer-1"

    func purpose(of request: VendorRequest) -> VendorPurpose {
        switch request.path.last {
        case "paymentDirect.do", "payment.do", "paymentOrderBinding.do", "recurrentPayment.do",
            "installmentPayment.do":
            .payment
        case "deposit.do", "reverse.do", "refund.do": .operation
        default: .other
        }
    }

    func reply(to request: VendorRequest, in books: inout VendorBooks) -> GatewayResponse {
        switch request.path.last ?? "" {
        case "paymentDirect.do": return pay(request, &books)
        case "recurrentPayment.do": return payRecurring(request, &books)
        case "register.do": return register(request, &books)
        case "paymentOrderBinding.do": return payRegistered(request, &books)
        case "getOrderStatusExtended.do": return status(request, books)
        case "refund.do":
            let form = request.form
            guard form["password"] == password, let amount = form["amount"].flatMap({ Int64($0) }),
                let id = form["orderId"],
                books.refund(id, amount, operation: "r\(books.next())") != nil
            else { return .json(200, ["errorCode": "7", "errorMessage": "System error"]) }
            return .json(200, ["errorCode": "0", "errorMessage": "Success"])
        default: return .json(200, ["errorCode": "5", "errorMessage": "Access denied"])
        }
    }

    private static func failure(_ code: Int, _ text: String) -> GatewayResponse {
        let error: [String: Any] = [
            "code": code, "description": "Processing Error", "message": text,
        ]
        return .json(200, ["success": false, "error": error])
    }

    private func pay(_ request: VendorRequest, _ books: inout VendorBooks) -> GatewayResponse {
        let json = request.json
        guard json.text("userName") != nil, json.text("password") == password,
            books.decision != .refuse
        else { return Self.failure(5, "Access denied") }
        guard let number = json.text("orderNumber"),
            let text = json.text("paymentToken"), let token = Data(base64Encoded: text)
        else { return Self.failure(5, "Field [orderNumber] is required") }
        let isTaken = books.payments.contains { $0.reference == number && !$0.isForeign }
        guard !refusesRepeatedNumbers || !isTaken else {
            return Self.failure(1, "Order with this number was already processed")
        }
        let data = JSON(text: String(decoding: token, as: UTF8.self))
        guard let amount = data.integer("transactionAmount") else {
            return Self.failure(5, "Field [paymentToken] is wrong")
        }
        let mark = json.texts("additionalParameters")["orderMark"]
        let payment = books.add(
            id: "md-\(books.next())", reference: number, mark: mark, amount: amount,
            currency: data.text("currencyCode") ?? "",
            card: data.text("applicationPrimaryAccountNumber") ?? "")
        if let kind = json.text("tii"), json.text("clientId") != nil, payment.money > 0 {
            books.sessions["binding-\(payment.id)"] = ["kind": kind]
        }
        return .json(
            200,
            [
                "success": true, "data": ["orderId": payment.id],
                "orderStatus": order(payment, books),
            ])
    }

    /// Pays with a card that was stored for recurring payments.
    private func payRecurring(
        _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let json = request.json
        guard json.text("password") == password, books.decision != .refuse else {
            return Self.failure(5, "Access denied")
        }
        let number = json.text("orderNumber") ?? ""
        guard books.sessions[json.text("bindingId") ?? ""]?["kind"] == "RI",
            let amount = json.integer("amount")
        else { return Self.failure(1, "The binding is not found.") }
        guard !books.payments.contains(where: { $0.reference == number && !$0.isForeign }) else {
            return Self.failure(10, "Order with this number is already registered in the system.")
        }
        let payment = books.add(
            id: "md-\(books.next())", reference: number,
            mark: json.texts("additionalParameters")["orderMark"], amount: amount,
            currency: json.text("currency") ?? "", card: json.text("bindingId") ?? "")
        return .json(
            200,
            [
                "success": true, "data": ["orderId": payment.id],
                "orderStatus": order(payment, books),
            ])
    }

    /// Registers an order, whose number is accepted once.
    private func register(
        _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let form = request.form
        guard form["password"] == password else {
            return .json(200, ["errorCode": "5", "errorMessage": "Access denied"])
        }
        let number = form["orderNumber"] ?? ""
        let isTaken =
            books.sessions.values.contains { $0["number"] == number }
            || books.payments.contains { $0.reference == number && !$0.isForeign }
        guard !isTaken else {
            return .json(
                200, ["errorCode": "1", "errorMessage": "Order number is duplicated"])
        }
        let id = "md-\(books.next())"
        books.sessions[id] = [
            "number": number, "amount": form["amount"] ?? "", "currency": form["currency"] ?? "",
            "mark": JSON(text: form["jsonParams"] ?? "").text("orderMark") ?? "",
            "client": form["clientId"] ?? "",
            "end": "\(books.now.timeIntervalSince1970 + 1_200)",
        ]
        return .json(200, ["orderId": id, "formUrl": "https://bank.example/\(id)"])
    }

    /// Pays a registered order with a card that was stored for payments of any kind; the answer states no result.
    private func payRegistered(
        _ request: VendorRequest, _ books: inout VendorBooks
    ) -> GatewayResponse {
        let form = request.form
        guard form["password"] == password, books.decision != .refuse else {
            return .json(200, ["errorCode": "5", "errorMessage": "Access denied"])
        }
        let id = form["mdOrder"] ?? ""
        guard let order = books.sessions[id], books[id: id] == nil, !hasEnded(order, books) else {
            return .json(200, ["errorCode": "7", "errorMessage": "The order cannot be paid"])
        }
        guard books.sessions[form["bindingId"] ?? ""]?["kind"] == "CI",
            order["client"] == Self.client
        else {
            return .json(200, ["errorCode": "1", "errorMessage": "The binding is not found."])
        }
        _ = books.add(
            id: id, reference: order["number"] ?? "", mark: order["mark"],
            amount: order["amount"].flatMap { Int64($0) } ?? 0, currency: order["currency"] ?? "",
            card: form["bindingId"] ?? "")
        return .json(200, ["errorCode": 0, "info": "Your order is proceeded, redirecting..."])
    }

    private func hasEnded(_ order: [String: String], _ books: VendorBooks) -> Bool {
        (order["end"].flatMap { Double($0) } ?? 0) < books.now.timeIntervalSince1970
    }

    /// Returns the state of an order that was registered and not paid.
    private func registered(
        _ id: String, _ order: [String: String], _ books: VendorBooks
    ) -> [String: Any?] {
        let isOver = hasEnded(order, books)
        return [
            "errorCode": "0", "orderNumber": order["number"], "orderStatus": isOver ? 6 : 0,
            "actionCode": isOver ? -2_007 : -100, "actionCodeDescription": "",
            "amount": order["amount"].flatMap { Int64($0) }, "currency": order["currency"],
            "attributes": [["name": "mdOrder", "value": id]],
            "merchantOrderParams": [["name": "orderMark", "value": order["mark"]]],
        ]
    }

    private func order(_ payment: VendorPayment, _ books: VendorBooks) -> [String: Any?] {
        let refunded = payment.listed(.refund, at: books.now, lag: books.refundLag)
            .reduce(0) { $0 + $1.amount }
        let (status, state): (Int, String) =
            switch payment.status {
            case .open: (5, "CREATED")
            case .authorized: (1, "APPROVED")
            case .captured where refunded == payment.captured: (4, "REFUNDED")
            case .captured: (2, "DEPOSITED")
            case .declined, .expired: (6, "DECLINED")
            }
        let isDone = payment.status == .captured || payment.status == .authorized
        return [
            "errorCode": "0", "orderNumber": payment.reference, "orderStatus": status,
            "actionCode": payment.status == .declined
                ? 116 : payment.status == .expired ? -2007 : 0,
            "actionCodeDescription": "", "amount": payment.amount,
            "currency": payment.currency == "EUR" ? "978" : payment.currency,
            "paymentAmountInfo": [
                "paymentState": state, "approvedAmount": isDone ? payment.amount : 0,
                "depositedAmount": payment.captured - refunded, "refundedAmount": refunded,
            ] as [String: Any],
            "attributes": [["name": "mdOrder", "value": payment.id]],
            "merchantOrderParams": payment.mark.map { [["name": "orderMark", "value": $0]] },
        ]
    }

    private func status(_ request: VendorRequest, _ books: VendorBooks) -> GatewayResponse {
        let form = request.form
        guard form["password"] == password else {
            return .json(200, ["errorCode": "5", "errorMessage": "Access denied"])
        }
        let found =
            form["orderId"].map { id in books.payments.filter { $0.id == id } }
            ?? books.listed(reference: form["orderNumber"] ?? "")
        guard let payment = found.first else {
            let known = books.sessions.first { id, one in
                id == form["orderId"]
                    || one["number"] != nil && one["number"] == form["orderNumber"]
            }
            guard let known, known.value["number"] != nil else {
                return .json(200, ["errorCode": "6", "errorMessage": "Order not found"])
            }
            return .json(200, registered(known.key, known.value, books))
        }
        var answer = order(payment, books)
        if books.sessions["binding-\(payment.id)"] != nil {
            answer["bindingInfo"] = [
                "clientId": Self.client, "bindingId": "binding-\(payment.id)",
            ]
        }
        return .json(200, answer)
    }

    func addForeign(
        reference: String, amount: Int64, to books: inout VendorBooks
    ) -> VendorPayment {
        books.add(
            id: "form-\(books.next())", reference: reference, amount: amount, isForeign: true)
    }

    func message(about payment: VendorPayment, in books: VendorBooks) throws -> GatewayMessage? {
        nil
    }

    func gateway(_ account: VendorAccount) throws -> any PaymentGateway {
        var gateway = RBS(
            host: account == .test
                ? .sandbox : RBS.Host(origin: "https://bank.example", isTest: false))
        gateway.user = RBS.User(
            name: "shop-api", password: SensitiveBytes(copying: password.utf8.span))
        gateway.merchant = account == .second ? "shop-2" : "shop-1"
        gateway.options.kind = .decrypted
        return gateway
    }
}
