/// The straight way through a strict JSON text in which all is well: one pass over the bytes, no tokens.
///
/// Promises: what it reads is what ``JSONReader`` reads, spans included. Whatever is not plain (an escape, a
/// number that is not whole, an object of many keys, any fault) it leaves to that one, which knows what to
/// say about it. Manifests and records, read at every start, are plain.
struct StrictJSON {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var here = 0
    private var nodes = 0

    /// Objects of more keys are left to the reader that sorts them to find one that is there twice.
    private static let mostKeys = 32

    /// Nil: read it the slow way. The bytes must be UTF-8 already.
    static func read(_ bytes: [UInt8], limits: JSONLimits) -> JSONNode? {
        bytes.withUnsafeBufferPointer { all in
            var reader = StrictJSON(bytes: all, limits: limits)
            guard let root = reader.value(depth: 0) else { return nil }
            reader.skipSpace()
            return reader.here == all.count ? root : nil
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func skipSpace() {
        while here < bytes.count, JSONTokenizer.isWhiteSpace(bytes[here]) { here &+= 1 }
    }

    /// The next byte that is no white space; 0 at the end.
    private mutating func peek() -> UInt8 {
        skipSpace()
        return here < bytes.count ? bytes[here] : 0
    }

    private mutating func value(depth: Int) -> JSONNode? {
        nodes &+= 1
        if nodes > limits.maxNodes { return nil }
        let first = peek()
        let start = here
        switch first {
        case UInt8(ascii: "\""):
            guard let text = string() else { return nil }
            return JSONNode(.string(text), span: SourceSpan(start: start, end: here))
        case UInt8(ascii: "{"):
            guard depth < limits.maxDepth, let members = members(depth: depth &+ 1) else { return nil }
            return JSONNode(.object(members), span: SourceSpan(start: start, end: here))
        case UInt8(ascii: "["):
            guard depth < limits.maxDepth, let elements = elements(depth: depth &+ 1) else { return nil }
            return JSONNode(.array(elements), span: SourceSpan(start: start, end: here))
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return wholeNumber()
        default: return nil
        }
    }

    /// From the opening quote to behind the closing one.
    private mutating func string() -> String? {
        let start = here &+ 1
        var end = start
        while end &+ 8 <= bytes.count, StrictJSON.isPlain(bytes, end) { end &+= 8 }
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                here = end &+ 1
                return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") || byte < 0x20 { return nil }
            end &+= 1
        }
        return nil
    }

    /// Eight bytes with no quote, backslash or control character among them, by the word: subtraction sets
    /// the highest bit of a byte that was below what was taken away. May say no where the answer is yes.
    @inline(__always)
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
        let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ ones &* 0x22
        let backslash = word ^ ones &* 0x5c
        let below = (quote &- ones) | (backslash &- ones) | (word &- ones &* 0x20)
        return below & 0x8080_8080_8080_8080 == 0
    }

    private mutating func word(_ word: StaticString, _ kind: JSONNode.Kind) -> JSONNode? {
        let start = here
        let count = word.utf8CodeUnitCount
        guard here + count <= bytes.count else { return nil }
        for place in 0..<count where bytes[here + place] != word.utf8Start[place] { return nil }
        here += count
        if here < bytes.count, JSONTokenizer.continuesWord(bytes[here]) { return nil }
        return JSONNode(kind, span: SourceSpan(start: start, end: here))
    }

    /// Digits alone, at most 18 of them.
    private mutating func wholeNumber() -> JSONNode? {
        let start = here
        var value: Int64 = 0
        while here < bytes.count, bytes[here] &- UInt8(ascii: "0") < 10 {
            value = value &* 10 &+ Int64(bytes[here] &- UInt8(ascii: "0"))
            here &+= 1
        }
        let digits = here - start
        if digits > 18 || digits > 1 && bytes[start] == UInt8(ascii: "0") { return nil }
        if here < bytes.count {
            switch bytes[here] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0a, 0x0d, 0x09: break
            default: return nil
            }
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<here]), as: UTF8.self)
        return JSONNode(
            .number(JSONNumber(integer: value, text: text)), span: SourceSpan(start: start, end: here))
    }

    private mutating func elements(depth: Int) -> [JSONNode]? {
        here &+= 1
        var elements: [JSONNode] = []
        if peek() == UInt8(ascii: "]") {
            here &+= 1
            return elements
        }
        while true {
            guard let element = value(depth: depth) else { return nil }
            elements.append(element)
            switch peek() {
            case UInt8(ascii: ","): here &+= 1
            case UInt8(ascii: "]"):
                here &+= 1
                return elements
            default: return nil
            }
        }
    }

    private mutating func members(depth: Int) -> [JSONMember]? {
        here &+= 1
        var members: [JSONMember] = []
        if peek() == UInt8(ascii: "}") {
            here &+= 1
            return members
        }
        members.reserveCapacity(6)
        while true {
            guard peek() == UInt8(ascii: "\"") else { return nil }
            let start = here
            guard let key = string() else { return nil }
            let span = SourceSpan(start: start, end: here)
            for member in members where member.key == key { return nil }
            guard members.count < StrictJSON.mostKeys, peek() == UInt8(ascii: ":") else { return nil }
            here &+= 1
            guard let value = value(depth: depth) else { return nil }
            members.append(JSONMember(key: key, keySpan: span, value: value))
            switch peek() {
            case UInt8(ascii: ","): here &+= 1
            case UInt8(ascii: "}"):
                here &+= 1
                return members
            default: return nil
            }
        }
    }
}
