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

    /// Reads the object; nothing in it decides a payment, so that only types are checked.
    init(_ members: PayloadObject) throws(PaymentDataError) {
        let card = try members.optionalObject("cardMetadata")
        cardCountry = try card?.optionalText("cardCountry")
        expirationDate = try card?.optionalText("expirationDate")
        cardNumberSuffix = try card?.optionalText("fpanSuffix")
        longDescription = try card?.optionalText("longDescription")
        shortDescription = try card?.optionalText("shortDescription")
        cardArt = try members.objects("cardArt").map { art throws(PaymentDataError) in
            CardArt(
                name: try art.optionalText("name"),
                type: try art.optionalText("type"),
                url: try art.optionalText("url")
            )
        }
    }
}
