internal import ApplePayWire

/// What Apple tells of the card behind a merchant token, for people to recognise it by.
///
/// Source: Apple, *Merchant Token Management API*, `MerchantTokenMetadata`; every member may be missing.
public struct MerchantTokenMetadata: Hashable, Sendable {
    /// A picture of the card.
    public struct CardArt: Hashable, Sendable {
        /// What the picture is called.
        public let name: String?

        /// Its media type, such as `image/png`.
        public let type: String?

        /// Where it is.
        public let url: String?
    }

    /// `cardMetadata.cardCountry`: two letters of ISO 3166.
    public let cardCountry: String?

    /// `cardMetadata.expirationDate`: of the card, not of the token.
    public let expirationDate: String?

    /// `cardMetadata.fpanSuffix`: the last digits of the card's own number, four at most.
    public let cardNumberSuffix: String?

    /// `cardMetadata.longDescription`.
    public let longDescription: String?

    /// `cardMetadata.shortDescription`.
    public let shortDescription: String?

    /// `cardArt`, in the order of the payload.
    public let cardArt: [CardArt]

    /// Reads the object; no payment depends on it, so a member of the wrong type is left out, and its path is
    /// appended to `paths`.
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

    /// Returns a member, or nil if it cannot be read; its path is appended then.
    private static func read<Value>(
        _ member: @autoclosure () throws(PaymentTokenError) -> Value?,
        _ omitted: inout [String]
    ) -> Value? {
        do throws(PaymentTokenError) {
            return try member()
        } catch {
            omitted += error.members
            return nil
        }
    }
}
