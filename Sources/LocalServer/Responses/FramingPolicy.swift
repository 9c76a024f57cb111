import HTTP1

/// Keeps pages of other origins from showing a document of this server in a frame, where they could make the
/// user click in it: by `frame-ancestors` (Content Security Policy), and by `X-Frame-Options` (RFC 7034) for
/// web views that don't know it. A page of this server may frame its own documents.
///
/// Every answer that a frame would show as a document has it, whatever the request says of itself: an old web
/// view does not say that it navigates.
enum FramingPolicy {
    /// Types of documents that can run scripts.
    private static let types = [
        "text/html", "application/xhtml+xml", "image/svg+xml", "text/xml", "application/xml",
    ]

    /// - Parameter type: value of `Content-Type`, with parameters; nil: none.
    static func append(to fields: inout HeaderFields, type: String?) {
        guard let type, isDocument(type) else { return }
        // Beside a policy of a handler's own: a browser obeys each of several (CSP §4.2.1).
        fields.append("Content-Security-Policy", "frame-ancestors 'self'")
        if !fields.contains("X-Frame-Options") { fields.append("X-Frame-Options", "SAMEORIGIN") }
    }

    private static func isDocument(_ type: String) -> Bool {
        let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 9 }
        return types.contains { HeaderFields.areEqual($0, String(Substring(essence))) }
    }
}
