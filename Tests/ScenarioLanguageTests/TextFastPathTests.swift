import Core
import Testing

@testable import ScenarioLanguage

/// The fast path for quantities and routes has the result of the scanner, or none.
@Suite("The fast path for texts")
struct TextFastPathTests {
    private static func scanned<Result>(
        _ text: String, _ read: (inout TextScanner) throws(TextFault) -> Result
    ) -> Result? {
        var scanner = TextScanner(text)
        do throws(TextFault) {
            let result = try read(&scanner)
            return scanner.isAtEnd ? result : nil
        } catch {
            return nil
        }
    }

    /// Numbers and units that files have, and some that are not valid.
    private static let numbers = [
        "", "0", "7", "512", "007", "1048576", "999999999999", "1000000000000", "99999999999999999999",
        "-1", "+1", "1.5", "1 0", "x",
    ]
    private static let gaps = ["", " ", "  ", "\t", "\u{A0}"]
    private static let units = [
        "", "B", "KB", "kb", "KiB", "MiB", "GB", "GiB", "TB", "byte", "bytes", "byteses", "s", "ms", "us",
        "m", "min", "h", "d", "day", "days", "daysdays", "sec", "%", "s ", "s 5ms", "é", "ſ", "\u{212A}B",
    ]

    @Test("quantities: what the fast path reads, the scanner reads to the same value")
    func quantities() {
        var read = 0
        for number in Self.numbers {
            for gap in Self.gaps {
                for unit in Self.units {
                    let text = number + gap + unit
                    if let size = TextFastPath.size(text) {
                        read += 1
                        let long = Self.scanned(text) { scanner throws(TextFault) in try scanner.size() }
                        #expect(long == size, "\(text)")
                    }
                    if let time = TextFastPath.duration(text) {
                        read += 1
                        let long = Self.scanned(text) { scanner throws(TextFault) in try scanner.duration() }
                        #expect(long == time, "\(text)")
                    }
                }
            }
        }
        #expect(read > 100)
    }

    @Test("frequent texts are read on the fast path")
    func usual() {
        #expect(TextFastPath.size("512 B") == 512 && TextFastPath.size("40 KB") == 40_000)
        #expect(TextFastPath.size("1 TiB") == nil && TextFastPath.size("1024 GiB") == 1 << 40)
        #expect(TextFastPath.size("1025 GiB") == nil)
        #expect(TextFastPath.duration("20s") == TimeSpan(microseconds: 20_000_000))
        #expect(TextFastPath.duration("3653 days") == TimeSpan(microseconds: TextScanner.longest))
        #expect(TextFastPath.duration("3654 days") == nil && TextFastPath.duration("1h 30m") == nil)
        #expect(TextFastPath.route("assets/app.js") == "/assets/app.js")
        #expect(TextFastPath.route("/{hash}.css") == "/{hash}.css")
        #expect(TextFastPath.route("a b/grüße.js") == "/a b/grüße.js")
    }

    @Test(
        "routes: what the fast path reads, the scanner reads to the same value; leading dots are left to the scanner",
        arguments: [
            "", "/", "//", "a", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/..", "a/../b", "a/.b",
            "a/..b",
            ".a", "...", "a/...", " a", "a ", "a/ b", "a b", "a?b", "a#b", "a\\b", "a\u{1}b", "a\u{7F}",
            "\u{301}a",
            "/\u{301}a", "日本", "{hash}.js", "a.b.c",
        ])
    func routes(text: String) {
        let long = Self.scanned(text) { scanner throws(TextFault) in try scanner.route() }
        if let route = TextFastPath.route(text) { #expect(route == long) }
        #expect(TextFastPath.route(text) == long || text.contains(".") || text.contains("/ "))
    }

    @Test("a key is found by its bytes, whatever other key has the same prefix")
    func keys() {
        for schema in ObjectSchema.all(from: .scenario) {
            let index = schema.fieldIndex
            for field in schema.fields {
                #expect(index.field(field.key)?.field == field)
                #expect(
                    index.field(field.key + "x") == nil
                        || schema.fields.contains { $0.key == field.key + "x" })
                let shorter = String(field.key.dropLast())
                #expect((index.field(shorter) != nil) == schema.fields.contains { $0.key == shorter })
            }
            #expect(index.field("") == nil)
        }
        // KELVIN SIGN, which Swift treats as equal to K.
        #expect(ObjectSchema.expectation.fieldIndex.field("last\u{212A}nownGood") == nil)
    }
}
