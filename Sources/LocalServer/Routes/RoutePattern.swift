import Core

/// Which paths a row of the route table takes: `/status`, `/game/*/score`, `/api/**`.
///
/// A `*` stands for one segment, `**` at the end for all that follows, be it nothing. Segments are compared
/// decoded and with their case; the query takes no part. A path with a dot segment, encoded or not, or with
/// an empty first segment fits no pattern: whoever stands behind us could take it for another path than we
/// did (http.md HT-X1).
public struct RoutePattern: Hashable, Sendable {
    /// As it was written.
    public let text: String
    private let parts: [Part]
    /// It ends in `**`.
    public let takesRest: Bool

    private enum Part: Hashable, Sendable {
        case name(String)
        case any
    }

    /// nil unless it starts with `/`, has no empty segment but a last one, and `**` only as its last.
    public init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        var names = text.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        )
        .map { String(Substring($0)) }
        takesRest = names.last == "**"
        if takesRest { names.removeLast() }
        guard !names.dropLast().contains(""), !names.contains("**"), !(takesRest && names.last == "") else {
            return nil
        }
        guard !names.contains(where: { $0 == "." || $0 == ".." || $0.contains("?") || $0.contains("#") })
        else { return nil }
        parts = names.map { $0 == "*" ? .any : .name($0) }
        self.text = text
    }

    /// The path before a `**` at its end: `/static` of `/static/**`.
    public var base: String { takesRest ? String(text.dropLast(3)) : text }

    /// - Parameter segments: see ``segments(of:)``.
    func matches(_ segments: [String]) -> Bool {
        guard takesRest ? segments.count > parts.count : segments.count == parts.count else { return false }
        for (part, segment) in zip(parts, segments) {
            switch part {
            case .any: if segment.isEmpty { return false }
            case .name(let name): if !TextBytes.areEqual(name, segment) { return false }
            }
        }
        return true
    }

    /// The segments of a request's path, each decoded once, so that an encoded slash parts nothing; nil for a
    /// path that fits no pattern.
    static func segments(of target: RequestTarget) -> [String]? {
        var segments: [String] = []
        for raw in target.path.utf8.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            let bytes = decoded(raw)
            // What decodes further downstream may split at these.
            let pieces = bytes.split(omittingEmptySubsequences: false) {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
            }
            if pieces.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
                return nil
            }
            segments.append(String(decoding: bytes, as: UTF8.self))
        }
        if segments.count > 1, segments[0].isEmpty { return nil }
        return segments
    }

    /// A target has been checked: each `%` stands before two digits.
    private static func decoded(_ raw: Substring.UTF8View.SubSequence) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = raw[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let first = rest.popFirst(), let second = rest.popFirst(),
                let high = Hex.value(ofDigit: first), let low = Hex.value(ofDigit: second)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
