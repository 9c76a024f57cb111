import Core

/// The version that a Meteor index page carries in its runtime configuration.
enum MeteorIndex {
    private static let opening = Array("__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"".utf8)

    /// `autoupdateVersionCordova`, otherwise `autoupdate.versions["web.cordova"].version`; nil if neither
    /// exists.
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

    /// Index behind the first occurrence.
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
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "%") else {
                result.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.endIndex, let high = Hex.value(ofDigit: text[index + 1]),
                let low = Hex.value(ofDigit: text[index + 2])
            else { return nil }
            result.append(high << 4 | low)
            index += 3
        }
        return result
    }
}
