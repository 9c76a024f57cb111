import Testing

@testable import Core

@Suite("The fast path for strict JSON")
struct StrictJSONTests {
    private static let manifest = """
        { "format": "otalab-manifest-1", "version": "v2", "serial": 12, "order": null, "files": [
          { "route": "/a.js", "size": 0, "sha256": "00ff", "optional": true, "immutable": false },
          { "route": "/ü.css", "size": 901234, "deep": [[[]], {}, { "x": "" }] }
        ] }
        """

    private func byTokens(_ bytes: [UInt8]) -> JSONNode? {
        if UTF8Check.firstFault(in: bytes) != nil { return nil }
        do {
            return try JSONReader.readByTokens(bytes, dialect: .strict, limits: JSONLimits()).root
        } catch {
            return nil
        }
    }

    @Test("A text without escapes is read to the same tree with the same locations as by tokens")
    func plain() throws {
        let bytes = Array(Self.manifest.utf8)
        let read = try #require(StrictJSON.read(bytes, limits: JSONLimits()))
        #expect(read == byTokens(bytes))
    }

    @Test("A text with one byte changed, removed or doubled is read as by tokens, or left to them")
    func mutations() {
        let bytes = Array(Self.manifest.utf8)
        var taken = 0
        var left = 0
        for offset in bytes.indices {
            for byte in Array("\"\\{}[]:,0a- tn.e/\n".utf8) + [0, 0xff] {
                var changed = bytes
                changed[offset] = byte
                var shorter = bytes
                shorter.remove(at: offset)
                var longer = bytes
                longer.insert(byte, at: offset)
                for text in [changed, shorter, longer] where UTF8Check.firstFault(in: text) == nil {
                    guard let read = StrictJSON.read(text, limits: JSONLimits()) else {
                        left += 1
                        continue
                    }
                    taken += 1
                    if read != byTokens(text) {
                        Issue.record("a different result: \(String(decoding: text, as: UTF8.self))")
                        return
                    }
                }
            }
        }
        #expect(taken > 1_000)
        #expect(left > 1_000)
    }

    @Test("Other texts are left to the tokens")
    func notPlain() {
        let many = (0..<33).map { "\"k\($0)\": 1" }.joined(separator: ", ")
        for text in [
            "{ \"a\": 1.5 }", "[1e3]", "[-1]", "[01]", "{ \"a\": 1, \"a\": 2 }", "[\"\\n\"]", "[1,]", "",
            "[1] 2", "{ \(many) }", "[1234567890123456789]", "[truex]",
        ] {
            #expect(StrictJSON.read(Array(text.utf8), limits: JSONLimits()) == nil, "\(text)")
        }
    }

    @Test("Its limits are those of the reader")
    func limits() {
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(StrictJSON.read(Array(deep.utf8), limits: JSONLimits()) == nil)
        #expect(StrictJSON.read(Array(deep.dropFirst().dropLast().utf8), limits: JSONLimits()) != nil)
        #expect(StrictJSON.read(Array("[1, 2, 3]".utf8), limits: JSONLimits(maxNodes: 3)) == nil)
    }
}

@Suite("Texts as bytes")
struct TextBytesTests {
    private static let texts = [
        "", "a", "b", "aa", "ab", "/assets/part1.js", "/assets/part10.js", "/assets/part2.js", "é",
        "e\u{301}",
        "aaaaaaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaac", "aaaaaaaa", "aaaaaaa", "ÿ", "\u{7f}",
    ]

    @Test("Order and equality are those of the bytes")
    func order() {
        for left in Self.texts {
            for right in Self.texts {
                let (one, other) = (Array(left.utf8), Array(right.utf8))
                #expect(TextBytes.areEqual(left, right) == (one == other), "\(left) \(right)")
                #expect(
                    TextBytes.precedes(left, right) == one.lexicographicallyPrecedes(other),
                    "\(left) \(right)")
            }
        }
    }

    @Test("Equal texts have the same hash, and few others have it")
    func hash() {
        var seen: [UInt64] = []
        for number in 0..<2_000 { seen.append(TextBytes.hash("store/blobs/\(number)") & 4_095) }
        #expect(TextBytes.hash("abc" + "defghijkl") == TextBytes.hash("abcdefghijkl"))
        #expect(Set(seen).count > 1_500)
    }

    @Test("The index after the last occurrence of a byte, and a condition for all bytes")
    func parts() {
        for text in Self.texts + ["a/b/", "/", "é/ü.css"] {
            let last = text.utf8.lastIndex(of: UInt8(ascii: "/")).map { text.utf8.index(after: $0) }
            #expect(TextBytes.afterLast(UInt8(ascii: "/"), in: text) == last, "\(text)")
            #expect(TextBytes.all(text) { $0 < 0x80 } == text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
        }
    }

    @Test("Whole numbers in decimal digits", arguments: [0, 1, 9, 10, 99, 100, 12_345, -7, .max, .min])
    func decimals(number: Int) {
        var bytes = Array("x".utf8)
        TextBytes.append(number, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "x\(number)")
    }

    @Test("Values of a list of items: the first of that name, with blanks before it, never of a longer name")
    func values() {
        let semicolon = UInt8(ascii: ";")
        #expect(TextBytes.value(of: "a", in: "ab=1; a=2;a=3", separator: semicolon) == "2")
        #expect(TextBytes.value(of: "a", in: "b=1; \ta=", separator: semicolon) == "")
        #expect(TextBytes.value(of: "a", in: "a", separator: semicolon) == "")
        #expect(TextBytes.value(of: "a", in: "", separator: semicolon) == nil)
        #expect(TextBytes.value(of: "a", in: "aa=1", separator: semicolon) == nil)
        var all: [String] = []
        TextBytes.eachValue(of: "a", in: "a=1;b=2;a=3=4", separator: semicolon) { value in
            all.append(value)
            return true
        }
        #expect(all == ["1", "3=4"])
    }
}
