import Core
import Foundation
import Runner
import ScenarioLanguage

/// Escaping and names for HTML.
enum HTML {
    static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default:
                // Characters that HTML forbids, and bidirectional controls.
                let isPlain = TerminalText.printable(String(scalar)) == String(scalar)
                result.unicodeScalars.append(isPlain && !isNoncharacter(scalar) ? scalar : "\u{fffd}")
            }
        }
        return result
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte > 0x7E || byte == 0x22 || byte == 0x26 || byte == 0x27 || byte == 0x3C
            || byte == 0x3E
    }

    private static func isNoncharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
    }

    /// An id for an element: letters, digits, `/` and `.`; everything else becomes `-`. Different texts may
    /// have the same id; ``HTMLAnchors`` makes them unique.
    static func anchor(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isPlain =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "/"
                || scalar == "."
            let next: Unicode.Scalar = isPlain ? scalar : "-"
            if next == "-", result.hasSuffix("-") { continue }
            result.unicodeScalars.append(next)
        }
        while result.hasSuffix("-") { result.removeLast() }
        return result.isEmpty ? "-" : result
    }

    /// The block with links to steps and events that it does not contain replaced by their text.
    static func withoutDeadLinks(_ block: String, _ anchor: String) -> String {
        let link = "<a href=\"#\(anchor)/"
        var parts = block.components(separatedBy: link)
        guard parts.count > 1 else { return block }
        var known: Set<Substring> = []
        for part in block.components(separatedBy: "id=\"\(anchor)/").dropFirst() {
            known.insert(part.prefix { $0 != "\"" })
        }
        for index in parts.indices.dropFirst() {
            let name = parts[index].prefix { $0 != "\"" }
            if known.contains(name) {
                parts[index] = link + parts[index]
            } else if let end = parts[index].range(of: "</a>") {
                let inside = parts[index][..<end.lowerBound].drop { $0 != ">" }.dropFirst()
                parts[index] = String(inside) + parts[index][end.upperBound...]
            }
        }
        return parts.joined()
    }

    /// JSON for a script element, with `<` escaped, because it could end the element or begin a comment.
    static func script(_ json: [UInt8]) -> String {
        var bytes: [UInt8] = []
        for byte in json {
            switch byte {
            case 0x3C: bytes += Array("\\u003c".utf8)
            case 0x3E: bytes += Array("\\u003e".utf8)
            case 0x26: bytes += Array("\\u0026".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A unique id for each scenario. Permalinks stay the same as long as the names do.
struct HTMLAnchors {
    private(set) var anchors: [String] = []

    init(_ scenarios: [ScenarioResult]) {
        var known: [String: Int] = [:]
        for scenario in scenarios {
            let anchor = HTML.anchor(scenario.name)
            let count = known[anchor, default: 0] + 1
            known[anchor] = count
            anchors.append(count == 1 ? anchor : "\(anchor)~\(count)")
        }
    }
}

/// Two values side by side, with marks on the words that differ.
enum HTMLDifference {
    static func marked(_ expected: String, _ actual: String) -> (expected: String, actual: String) {
        let left = words(expected)
        let right = words(actual)
        let (isLeftSame, isRightSame) = common(left, right)
        // Nothing in common: marking everything would not help.
        if !isLeftSame.contains(true) || !isRightSame.contains(true) {
            return (HTML.escape(expected), HTML.escape(actual))
        }
        return (text(left, isLeftSame), text(right, isRightSame))
    }

    private static func words(_ text: String) -> [Substring] {
        var words: [Substring] = []
        var start = text.startIndex
        func isWord(_ character: Character) -> Bool {
            character.isLetter || character.isNumber || "._-+/".contains(character)
        }
        while start < text.endIndex {
            var end = text.index(after: start)
            if isWord(text[start]) {
                while end < text.endIndex, isWord(text[end]) { end = text.index(after: end) }
            }
            words.append(text[start..<end])
            start = end
        }
        return words
    }

    /// Which words belong to a longest common subsequence.
    private static func common(_ left: [Substring], _ right: [Substring]) -> ([Bool], [Bool]) {
        var isLeftSame = [Bool](repeating: false, count: left.count)
        var isRightSame = [Bool](repeating: false, count: right.count)
        guard left.count * right.count <= 90_000 else { return (isLeftSame, isRightSame) }
        let width = right.count + 1
        var lengths = [Int](repeating: 0, count: (left.count + 1) * width)
        for i in left.indices.reversed() {
            for j in right.indices.reversed() {
                lengths[i * width + j] =
                    left[i] == right[j]
                    ? lengths[(i + 1) * width + j + 1] + 1
                    : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
            }
        }
        var (i, j) = (0, 0)
        while i < left.count, j < right.count {
            if left[i] == right[j] {
                isLeftSame[i] = true
                isRightSame[j] = true
                i += 1
                j += 1
            } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
                i += 1
            } else {
                j += 1
            }
        }
        return (isLeftSame, isRightSame)
    }

    private static func text(_ words: [Substring], _ isSame: [Bool]) -> String {
        var text = ""
        for (index, word) in words.enumerated() {
            let begins = !isSame[index] && (index == 0 || isSame[index - 1])
            let ends = !isSame[index] && (index + 1 == words.count || isSame[index + 1])
            text += (begins ? "<mark>" : "") + HTML.escape(String(word)) + (ends ? "</mark>" : "")
        }
        return text
    }
}
