/// The content type of a file, by the extension of its name.
///
/// The table is complete: `nosniff` makes a browser rely on it, and rule S3 treats exactly its extensions as
/// files. An unknown name is `application/octet-stream`. Sources: IANA's registry, RFC 9239 for JavaScript,
/// WHATWG MIME Sniffing for fonts and media.
package enum ContentTypes {
    package static let unknown = "application/octet-stream"

    /// The content type, with `charset=utf-8` for text types.
    package static func type(ofName name: String) -> String {
        guard let entry = entry(ofName: name) else { return unknown }
        return entry.isText ? entry.type + "; charset=utf-8" : entry.type
    }

    /// The content type without parameters.
    package static func mediaType(ofName name: String) -> String { entry(ofName: name)?.type ?? unknown }

    /// Whether the name ends in an extension of the table: a dot alone does not make a file (rule S3).
    package static func isKnownExtension(ofName name: String) -> Bool {
        entry(ofName: name) != nil
    }

    /// The extension after the last dot; nil without one, for `.hidden` and for `name.`.
    private static func fileExtension(ofName name: String) -> Substring.UTF8View? {
        guard let start = TextBytes.afterLast(UInt8(ascii: "."), in: name),
            start > name.utf8.index(after: name.startIndex), start < name.endIndex
        else { return nil }
        return name.utf8[start...]
    }

    private struct MediaType: Sendable {
        let ending: String
        let type: String
        let isText: Bool
    }

    private static func entry(ofName name: String) -> MediaType? {
        guard let ending = fileExtension(ofName: name) else { return nil }
        let index = table.indices.first { index in
            table[index].ending.utf8.elementsEqual(ending) { $0 == lowercased($1) }
        }
        return index.map { table[$0] }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    private static func text(_ ending: String, _ type: String) -> MediaType {
        MediaType(ending: ending, type: type, isText: true)
    }

    private static func data(_ ending: String, _ type: String) -> MediaType {
        MediaType(ending: ending, type: type, isText: false)
    }

    /// Types by extension, most frequent first.
    private static let table: [MediaType] = [
        text("js", "text/javascript"), text("mjs", "text/javascript"), text("css", "text/css"),
        text("html", "text/html"), text("htm", "text/html"), text("json", "application/json"),
        text("map", "application/json"), text("txt", "text/plain"), text("xml", "application/xml"),
        text("svg", "image/svg+xml"), text("webmanifest", "application/manifest+json"),
        text("csv", "text/csv"), text("md", "text/markdown"), text("vtt", "text/vtt"),
        text("jsonld", "application/ld+json"), text("xhtml", "application/xhtml+xml"),
        text("appcache", "text/cache-manifest"), text("ics", "text/calendar"),
        data("png", "image/png"), data("jpg", "image/jpeg"), data("jpeg", "image/jpeg"),
        data("gif", "image/gif"), data("webp", "image/webp"), data("avif", "image/avif"),
        data("ico", "image/vnd.microsoft.icon"), data("bmp", "image/bmp"), data("tif", "image/tiff"),
        data("tiff", "image/tiff"), data("heic", "image/heic"), data("apng", "image/apng"),
        data("woff2", "font/woff2"), data("woff", "font/woff"), data("ttf", "font/ttf"),
        data("otf", "font/otf"), data("eot", "application/vnd.ms-fontobject"),
        data("mp4", "video/mp4"), data("m4v", "video/mp4"), data("webm", "video/webm"),
        data("mov", "video/quicktime"), data("ogv", "video/ogg"), data("mp3", "audio/mpeg"),
        data("m4a", "audio/mp4"), data("aac", "audio/aac"), data("ogg", "audio/ogg"),
        data("oga", "audio/ogg"), data("opus", "audio/ogg"), data("wav", "audio/wav"),
        data("flac", "audio/flac"), data("wasm", "application/wasm"), data("pdf", "application/pdf"),
        data("zip", "application/zip"), data("gz", "application/gzip"), data("br", "application/x-brotli"),
        data("bin", "application/octet-stream"), data("glb", "model/gltf-binary"),
        data("m3u8", "application/vnd.apple.mpegurl"), data("ts", "video/mp2t"),
        data("mpd", "application/dash+xml"),
    ]
}
