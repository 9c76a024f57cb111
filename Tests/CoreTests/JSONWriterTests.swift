import Core
import Foundation
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("members are in the order of the calls, on one line or indented")
    func layout() {
        for (indent, expected) in [
            (0, "{\"a\":1,\"b\":[true,null],\"c\":{},\"d\":[]}"),
            (2, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {},\n  \"d\": []\n}"),
        ] {
            var writer = JSONWriter(indent: indent)
            writer.beginObject()
            writer.member("a", 1)
            writer.key("b")
            writer.beginArray()
            writer.bool(true)
            writer.null()
            writer.endArray()
            writer.key("c")
            writer.beginObject()
            writer.endObject()
            writer.key("d")
            writer.beginArray()
            writer.endArray()
            writer.endObject()
            #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
        }
    }

    @Test("what is written is read again as the same text, by this reader and by Foundation's")
    func roundTrip() throws {
        let texts = [
            "", "plain", "\"\\/", "\u{0}\u{1}\u{8}\t\n\u{C}\r\u{1F}\u{7F}", "é€😀\u{2028}", "</script>",
        ]
        var writer = JSONWriter()
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
        let root = try JSONReader.read(writer.bytes, dialect: .strict)
        #expect(root.array?.compactMap(\.string) == texts)
        let theirs = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String]
        #expect(theirs == texts)
    }

    @Test("a tree is written as it was read")
    func tree() throws {
        let text = "{\"a\":[1,-2.5e3,\"x\"],\"b\":{\"c\":null,\"d\":false}}"
        var writer = JSONWriter()
        writer.node(try JSONReader.read(Array(text.utf8), dialect: .strict))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test(
        "A text is escaped where strict JSON demands it and nowhere else, at any place and length (RFC 8259 §7)"
    )
    func escapes() {
        func escaped(_ byte: UInt8) -> String {
            switch byte {
            case 0x22: "\\\""
            case 0x5c: "\\\\"
            case 8: "\\b"
            case 9: "\\t"
            case 10: "\\n"
            case 12: "\\f"
            case 13: "\\r"
            case ..<0x20: "\\u00" + (byte < 16 ? "0" : "1") + String(byte % 16, radix: 16)
            default: String(Character(Unicode.Scalar(byte)))
            }
        }
        for byte in UInt8(0)..<128 {
            let character = String(Character(Unicode.Scalar(byte)))
            for before in [0, 1, 7, 8, 9, 15, 16] {
                for after in [0, 1, 8] {
                    var writer = JSONWriter()
                    let (head, tail) = (
                        String(repeating: "a", count: before), String(repeating: "é", count: after)
                    )
                    writer.string(head + character + tail)
                    let expected = "\"" + head + escaped(byte) + tail + "\""
                    #expect(writer.bytes == Array(expected.utf8), "\(byte) after \(before)")
                }
            }
        }
        var writer = JSONWriter()
        writer.string("\"\"\\\n")
        #expect(writer.bytes == Array("\"\\\"\\\"\\\\\\n\"".utf8))
    }

    @Test("Integers of any width, texts and values written before are elements like others")
    func elements() {
        for (indent, expected) in [
            (
                0,
                #"[18446744073709551615,-9223372036854775808,0,{"a":1},[],{"t":["x","y"],"e":[],"b":false}]"#
            ),
            (
                1,
                "[\n 18446744073709551615,\n -9223372036854775808,\n 0,\n {\"a\":1},\n [],\n {\n  \"t\": [\n   \"x\",\n"
                    + "   \"y\"\n  ],\n  \"e\": [],\n  \"b\": false\n }\n]"
            ),
        ] {
            var writer = JSONWriter(indent: indent)
            writer.beginArray()
            writer.integer(UInt64.max)
            writer.integer(Int64.min)
            writer.integer(UInt8(0))
            writer.serialized(Array(#"{"a":1}"#.utf8))
            writer.serialized(Array("[]".utf8))
            writer.beginObject()
            writer.member("t", ["x", "y"])
            writer.member("e", [String]())
            writer.member("b", false)
            writer.endObject()
            writer.endArray()
            #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
        }
    }

    @Test("What is taken out is gone, and the rest continues as if it were not")
    func parts() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string("a")
        #expect(writer.takeBytes() == Array("[\"a\"".utf8))
        #expect(writer.bytes.isEmpty && writer.takeBytes().isEmpty)
        writer.string("b")
        writer.endArray()
        #expect(writer.takeBytes() == Array(",\"b\"]".utf8))
    }
}
