/// Writes strict JSON (RFC 8259) into bytes: records, results, schemas.
///
/// Guarantees: the output is valid when begins, ends and keys are called in pairs; members are in the order
/// of the calls, so that equal calls give equal bytes. Deliberately not here: sorting, and numbers with
/// fractions. Calls in a wrong order are programming errors and stop a debug build.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Spaces per level; 0 writes everything on one line.
    package let indent: Int
    /// One entry for each open container: whether it has elements already.
    private var filled: [Bool] = []
    private var isAfterKey = false

    package init(indent: Int = 0) { self.indent = indent }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The key of the next value.
    package mutating func key(_ key: String) {
        assert(!isAfterKey && !filled.isEmpty, "a key belongs into an object, before a value")
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        if indent > 0 { bytes.append(UInt8(ascii: " ")) }
        isAfterKey = true
    }

    package mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    package mutating func integer(_ value: some BinaryInteger) {
        guard let small = Int(exactly: value) else { return raw(String(value)) }
        separate()
        TextBytes.append(small, to: &bytes)
    }
    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
    package mutating func null() { raw("null") }

    package mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    package mutating func member(_ key: String, _ value: some BinaryInteger) {
        self.key(key)
        integer(value)
    }

    package mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    package mutating func member(_ key: String, _ texts: [String]) {
        self.key(key)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// Writes a tree unchanged; numbers keep their text, which must be strict JSON.
    package mutating func node(_ node: JSONNode) {
        switch node.kind {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let number): raw(number.text)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.node(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.node(member.value)
            }
            endObject()
        }
    }

    /// Takes out what has been written so far, so that a long document can go to a file in parts.
    package mutating func takeBytes() -> [UInt8] { bytes.takeAll() }

    /// Writes a value that another writer has serialized.
    package mutating func serialized(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        filled.append(false)
    }

    private mutating func close(_ bracket: UInt8) {
        assert(!isAfterKey && !filled.isEmpty, "an end without its begin, or a key without its value")
        if filled.popLast() ?? false { newLine() }
        bytes.append(bracket)
    }

    private mutating func separate() {
        if isAfterKey {
            isAfterKey = false
            return
        }
        guard let holds = filled.last else { return }
        if holds { bytes.append(UInt8(ascii: ",")) }
        filled[filled.count - 1] = true
        newLine()
    }

    private mutating func newLine() {
        if indent == 0 { return }
        bytes.append(0x0A)
        for _ in 0..<(indent * filled.count) { bytes.append(0x20) }
    }

    /// Escapes what section 7 demands and nothing else.
    private mutating func quote(_ text: String) {
        let isWritten = text.utf8.withContiguousStorageIfAvailable { part in
            guard JSONWriter.isPlain(part) else { return false }
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: part)
            bytes.append(UInt8(ascii: "\""))
            return true
        }
        if isWritten ?? false { return }
        bytes.append(UInt8(ascii: "\""))
        escape(text)
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var offset = 0
        while offset &+ 8 <= text.count, StrictJSON.isPlain(text, offset) { offset &+= 8 }
        while offset < text.count {
            if mustBeEscaped(text[offset]) { return false }
            offset &+= 1
        }
        return true
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ text: String) {
        let hex = Array("0123456789abcdef".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(hex[Int(byte >> 4)])
                bytes.append(hex[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }
}
