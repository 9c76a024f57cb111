import Backend

/// U10.origin: an app asks one origin, whatever a manifest or a redirect says.
///
/// All requests of a process have the scheme, the host and the port of its first one, until its settings
/// change. No scenario allows another root, and a process sends its first request to the address that the
/// build names.
///
/// Silent about: builds for testers, whose pages may name another origin (F9).
struct OneOrigin: RuleChecker {
    let rule = "U10"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U10.origin", decided)] }
    /// `https://host:port` of the first request of the process.
    private var root: String?

    /// Adds nothing: it remembers nothing beyond a process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched, .settingsChanged: root = nil
        case .requestSent(let request) where !observed.app.allowsTestMessages:
            let asked = OneOrigin.root(of: request.url)
            guard let root else {
                root = asked
                return nil
            }
            decided += 1
            if asked == root { return nil }
            return Violation(
                "A request left the origin", expected: "only requests to \(root)",
                actual: ViolationText(request.url), clause: "U10.origin")
        default: break
        }
        return nil
    }

    /// The text up to the first slash after the host, in lower case and without the scheme's usual port (RFC
    /// 3986 §6.2); the whole text if it has none.
    private static func root(of url: String) -> String {
        var slashes = 0
        let end = url.utf8.firstIndex { byte in
            if byte == UInt8(ascii: "/") { slashes += 1 }
            return slashes == 3
        }
        let root = url[..<(end ?? url.endIndex)].lowercased()
        let port = root.hasPrefix("https:") ? ":443" : ":80"
        return root.hasSuffix(port) ? String(root.dropLast(port.utf8.count)) : root
    }
}
