import Core

/// A JSON value as Foundation's decoder reads it.
package indirect enum FoundationValue: Decodable, Equatable {
    case null, bool(Bool), integer(Int64), other(Double), string(String)
    case array([FoundationValue]), object([String: FoundationValue])

    package init(from decoder: any Decoder) throws {
        if let keyed = try? [String: FoundationValue](from: decoder) {
            self = .object(keyed)
        } else if let list = try? [FoundationValue](from: decoder) {
            self = .array(list)
        } else {
            let single = try decoder.singleValueContainer()
            if single.decodeNil() {
                self = .null
            } else if let value = try? single.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? single.decode(String.self) {
                self = .string(value)
            } else if let value = try? single.decode(Int64.self) {
                self = .integer(value)
            } else {
                self = .other(try single.decode(Double.self))
            }
        }
    }

    /// Our tree as such a value. Deviation: Foundation reads `1.0` and `1e2` as whole numbers,
    /// ours keeps them as text; they are compared by value.
    package init(_ node: JSONNode) {
        switch node.kind {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .array(elements.map(FoundationValue.init))
        case .object(let members):
            self = .object(
                Dictionary(
                    members.map { ($0.key, FoundationValue($0.value)) },
                    uniquingKeysWith: { first, _ in first }))
        case .number(let number):
            let value = Double(number.text) ?? .nan
            let whole = number.integer ?? (value == value.rounded() ? Int64(exactly: value) : nil)
            self = whole.map(FoundationValue.integer) ?? .other(value)
        }
    }
}
