import Core
import HTTP1

/// The fields of an origin's response that the updater evaluates.
extension HeaderFields {
    /// Date of the response (RFC 9110 §6.6.1).
    var date: OriginTime? { self["Date"].flatMap { HTTPDate.time($0) } }

    /// Announced length in bytes; anything but digits announces nothing.
    var contentLength: UntrustedInteger? { self["content-length"].flatMap { HeaderFields.wholeNumber($0) } }

    /// A strong entity tag, including its quotes (RFC 9110 §8.8.3); a weak one proves nothing here.
    var strongTag: String? {
        guard let tag = self["etag"], tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2,
            tag.utf8.count <= 256, tag.utf8.allSatisfy({ $0 >= 0x21 && $0 != 0x7f })
        else { return nil }
        return tag
    }

    /// First byte and total length of `Content-Range: bytes a-b/n` (RFC 9110 §14.4).
    var range: (first: UntrustedInteger, total: UntrustedInteger?)? {
        guard let sides = rangeSides, let dash = sides.left.utf8.firstIndex(of: UInt8(ascii: "-")),
            let first = HeaderFields.wholeNumber(sides.left[..<dash])
        else { return nil }
        return (first, HeaderFields.wholeNumber(sides.right))
    }

    /// Length of the whole file in a 416's `Content-Range: bytes */n`.
    var unsatisfiedRangeLength: UntrustedInteger? {
        guard let sides = rangeSides, sides.left == "*" else { return nil }
        return HeaderFields.wholeNumber(sides.right)
    }

    private var rangeSides: (left: Substring, right: Substring)? {
        guard let text = self["content-range"], text.hasPrefix("bytes ") else { return nil }
        let sides = text.dropFirst(6).utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        return sides.count == 2 ? (sides[0], sides[1]) : nil
    }

    /// Content coding, unless it is identity (RFC 9110 §8.4).
    var coding: String? {
        guard let text = self["content-encoding"] else { return nil }
        let isIdentity = text.isEmpty || text.lowercased() == "identity"
        return isIdentity ? nil : text
    }

    /// Delay in `Retry-After`, stated in seconds or as a date (RFC 9110 §10.2.3); honoured up to 24 h (U5).
    func retryAfter(_ date: OriginTime?) -> TimeSpan? {
        guard let text = self["retry-after"] else { return nil }
        if let seconds = HeaderFields.wholeNumber(text) {
            return .seconds(Int64(seconds.clamped(to: 0...86_400)))
        }
        guard let until = HTTPDate.time(text), let date else { return nil }
        return min(max(.zero, until - date), Backoff.longestRequestedDelay)
    }

    /// How long an origin that answers with this status asks to wait (U5); nil: it does not.
    func requestedWait(_ status: Int) -> TimeSpan? {
        StatusCode(status).mayAskToWait ? retryAfter(date) : nil
    }

    /// A number ≥ 0; nil if there is anything but digits. One above 2⁶³ − 1 becomes that number, which
    /// exceeds every limit, so that the response is refused or the longest delay is taken.
    private static func wholeNumber(_ text: some StringProtocol) -> UntrustedInteger? {
        UntrustedInteger(saturatingDigits: text.utf8)
    }
}

extension StatusCode {
    /// Whether an origin that answers so can ask for time (RFC 9110 §10.2.3): request timeout, too early, too
    /// many requests, and all server errors.
    var mayAskToWait: Bool { [408, 425, 429].contains(code) || code >= 500 }

    /// Whether the response may soon be another one: not so after "not implemented" and "HTTP version not
    /// supported".
    var isTransient: Bool { mayAskToWait && code != 501 && code != 505 }
}
