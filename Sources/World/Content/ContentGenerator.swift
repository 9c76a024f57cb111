import Backend
import Core

/// Generates the bytes of a file from its key. Equal keys and references give equal bytes in every process,
/// other keys other bytes.
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
    static func make(_ key: ContentKey, kind: Kind, head: String) -> [UInt8] {
        var filler = Filler(key)
        let name = Hex.text(filler.next())
        switch kind {
        case .binary: return filler.bytes(key.size)
        case .page: return framed(head, "<!-- \(name) ", "-->\n", key.size, &filler)
        case .style, .script: return framed(head, "/* \(name) ", "*/\n", key.size, &filler)
        case .json: return framed("", "{ \"made\": \"\(name)", "\" }\n", key.size, &filler)
        case .plain: return framed("", "\(name) ", "\n", key.size, &filler)
        }
    }

    /// The head, and filler between two delimiters; filler alone if the delimiters do not fit.
    private static func framed(
        _ head: String, _ opening: String, _ closing: String, _ size: Int, _ filler: inout Filler
    ) -> [UInt8] {
        var bytes = Array(head.utf8)
        let frame = opening.utf8.count + closing.utf8.count
        if bytes.isEmpty && size < frame { return filler.text(size) }
        // The delimiter with the key's name is always written: files with equal heads must differ.
        let room = max(size - bytes.count - frame, 0)
        bytes.reserveCapacity(bytes.count + frame + room)
        bytes.append(contentsOf: opening.utf8)
        bytes.append(contentsOf: filler.text(room))
        bytes.append(contentsOf: closing.utf8)
        return bytes
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

/// The pseudo-random numbers of one key (SplitMix64, Steele et al. 2014).
private struct Filler {
    private var state: UInt64

    init(_ key: ContentKey) {
        var hash = KeyedHash(key: KeyedHash.Key(low: 0x6d61_6465, high: 0x636f_6e74))
        hash.update(key.version)
        hash.update(key.route)
        hash.update(UInt64(key.size))
        state = hash.finish()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word &>> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word &>> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word &>> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] { fill(count) { $0 } }

    /// Letters `a` to `p`, with a line end at every 64th byte.
    mutating func text(_ count: Int) -> [UInt8] {
        var bytes = fill(count) { $0 & 0x0f0f_0f0f_0f0f_0f0f &+ 0x6161_6161_6161_6161 }
        for index in stride(from: 63, to: count - 1, by: 64) { bytes[index] = 0x0a }
        return bytes
    }

    private mutating func fill(_ count: Int, _ change: (UInt64) -> UInt64) -> [UInt8] {
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var index = 0
            while index + 8 <= count {
                raw.storeBytes(of: change(next()).littleEndian, toByteOffset: index, as: UInt64.self)
                index &+= 8
            }
            var last = change(next())
            while index < count {
                raw[index] = UInt8(truncatingIfNeeded: last)
                last &>>= 8
                index &+= 1
            }
            filled = count
        }
    }
}
