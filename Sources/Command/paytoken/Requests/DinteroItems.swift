internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// The lines of a Dintero order, from a JSON file in Dintero's own form.
enum DinteroItems {
    /// The form of the file, for messages.
    private static let form =
        "The file must be a JSON array of objects with id, line_id, description and amount, and if needed quantity, "
        + "vat_amount and vat."

    /// Reads the file of `--items`; returns an empty array without the option.
    static func items(_ arguments: Arguments) throws(CommandFailure) -> [OrderItem] {
        guard let path = arguments.text(.items) else { return [] }
        let text = try FileContents.bytes(of: path, limit: 1 << 18, "order lines")
        let json: JSONIndex
        do throws(JSONError) {
            json = try JSONIndex(text.span)
        } catch {
            throw .means(
                "\(path) is not a list of order lines\(WrongFile.fault(text, error)) \(form)")
        }
        do throws(MemberFault) {
            return try items(json, text.span)
        } catch {
            throw .means(
                "\(path) is not a list of order lines: \(error.name.printable) \(error.fault). \(form)"
            )
        }
    }

    private static func items(
        _ json: JSONIndex,
        _ text: Span<UInt8>
    ) throws(MemberFault) -> [OrderItem] {
        guard json.root.kind == .array else {
            throw MemberFault("the file", "must be a JSON array")
        }
        var items: [OrderItem] = []
        for element in json.elements(of: json.root) {
            let line = "line \(items.count + 1)"
            guard element.kind == .object else { throw MemberFault(line, "must be a JSON object") }
            do throws(MemberFault) {
                items.append(try item(element, json, text))
            } catch {
                throw MemberFault("\(error.name) of \(line)", error.fault)
            }
        }
        return items
    }

    private static func item(
        _ element: JSONValue,
        _ json: JSONIndex,
        _ text: Span<UInt8>
    ) throws(MemberFault) -> OrderItem {
        var strings: [String: String] = [:]
        var numbers: [String: Int64] = [:]
        for member in json.members(of: element) {
            let name = json.string(member.name, in: text)
            switch name {
            case "id", "line_id", "description":
                guard member.value.kind == .string else {
                    throw MemberFault(name, "must be a string")
                }
                strings[name] = json.string(member.value, in: text)
            case "amount", "quantity", "vat_amount":
                guard let number = json.integer(member.value, in: text) else {
                    throw MemberFault(name, "must be a whole number")
                }
                numbers[name] = number
            case "vat":
                guard member.value.kind == .number,
                    let vat = basisPoints(json.string(member.value, in: text))
                else { throw MemberFault(name, "must be per cent with at most two decimals") }
                numbers[name] = vat
            default: throw MemberFault(String(name.prefix(64)), "is unknown")
            }
        }
        for name in ["id", "line_id", "description"] where strings[name] == nil {
            throw MemberFault(name, "is missing")
        }
        guard let id = strings["id"], let lineId = strings["line_id"],
            let description = strings["description"], let amount = numbers["amount"]
        else { throw MemberFault("amount", "is missing") }
        var item = OrderItem(id: id, lineId: lineId, description: description, amount: amount)
        item.quantity = numbers["quantity"] ?? 1
        item.taxAmount = numbers["vat_amount"]
        item.taxBasisPoints = numbers["vat"]
        return item
    }

    /// Returns the hundredths of a percent of a JSON number with at most two decimals.
    private static func basisPoints(_ text: String) -> Int64? {
        let parts = text.split(separator: ".")
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 2, text.utf8.count <= 6, !text.hasPrefix("-") else {
            return nil
        }
        let zeros = String(repeating: "0", count: 2 - fraction.utf8.count)
        return Int64(parts[0] + fraction + zeros)
    }
}
