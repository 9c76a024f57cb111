import Core
import Testing

/// What ``JSONReaderTests`` has of the message and the location, with everything else that a person sees.
@Suite("The faults of a JSON text")
struct JSONFaultTests {
    /// Label, suggestion and related location of a fault.
    private func details(_ fault: JSONFault?) -> String {
        guard let fault else { return "no fault" }
        let other = fault.other.map { "\($0.start)-\($0.end)" } ?? "none"
        return "\(fault.label) | \(fault.help ?? "none") | \(other)"
    }

    @Test(
        "A fault says what was expected, what helps, and what it belongs to",
        arguments: [
            ("", .json5, "expected a value here | none | none"),
            ("[1] 2", .json5, "not expected | none | none"),
            ("[1, 2", .json5, "the text ends here | add ']' | 0-1"),
            ("{ a: 1", .json5, "the text ends here | add '}' | 0-1"),
            ("{ a: ", .json5, "the text ends here | add '}' | 0-1"),
            ("{", .json5, "the text ends here | add '}' | 0-1"),
            ("[", .json5, "the text ends here | add ']' | 0-1"),
            ("[1,", .json5, "the text ends here | add ']' | 0-1"),
            ("{ a: [1 }", .json5, "expected ']' here | none | 5-6"),
            ("[{ a: 1 ]", .json5, "expected '}' here | none | 1-2"),
            ("[1, }", .json5, "expected ']' here | none | 0-1"),
            ("{ ]", .json5, "expected '}' here | none | 0-1"),
            ("[1 2]", .json5, "expected ',' here | add a comma after this value | none"),
            ("{ a 1 }", .json5, "expected ':' here | none | none"),
            ("{ a: }", .json5, "expected a value here | none | none"),
            ("[tru]", .json5, "expected a value here | text needs quotes: write \"tru\" | none"),
            ("[NaN]", .json5, "not taken | none | none"), ("[Infinity]", .json5, "not taken | none | none"),
            ("{ 10: 1 }", .json5, "not a bare key | write \"10\" | none"),
            ("{ a.b: 1 }", .json5, "not a bare key | write \"a.b\" | none"),
            ("{ aé: 1 }", .json5, "not a bare key | write \"aé\" | none"),
            ("{ a\\u0041: 1 }", .json5, "not a bare key | write \"a\\u0041\" | none"),
            ("{ , }", .json5, "expected a key here | none | none"),
            ("{ a: 1, a: 2 }", .json5, "again here | keep one of the two | 2-3"),
            ("[1,]", .strict, "strict JSON has none | take it out | none"),
            ("[1] // x", .strict, "no comments here | take it out | none"),
            ("['x']", .strict, "not allowed here | write double quotes | none"),
            ("[30s]", .json5, "not a number | write \"30s\" | none"),
            ("[010]", .json5, "begins with a zero | none | none"),
            ("[-010]", .json5, "begins with a zero | none | none"),
            ("[00]", .strict, "begins with a zero | none | none"),
            ("[01.5]", .json5, "not a number | none | none"),
            ("[1.2.3]", .json5, "not a number | none | none"),
            ("[-]", .json5, "not a number | none | none"), ("[+1]", .strict, "not a number | none | none"),
            ("# no", .json5, "unexpected | write // for a comment | none"),
            ("# no", .strict, "unexpected | none | none"),
            ("[\u{A0}1]", .json5, "looks empty, but is not | put a plain space here | none"),
            ("[“a”]", .json5, "unexpected | write a plain \" | none"),
            ("[\u{1}]", .json5, "unexpected | none | none"), ("[€]", .json5, "unexpected | none | none"),
            ("/* a", .json5, "opened here | close it with */ | none"),
            ("['a", .json5, "opened here | close the quote in the same line | none"),
            ("['a\\\nb']", .json5, "ends with the line | write \\n inside one line | none"),
            ("['\\v']", .json5, "not an escape | write \\\\ for a backslash | none"),
            ("['a\tb']", .json5, "must be escaped | write \\t | none"),
            ("['a\u{1f}b']", .json5, "must be escaped | write \\u001F | none"),
            ("['\\n\u{1}b']", .json5, "must be escaped | write \\u0001 | none"),
            (
                "[\"\\ud83d\"]", .strict,
                "the other half is missing | write the character itself, or both halves | none"
            ),
            ("[\"\\u00g0\"]", .strict, "needs 4 digits | none | none"),
            ("['\\xg0']", .json5, "needs 2 digits | none | none"),
            ("['\\x00']", .json5, "no text holds it | take it out | none"),
            ("['\\u0000']", .json5, "no text holds it | take it out | none"),
        ] as [(String, JSONDialect, String)])
    func details(text: String, dialect: JSONDialect, expected: String) {
        #expect(details(jsonFault(text, dialect)) == expected)
    }

    @Test(
        "Where other faults are",
        arguments: [
            ("['\\x00']", .json5, "the character U+0000 in a text", 2, 6),
            ("['\\u0000']", .json5, "the character U+0000 in a text", 2, 8),
            ("['\\x0']", .json5, "an escape with too few hexadecimal digits", 2, 5),
            ("['\\u12", .json5, "an escape with too few hexadecimal digits", 2, 6),
            ("['a\\", .json5, "a text without its closing quote", 1, 2),
            ("['a\\n", .json5, "a text without its closing quote", 1, 2),
            ("['a\r']", .json5, "a text without its closing quote", 1, 2),
            ("['\\n\n']", .json5, "a text without its closing quote", 1, 2),
            ("['\\\r']", .json5, "a text that continues over lines", 2, 3),
            ("[\"\\'\"]", .strict, "unknown escape '\\''", 2, 4),
            ("[\"\\é\"]", .json5, "unknown escape '\\é'", 2, 5),
            ("[\"\\udbff\\ue000\"]", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\ud800\\udbff\"]", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\ud800x\"]", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\ud800\\n\"]", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\udfff\"]", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\ud800", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\ud800\\", .strict, "half of a surrogate pair", 2, 8),
            ("[\"\\ud800\\u", .strict, "an escape with too few hexadecimal digits", 8, 10),
            ("/", .json5, "unexpected character '/'", 0, 1), ("/x", .json5, "unexpected character '/'", 0, 1),
            ("/*/", .json5, "a comment that is never closed", 0, 2),
            ("/**", .json5, "a comment that is never closed", 0, 2),
            ("// a\r# b", .json5, "'#' starts no comment", 5, 6),
            ("\u{FEFF}", .strict, "the text is empty", 3, 3),
            ("\u{FEFF}\u{FEFF}1", .json5, "unusual white space (U+FEFF)", 3, 6),
        ] as [(String, JSONDialect, String, Int, Int)])
    func locations(text: String, dialect: JSONDialect, message: String, start: Int, end: Int) {
        let fault = jsonFault(text, dialect)
        #expect(fault?.message == message)
        #expect(fault?.span == SourceSpan(start: start, end: end))
    }

    @Test("Characters that only look like a space or a quote are named; others are shown")
    func characters() {
        func message(_ code: UInt32) -> String? {
            Unicode.Scalar(code).flatMap { jsonFault("[\(Character($0))]")?.message }
        }
        func hex(_ code: UInt32) -> String {
            let digits = String(code, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
        for code: UInt32 in [
            0x0B, 0x0C, 0xA0, 0xFEFF, 0x2000, 0x2005, 0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
        ] { #expect(message(code) == "unusual white space (\(hex(code)))") }
        for code: UInt32 in [0, 1, 0x08, 0x0E, 0x1F, 0x7F] {
            #expect(message(code) == "a control character (\(hex(code)))")
        }
        for quote in ["\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}"] {
            #expect(jsonFault("[\(quote)]")?.message == "a typographic quote '\(quote)'")
        }
        for other in ["€", "\u{9F}", "\u{1FFF}", "\u{200C}", "\u{2027}", "\u{3001}", "!", "`", "@", "~", "*"]
        {
            #expect(jsonFault("[\(other)]")?.message == "unexpected character '\(other)'")
        }
        for space in [" ", "\n", "\r", "\t"] { #expect(jsonFault("[\(space)]") == nil) }
    }

    @Test("Escapes at the edges of what two bytes hold become their characters")
    func escapes() throws {
        for (text, expected) in [
            ("\"\\u0000\"", "\0"), ("\"\\ud7ff\\ue000\\uffff\"", "\u{d7ff}\u{e000}\u{ffff}"),
            ("\"\\ud800\\udc00\"", "\u{10000}"), ("\"\\uDBFF\\uDFFF\"", "\u{10ffff}"),
            ("\"\\u007f\\u0080\\u07ff\\u0800\"", "\u{7f}\u{80}\u{7ff}\u{800}"),
            ("\"\\uaAfF\\u0990\"", "\u{aaff}\u{990}"), ("\"\\n \u{7f}\"", "\n \u{7f}"),
        ] {
            #expect(try readJSON(text, .strict).get().string == expected)
        }
        #expect(try readJSON("'\\xff\\x01\\'\"'").get().string == "\u{ff}\u{1}'\"")
        #expect(try readJSON("// a\r'x' /**/ /* ** / */").get().string == "x")
    }
}

@Suite("The numbers of a JSON text")
struct JSONNumberTests {
    /// How a number is read in both dialects: refused, by its text alone, or with its value.
    private func read(_ text: String) -> [String] {
        [JSONDialect.strict, .json5].map { dialect in
            guard case .number(let number)? = (try? readJSON(text, dialect).get())?.kind else {
                return "none"
            }
            return number.text == text ? number.integer.map { "\($0)" } ?? "text" : "another text"
        }
    }

    @Test(
        "Each form is a number of strict JSON, of JSON5 alone, or none",
        arguments: [
            ("0", ["0", "0"]), ("-0", ["0", "0"]), ("9", ["9", "9"]), ("10", ["10", "10"]),
            ("-12", ["-12", "-12"]), ("+12", ["none", "12"]),
            ("9223372036854775807", ["9223372036854775807", "9223372036854775807"]),
            ("9223372036854775808", ["text", "text"]), ("9223372036854775810", ["text", "text"]),
            ("-9223372036854775808", ["-9223372036854775808", "-9223372036854775808"]),
            ("-9223372036854775809", ["text", "text"]), ("99999999999999999999", ["text", "text"]),
            ("123456789012345678", ["123456789012345678", "123456789012345678"]),
            ("1234567890123456789", ["1234567890123456789", "1234567890123456789"]),
            ("00", ["none", "none"]), ("01", ["none", "none"]), ("-01", ["none", "none"]),
            ("0.0", ["text", "text"]), ("1.5", ["text", "text"]), ("-1.5", ["text", "text"]),
            ("1.", ["none", "text"]), (".5", ["none", "text"]), ("-.5", ["none", "text"]),
            (".", ["none", "none"]), ("-", ["none", "none"]), ("+", ["none", "none"]),
            ("-.", ["none", "none"]), ("1.5.5", ["none", "none"]), ("1..5", ["none", "none"]),
            ("1e5", ["text", "text"]), ("1E5", ["text", "text"]), ("1e+5", ["text", "text"]),
            ("1e-5", ["text", "text"]), ("0e0", ["text", "text"]), ("1.5e10", ["text", "text"]),
            ("1.e5", ["none", "text"]), (".5e5", ["none", "text"]), ("e5", ["none", "none"]),
            ("1e", ["none", "none"]), ("1e+", ["none", "none"]), ("1e5.5", ["none", "none"]),
            ("1e5e5", ["none", "none"]), ("1e++5", ["none", "none"]), ("1-2", ["none", "none"]),
            (".e5", ["none", "none"]), ("1_0", ["none", "none"]), ("1a", ["none", "none"]),
            ("0x10", ["none", "16"]), ("0XfF", ["none", "255"]), ("-0x10", ["none", "-16"]),
            ("+0xa", ["none", "10"]), ("0x", ["none", "none"]), ("0xg", ["none", "none"]),
            ("0x1.", ["none", "none"]), ("00x1", ["none", "none"]), ("1x1", ["none", "none"]),
            ("0x7fffffffffffffff", ["none", "9223372036854775807"]),
            ("0x8000000000000000", ["none", "text"]),
            ("-0x8000000000000000", ["none", "-9223372036854775808"]),
            ("-0x8000000000000001", ["none", "text"]),
        ] as [(String, [String])])
    func forms(text: String, expected: [String]) {
        #expect(read(text) == expected)
        // The flat list has the same values.
        let flat = try? JSONDocument.read(Array(text.utf8)).root
        switch expected[0] {
        case "none": #expect(flat == nil)
        case "text": #expect(flat != nil && flat?.integer == nil && flat?.bool == nil)
        default: #expect(flat?.integer == Int64(expected[0]).map { UntrustedInteger($0) })
        }
    }

    @Test("Length, depth and number of values are limited to the last one, by tree and flat list alike")
    func limits() throws {
        #expect(JSONLimits() == JSONLimits(maxBytes: 4_194_304, maxDepth: 64, maxNodes: 500_000))
        let text = Array("[[1,{\"a\":null}],2] ".utf8)
        let fits = JSONLimits(maxBytes: text.count, maxDepth: 3, maxNodes: 6)
        var (short, shallow, few) = (fits, fits, fits)
        short.maxBytes -= 1
        shallow.maxDepth -= 1
        few.maxNodes -= 1
        #expect(try JSONReader.read(text, dialect: .strict, limits: fits).array?.count == 2)
        #expect(try JSONDocument.read(text, limits: fits).root.elements?.count == 2)
        for (limits, message, start) in [
            (short, "the text is too long", text.count - 1), (shallow, "nested deeper than 2", 4),
            (few, "more than 5 values", 16),
        ] {
            let span = SourceSpan(start: start, end: limits == short ? start : start + 1)
            func fault(_ body: () throws(JSONFault) -> Void) -> JSONFault? {
                do throws(JSONFault) {
                    try body()
                    return nil
                } catch {
                    return error
                }
            }
            for found in [
                fault { () throws(JSONFault) in
                    _ = try JSONReader.read(text, dialect: .strict, limits: limits)
                }, fault { () throws(JSONFault) in _ = try JSONDocument.read(text, limits: limits) },
            ] {
                #expect(found?.message == message && found?.span == span)
            }
        }
        #expect(
            jsonFault(String(repeating: " ", count: 4_194_305))?.label
                == "the limit of 4194304 bytes is here")
    }

    @Test("A value of the flat list is of one kind, and has its range in the text")
    func kinds() throws {
        let text = #"[null, true, false, 7, 1.5, "t", "\n", [], {}]"#
        let document = try JSONDocument.read(Array(text.utf8))
        let values = try #require(document.root.elements.map(Array.init))
        #expect(values.map(\.isNull) == [true] + [Bool](repeating: false, count: 8))
        #expect(values.map(\.bool) == [nil, true, false, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.integer) == [nil, nil, nil, 7, nil, nil, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, nil, nil, "t", "\n", nil, nil])
        #expect(values.map { $0.elements != nil } == [Bool](repeating: false, count: 7) + [true, false])
        #expect(values.map { $0.members != nil } == [Bool](repeating: false, count: 8) + [true])
        #expect(values.map(\.isObject) == [Bool](repeating: false, count: 8) + [true])
        let utf8 = Array(text.utf8)
        #expect(
            values.map { String(decoding: utf8[$0.byteRange], as: UTF8.self) } == [
                "null", "true", "false", "7", "1.5", #""t""#, #""\n""#, "[]", "{}",
            ])
        #expect(document.root.byteRange == 0..<utf8.count)
    }
}
