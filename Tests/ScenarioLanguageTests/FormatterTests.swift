import Core
import Foundation
import Testing

@testable import ScenarioLanguage

private func formatted(_ text: String, keys: SourceFormatter.Keys = .asFirst) throws -> String {
    String(decoding: try SourceFormatter.format(Array(text.utf8), keys: keys), as: UTF8.self)
}

@Suite("The formatter")
struct FormatterTests {
    /// All handwritten files: scenarios, profiles, the scenarios of planted bugs.
    static func files() -> [(path: String, bytes: [UInt8])] {
        ["Scenarios", "Tests/Planted/stories"].flatMap { folder -> [(path: String, bytes: [UInt8])] in
            let root = LibraryTests.root.appendingPathComponent(folder)
            return (FileManager.default.subpaths(atPath: root.path) ?? []).sorted()
                .filter { $0.hasSuffix(".json5") }
                .compactMap { name in
                    FileManager.default.contents(atPath: root.appendingPathComponent(name).path)
                        .map { ("\(folder)/\(name)", Array($0)) }
                }
        }
    }

    @Test("every file of the library is formatted")
    func library() throws {
        let files = FormatterTests.files()
        #expect(files.count > 150)
        for file in files {
            let isFormatted = try SourceFormatter.format(file.bytes) == file.bytes
            #expect(isFormatted, "otalab fmt \(file.path)")
        }
    }

    @Test("one step per line; a comment stays above or behind the value that it was above or behind")
    func comments() throws {
        let text = """
            /* of the file */ { // of the first key
            schema : 1 , title: 'A "quoted" title', // its end


              /* of the
               * steps */
              steps: [ { launch: true }, /* the check */ { check: true } // behind the check
                , { wait: "1s" /* not long */ }, { expect:
                  // why
                  { running: "v1" }, within: "5s" },
                // the last word
              ], } // after

            // the very end
            """
        let expected = """
            /* of the file */
            {
              // of the first key
              schema: 1,
              title: 'A "quoted" title',  // its end

              /* of the
               * steps */
              steps: [
                { launch: true },
                /* the check */
                { check: true },  // behind the check
                { wait: "1s" /* not long */ },
                {
                  // why
                  expect: { running: "v1" },
                  within: "5s",
                },
                // the last word
              ],
            }
            // after

            // the very end

            """
        #expect(try formatted(text) == expected)
        #expect(try formatted(expected) == expected)
    }

    @Test(
        "what is too long for a line continues on the next; cases are aligned in columns; repeated steps have lines too"
    )
    func layout() throws {
        let text = """
            { schema: 1, cases: [{name:"one",count:1,end:{running:"v1"}},{name:"number two",count:20,end:{}}],
              steps: [{repeat:2,every:"1m",steps:[{check:true},{wait:"1s"}]},
              {expect:{running:"v1",page:"ready",blacklist:[]},within:"10s",because:"Meteor answered the index from v2 and its script"}] }
            """
        let expected = """
            {
              schema: 1,
              cases: [
                { name: "one",        count: 1,  end: { running: "v1" } },
                { name: "number two", count: 20, end: {} },
              ],
              steps: [
                { repeat: 2, every: "1m", steps: [
                  { check: true },
                  { wait: "1s" },
                ] },
                { expect: { running: "v1", page: "ready", blacklist: [] }, within: "10s",
                  because: "Meteor answered the index from v2 and its script" },
              ],
            }

            """
        #expect(try formatted(text) == expected)
    }

    @Test("keys have the form of the file's first key; quoted keys make the file JSON with comments")
    func keys() throws {
        let quoted = try formatted(#"{ "schema": 0x1, title: 'a "b" \x41 \'c\'', app: { "a-b": +2 } }"#)
        #expect(
            quoted == """
                {
                  "schema": 1,
                  "title": "a \\"b\\" \\u0041 'c'",
                  "app": { "a-b": 2 },
                }

                """)
        let bare = try formatted(quoted, keys: .bare)
        #expect(bare.contains("  schema: 1,\n  title: \"a \\\"b\\\" \\u0041 'c'\",\n  app: { \"a-b\": 2 },"))
        #expect(try formatted(bare, keys: .quoted) == quoted)
        #expect(try formatted(#"{ schema: 1, "true": 2, "_a$1": 3, "1a": 4 }"#).contains(#""true": 2"#))
        #expect(try formatted("{'a': \"it's\"}").contains(#""a": "it's""#))
    }

    @Test("empty containers, a byte order mark, carriage returns and lone values")
    func edges() throws {
        #expect(try formatted("{}") == "{}\n")
        #expect(try formatted("\u{FEFF}[ ]\r\n\r\n// x \t\r\n") == "[]\n\n// x\n")
        #expect(try formatted("[ // none\n]") == "[\n  // none\n]\n")
        #expect(try formatted("{ steps: [ /* none */ ] }") == "{\n  steps: [\n    /* none */\n  ],\n}\n")
        #expect(try formatted("7") == "7\n")
        #expect(throws: JSONFault.self) { try formatted("{ a: }") }
    }

    @Test(
        "comments and line breaks anywhere in any file: all stay in order, and formatting twice is formatting once"
    )
    func anywhere() throws {
        var chance = Chance(seed: 5)
        for file in FormatterTests.files() {
            var tokens = JSONTokenizer(file.bytes, dialect: .json5)
            var text = ""
            var count = 0
            while true {
                let token = try tokens.next()
                if chance.pick(12) == 0 {
                    count += 1
                    let forms = [
                        "// c\(count)\n", "/* c\(count) */", "/* c\n  \(count) */", "\n\n\n// c\(count)\n\n",
                    ]
                    text += forms[chance.pick(forms.count)]
                }
                text += ["", " ", "\n", "\n\n"][chance.pick(4)]
                if case .end = token.kind { break }
                text += String(decoding: file.bytes[token.span.start..<token.span.end], as: UTF8.self)
                if case .comment = token.kind { text += "\n" }
            }
            // The formatter compares values and comments itself, and throws if it changed them.
            let once = try formatted(text)
            #expect(try formatted(once) == once, "\(file.path)")
            #expect(!once.contains("\n\n\n") && !once.contains(" \n"))
            let quoted = try formatted(text, keys: .quoted)
            #expect(
                try formatted(quoted) == quoted
                    && formatted(quoted, keys: .bare) == formatted(once, keys: .bare))
        }
    }
}

/// A pseudo-random generator with a seed.
struct Chance {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// Xorshift64 (Marsaglia 2003).
    mutating func pick(_ count: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int((state >> 16) % UInt64(max(count, 1)))
    }

    mutating func of<Element>(_ all: [Element]) -> Element { all[pick(all.count)] }
}
