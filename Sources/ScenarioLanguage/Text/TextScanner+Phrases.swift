import Core

// Texts with their own grammar.
extension TextScanner {
    /// A file of a version: `"v1:/app.js"`.
    mutating func fileReference() throws(TextFault) -> FileReference {
        let start = position
        guard let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")), colon > start,
            colon + 1 < bytes.count
        else {
            throw TextFault(
                .badQuantity, "'\(String(decoding: bytes, as: UTF8.self))' names no file of a version",
                label: "expected \"version:/route\"", at: 0, bytes.count, isSpecific: false)
        }
        let version = String(decoding: bytes[start..<colon], as: UTF8.self)
        position = colon + 1
        let route = try route()
        return FileReference(version: version, route: route)
    }

    /// An absolute path as in a manifest, not encoded; the leading slash is optional. It has no query,
    /// no dot segments and no spaces at its ends.
    mutating func route() throws(TextFault) -> String { try route(before: bytes.count) }

    private mutating func route(before end: Int) throws(TextFault) -> String {
        let start = position
        position = end
        let path = bytes[start..<end]
        let text = String(decoding: path, as: UTF8.self)
        func refuse(_ why: String) -> TextFault {
            TextFault(.badQuantity, "'\(text)' is not a route", label: why, at: start, end)
        }
        if text.isEmpty { throw refuse("empty") }
        if path.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x5C }) {
            throw refuse("no control characters or backslashes")
        }
        let space = UInt8(ascii: " ")
        if path.first == space || path.last == space { throw refuse("no spaces at its ends") }
        if path.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            throw refuse("no query and no fragment")
        }
        if Self.hasDotSegment(path) { throw refuse("no dot segments") }
        return path.first == UInt8(ascii: "/") ? text : "/" + text
    }

    /// What an address has after its host: a route, `?` and a query if it has one, `#` and a fragment if it
    /// has one. Query and fragment are encoded as in a URL (RFC 3986 §3.4, §3.5).
    mutating func target() throws(TextFault) -> String {
        let (question, hash) = (UInt8(ascii: "?"), UInt8(ascii: "#"))
        let end = bytes[position...].firstIndex { $0 == question || $0 == hash } ?? bytes.count
        let route = try route(before: end)
        position = bytes.count
        let rest = bytes[end...]
        func refuse(_ why: String) -> TextFault {
            let text = String(decoding: rest, as: UTF8.self)
            return TextFault(
                .badQuantity, "'\(text)' is no query or fragment", label: why, at: end, bytes.count)
        }
        if rest.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            throw refuse("no spaces, and other characters as %C3%A4")
        }
        if rest.count(where: { $0 == hash }) > 1 { throw refuse("only one '#'") }
        return route + String(decoding: rest, as: UTF8.self)
    }

    /// Whether a segment is `.` or `..`.
    private static func hasDotSegment(_ route: ArraySlice<UInt8>) -> Bool {
        var dots = 0
        var length = 0
        for byte in route {
            if byte == UInt8(ascii: "/") {
                if length == dots, length == 1 || length == 2 { return true }
                (dots, length) = (0, 0)
            } else {
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        return length == dots && (length == 1 || length == 2)
    }

    /// Keywords of user actions. The first one of an action is printed.
    static let userActions: [(keyword: String, action: UserAction)] = [
        ("waits", .waits), ("types", .types(from: nil, to: nil)), ("taps", .taps), ("taps a link", .tapsLink),
        ("swipes the app away", .swipesAway), ("tries again", .presses(.tryAgain)),
        ("try again", .presses(.tryAgain)), ("retries", .presses(.retry)),
        ("sends the report", .presses(.sendReport)), ("looks for an update", .presses(.lookForUpdate)),
    ]

    /// An action of the user: `"waits"`, `"types from 5s to 3m"` and others.
    mutating func userAction() throws(TextFault) -> UserAction {
        let text = String(decoding: bytes, as: UTF8.self)
        if let known = Self.userActions.first(where: { $0.keyword == text }) { return known.action }
        if take("types"), take("from") {
            let from = try duration()
            guard take("to") else {
                throw TextFault(
                    .badQuantity, "'\(text)' does not say until when", label: "expected \"to 3m\" here",
                    at: bytes.count, bytes.count)
            }
            let start = position
            let to = try duration()
            if to <= from {
                throw TextFault(
                    .impossible, "typing ends before it begins", label: "not after the begin", at: start,
                    position)
            }
            return .types(from: from, to: to)
        }
        var fault = TextFault(
            .unknownKeyword, "'\(text)' is nothing a user does", label: "not known", at: 0, bytes.count,
            isSpecific: false)
        fault.options = Self.userActions.map(\.keyword)
        throw fault
    }

    /// A stored file: a file of a version or of the store, by its content or its role.
    mutating func damageTarget() throws(TextFault) -> DamageTarget {
        let text = String(decoding: bytes, as: UTF8.self)
        switch text {
        case "record": return .record
        case "records": return .records
        case "starts": return .starts
        case DamageTarget.downloadList.text: return .downloadList
        default: break
        }
        if text.hasPrefix(DamageTarget.tablePrefix) {
            return .table(of: String(text.dropFirst(DamageTarget.tablePrefix.count)))
        }
        if text.hasPrefix(DamageTarget.partPrefix) {
            position = DamageTarget.partPrefix.utf8.count
            return .part(of: try fileReference())
        }
        if text.hasPrefix(DamageTarget.strayPrefix) {
            let start = DamageTarget.strayPrefix.utf8.count
            let name = String(text.dropFirst(DamageTarget.strayPrefix.count))
            if let area = DamageTarget.strayAreas.first(where: { $0.rawValue == name }) {
                return .stray(area)
            }
            var fault = TextFault(
                .unknownKeyword, "'\(name)' is no folder of the store", label: "not known", at: start,
                bytes.count)
            fault.options = DamageTarget.strayAreas.map(\.rawValue)
            throw fault
        }
        return .content(try fileReference())
    }
}

extension UserAction {
    /// Actions that are one keyword.
    package static var keywords: [String] { TextScanner.userActions.map(\.keyword) }
}
