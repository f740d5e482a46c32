public import ApplePayWire

/// Apple's description of the card that a merchant token represents, for display to people.
///
/// Every member may be missing.
///
/// Source: Apple, *Merchant Token Management API*, `MerchantTokenMetadata`.
public struct MerchantTokenMetadata: Hashable, Sendable {
    /// A picture of the card.
    public struct CardArt: Hashable, Sendable {
        /// The name of the picture.
        public let name: ExactText?

        /// The media type of the picture, such as `image/png`.
        public let type: ExactText?

        /// The URL of the picture.
        public let url: ExactText?
    }

    /// `cardMetadata.cardCountry`: two letters of ISO 3166.
    public let cardCountry: ExactText?

    /// `cardMetadata.expirationDate`: the expiration date of the card, not of the token.
    public let expirationDate: ExactText?

    /// `cardMetadata.fpanSuffix`: the last digits of the card's own number, at most four.
    public let cardNumberSuffix: ExactText?

    /// `cardMetadata.longDescription`.
    public let longDescription: ExactText?

    /// `cardMetadata.shortDescription`.
    public let shortDescription: ExactText?

    /// `cardArt`, in the order of the payload.
    public let cardArt: [CardArt]

    /// Reads the object, and appends to `paths` the path of every member that it cannot read.
    ///
    /// A payment does not depend on this object, so a member of the wrong type is left out, not refused.
    init(_ members: PayloadObject, omitting paths: inout [String]) {
        let card = Self.read(try members.optionalObject("cardMetadata"), &paths)
        cardCountry = Self.read(try card?.optionalText("cardCountry"), &paths)
        expirationDate = Self.read(try card?.optionalText("expirationDate"), &paths)
        cardNumberSuffix = Self.read(try card?.optionalText("fpanSuffix"), &paths)
        longDescription = Self.read(try card?.optionalText("longDescription"), &paths)
        shortDescription = Self.read(try card?.optionalText("shortDescription"), &paths)
        var cardArt: [CardArt] = []
        for element in Self.read(try members.objects("cardArt"), &paths) ?? [] {
            guard let art = Self.read(try element.get(), &paths) else { continue }
            cardArt.append(
                CardArt(
                    name: Self.read(try art.optionalText("name"), &paths),
                    type: Self.read(try art.optionalText("type"), &paths),
                    url: Self.read(try art.optionalText("url"), &paths)
                ))
        }
        self.cardArt = cardArt
    }

    /// Returns a member; if it cannot be read, appends its path to `omitted` and returns nil.
    private static func read<Value>(
        _ member: @autoclosure () throws(PaymentTokenError) -> Value?,
        _ omitted: inout [String]
    ) -> Value? {
        do {
            return try member()
        } catch {
            omitted += error.members
            return nil
        }
    }
}
