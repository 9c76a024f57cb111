import Backend
import Core

/// The content of a generated file, from its key. Equal keys and references give equal bytes in every
/// process, other keys other bytes. Its filler is generated when it is read.
///
/// Text formats (HTML, CSS, scripts, maps) get text, others pseudo-random bytes, which no compression
/// shortens. The size is exactly the requested one, unless the references need more.
enum ContentGenerator {
    enum Kind: Sendable { case page, style, script, json, plain, binary }

    static func kind(ofRoute route: String) -> Kind {
        switch ContentTypes.mediaType(ofName: route) {
        case "text/html": .page
        case "text/css": .style
        case "text/javascript": .script
        case "application/json": .json
        case let type where type.hasPrefix("text/"): .plain
        default: .binary
        }
    }

    /// `head` holds the meaningful part of the file, for example its references; filler follows it.
    static func make(_ key: ContentKey, kind: Kind, head: String, _ meter: ContentMeter? = nil)
        -> PublishedContent
    {
        let seed = seed(of: key)
        let name = Hex.text(Filler.number(0, seed: seed))
        func framed(_ head: String, _ opening: String, _ closing: String) -> PublishedContent {
            var beginning = Array(head.utf8)
            let frame = opening.utf8.count + closing.utf8.count
            // Filler alone if the delimiters do not fit.
            if beginning.isEmpty, key.size < frame { return filler(.text, key.size, seed, meter) }
            // The delimiter with the key's name is always written: files with equal heads must differ.
            let room = max(key.size - beginning.count - frame, 0)
            beginning.append(contentsOf: opening.utf8)
            return filler(.text, room, seed, meter, from: beginning, to: Array(closing.utf8))
        }
        switch kind {
        case .binary: return filler(.bytes, key.size, seed, meter)
        case .page: return framed(head, "<!-- \(name) ", "-->\n")
        case .style, .script: return framed(head, "/* \(name) ", "*/\n")
        case .json: return framed("", "{ \"made\": \"\(name)", "\" }\n")
        case .plain: return framed("", "\(name) ", "\n")
        }
    }

    private static func filler(
        _ alphabet: Filler.Alphabet, _ count: Int, _ seed: UInt64, _ meter: ContentMeter?,
        from beginning: [UInt8] = [], to end: [UInt8] = []
    ) -> PublishedContent {
        // The first number of the seed is the name of the content.
        let filler = Filler(seed: Filler.seed(seed, after: 1), alphabet, count: count)
        return PublishedContent(beginning, filler, end, meter: meter)
    }

    private static func seed(of key: ContentKey) -> UInt64 {
        var hash = KeyedHash(key: KeyedHash.Key(low: 0x6d61_6465, high: 0x636f_6e74))
        hash.update(key.version)
        hash.update(key.route)
        hash.update(UInt64(key.size))
        return hash.finish()
    }

    /// The markup of the page with which a version answers navigations.
    static func pageHead(title: String, styles: [String], scripts: [String], images: [String], extra: String)
        -> String
    {
        var text = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>\(title)</title>\n\(extra)"
        for style in styles { text += "<link rel=\"stylesheet\" href=\"\(style)\">\n" }
        for script in scripts { text += "<script src=\"\(script)\" defer></script>\n" }
        text += "</head><body>\n"
        for image in images { text += "<img src=\"\(image)\" alt=\"\">\n" }
        return text + "</body></html>\n"
    }

    static func styleHead(fonts: [String]) -> String {
        fonts.map { "@font-face { font-family: \"made\"; src: url(\"\($0)\"); }\n" }.joined()
    }

    /// As `encodeURIComponent` does (ECMA-262 §19.2.6.4).
    static func encodeURIComponent(_ text: [UInt8]) -> String {
        var result: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.append(byte)
            default:
                if "-_.!~*'()".utf8.contains(byte) {
                    result.append(byte)
                } else {
                    result.append(UInt8(ascii: "%"))
                    result.append(contentsOf: Hex.text([byte]).uppercased().utf8)
                }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
