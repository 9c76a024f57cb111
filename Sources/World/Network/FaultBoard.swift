import Core
import ScenarioLanguage
import Updater

/// The faults that are there, and which of them strikes a request.
///
/// A fault counts the requests it fits from the time it began; `nth` and `times` speak of those.
struct FaultBoard: Hashable, Sendable {
    struct Active: Hashable, Sendable {
        /// Names it for ``Action/heal(_:)`` and in facts; unique among those that are there.
        let id: String
        let fault: FaultSpec
        var seen = 0
        var applied = 0
    }

    private(set) var active: [Active] = []

    var isEmpty: Bool { active.isEmpty }

    /// One of the same id takes the place of the former.
    @discardableResult
    mutating func begin(_ fault: FaultSpec, as id: String) -> Active {
        let begun = Active(id: id, fault: fault)
        active.removeAll { $0.id == id }
        active.append(begun)
        return begun
    }

    /// Takes one away, or with nil all; gives those that were there.
    mutating func heal(_ id: String?) -> [Active] {
        let leaving = active.filter { id == nil || $0.id == id }
        active.removeAll { id == nil || $0.id == id }
        return leaving
    }

    func contains(_ fits: (FaultKind) -> Bool) -> Bool { active.contains { fits($0.fault.kind) } }

    /// The faults of the network that strike this request, in the order in which they began. Counts.
    mutating func strike(_ request: OriginRequest, edge: String, _ library: Library) -> [Active] {
        var striking: [Active] = []
        for place in active.indices {
            let fault = active[place].fault
            guard fault.kind.domain == .request, fault.edge == nil || fault.edge?.value == edge,
                fault.target?.fits(request.kind, library) ?? true
            else { continue }
            active[place].seen += 1
            if let nth = fault.nth?.value, active[place].seen != nth { continue }
            if let times = fault.times?.value, active[place].applied >= times { continue }
            active[place].applied += 1
            striking.append(active[place])
        }
        return striking
    }
}

extension RequestSubject {
    func fits(_ kind: OriginRequest.Kind, _ library: Library) -> Bool {
        switch self {
        case .manifest: kind == .manifest
        case .outcomes: kind == .outcomes
        case .index: library.versions.contains { kind == .file($0.index) }
        case .route(let text): library.names(text, kind)
        }
    }
}

extension Library {
    /// Whether the text, a route or a template with `{hash}`, means the file that the request asks for.
    func names(_ text: String, _ kind: OriginRequest.Kind) -> Bool {
        guard case .file(let route) = kind else { return false }
        return route == text || versions.contains { $0.file(route)?.template == text }
    }
}
