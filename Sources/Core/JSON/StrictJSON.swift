/// The fast path for strict JSON without escapes and faults: one pass over the bytes to a flat list, without
/// tokens and without a tree.
///
/// Guarantees: its list has the values of ``JSONReader``'s tree, with their spans. It leaves everything else
/// (an escape, a number that is not whole, an object with many keys, any fault) to ``JSONReader``, which
/// reports faults. Manifests and records, which are read at every start, take the fast path.
struct StrictJSON {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var here = 0
    private var nodes = 0
    private var items: [JSONItem] = []

    /// Most keys of an object; larger objects are left to the reader that sorts the keys to find duplicates.
    private static let mostKeys = 32

    /// The values as a flat list; nil when the slow path is needed. The bytes must be UTF-8 already.
    static func items(of bytes: [UInt8], limits: JSONLimits) -> [JSONItem]? {
        guard bytes.count < Int(Int32.max) else { return nil }
        return bytes.withUnsafeBufferPointer { all in
            var reader = StrictJSON(bytes: all, limits: limits)
            // A manifest has a value, or a key, every 15 bytes.
            reader.items.reserveCapacity(min(all.count / 12, limits.maxNodes) + 4)
            guard reader.value(depth: 0) else { return nil }
            reader.skipSpace()
            return reader.here == all.count ? reader.items : nil
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    @inline(__always)
    private mutating func skipSpace() {
        while here < bytes.count, JSONTokenizer.isWhiteSpace(bytes[here]) { here &+= 1 }
    }

    /// The next byte that is not white space; 0 at the end.
    @inline(__always)
    private mutating func peek() -> UInt8 {
        skipSpace()
        return here < bytes.count ? bytes[here] : 0
    }

    @inline(__always)
    private mutating func add(_ kind: JSONItem.Kind, from start: Int) {
        items.append(
            JSONItem(
                kind: kind, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: here),
                next: Int32(truncatingIfNeeded: items.count &+ 1)))
    }

    /// - Returns: false when the slow path is needed.
    private mutating func value(depth: Int) -> Bool {
        nodes &+= 1
        if nodes > limits.maxNodes { return false }
        switch peek() {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"): return depth < limits.maxDepth && members(depth: depth &+ 1)
        case UInt8(ascii: "["): return depth < limits.maxDepth && elements(depth: depth &+ 1)
        case UInt8(ascii: "t"): return literal("true", .yes)
        case UInt8(ascii: "f"): return literal("false", .no)
        case UInt8(ascii: "n"): return literal("null", .null)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return wholeNumber()
        default: return false
        }
    }

    /// A string without escapes; its range includes the quotes.
    private mutating func string() -> Bool {
        let start = here
        var end = start &+ 1
        while end &+ 8 <= bytes.count, StrictJSON.isPlain(bytes, end) { end &+= 8 }
        while end < bytes.count {
            let byte = bytes[end]
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

    private mutating func literal(_ literal: StaticString, _ kind: JSONItem.Kind) -> Bool {
        let start = here
        let count = literal.utf8CodeUnitCount
        guard here + count <= bytes.count else { return false }
        for index in 0..<count where bytes[here + index] != literal.utf8Start[index] { return false }
        here += count
        if here < bytes.count, JSONTokenizer.continuesIdentifier(bytes[here]) { return false }
        add(kind, from: start)
        return true
    }

    /// A number of at most 18 digits.
    private mutating func wholeNumber() -> Bool {
        let start = here
        var value: Int64 = 0
        while here < bytes.count, bytes[here] &- UInt8(ascii: "0") < 10 {
            value = value &* 10 &+ Int64(bytes[here] &- UInt8(ascii: "0"))
            here &+= 1
        }
        let digits = here - start
        if digits > 18 || digits > 1 && bytes[start] == UInt8(ascii: "0") { return false }
        if here < bytes.count {
            switch bytes[here] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0a, 0x0d, 0x09: break
            default: return false
            }
        }
        add(.whole, from: start)
        items[items.count &- 1].integer = value
        return true
    }

    private mutating func elements(depth: Int) -> Bool {
        let index = items.count
        add(.array, from: here)
        here &+= 1
        if peek() == UInt8(ascii: "]") { return close(index, count: 0) }
        var count: Int64 = 0
        while true {
            guard value(depth: depth) else { return false }
            count &+= 1
            switch peek() {
            case UInt8(ascii: ","): here &+= 1
            case UInt8(ascii: "]"): return close(index, count: count)
            default: return false
            }
        }
    }

    private mutating func members(depth: Int) -> Bool {
        let index = items.count
        add(.object, from: here)
        here &+= 1
        if peek() == UInt8(ascii: "}") { return close(index, count: 0) }
        var count: Int64 = 0
        while true {
            guard peek() == UInt8(ascii: "\""), count < StrictJSON.mostKeys else { return false }
            let key = items.count
            guard string(), !isTwice(key, in: index), peek() == UInt8(ascii: ":") else { return false }
            here &+= 1
            guard value(depth: depth) else { return false }
            count &+= 1
            switch peek() {
            case UInt8(ascii: ","): here &+= 1
            case UInt8(ascii: "}"): return close(index, count: count)
            default: return false
            }
        }
    }

    /// Completes a container at its closing bracket.
    private mutating func close(_ index: Int, count: Int64) -> Bool {
        here &+= 1
        items[index].end = Int32(truncatingIfNeeded: here)
        items[index].next = Int32(truncatingIfNeeded: items.count)
        items[index].integer = count
        return true
    }

    /// Whether the object has an earlier member with the same key.
    private func isTwice(_ key: Int, in object: Int) -> Bool {
        items.withUnsafeBufferPointer { items in
            let all = UnsafeRawBufferPointer(bytes)
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
