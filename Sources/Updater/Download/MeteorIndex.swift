import Core

/// The version that a Meteor index page carries in its runtime configuration (meteor.md §3, §4).
enum MeteorIndex {
    private static let opening = Array("__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"".utf8)

    /// `autoupdateVersionCordova`, else `autoupdate.versions["web.cordova"].version`; nil where neither is
    /// there.
    static func version(in page: [UInt8]) -> String? {
        guard let start = position(of: opening, in: page),
            let end = page[start...].firstIndex(of: UInt8(ascii: "\"")), let text = decoded(page[start..<end])
        else { return nil }
        do {
            let config = try JSONReader.read(text, dialect: .strict)
            return config["autoupdateVersionCordova"]?.string
                ?? config["autoupdate"]?["versions"]?["web.cordova"]?["version"]?.string
        } catch {
            return nil
        }
    }

    /// The place behind the first occurrence.
    private static func position(of pattern: [UInt8], in page: [UInt8]) -> Int? {
        guard page.count >= pattern.count else { return nil }
        for start in 0...(page.count - pattern.count)
        where page[start] == pattern[0] && page[start..<(start + pattern.count)].elementsEqual(pattern) {
            return start + pattern.count
        }
        return nil
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var place = text.startIndex
        while place < text.endIndex {
            guard text[place] == UInt8(ascii: "%") else {
                result.append(text[place])
                place += 1
                continue
            }
            guard place + 2 < text.endIndex, let high = Hex.value(ofDigit: text[place + 1]),
                let low = Hex.value(ofDigit: text[place + 2])
            else { return nil }
            result.append(high << 4 | low)
            place += 3
        }
        return result
    }
}
