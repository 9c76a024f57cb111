/// A strict JSON text as one flat list of values, for readers that know its structure. It uses two blocks of
/// memory for any number of values, and creates a `String` only on request.
///
/// Guarantees: it reads what ``JSONReader`` reads in the strict dialect, within the same limits, and refuses
/// the rest with the same ``JSONFault``. Deliberately not here: source locations and numbers that are not
/// whole; code that shows values to people uses the tree (``JSONNode``).
package struct JSONDocument: Sendable {
    /// Storage that all values of a text share.
    final class Storage: Sendable {
        /// The JSON text; of a text that was read by tokens, its decoded strings, concatenated.
        let bytes: [UInt8]
        let items: [JSONItem]

        init(bytes: [UInt8], items: [JSONItem]) {
            self.bytes = bytes
            self.items = items
        }
    }

    private let storage: Storage

    /// - Throws: ``JSONFault`` for the first fault of the text.
    package static func read(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFault)
        -> JSONDocument
    {
        var reading = JSONDocumentReading(bytes, limits: limits)
        while true {
            if let document = try reading.step(bytes.count) { return document }
        }
    }

    package var root: JSONValue { JSONValue(storage: storage, index: 0) }

    fileprivate init(storage: Storage) { self.storage = storage }

    init(_ tree: JSONNode) {
        var flattener = JSONFlattener()
        flattener.add(tree)
        storage = Storage(bytes: flattener.bytes, items: flattener.items)
    }
}

/// Reads a text in steps, so that a long one does not hold up what else is to be done. Only a text that the
/// fast path leaves (``StrictJSON``) is read by tokens in one step.
package struct JSONDocumentReading: Sendable {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var strict: StrictJSON
    /// Bytes that are known to be UTF-8.
    private var checked = 0

    package init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) {
        self.bytes = bytes
        self.limits = limits
        strict = StrictJSON(min(bytes.count, limits.maxBytes), limits: limits)
    }

    /// Bytes that no step has begun to read.
    package var bytesLeft: Int { bytes.count - checked }

    /// Reads about this many bytes on.
    /// - Returns: nil while there is more to read.
    /// - Throws: ``JSONFault`` for the first fault of the text.
    package mutating func step(_ count: Int) throws(JSONFault) -> JSONDocument? {
        if bytes.count <= limits.maxBytes {
            let limit = checked + min(max(count, 1), bytes.count - checked)
            if UTF8Check.isValid(bytes, from: &checked, until: limit) {
                switch strict.read(bytes, until: checked) {
                case .unfinished: return nil
                case .finished:
                    return JSONDocument(storage: JSONDocument.Storage(bytes: bytes, items: strict.items))
                case .leftToTokens: break
                }
            }
        }
        try JSONReader.check(bytes, limits)
        return JSONDocument(try JSONReader.readByTokens(bytes, dialect: .strict, limits: limits).root)
    }
}

/// One value of the list, followed by its content; a member is its key, a text, and its value.
struct JSONItem: Sendable {
    enum Kind: UInt8, Sendable {
        case null
        case yes
        case no
        /// A whole number that fits 64 bits.
        case whole
        case number
        case string
        /// Its text is decoded when it is wanted.
        case escapedString
        case array
        case object
    }

    var kind: Kind
    /// Offsets of beginning and end of the value, with its quotes or brackets.
    var start: Int32
    var end: Int32
    /// Index of the item after it and its content.
    var next: Int32 = 0
    /// Value of a whole number; number of elements of an array or object.
    var integer: Int64 = 0
}

/// A value of a ``JSONDocument``. Accessors return nil when it has another kind.
package struct JSONValue: Sendable {
    let storage: JSONDocument.Storage
    let index: Int32

    @inline(__always)
    private var item: JSONItem { storage.items[Int(index)] }

    @inline(__always)
    private func value(_ index: Int32) -> JSONValue { JSONValue(storage: storage, index: index) }

    /// The member's value; nil when there is none or this is no object. A linear search.
    package subscript(key: StaticString) -> JSONValue? {
        guard item.kind == .object else { return nil }
        return find(key, behind: index).map(value)
    }

    private func find(_ key: StaticString, behind index: Int32) -> Int32? {
        let wanted = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        return storage.items.withUnsafeBufferPointer { items in
            storage.bytes.withUnsafeBytes { bytes in
                let end = items[Int(index)].next
                var here = index &+ 1
                while here < end {
                    let name = items[Int(here)]
                    if StrictJSON.content(bytes, name.start, name.end, is: wanted) { return here &+ 1 }
                    here = items[Int(here &+ 1)].next
                }
                return nil
            }
        }
    }

    /// Byte range in the text that was read, with its quotes or brackets.
    package var byteRange: Range<Int> { Int(item.start)..<Int(item.end) }

    package var isNull: Bool { item.kind == .null }

    package var isObject: Bool { item.kind == .object }

    package var bool: Bool? {
        switch item.kind {
        case .yes: true
        case .no: false
        case .null, .whole, .number, .string, .escapedString, .array, .object: nil
        }
    }

    /// A whole number that fits 64 bits; `1.0` and `1e2` are none.
    package var integer: UntrustedInteger? { item.kind == .whole ? UntrustedInteger(item.integer) : nil }

    package var string: String? {
        withText { String(decoding: $0, as: UTF8.self) }
    }

    /// The digest of 64 hexadecimal digits of either case; nil for any other text.
    package var digest: Digest256? {
        withText { Digest256(digits: UnsafeRawBufferPointer($0)) } ?? nil
    }

    private func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        let item = item
        if item.kind == .escapedString { return decoded(item).withUnsafeBufferPointer(body) }
        guard item.kind == .string else { return nil }
        return storage.bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[Int(item.start) + 1..<Int(item.end) - 1]))
        }
    }

    /// The text of a string with escapes.
    private func decoded(_ item: JSONItem) -> [UInt8] {
        var tokens = JSONTokenizer(storage.bytes, dialect: .strict, from: Int(item.start))
        do {
            guard case .string(let text) = try tokens.next().kind else { return [] }
            return Array(text.utf8)
        } catch {
            return []
        }
    }

    package var elements: JSONElements? {
        guard item.kind == .array else { return nil }
        return JSONElements(storage: storage, count: Int(item.integer), here: index + 1, end: item.next)
    }

    /// Members in the order of the text.
    package var members: [(key: String, value: JSONValue)]? {
        guard item.kind == .object else { return nil }
        var members: [(key: String, value: JSONValue)] = []
        var here = index + 1
        while here < item.next {
            members.append((value(here).string ?? "", value(here + 1)))
            here = storage.items[Int(here + 1)].next
        }
        return members
    }
}

/// The elements of an array, in order.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
    let storage: JSONDocument.Storage
    /// Number of all elements, including those already iterated.
    package let count: Int
    var here: Int32
    let end: Int32

    package var underestimatedCount: Int { 0 }

    package mutating func next() -> JSONValue? {
        guard here < end else { return nil }
        let value = JSONValue(storage: storage, index: here)
        here = storage.items[Int(here)].next
        return value
    }
}

/// Converts a tree to a flat list; its strings are concatenated, each in quotes.
private struct JSONFlattener {
    var bytes: [UInt8] = []
    var items: [JSONItem] = []

    mutating func add(_ node: JSONNode) {
        let index = items.count
        switch node.kind {
        case .null: add(.null)
        case .bool(let value): add(value ? .yes : .no)
        case .number(let number):
            add(number.integer == nil ? .number : .whole)
            items[index].integer = number.integer ?? 0
        case .string(let text): add(text)
        case .array(let elements):
            add(.array)
            items[index].integer = Int64(elements.count)
            for element in elements { add(element) }
        case .object(let members):
            add(.object)
            items[index].integer = Int64(members.count)
            for member in members {
                add(member.key)
                add(member.value)
            }
        }
        items[index].next = Int32(items.count)
    }

    private mutating func add(_ kind: JSONItem.Kind) { items.append(JSONItem(kind: kind, start: 0, end: 0)) }

    private mutating func add(_ text: String) {
        let start = Int32(bytes.count)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\""))
        items.append(
            JSONItem(kind: .string, start: start, end: Int32(bytes.count), next: Int32(items.count + 1)))
    }
}
