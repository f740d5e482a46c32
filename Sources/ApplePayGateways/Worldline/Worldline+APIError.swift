extension Worldline {
    /// One of the `errors` of an answer.
    public struct APIError: Sendable {
        /// `errorCode`, or `code` where that is the only one.
        public let code: String?

        /// `category`, such as `DIRECT_PLATFORM_ERROR`.
        public let category: String?

        /// `id`, such as `PARAMETER_NOT_FOUND_IN_REQUEST`.
        public let id: String?

        /// `message`: for the merchant's staff.
        public let message: String?

        /// `propertyName`: the member at fault.
        public let propertyName: String?

        /// `httpStatusCode`.
        public let httpStatusCode: Int64?

        /// `retriable`: whether the same request may be sent again; Connect does not say.
        public let isRetriable: Bool?

        init(_ value: ResponseValue) {
            code = value["errorCode"]?.string ?? value["code"]?.string
            category = value["category"]?.string
            id = value["id"]?.string
            message = value["message"]?.string
            propertyName = value["propertyName"]?.string
            httpStatusCode = value["httpStatusCode"]?.integer
            isRetriable = value["retriable"]?.boolean
        }

        static func all(_ value: ResponseValue?) -> [APIError] {
            (value?["errors"]?.elements ?? []).filter(\.isObject).map(APIError.init)
        }
    }
}
