import Core
import Foundation
import ModuleTestSupport
import Testing

/// Random texts that our reader accepts, with all forms of the dialect.
private struct TextMaker {
    var state: UInt64
    let isStrict: Bool

    mutating func pick(_ count: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % count
    }

    mutating func space() -> String {
        if isStrict { return ["", " ", "\n\t"][Int(pick(3))] }
        return ["", " ", "\n\t", " // é\n", "/* , */"][Int(pick(5))]
    }

    mutating func string() -> String {
        let parts = ["a", "é", "😀", "\\n", "\\u00e9", "\\\\", "\\/", "\\uD83D\\uDE00", "x y", "1"]
        let quote = !isStrict && pick(2) == 0 ? "'" : "\""
        var text = ""
        for _ in 0..<pick(5) { text += parts[Int(pick(UInt64(parts.count)))] }
        if !isStrict, pick(4) == 0 { text += "\\x41\\'" }
        return quote + text + quote
    }

    mutating func number() -> String {
        let strict = [
            "0", "-1", "42", "9223372036854775807", "-9223372036854775808", "0.5", "-12.25", "1e3", "2E-2",
        ]
        let more = ["+1", "0x1F", "-0x10", ".5", "5.", "+.25"]
        let all = isStrict ? strict : strict + more
        return all[Int(pick(UInt64(all.count)))]
    }

    mutating func value(_ depth: Int) -> String {
        switch pick(depth > 3 ? 4 : 7) {
        case 0: return ["true", "false", "null"][Int(pick(3))]
        case 1: return number()
        case 2, 3: return string()
        case 4, 5:
            var members: [String] = []
            for index in 0..<pick(4) {
                let key =
                    isStrict || pick(2) == 0
                    ? "\"k\(index)\"" : ["k\(index)", "$\(index)", "_\(index)"][Int(pick(3))]
                members.append(space() + key + space() + ":" + space() + value(depth + 1) + space())
            }
            let tail = !isStrict && !members.isEmpty && pick(3) == 0 ? "," : ""
            return "{" + members.joined(separator: ",") + tail + space() + "}"
        default:
            var elements: [String] = []
            for _ in 0..<pick(4) { elements.append(space() + value(depth + 1) + space()) }
            let tail = !isStrict && !elements.isEmpty && pick(3) == 0 ? "," : ""
            return "[" + elements.joined(separator: ",") + tail + space() + "]"
        }
    }
}

@Suite("JSON against Foundation's")
struct JSONOracleTests {
    /// `-0x10` has no `Double(text)`; ours is compared by its integer, so that is no loss.
    @Test("what this reader accepts, Foundation's decoder reads to the same value", arguments: [true, false])
    func sameValue(isStrict: Bool) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = !isStrict
        var maker = TextMaker(state: isStrict ? 7 : 11, isStrict: isStrict)
        for _ in 0..<400 {
            // The newline, because Foundation's JSON5 decoder reads beyond a number at the end of the text,
            // and traps.
            let text = maker.space() + maker.value(0) + maker.space() + "\n"
            let ours = try JSONReader.read(Array(text.utf8), dialect: isStrict ? .strict : .json5)
            let theirs = try decoder.decode(FoundationValue.self, from: Data(text.utf8))
            #expect(FoundationValue(ours) == theirs, "\(text)")
            if isStrict {
                _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            }
        }
    }

    /// The deviations: Foundation accepts these texts, this reader refuses them.
    @Test(
        "Foundation accepts these, this reader refuses them on purpose",
        arguments: ["{a: 1, a: 2}", "[NaN]", "[Infinity]", "['a\\\nb']"])
    func stricter(text: String) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        decoder.nonConformingFloatDecodingStrategy = .throw
        _ = try decoder.decode(FoundationValue.self, from: Data(text.utf8))
        #expect(throws: JSONFault.self) { try JSONReader.read(Array(text.utf8), dialect: .json5) }
    }
}
