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
}
