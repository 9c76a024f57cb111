import Backend

/// Finds the references in the bytes of a document or a style sheet: `src="…"`, `href="…"`, `url(…)`.
enum References {
    static func inDocument(_ bytes: [UInt8]) -> [Document.Reference] {
        var found: [Document.Reference] = []
        var targets = InternedTexts()
        for attribute in ["src=\"", "href=\""] {
            for target in quoted(bytes, after: Array(attribute.utf8), until: UInt8(ascii: "\"")) {
                guard target.hasPrefix("/"), !target.hasPrefix("//") else { continue }
                if targets.known(target) != nil { continue }
                _ = targets.id(of: target)
                found.append(Document.Reference(target: target, destination: destination(target)))
            }
        }
        return found
    }

    static func inStyleSheet(_ bytes: [UInt8]) -> [Document.Reference] {
        quoted(bytes, after: Array("url(".utf8), until: UInt8(ascii: ")")).compactMap { text in
            let target = text.filter { $0 != "\"" && $0 != "'" }
            return target.hasPrefix("/")
                ? Document.Reference(target: target, destination: destination(target)) : nil
        }
    }

    static func destination(_ target: String) -> PageRequest.Destination {
        let path =
            target.utf8.split(separator: UInt8(ascii: "?")).first.map { String(Substring($0)) } ?? target
        if path.hasSuffix(".js") || path.hasSuffix(".mjs") { return .script }
        if path.hasSuffix(".css") { return .style }
        for ending in [".png", ".jpg", ".gif", ".svg", ".webp", ".ico"] where path.hasSuffix(ending) {
            return .image
        }
        for ending in [".woff", ".woff2", ".ttf", ".otf"] where path.hasSuffix(ending) { return .font }
        return .other
    }

    /// The texts between an opening and the closing byte.
    ///
    /// Looks for the last byte of the opening, because a quote or a bracket is rarer in a text than a letter.
    private static func quoted(_ bytes: [UInt8], after opening: [UInt8], until closing: UInt8) -> [String] {
        bytes.withUnsafeBufferPointer { bytes in
            var found: [String] = []
            let last = opening[opening.count - 1]
            var index = opening.count - 1
            while index < bytes.count {
                let start = index + 1
                guard bytes[index] == last, bytes[(start - opening.count)..<start].elementsEqual(opening),
                    let end = bytes[start...].prefix(2_048).firstIndex(of: closing)
                else {
                    index += 1
                    continue
                }
                found.append(String(decoding: bytes[start..<end], as: UTF8.self))
                index = end + 1
            }
            return found
        }
    }
}
