public import ApplePayWire

/// Returns whether a text has the bytes of the one that a test gave.
public func == (text: ExactText, given: String) -> Bool { text.utf8 == Array(given.utf8) }

/// Returns whether a text has other bytes than the one that a test gave.
public func != (text: ExactText, given: String) -> Bool { text.utf8 != Array(given.utf8) }

/// Returns whether a text has the bytes of the one that a test gave.
public func == (text: ExactText?, given: String?) -> Bool {
    text?.utf8 == given.map { Array($0.utf8) }
}

/// Returns whether a text has other bytes than the one that a test gave.
public func != (text: ExactText?, given: String?) -> Bool {
    text?.utf8 != given.map { Array($0.utf8) }
}

/// Returns whether a text has the bytes of the one that a test gave.
public func == (given: String?, text: ExactText?) -> Bool {
    text?.utf8 == given.map { Array($0.utf8) }
}

/// Returns whether a text has other bytes than the one that a test gave.
public func != (given: String?, text: ExactText?) -> Bool {
    text?.utf8 != given.map { Array($0.utf8) }
}
