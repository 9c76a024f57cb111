import Core
import Foundation
import ModuleTestSupport
import Testing

@testable import ScenarioLanguage

@Suite("The reader against Foundation's")
struct FoundationOracleTests {
    /// Texts that Foundation refuses or reads differently, and why.
    private enum Deviation: String, CaseIterable {
        /// A number that exceeds a `Double`: text in our tree, and no value of the language.
        case numberBeyondDouble
        /// Hexadecimal digits beyond 64 bits: JSON5 allows them; Foundation reports another type.
        case hexBeyond64Bits

        func holds(in node: JSONNode) -> Bool {
            switch node.kind {
            case .null, .bool, .string: return false
            case .number(let number):
                if number.integer != nil { return false }
                switch self {
                case .numberBeyondDouble:
                    return Double(number.text).map {
                        !$0.isFinite || ($0 == 0 && number.text.contains(#/[1-9]/#))
                    } ?? true
                case .hexBeyond64Bits:
                    return number.text.contains(#/^[+-]?0[xX]0*[0-9A-Fa-f]{17,}$/#)
                }
            case .array(let elements): return elements.contains(where: holds)
            case .object(let members):
                return members.contains { holds(in: $0.value) }
            }
        }
    }

    private static func seen(_ bytes: [UInt8]) throws -> FoundationValue {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        // Foundation reads beyond the end of a text that ends with a number, and traps
        // (`JSON5Scanner.validateNumber`, swift-foundation of Swift 6.3.1).
        return try decoder.decode(FoundationValue.self, from: Data(bytes + [0x0A]))
    }

    /// Whether our reader accepts the text; if so, Foundation must read the same value.
    private func agrees(_ bytes: [UInt8], _ what: String) -> Bool {
        guard let ours = try? JSONReader.read(bytes, dialect: .json5, limits: ScenarioReader.limits) else {
            return false
        }
        if Deviation.allCases.contains(where: { $0.holds(in: ours) }) { return true }
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let theirs = try FoundationOracleTests.seen(bytes)
            #expect(theirs == FoundationValue(ours), "\(what): \(text)")
        } catch {
            Issue.record("\(what): Foundation refuses what our reader accepts: \(error) \(text)")
        }
        return true
    }

    @Test(
        "every file of the library, as it is and formatted with quotes, is read the same by both")
    func library() throws {
        for file in FormatterTests.files() {
            #expect(agrees(file.bytes, file.path))
            #expect(agrees(try SourceFormatter.format(file.bytes, keys: .quoted), file.path))
        }
    }

    @Test("files generated from the table are read the same by both")
    func made() {
        for seed in 0..<min(RoundTripTests.count, 3_000) / 4 {
            var maker = ScenarioMaker(seed: UInt64(seed) &+ 77)
            #expect(agrees(Array(maker.text().utf8), "seed \(seed)"))
        }
    }

    /// Pieces of text that are difficult for a JSON5 parser.
    private static let pieces = [
        "\"", "'", "{", "}", "[", "]", ",", ":", "null", "tru", "-1", "+", "0x1F", "0x", "1e999", ".5", "5.",
        "-",
        "9223372036854775808", "\\u0000", "\\ud800", "\\ud83d\\ude00", "\\x41", "\\v", "\\\n", "\u{FEFF}",
        "//",
        "/*", "*/", "#", "NaN", "Infinity", "\u{A0}", "\u{2028}", "é", "e\u{301}", "_", "$", "\r", "\r\n",
        "01",
        "-0", "1E5", "a:", "a:1,", "\t", "\u{1}", "\u{7F}", "😀",
    ]

    @Test("changed files: what our reader accepts, Foundation reads to the same value")
    func changed() {
        var chance = Chance(seed: 11)
        let files = FormatterTests.files()
        var taken = 0
        let count = RoundTripTests.count * 3
        for number in 0..<count {
            var bytes = chance.of(files).bytes
            // Short texts, in which a change affects more of the grammar.
            let begin = chance.pick(max(1, bytes.count - 200))
            if number % 2 == 0 { bytes = Array("{a:[{b:".utf8) + bytes[begin..<min(bytes.count, begin + 60)] }
            for _ in 0...chance.pick(3) {
                let offset = chance.pick(bytes.count + 1)
                let end = min(bytes.count, offset + chance.pick(4))
                bytes.replaceSubrange(offset..<end, with: Array(chance.of(FoundationOracleTests.pieces).utf8))
            }
            if agrees(bytes, "change \(number)") { taken += 1 }
        }
        #expect(taken * 20 > count)
    }

    @Test(
        "small texts of these pieces: what our reader accepts, Foundation reads to the same value",
        arguments: [1, 2, 3])
    func small(seed: UInt64) {
        var chance = Chance(seed: seed)
        var taken = 0
        for number in 0..<RoundTripTests.count * 2 {
            var text = ""
            for _ in 0...chance.pick(4) { text += chance.of(FoundationOracleTests.pieces) }
            let whole =
                chance.of(["[", "{a:", "{'b':\"", "", "[1,'"]) + text
                + chance.of(["]", "}", "\"}", "", "']"])
            if agrees(Array(whole.utf8), "text \(number)") { taken += 1 }
        }
        #expect(taken > 10)
    }

    @Test("the deviations are as described")
    func deviations() throws {
        let cases: [(Deviation, String)] = [
            (.numberBeyondDouble, "[1e999]"), (.hexBeyond64Bits, "[0x9223372036854775808]"),
        ]
        #expect(cases.map(\.0) == Deviation.allCases)
        for (deviation, text) in cases {
            let ours = try JSONReader.read(Array(text.utf8), dialect: .json5)
            #expect(deviation.holds(in: ours))
            let theirs = try? FoundationOracleTests.seen(Array(text.utf8))
            #expect(theirs != FoundationValue(ours))
        }
    }
}
