/// Compares texts by their UTF-8 bytes, as file systems, manifests and origins do. Swift's `==` and `<` treat
/// composed and decomposed letters as equal.
///
/// Compares eight bytes at a time, because routes and paths of a store have long common prefixes.
///
/// Usable from inline, because the optimizer inlines a package function in another module only then.
@usableFromInline package enum TextBytes {
    @inlinable
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        // Most different texts have different lengths, which are stored.
        left.utf8.count == right.utf8.count && areEqualOfOneLength(left, right)
    }

    @usableFromInline
    static func areEqualOfOneLength(_ left: String, _ right: String) -> Bool {
        with(left, right) { first, second in difference(first, second) == first.count }
    }

    /// Whether `left` is ordered before `right`, byte by byte.
    @usableFromInline
    package static func precedes(_ left: String, _ right: String) -> Bool {
        with(left, right) { first, second in
            let offset = difference(first, second)
            if offset == second.count { return false }
            return offset == first.count || first[offset] < second[offset]
        }
    }

    /// The element with that text in a list sorted by the texts' bytes; nil when there is none.
    @inlinable
    package static func element<Element>(
        _ text: String, in sorted: [Element], by key: (Element) -> String
    ) -> Element? {
        index(of: text, in: sorted.indices) { key(sorted[$0]) }.map { sorted[$0] }
    }

    /// The index of that text in a list sorted by the texts' bytes; nil when there is none.
    @inlinable @inline(__always)
    package static func index(of text: String, in indices: Range<Int>, by key: (Int) -> String) -> Int? {
        let low = indices.bisected { precedes(key($0), text) }
        return low < indices.upperBound && areEqual(key(low), text) ? low : nil
    }

    /// Whether every byte satisfies the condition; true for an empty text.
    package static func all(_ text: String, _ isWanted: (UInt8) -> Bool) -> Bool {
        let fast = text.utf8.withContiguousStorageIfAvailable { bytes in
            for byte in bytes where !isWanted(byte) { return false }
            return true
        }
        return fast ?? text.utf8.allSatisfy(isWanted)
    }

    /// Index after the last occurrence of an ASCII byte; nil when there is none.
    package static func afterLast(_ byte: UInt8, in text: String) -> String.Index? {
        let offset = with(text, "") { bytes, _ in
            var offset = bytes.count
            while offset > 0, bytes[offset &- 1] != byte { offset &-= 1 }
            return offset
        }
        return offset == 0 ? nil : text.utf8.index(text.startIndex, offsetBy: offset)
    }

    /// Whether the bytes of a text contain those of another. (`contains(_:)` of texts needs iOS 16.)
    package static func contains(_ part: String, in text: String) -> Bool {
        let part = Array(part.utf8)
        var rest = text.utf8[...]
        while !rest.starts(with: part) {
            if rest.popFirst() == nil { return false }
        }
        return true
    }

    /// The text of bytes in UTF-8; nil where they are none. (`String(validating:as:)` needs iOS 18.)
    package static func text(of bytes: [UInt8]) -> String? {
        // Decoding repairs what is none, so that its bytes differ.
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// Appends a number in decimal digits.
    package static func append(_ number: Int, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let begin = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var low = begin
        var high = bytes.count &- 1
        while low < high {
            bytes.swapAt(low, high)
            low &+= 1
            high &-= 1
        }
    }

    /// Hash of a text for hash tables. Equal on every machine and in every run; not for keys that an attacker
    /// chooses.
    package static func hash(_ text: String) -> UInt64 {
        with(text, "") { bytes, _ in
            var hash = 0x9e37_79b9_7f4a_7c15 ^ UInt64(bytes.count)
            var offset = 0
            while offset &+ 8 <= bytes.count {
                hash = (hash ^ word(bytes, offset)) &* 0xff51_afd7_ed55_8ccd
                hash ^= hash &>> 32
                offset &+= 8
            }
            while offset < bytes.count {
                hash = (hash ^ UInt64(bytes[offset])) &* 0xff51_afd7_ed55_8ccd
                hash ^= hash &>> 32
                offset &+= 1
            }
            // The finish of MurmurHash3 (Appleby, 2011): every bit of the text reaches the low ones.
            hash ^= hash &>> 33
            hash = hash &* 0xc4ce_b9fe_1a85_ec53
            hash ^= hash &>> 33
            return hash
        }
    }

    /// The first eight bytes as a big-endian number, padded with zeros: it has the order of
    /// ``precedes(_:_:)``, and most keys of a table differ in it.
    package static func sortPrefix(_ text: String) -> UInt64 {
        with(text, "") { bytes, _ in
            if bytes.count >= 8 { return word(bytes, 0).byteSwapped }
            var prefix: UInt64 = 0
            for byte in bytes { prefix = prefix &<< 8 | UInt64(byte) }
            return prefix &<< UInt64(8 &* (8 &- bytes.count) & 63)
        }
    }

    /// The value of the first item `name=value` of a list, not decoded; nil when there is none. Items may
    /// begin with spaces and tabs. An item without `=` has an empty value.
    package static func value(of name: String, in list: String, separator: UInt8) -> String? {
        var result: String?
        eachValue(of: name, in: list, separator: separator) { value in
            result = value
            return false
        }
        return result
    }

    /// Calls `body` with each value that ``value(of:in:separator:)`` would find, in order, until it returns
    /// false.
    package static func eachValue(
        of name: String, in list: String, separator: UInt8, _ body: (String) -> Bool
    ) {
        with(list, name) { bytes, name in
            var begin = 0
            while begin < bytes.count {
                var end = begin
                while end < bytes.count, bytes[end] != separator { end &+= 1 }
                var first = begin
                while first < end, bytes[first] == 0x20 || bytes[first] == 9 { first &+= 1 }
                begin = end &+ 1
                let rest = UnsafeBufferPointer(rebasing: bytes[first..<end])
                guard difference(rest, name) == name.count else { continue }
                if rest.count > name.count, rest[name.count] != UInt8(ascii: "=") { continue }
                let value = rest.dropFirst(name.count + 1)
                if !body(String(decoding: value, as: UTF8.self)) { return }
            }
        }
    }

    /// First offset at which two texts differ; the shorter length when one is a prefix of the other.
    private static func difference(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>)
        -> Int
    {
        let shared = min(left.count, right.count)
        var offset = 0
        while offset &+ 8 <= shared, word(left, offset) == word(right, offset) { offset &+= 8 }
        while offset < shared, left[offset] == right[offset] { offset &+= 1 }
        return offset
    }

    /// Eight bytes as a little-endian number. The caller has checked that there are eight.
    @inline(__always)
    private static func word(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int) -> UInt64 {
        UInt64(
            littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        )
    }

    @inline(__always)
    private static func with<Result>(
        _ left: String, _ right: String,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let fast = left.utf8.withContiguousStorageIfAvailable { first in
            right.utf8.withContiguousStorageIfAvailable { second in body(first, second) }
        }
        if case .some(.some(let result)) = fast { return result }
        // A bridged string without contiguous UTF-8.
        return Array(left.utf8).withUnsafeBufferPointer { first in
            Array(right.utf8).withUnsafeBufferPointer { second in body(first, second) }
        }
    }
}
