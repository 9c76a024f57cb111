import Core

/// A value of the language that is printed. Code that generates scenarios can use literals:
/// `["kill": "low memory"]`.
package indirect enum PrintedValue: Hashable, Sendable {
    case null
    case flag(Bool)
    case number(Int64)
    case text(String)
    case list([PrintedValue])
    case object([Pair])

    package struct Pair: Hashable, Sendable {
        package var key: String
        package var value: PrintedValue

        package init(_ key: String, _ value: PrintedValue) {
            self.key = key
            self.value = value
        }
    }

    static let yes = PrintedValue.flag(true)
    static func number(_ count: Int) -> PrintedValue { .number(Int64(count)) }
    static func texts(_ texts: [Spanned<String>]) -> PrintedValue { .list(texts.map { .text($0.value) }) }

    /// The value as a JSON tree without locations, for defaults of the table.
    var kind: JSONNode.Kind {
        func node(_ value: PrintedValue) -> JSONNode {
            JSONNode(value.kind, span: SourceSpan(start: 0, end: 0))
        }
        switch self {
        case .null: return .null
        case .flag(let flag): return .bool(flag)
        case .number(let number): return .number(JSONNumber(integer: number, text: String(number)))
        case .text(let text): return .string(text)
        case .list(let values): return .array(values.map(node))
        case .object(let pairs):
            return .object(
                pairs.map {
                    JSONMember(key: $0.key, keySpan: SourceSpan(start: 0, end: 0), value: node($0.value))
                })
        }
    }
}

extension PrintedValue: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(integerLiteral value: Int64) { self = .number(value) }
    package init(arrayLiteral elements: PrintedValue...) { self = .list(elements) }
    /// Members in this order.
    package init(dictionaryLiteral pairs: (String, PrintedValue)...) {
        self = .object(pairs.map { Pair($0, $1) })
    }

    /// A duration: `1h 30m`.
    package static func duration(_ span: TimeSpan) -> PrintedValue { .text(QuantityText.duration(span)) }
    /// A duration after a keyword: `after 1s`.
    package static func after(_ span: TimeSpan) -> PrintedValue {
        .text("after " + QuantityText.duration(span))
    }
}

/// Members of an object that is printed; those without a value are left out.
struct PrintedPairs: Sendable {
    private(set) var pairs: [PrintedValue.Pair] = []

    init() {}

    init(_ key: String, _ value: PrintedValue) { pairs = [PrintedValue.Pair(key, value)] }

    var object: PrintedValue { .object(pairs) }

    mutating func add(_ key: String, _ value: PrintedValue?) {
        if let value { pairs.append(PrintedValue.Pair(key, value)) }
    }

    mutating func add(_ others: PrintedPairs) { pairs += others.pairs }
}
