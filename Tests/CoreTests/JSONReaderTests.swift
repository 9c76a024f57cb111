import Core
import Testing

/// The tree of a text, or its fault.
func readJSON(_ text: String, _ dialect: JSONDialect = .json5) -> Result<JSONNode, JSONFault> {
    do { return .success(try JSONReader.read(Array(text.utf8), dialect: dialect)) } catch {
        return .failure(error)
    }
}

func jsonFault(_ text: String, _ dialect: JSONDialect = .json5) -> JSONFault? {
    guard case .failure(let fault) = readJSON(text, dialect) else { return nil }
    return fault
}

@Suite("JSON with positions")
struct JSONReaderTests {
    @Test("every value and key has its location")
    func spans() throws {
        let text = "{ \"a\": [1, true], b: 'x' }"
        let root = try readJSON(text).get()
        let members = try #require(root.members)
        #expect(root.span == SourceSpan(start: 0, end: text.utf8.count))
        #expect(members[0].keySpan == SourceSpan(start: 2, end: 5))
        #expect(members[0].value.span == SourceSpan(start: 7, end: 16))
        #expect(members[0].value.array?[1].span == SourceSpan(start: 11, end: 15))
        #expect(members[1].keySpan == SourceSpan(start: 18, end: 19))
        #expect(root["b"]?.string == "x")
        #expect(root["c"] == nil)
    }

    @Test("accessors are nil for another kind")
    func accessors() throws {
        let root = try readJSON("{ n: 5, t: '5', z: null, yes: true, list: [] }").get()
        #expect(root["n"]?.integer == 5 && root["n"]?.string == nil)
        #expect(root["t"]?.string == "5" && root["t"]?.integer == nil)
        #expect(root["z"]?.isNull == true && root["z"]?.bool == nil)
        #expect(root["yes"]?.bool == true && root["yes"]?.members == nil)
        #expect(root["list"]?.array == [] && root["list"]?["x"] == nil)
    }

    @Test(
        "a syntax error has a message and a location",
        arguments: [
            ("", .json5, "the text is empty", 0, 0),
            ("  // only a comment", .json5, "the text is empty", 19, 19),
            ("{ a: 1 b: 2 }", .json5, "missing ',' between members", 6, 6),
            ("[1 2]", .strict, "missing ',' between elements", 2, 2),
            ("{ a 1 }", .json5, "missing ':' after key 'a'", 3, 3),
            ("{ a: }", .json5, "a value is missing", 5, 6),
            ("[1, 2", .json5, "'[' is never closed", 5, 5),
            ("{ a: [1 }", .json5, "'[' closed by '}'", 8, 9),
            ("[1] 2", .json5, "text after the end of the value", 4, 5),
            ("[tru]", .json5, "'tru' is not a value", 1, 4),
            ("{ wait: 30s }", .json5, "'30s' is not a number", 8, 11),
            ("[010]", .json5, "'010' is not a number", 1, 4),
            ("{ boot-limit: 1 }", .json5, "key 'boot-limit' needs quotes", 2, 12),
            ("{ 10: 1 }", .json5, "key '10' needs quotes", 2, 4),
            ("{ a: 1 }", .strict, "key 'a' needs quotes", 2, 3),
            ("{ a: 1, a: 2 }", .json5, "duplicate key 'a'", 8, 9),
            ("{\"a\":1,\"\\u0061\":2}", .strict, "duplicate key 'a'", 7, 15),
            ("[1,]", .strict, "a comma after the last value", 2, 3),
            ("{\"a\":1,}", .strict, "a comma after the last value", 6, 7),
            ("[1] // x", .strict, "a comment in strict JSON", 4, 6),
            ("['x']", .strict, "single quotes in strict JSON", 1, 2),
            ("[+1]", .strict, "'+1' is not a number", 1, 3),
            ("[.5]", .strict, "'.5' is not a number", 1, 3),
            ("[5.]", .strict, "'5.' is not a number", 1, 3),
            ("[0x10]", .strict, "'0x10' is not a number", 1, 5),
            ("[\"\\x41\"]", .strict, "unknown escape '\\x'", 2, 4),
            ("[NaN]", .json5, "'NaN' is not a number that can be used", 1, 4),
            ("/* a", .json5, "a comment that is never closed", 0, 2),
            ("['a\n']", .json5, "a text without its closing quote", 1, 2),
            ("['a\\\nb']", .json5, "a text that continues over lines", 3, 4),
            ("['\\v']", .json5, "unknown escape '\\v'", 2, 4),
            ("['a\tb']", .json5, "a control character (U+0009) in a text", 3, 4),
            ("[\"\\ud83d\"]", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\udc00\\ud83d\"]", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\u00g0\"]", .strict, "an escape with too few hexadecimal digits", 2, 6),
            ("[\u{A0}1]", .json5, "unusual white space (U+00A0)", 1, 3),
            ("[“a”]", .json5, "a typographic quote '“'", 1, 4),
            ("# no", .json5, "'#' starts no comment", 0, 1),
            ("[1,,2]", .json5, "a value is missing", 3, 4),
            ("{ , }", .json5, "a key is missing", 2, 3),
            ("{ a[0]: 1 }", .json5, "missing ':' after key 'a'", 3, 3),
            ("{ a[: 1 }", .json5, "missing ':' after key 'a'", 3, 3),
            ("{ a{: 1 }", .json5, "missing ':' after key 'a'", 3, 3),
        ] as [(String, JSONDialect, String, Int, Int)])
    func faults(text: String, dialect: JSONDialect, message: String, start: Int, end: Int) throws {
        let fault = try #require(jsonFault(text, dialect))
        #expect(fault.message == message)
        #expect(fault.span == SourceSpan(start: start, end: end))
    }

    @Test("a closing brace instead of a value is a missing value, not a wrong bracket")
    func missingValue() throws {
        #expect(jsonFault("{ a: }")?.message == "a value is missing")
        #expect(jsonFault("{ a: ]")?.message == "'{' closed by ']'")
    }

    @Test("a duplicate key is reported with both locations, in a large object too")
    func duplicates() throws {
        let small = try #require(jsonFault("{ title: 1, 'title': 2 }"))
        #expect(small.other == SourceSpan(start: 2, end: 7))
        let keys = (0..<40).map { "k\($0): 0" } + ["k7: 1", "k3: 1"]
        let text = "{" + keys.joined(separator: ",") + "}"
        let large = try #require(jsonFault(text))
        #expect(large.message == "duplicate key 'k7'")
        #expect(large.other == SourceSpan(start: 43, end: 45))
    }

    @Test("keys are compared by their bytes, in a large object too (RFC 8259 §8.3)")
    func keysAreBytes() throws {
        let pairs = ["\"caf\u{e9}\": 1", "\"cafe\u{301}\": 2", "\"\u{212a}\": 3", "\"K\": 4"]
        let many = (0..<40).map { "\"k\($0)\": 0" }
        for list in [pairs, pairs + many] {
            for dialect in [JSONDialect.strict, .json5] {
                let node = try JSONReader.read(
                    Array("{ \(list.joined(separator: ", ")) }".utf8), dialect: dialect)
                #expect(node["caf\u{e9}"]?.integer == 1)
                #expect(node["cafe\u{301}"]?.integer == 2)
                #expect(node["K"]?.integer == 4)
            }
        }
    }

    @Test("a byte that is not UTF-8 is found where it is")
    func utf8() {
        let samples: [([UInt8], Int)] = [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0x41, 0xE2, 0x82], 2),
            ([0x22, 0xF0, 0x9F, 0x98], 1),
        ]
        for (bytes, offset) in samples {
            #expect(throws: JSONFault.self) { try JSONReader.read(bytes, dialect: .strict) }
            #expect(UTF8Check.firstFault(in: bytes) == offset)
        }
        #expect(UTF8Check.firstFault(in: Array("aé€😀\u{10FFFF}".utf8)) == nil)
    }

    @Test("depth, size and count are bounded")
    func limits() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        _ = try readJSON(deep).get()
        #expect(jsonFault("[" + deep + "]")?.message == "nested deeper than 64")
        #expect(jsonFault(String(repeating: "[", count: 100_000))?.span == SourceSpan(start: 64, end: 65))
        let short = JSONLimits(maxBytes: 4, maxDepth: 2, maxNodes: 3)
        #expect(throws: JSONFault.self) {
            try JSONReader.read(Array("[1,2]".utf8), dialect: .strict, limits: short)
        }
        let few = JSONLimits(maxNodes: 3)
        #expect(throws: JSONFault.self) {
            try JSONReader.read(Array("[1,2,3]".utf8), dialect: .strict, limits: few)
        }
        _ = try JSONReader.read(Array("[1,2]".utf8), dialect: .strict, limits: few)
    }

    @Test("whole numbers are exact to 64 bits; anything else stays text")
    func numbers() throws {
        let text =
            "[0, -0, 9223372036854775807, -9223372036854775808, 9223372036854775808, 1.0, 1e2, +7, -0x10]"
        let numbers = try #require(try readJSON(text).get().array)
        #expect(
            numbers.map(\.integer) == [0, 0, Int64.max, Int64.min, nil, nil, nil, 7, -16] as [Int64?])
    }

    @Test("escapes and pairs become their characters")
    func escapes() throws {
        let text = "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00x\", '\\x41\\'']"
        let root = try readJSON(text).get()
        #expect(root.array?[0].string == "\"\\/\u{8}\u{C}\n\r\té😀x")
        #expect(root.array?[1].string == "A'")
    }

    @Test("a byte order mark at the start is skipped and still counted")
    func byteOrderMark() throws {
        let root = try readJSON("\u{FEFF}[1]", .strict).get()
        #expect(root.span == SourceSpan(start: 3, end: 6))
    }

    @Test("comments keep their locations for a formatter")
    func comments() throws {
        let text = "{ // one\n a: 1, /* two */ }"
        let read = try JSONReader.readKeepingComments(Array(text.utf8), dialect: .json5)
        #expect(read.comments == [SourceSpan(start: 2, end: 8), SourceSpan(start: 16, end: 25)])
    }

    @Test("no text crashes the reader: every cut and every changed byte of a sample is read or refused")
    func neverCrashes() {
        let sample = Array("{ a: ['x\\u00e9', -1.5e3, 0x1F], \"b\": { c: null }, /* é */ d: true, }".utf8)
        var refused = 0
        for cut in 0..<sample.count {
            for byte: UInt8 in [0, 9, 10, 34, 39, 44, 45, 46, 47, 92, 93, 101, 125, 128, 195, 255] {
                var changed = sample
                changed[cut] = byte
                for text in [changed, Array(changed.prefix(cut + 1))] {
                    do { _ = try JSONReader.read(text, dialect: .json5) } catch {
                        refused += 1
                        #expect(error.span.start >= 0 && error.span.end <= text.count)
                        #expect(error.span.start <= error.span.end)
                    }
                }
            }
        }
        #expect(refused > sample.count)
    }
}
