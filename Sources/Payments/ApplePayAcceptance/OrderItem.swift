/// One line of an order.
public struct OrderItem: Sendable {
    /// The article number.
    public var id: String

    /// The identifier of the line, unique in the order.
    public var lineId: String

    /// The description of the article.
    public var description: String

    /// The amount of the line in minor units, including tax.
    public var amount: Int64

    /// The number of pieces.
    public var quantity: Int64 = 1

    /// The tax in minor units; nil to send nothing.
    public var taxAmount: Int64?

    /// The tax rate in hundredths of a percent, 0 to 10,000: 2550 is 25.5 %; nil to send nothing.
    public var taxBasisPoints: Int64?

    /// Creates a line for one piece.
    ///
    /// - Parameters:
    ///   - id: The article number.
    ///   - lineId: The identifier of the line, unique in the order.
    ///   - description: The description of the article.
    ///   - amount: The amount in minor units, including tax.
    public init(id: String, lineId: String, description: String, amount: Int64) {
        self.id = id
        self.lineId = lineId
        self.description = description
        self.amount = amount
    }
}
