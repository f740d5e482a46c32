internal import ApplePayGatewayFiles
internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension OrderFile {
    /// Reads an order from a file.
    static func order(
        _ path: String, needsReference: Bool = false
    ) throws(CommandFailure) -> Order {
        let text = try FileContents.bytes(of: path, limit: 1 << 18, "an order")
        let value: AnswerValue
        do throws(JSONError) {
            value = try AnswerValue(text)
        } catch {
            throw .usage("\(path) is not an order\(WrongFile.fault(text, error)) \(form)")
        }
        do throws(MemberFault) {
            return try order(value, needsReference: needsReference)
        } catch {
            let member = error.name.isEmpty ? "the order" : "its member \(error.name.printable)"
            throw .usage("\(path) is not an order: \(member) \(error.fault). \(form)")
        }
    }

    /// What an order looks like, for messages.
    private static let form =
        #"An order is JSON such as {"reference":"order-1001","amount":1099,"currency":"EUR"}."#
}
