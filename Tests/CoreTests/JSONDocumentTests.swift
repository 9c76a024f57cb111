import Testing

@testable import Core

@Suite("A strict JSON text as a flat list of values")
struct JSONDocumentTests {
    private static let texts = [
        #"{"format":"m","list":[1,2,[],{}],"flag":true,"off":false,"none":null,"size":901234,"name":"ü"}"#,
        #"{"a":"tab\tand \u0041","b":[-1,1.5,1e2,0],"c\n":{"d":""}}"#,
        #"[[[["deep"]]],{"x":{"y":{"z":7}}}]"#, #""alone""#, " 12 ", "null", "-9223372036854775808",
    ]

    /// Description of a value, the same for both readers.
    private static func shown(_ value: JSONValue) -> String {
        if value.isNull { return "null" }
        if let flag = value.bool { return "\(flag)" }
        if let number = value.integer { return "\(number)" }
        if let text = value.string { return "'\(text)'" }
        if let elements = value.elements {
            return "[\(elements.count):" + elements.map(shown).joined(separator: ",") + "]"
        }
        if let members = value.members {
            return "{" + members.map { "'\($0.key)':" + shown($0.value) }.joined(separator: ",") + "}"
        }
        return "fraction"
    }

    private static func shown(_ node: JSONNode) -> String {
        switch node.kind {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let number): number.integer.map { "\($0)" } ?? "fraction"
        case .string(let text): "'\(text)'"
        case .array(let elements): "[\(elements.count):" + elements.map(shown).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "'\($0.key)':" + shown($0.value) }.joined(separator: ",") + "}"
        }
    }

    @Test("It has the values of the tree, for texts with and without escapes", arguments: texts)
    func sameAsTree(_ text: String) throws {
        let bytes = Array(text.utf8)
        let tree = try JSONReader.read(bytes, dialect: .strict)
        #expect(Self.shown(try JSONDocument.read(bytes).root) == Self.shown(tree))
        // And without the fast path.
        #expect(Self.shown(JSONDocument(tree).root) == Self.shown(tree))
    }

    @Test("A text with one byte changed is read as by the tree, or refused with the same fault")
    func mutations() throws {
        let bytes = Array(Self.texts[0].utf8)
        var read = 0
        var refused = 0
        for offset in bytes.indices {
            for byte in Array("\"\\{}[]:,0a- tn.e/\n".utf8) + [0, 0xff] {
                var changed = bytes
                changed[offset] = byte
                let tree = Result { () throws(JSONFault) in
                    Self.shown(try JSONReader.read(changed, dialect: .strict))
                }
                let document = Result { () throws(JSONFault) in
                    Self.shown(try JSONDocument.read(changed).root)
                }
                switch (tree, document) {
                case (.success(let one), .success(let other)) where one == other: read += 1
                case (.failure(let one), .failure(let other)) where one == other: refused += 1
                default: Issue.record("a different result: \(String(decoding: changed, as: UTF8.self))")
                }
            }
        }
        #expect(read > 300)
        #expect(refused > 300)
    }

    @Test(
        "In steps of any size a text is read as at once, or refused with the same fault",
        arguments: [1, 5, 64])
    func steps(size: Int) {
        func read(_ bytes: [UInt8]) throws(JSONFault) -> String {
            var reading = JSONDocumentReading(bytes)
            while true {
                if let document = try reading.step(size) { return Self.shown(document.root) }
            }
        }
        for text in Self.texts {
            let whole = Array(text.utf8)
            for bytes in [whole, whole.dropLast(), whole + [0x20, 0xff], [0xff] + whole, whole + whole] {
                let once = Result { () throws(JSONFault) in Self.shown(try JSONDocument.read(bytes).root) }
                let stepwise = Result { () throws(JSONFault) in try read(bytes) }
                #expect(stepwise == once, "\(text)")
            }
        }
    }

    @Test("A member is found by all bytes of its key; other values have no members")
    func members() throws {
        let text = #"{"ab":1,"abcdefgh":2,"abcdefghi":3,"abcdefgx":4,"inner":{"ab":5}}"#
        let root = try JSONDocument.read(Array(text.utf8)).root
        #expect(root["ab"]?.integer == 1)
        #expect(root["abcdefgh"]?.integer == 2)
        #expect(root["abcdefghi"]?.integer == 3)
        #expect(root["abcdefgx"]?.integer == 4)
        #expect(root["inner"]?["ab"]?.integer == 5)
        #expect(root["abcdefg"] == nil)
        #expect(root["b"] == nil)
        #expect(root["ab"]?["ab"] == nil)
        #expect(root["ab"]?.elements == nil)
    }

    @Test("A digest is 64 hexadecimal digits and nothing else")
    func digest() throws {
        let digest = SHA256.hash(of: [1, 2, 3])
        let text = #"["\#(digest.hex)","\#(digest.hex.uppercased())","\#(digest.hex.dropLast())g","",1]"#
        let values = try #require(try JSONDocument.read(Array(text.utf8)).root.elements.map(Array.init))
        #expect(values.map(\.digest) == [digest, digest, nil, nil, nil])
    }
}
