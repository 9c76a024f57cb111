import Core

/// Which paths an entry of the route table matches: `/status`, `/game/*/score`, `/api/**`.
///
/// A `*` matches one segment, `**` at the end any number of them, also none. Segments are compared decoded
/// and with their case; the query is ignored. A path with a dot segment, encoded or not, or with an empty
/// first segment matches no pattern, because the remote root could resolve it to another path.
public struct RoutePattern: Hashable, Sendable {
    /// The pattern as it was written.
    public let text: String
    private let segments: [Segment]
    /// Whether it ends in `**`.
    package let takesRest: Bool

    private enum Segment: Hashable, Sendable {
        case name(String)
        case any
    }

    /// nil unless it starts with `/`, has no empty segment but the last one, no dot segment, and `**` only as
    /// the last one.
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
        segments = names.map { $0 == "*" ? .any : .name($0) }
        self.text = text
    }

    /// The path before the final `**`: `/static` of `/static/**`.
    package var base: String { takesRest ? String(text.dropLast(3)) : text }

    /// - Parameter path: see ``segments(of:)``.
    func matches(_ path: [String]) -> Bool {
        guard takesRest ? path.count > segments.count : path.count == segments.count else { return false }
        for (segment, part) in zip(segments, path) {
            switch segment {
            case .any: if part.isEmpty { return false }
            case .name(let name): if !TextBytes.areEqual(name, part) { return false }
            }
        }
        return true
    }

    /// The segments of a request's path, each decoded once, so that an encoded slash separates nothing; nil
    /// for a path that matches no pattern.
    static func segments(of target: RequestTarget) -> [String]? {
        var segments: [String] = []
        for raw in target.path.utf8.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            let bytes = decoded(raw)
            // A server that decodes the path again may split it at these.
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

    /// The target has been validated: two hex digits follow each `%`.
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
