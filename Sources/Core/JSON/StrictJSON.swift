/// The fast path for strict JSON without faults: one pass over the bytes to a flat list, without tokens and
/// without a tree, in steps as large as the caller wants.
///
/// Guarantees: its list has the values of ``JSONReader``'s tree, with their spans. It leaves everything else
/// (a fault, an escape in a key, an object with many keys) to ``JSONReader``, which reports faults.
struct StrictJSON: Sendable {
    enum Progress: Sendable {
        /// There is more text behind the limit of this step.
        case unfinished
        case finished
        /// Only ``JSONReader`` can read it, or say what is wrong with it.
        case leftToTokens
    }

    /// What may come next.
    private enum Expected: Sendable {
        case value
        /// An array has been opened.
        case valueOrEnd
        case key
        /// An object has been opened.
        case keyOrEnd
        case separator
        /// The outermost value is complete.
        case nothing
    }

    private let limits: JSONLimits
    private var here = 0
    private var nodes = 0
    private var expected = Expected.value
    /// Indices of the containers that are open, the innermost last.
    private var open: [Int] = []
    private(set) var items: [JSONItem] = []

    /// Most keys of an object; larger objects are left to the reader that sorts the keys to find duplicates.
    private static let mostKeys = 32

    /// The values as a flat list; nil when the slow path is needed. The bytes must be UTF-8 already.
    static func items(of bytes: [UInt8], limits: JSONLimits) -> [JSONItem]? {
        var reader = StrictJSON(bytes.count, limits: limits)
        guard case .finished = reader.read(bytes, until: bytes.count) else { return nil }
        return reader.items
    }

    /// - Parameter count: length of the text in bytes.
    init(_ count: Int, limits: JSONLimits) {
        self.limits = limits
        // A manifest has a value, or a key, every 15 bytes.
        items.reserveCapacity(min(count / 12, limits.maxNodes) + 4)
    }

    /// Reads on, until a value ends at or behind the limit. The bytes must be the same in each step.
    mutating func read(_ bytes: [UInt8], until limit: Int) -> Progress {
        guard bytes.count < Int(Int32.max) else { return .leftToTokens }
        return bytes.withUnsafeBufferPointer { text in
            while true {
                if expected == .nothing {
                    // Only white space may follow, however much of it.
                    skipSpace(text)
                    return here == text.count ? .finished : .leftToTokens
                }
                guard here < limit || limit >= text.count else { return .unfinished }
                guard readNext(text, bytes) else { return .leftToTokens }
            }
        }
    }

    @inline(__always)
    private mutating func skipSpace(_ text: UnsafeBufferPointer<UInt8>) {
        while here < text.count, JSONTokenizer.isWhiteSpace(text[here]) { here &+= 1 }
    }

    /// The next byte that is not white space; 0 at the end.
    @inline(__always)
    private mutating func peek(_ text: UnsafeBufferPointer<UInt8>) -> UInt8 {
        skipSpace(text)
        return here < text.count ? text[here] : 0
    }

    @inline(__always)
    private mutating func add(_ kind: JSONItem.Kind, from start: Int) {
        items.append(
            JSONItem(
                kind: kind, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: here),
                next: Int32(truncatingIfNeeded: items.count &+ 1)))
    }

    /// Reads a value without content, a bracket, a separator, or a key with its colon.
    /// - Returns: false when the slow path is needed.
    @inline(__always)
    private mutating func readNext(_ text: UnsafeBufferPointer<UInt8>, _ bytes: [UInt8]) -> Bool {
        switch expected {
        case .value: return value(text, bytes)
        case .valueOrEnd: return peek(text) == UInt8(ascii: "]") ? close() : value(text, bytes)
        case .key: return key(text)
        case .keyOrEnd: return peek(text) == UInt8(ascii: "}") ? close() : key(text)
        case .separator: return separator(text)
        case .nothing: return false
        }
    }

    private mutating func value(_ text: UnsafeBufferPointer<UInt8>, _ bytes: [UInt8]) -> Bool {
        nodes &+= 1
        if nodes > limits.maxNodes { return false }
        let isRead: Bool
        switch peek(text) {
        case UInt8(ascii: "\""): isRead = plainString(text) || atom(bytes)
        case UInt8(ascii: "{"): return beginContainer(.object, .keyOrEnd)
        case UInt8(ascii: "["): return beginContainer(.array, .valueOrEnd)
        case UInt8(ascii: "t"): isRead = literal("true", .yes, text)
        case UInt8(ascii: "f"): isRead = literal("false", .no, text)
        case UInt8(ascii: "n"): isRead = literal("null", .null, text)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): isRead = wholeNumber(text) || atom(bytes)
        case UInt8(ascii: "-"): isRead = atom(bytes)
        default: isRead = false
        }
        valueIsComplete()
        return isRead
    }

    @inline(__always)
    private mutating func valueIsComplete() {
        guard let container = open.last else {
            expected = .nothing
            return
        }
        items[container].integer &+= 1
        expected = .separator
    }

    private mutating func beginContainer(_ kind: JSONItem.Kind, _ next: Expected) -> Bool {
        guard open.count < limits.maxDepth else { return false }
        open.append(items.count)
        add(kind, from: here)
        here &+= 1
        expected = next
        return true
    }

    /// A string with escapes, or a number that is not plain, is left to the tokenizer, with what it refuses.
    private mutating func atom(_ bytes: [UInt8]) -> Bool {
        var tokens = JSONTokenizer(bytes, dialect: .strict, from: here)
        let start = here
        let token: JSONToken
        do {
            token = try tokens.next()
        } catch {
            return false
        }
        here = tokens.position
        switch token.kind {
        case .string: add(.escapedString, from: start)
        case .number(let number):
            add(number.integer == nil ? .number : .whole, from: start)
            items[items.count &- 1].integer = number.integer ?? 0
        case .identifier, .leftBrace, .rightBrace, .leftBracket, .rightBracket, .colon, .comma, .comment,
            .end:
            return false
        }
        return true
    }

    /// A string without escapes; its range includes the quotes.
    @inline(__always)
    private mutating func plainString(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = here
        var end = start &+ 1
        while end &+ 8 <= text.count, StrictJSON.isPlain(text, end) { end &+= 8 }
        while end < text.count {
            let byte = text[end]
            if byte == UInt8(ascii: "\"") {
                here = end &+ 1
                add(.string, from: start)
                return true
            }
            if byte == UInt8(ascii: "\\") || byte < 0x20 { return false }
            end &+= 1
        }
        return false
    }

    /// Whether eight bytes contain no quote, backslash and control character. Subtraction sets the highest
    /// bit of a byte that was less than the subtrahend. False negatives are possible, false positives are
    /// not.
    @inline(__always)
    static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ ones &* 0x22
        let backslash = word ^ ones &* 0x5c
        let below = (quote &- ones) | (backslash &- ones) | (word &- ones &* 0x20)
        return below & 0x8080_8080_8080_8080 == 0
    }

    private mutating func literal(
        _ literal: StaticString, _ kind: JSONItem.Kind, _ text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let start = here
        let count = literal.utf8CodeUnitCount
        guard here + count <= text.count else { return false }
        for index in 0..<count where text[here + index] != literal.utf8Start[index] { return false }
        here += count
        if here < text.count, JSONTokenizer.continuesIdentifier(text[here]) { return false }
        add(kind, from: start)
        return true
    }

    /// A number of at most 18 digits.
    private mutating func wholeNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = here
        var value: Int64 = 0
        var end = start
        while end < text.count, text[end] &- UInt8(ascii: "0") < 10 {
            value = value &* 10 &+ Int64(text[end] &- UInt8(ascii: "0"))
            end &+= 1
        }
        let digits = end - start
        if digits > 18 || digits > 1 && text[start] == UInt8(ascii: "0") { return false }
        if end < text.count {
            switch text[end] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0a, 0x0d, 0x09: break
            default: return false
            }
        }
        here = end
        add(.whole, from: start)
        items[items.count &- 1].integer = value
        return true
    }

    private mutating func separator(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let container = open.last else { return false }
        let isObject = items[container].kind == .object
        switch peek(text) {
        case UInt8(ascii: ","):
            here &+= 1
            expected = isObject ? .key : .value
            return true
        case UInt8(ascii: "}"): return isObject && close()
        case UInt8(ascii: "]"): return !isObject && close()
        default: return false
        }
    }

    /// A key without escapes, and its colon.
    private mutating func key(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let object = open.last, peek(text) == UInt8(ascii: "\""),
            items[object].integer < StrictJSON.mostKeys
        else { return false }
        let key = items.count
        guard plainString(text), !isTwice(key, in: object, text), peek(text) == UInt8(ascii: ":") else {
            return false
        }
        here &+= 1
        expected = .value
        return true
    }

    /// Completes the innermost container at its closing bracket.
    private mutating func close() -> Bool {
        guard let index = open.popLast() else { return false }
        here &+= 1
        items[index].end = Int32(truncatingIfNeeded: here)
        items[index].next = Int32(truncatingIfNeeded: items.count)
        valueIsComplete()
        return true
    }

    /// Whether the object has an earlier member with the same key.
    private func isTwice(_ key: Int, in object: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        items.withUnsafeBufferPointer { items in
            let all = UnsafeRawBufferPointer(text)
            let name = UnsafeRawBufferPointer(
                rebasing: all[Int(items[key].start) &+ 1..<Int(items[key].end) &- 1])
            var other = object &+ 1
            while other < key {
                if StrictJSON.content(all, items[other].start, items[other].end, is: name) { return true }
                other = Int(items[other &+ 1].next)
            }
            return false
        }
    }

    /// Whether the text between the quotes equals this one.
    @inline(__always)
    static func content(
        _ bytes: UnsafeRawBufferPointer, _ start: Int32, _ end: Int32, is wanted: UnsafeRawBufferPointer
    ) -> Bool {
        let count = Int(end &- start) &- 2
        guard count == wanted.count else { return false }
        let begin = Int(start) &+ 1
        var index = 0
        while index &+ 8 <= count {
            let one = bytes.loadUnaligned(fromByteOffset: begin &+ index, as: UInt64.self)
            if one != wanted.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
            index &+= 8
        }
        while index < count {
            if bytes[begin &+ index] != wanted[index] { return false }
            index &+= 1
        }
        return true
    }
}
