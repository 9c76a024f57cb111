import Backend
import Core

/// S6: the local server answers its own pages alone.
///
/// A client that is no page of the app gets a refusal if it lacks the key, names another host, or its browser
/// says that a page of another origin asks. A status below 400 is no refusal.
///
/// Silent about: a program that has the key, names this server's host and no other origin, because no server
/// can distinguish it from a page; and about what a refused request did before it was refused.
struct OwnPagesOnly: RuleChecker {
    let rule = "S6"
    var decided = 0

    /// Adds nothing: this checker has no memory.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .clientAnswered(let request, let status, _) = event.kind,
            let why = OwnPagesOnly.reasonToRefuse(request)
        else { return nil }
        decided += 1
        guard (1..<400).contains(status) else { return nil }
        return Violation(
            "The local server answers a client that is no page of the app",
            expected: "\(request.method) \(request.target) is refused: \(why)", actual: "status \(status)")
    }

    /// Nil: no server can distinguish the request from a page's.
    private static func reasonToRefuse(_ request: ClientRequest) -> String? {
        if !request.namesOwnHost { return "another host" }
        if !request.hasKey { return "no key" }
        let host = value("host", request) ?? ""
        if let origin = value("origin", request), origin != "http://" + host { return "another origin" }
        if let site = value("sec-fetch-site", request), site != "same-origin", site != "none" {
            return "a page of another origin"
        }
        return nil
    }

    private static func value(_ name: String, _ request: ClientRequest) -> String? {
        request.fields.first { $0.name.lowercased() == name }?.value.lowercased()
    }
}
