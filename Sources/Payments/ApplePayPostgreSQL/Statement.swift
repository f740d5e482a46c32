#if PostgreSQL
    /// A statement with the values of its parameters.
    struct Statement {
        /// The name under which a connection prepares it; nil to send its text each time.
        let name: String?

        /// SQL with `$1` and so on.
        let text: String

        /// The values as text; nil for NULL.
        let parameters: [String?]

        /// Creates a statement that is not prepared.
        init(_ text: String, _ parameters: [String?] = []) {
            self.init(name: nil, text, parameters)
        }

        /// Creates a statement with a name.
        init(name: String?, _ text: String, _ parameters: [String?] = []) {
            self.name = name
            self.text = text
            self.parameters = parameters
        }
    }
#endif
