import Core
import HTTP1

/// The fields of an origin's answer that the updater looks at. Names compare without case.
struct AnswerFields: Hashable, Sendable {
    private let fields: [OriginField]

    init(_ fields: [OriginField]) { self.fields = fields }

    func text(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }

    /// RFC 9110 §6.6.1.
    var date: OriginTime? { text("date").flatMap { HTTPDate.time($0) } }

    var contentLength: Int? { text("content-length").flatMap { Int($0) } }

    /// A strong entity tag, quotes included (RFC 9110 §8.8.3); a weak one vouches for nothing here.
    var strongTag: String? {
        guard let tag = text("etag"), tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 else {
            return nil
        }
        return tag
    }

    /// First byte and total of `Content-Range: bytes a-b/n` (RFC 9110 §14.4).
    var range: (first: Int, total: Int?)? {
        guard let text = text("content-range"), text.hasPrefix("bytes ") else { return nil }
        let sides = text.dropFirst(6).utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        guard sides.count == 2,
            let dash = sides[0].utf8.firstIndex(of: UInt8(ascii: "-")), let first = Int(sides[0][..<dash])
        else { return nil }
        return (first, Int(sides[1]))
    }

    /// Seconds or a date (RFC 9110 §10.2.3), honoured up to 24 h (U5).
    func retryAfter(_ date: OriginTime?) -> TimeSpan? {
        guard let text = text("retry-after") else { return nil }
        if let seconds = Int64(text) { return min(max(.zero, .seconds(seconds)), .hours(24)) }
        guard let until = HTTPDate.time(text), let date else { return nil }
        return min(max(.zero, until - date), .hours(24))
    }
}
