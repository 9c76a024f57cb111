/// A JSON value with its location in the text.
package struct JSONNode: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSONNode])
        /// Members in the order of the text; keys are unique.
        case object([JSONMember])
    }

    package var kind: Kind
    package var span: SourceSpan

    package init(_ kind: Kind, span: SourceSpan) {
        self.kind = kind
        self.span = span
    }
}

package struct JSONMember: Hashable, Sendable {
    package var key: String
    /// Location of the key, with its quotes if it has any.
    package var keySpan: SourceSpan
    package var value: JSONNode

    package init(key: String, keySpan: SourceSpan, value: JSONNode) {
        self.key = key
        self.keySpan = keySpan
        self.value = value
    }
}

/// A number as it was written. A number that is not whole stays text, because no decision here depends on
/// binary fractions.
package struct JSONNumber: Hashable, Sendable {
    /// The value, when the text is a whole number (no point, no exponent) that fits.
    package var integer: Int64?
    package var text: String

    package init(integer: Int64?, text: String) {
        self.integer = integer
        self.text = text
    }
}

// Each accessor is nil when the value is of another kind.
extension JSONNode {
    /// The member's value; nil when there is none or this is no object. A linear search.
    package subscript(key: String) -> JSONNode? {
        guard case .object(let members) = kind else { return nil }
        for index in members.indices where TextBytes.areEqual(members[index].key, key) {
            return members[index].value
        }
        return nil
    }

    /// Whether an object has this key.
    package func has(_ key: String) -> Bool {
        guard case .object(let members) = kind else { return false }
        for index in members.indices where TextBytes.areEqual(members[index].key, key) { return true }
        return false
    }

    package var isNull: Bool {
        if case .null = kind { return true }
        return false
    }

    package var bool: Bool? {
        guard case .bool(let value) = kind else { return nil }
        return value
    }

    /// A whole number that fits 64 bits; `1.0` and `1e2` are none.
    package var integer: Int64? {
        guard case .number(let number) = kind else { return nil }
        return number.integer
    }

    package var string: String? {
        guard case .string(let value) = kind else { return nil }
        return value
    }

    package var array: [JSONNode]? {
        guard case .array(let elements) = kind else { return nil }
        return elements
    }

    package var members: [JSONMember]? {
        guard case .object(let members) = kind else { return nil }
        return members
    }

    /// Description of this kind of value for people: "a number", "text", "an object".
    package var kindName: String {
        switch kind {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
