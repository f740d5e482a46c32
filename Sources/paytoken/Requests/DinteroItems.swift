internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayWire

/// The lines of a Dintero order, from a JSON file in Dintero's own form.
enum DinteroItems {
    /// Reads the file of `--items`; returns an empty array without the option.
    static func items(_ arguments: Arguments) throws(CommandFailure) -> [Dintero.Item] {
        guard let path = arguments.text(.items) else { return [] }
        let text = try FileContents.bytes(of: path, limit: 1 << 18)
        let items = try failing("\(path) is not a list of order lines") {
            () throws(JSONError) in
            let json = try JSONIndex(text.span)
            return Self.items(json, text.span)
        }
        guard let items else {
            throw .means(
                "\(path) is not a list of order lines: it is an array of objects, each with id, line_id and "
                    + "description (strings) and amount (minor units); quantity, vat_amount (minor units) and vat "
                    + "(per cent, at most two decimals) may be there, nothing else.")
        }
        return items
    }

    private static func items(_ json: JSONIndex, _ text: Span<UInt8>) -> [Dintero.Item]? {
        guard json.root.kind == .array else { return nil }
        var items: [Dintero.Item] = []
        for element in json.elements(of: json.root) {
            guard let item = item(element, json, text) else { return nil }
            items.append(item)
        }
        return items
    }

    private static func item(
        _ element: JSONValue,
        _ json: JSONIndex,
        _ text: Span<UInt8>
    ) -> Dintero.Item? {
        var strings: [String: String] = [:]
        var numbers: [String: Int64] = [:]
        for member in json.members(of: element) {
            let name = json.string(member.name, in: text)
            switch name {
            case "id", "line_id", "description":
                guard member.value.kind == .string else { return nil }
                strings[name] = json.string(member.value, in: text)
            case "amount", "quantity", "vat_amount":
                guard let number = json.integer(member.value, in: text) else { return nil }
                numbers[name] = number
            case "vat":
                guard member.value.kind == .number,
                    let vat = basisPoints(json.string(member.value, in: text))
                else { return nil }
                numbers[name] = vat
            default: return nil
            }
        }
        guard let id = strings["id"], let lineId = strings["line_id"],
            let description = strings["description"], let amount = numbers["amount"]
        else { return nil }
        var item = Dintero.Item(id: id, lineId: lineId, description: description, amount: amount)
        item.quantity = numbers["quantity"] ?? 1
        item.vatAmount = numbers["vat_amount"]
        item.vatBasisPoints = numbers["vat"]
        return item
    }

    /// Returns the hundredths of a percent of a JSON number with at most two decimals.
    private static func basisPoints(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 2, text.utf8.count <= 6,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
        else { return nil }
        let zeros = String(repeating: "0", count: 2 - fraction.utf8.count)
        return Int64(parts[0] + fraction + zeros)
    }
}
