import Testing

@testable import Core

/// The tree of a flat list, to compare it with that of the reader.
private enum FlatTree {
    /// Nil when the fast path leaves the text to the tokens.
    static func read(_ bytes: [UInt8], limits: JSONLimits) -> JSONNode? {
        StrictJSON.items(of: bytes, limits: limits).map { node(0, bytes, $0) }
    }

    /// The same, read in steps of so many bytes.
    static func read(_ bytes: [UInt8], inStepsOf size: Int) -> JSONNode? {
        var reader = StrictJSON(bytes.count, limits: JSONLimits())
        var limit = 0
        while true {
            limit = min(limit + size, bytes.count)
            switch reader.read(bytes, until: limit) {
            case .unfinished: continue
            case .finished: return node(0, bytes, reader.items)
            case .leftToTokens: return nil
            }
        }
    }

    private static func node(_ index: Int, _ bytes: [UInt8], _ items: [JSONItem]) -> JSONNode {
        let item = items[index]
        let kind: JSONNode.Kind
        switch item.kind {
        case .null: kind = .null
        case .yes: kind = .bool(true)
        case .no: kind = .bool(false)
        case .whole: kind = .number(JSONNumber(integer: item.integer, text: text(span(item), bytes)))
        case .number: kind = .number(JSONNumber(integer: nil, text: text(span(item), bytes)))
        case .string: kind = .string(unquoted(item, bytes))
        case .escapedString:
            let storage = JSONDocument.Storage(bytes: bytes, items: items)
            kind = .string(JSONValue(storage: storage, index: Int32(index)).string ?? "")
        case .array: kind = .array(children(of: index, items).map { node($0, bytes, items) })
        case .object:
            let children = children(of: index, items)
            kind = .object(
                stride(from: 0, to: children.count, by: 2).map { key in
                    JSONMember(
                        key: unquoted(items[children[key]], bytes), keySpan: span(items[children[key]]),
                        value: node(children[key + 1], bytes, items))
                })
        }
        return JSONNode(kind, span: span(item))
    }

    private static func children(of index: Int, _ items: [JSONItem]) -> [Int] {
        var children: [Int] = []
        var child = index + 1
        while child < items[index].next {
            children.append(child)
            child = Int(items[child].next)
        }
        return children
    }

    private static func span(_ item: JSONItem) -> SourceSpan {
        SourceSpan(start: Int(item.start), end: Int(item.end))
    }

    private static func text(_ span: SourceSpan, _ bytes: [UInt8]) -> String {
        String(decoding: bytes[span.start..<span.end], as: UTF8.self)
    }

    private static func unquoted(_ item: JSONItem, _ bytes: [UInt8]) -> String {
        text(SourceSpan(start: Int(item.start) + 1, end: Int(item.end) - 1), bytes)
    }
}

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
        let read = try #require(FlatTree.read(bytes, limits: JSONLimits()))
        #expect(read == byTokens(bytes))
    }

    @Test("Escapes in texts, and numbers that are not plain, are read as by tokens")
    func atoms() throws {
        let text =
            #"{"a":"tab\tand \u0041 \ud83d\ude00","b":[-1,1.5,1e2,-0,1234567890123456789],"c":"\"","d":""}"#
        let bytes = Array(text.utf8)
        let read = try #require(FlatTree.read(bytes, limits: JSONLimits()))
        #expect(read == byTokens(bytes))
    }

    @Test("In steps of any size it reads what it reads at once", arguments: [1, 2, 7, 64, 1_000])
    func steps(size: Int) throws {
        let bytes = Array(Self.manifest.utf8)
        #expect(FlatTree.read(bytes, inStepsOf: size) == FlatTree.read(bytes, limits: JSONLimits()))
        for cut in bytes.indices {
            #expect(FlatTree.read(Array(bytes[..<cut]), inStepsOf: size) == nil)
        }
    }

    @Test("A step reads little behind its limit")
    func bounded() {
        let bytes = Array(("[" + (0..<1_000).map { "\($0)" }.joined(separator: ",") + "]").utf8)
        var reader = StrictJSON(bytes.count, limits: JSONLimits())
        guard case .unfinished = reader.read(bytes, until: 300) else {
            Issue.record("read at once")
            return
        }
        #expect((80...120).contains(reader.items.count))
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
                    guard let read = FlatTree.read(text, limits: JSONLimits()) else {
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
            "[01]", "{ \"a\": 1, \"a\": 2 }", "{ \"\\u0061\": 1 }", "[\"\\x\"]", "[1,]", "", "[1] 2",
            "{ \(many) }", "[truex]", "[.5]", "[+1]", "[1.]",
        ] {
            #expect(FlatTree.read(Array(text.utf8), limits: JSONLimits()) == nil, "\(text)")
        }
    }

    @Test("Its limits are those of the reader")
    func limits() {
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(FlatTree.read(Array(deep.utf8), limits: JSONLimits()) == nil)
        #expect(FlatTree.read(Array(deep.dropFirst().dropLast().utf8), limits: JSONLimits()) != nil)
        #expect(FlatTree.read(Array("[1, 2, 3]".utf8), limits: JSONLimits(maxNodes: 3)) == nil)
    }
}

@Suite("Which bytes are UTF-8")
struct UTF8CheckTests {
    @Test("As the standard library: every first byte with others at the edges, after texts of any length")
    func edges() {
        let edges: [UInt8] = [0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff]
        for first in UInt8(0)...255 {
            for second in edges {
                for third in [UInt8(0x7f), 0x80, 0xbf, 0xc0] {
                    for bytes in [
                        [first], [first, second], [first, second, third], [first, second, third, 0x80],
                    ] {
                        let isValid = String(validating: bytes, as: UTF8.self) != nil
                        #expect((UTF8Check.firstFault(in: bytes) == nil) == isValid, "\(bytes)")
                    }
                }
            }
            for count in [1, 7, 8, 9, 16, 17] {
                let bytes =
                    [UInt8](repeating: 0x61, count: count) + [first] + [UInt8](repeating: 0x62, count: 9)
                #expect(UTF8Check.firstFault(in: bytes) == (first < 0x80 ? nil : count))
            }
        }
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

    @Test("The first eight bytes of a text are a number that has the order of the bytes")
    func prefixes() {
        #expect(TextBytes.sortPrefix("") == 0 && TextBytes.sortPrefix("a") == 0x61 << 56)
        #expect(TextBytes.sortPrefix("abcdefg") == 0x6162_6364_6566_6700)
        #expect(TextBytes.sortPrefix("abcdefgh") == 0x6162_6364_6566_6768)
        #expect(TextBytes.sortPrefix("abcdefghi") == 0x6162_6364_6566_6768)
    }

    @Test("A text is found in a sorted list, wherever it is")
    func search() {
        for count in 0..<9 {
            let list = (0..<count).map { "k\(200 + $0 * 2)" }
            for number in -1..<20 {
                let text = "k\(200 + number)"
                let found = TextBytes.element(text, in: list) { $0 }
                #expect(found == (list.contains(text) ? text : nil))
                #expect(
                    TextBytes.index(of: text, in: 0..<count) { list[$0] } == list.firstIndex(of: text))
            }
            var all = list
            #expect(all.takeAll() == list && all.isEmpty)
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
