import Core
import ScenarioLanguage
import Updater

/// The active faults, and which of them apply to a request.
///
/// A fault counts the matching requests since it began; `nth` and `times` refer to this count.
struct ActiveFaults: Hashable, Sendable {
    /// The active faults in the order in which they began.
    private(set) var active: [ActiveFault] = []

    var isEmpty: Bool { active.isEmpty }

    /// Begins a fault; it replaces one with the same id.
    @discardableResult
    mutating func begin(_ fault: FaultSpec, as id: String) -> ActiveFault {
        let begun = ActiveFault(id: id, fault: fault)
        active.removeAll { $0.id == id }
        active.append(begun)
        return begun
    }

    /// Ends a fault, or with nil all; returns those that were active.
    mutating func heal(_ id: String?) -> [ActiveFault] {
        let leaving = active.filter { id == nil || $0.id == id }
        active.removeAll { id == nil || $0.id == id }
        return leaving
    }

    func contains(_ fits: (FaultKind) -> Bool) -> Bool { active.contains { fits($0.fault.kind) } }

    /// The network faults that apply to this request, in the order in which they began. Counts the request.
    mutating func apply(to request: OriginRequest, edge: String, _ library: VersionLibrary) -> [ActiveFault] {
        apply { fault in
            (fault.edge == nil || fault.edge?.value == edge)
                && (fault.target?.fits(request.kind, library) ?? true)
        }
    }

    /// The faults that apply to a connection to the remote root of the API, or to a request on it.
    mutating func applyToRemoteRoot(isConnecting: Bool) -> [ActiveFault] {
        apply { fault in
            guard fault.target == .api else { return false }
            switch RequestFault(fault.kind) {
            case .fail, .silence: return isConnecting
            default: return !isConnecting
            }
        }
    }

    private mutating func apply(where fits: (FaultSpec) -> Bool) -> [ActiveFault] {
        var applying: [ActiveFault] = []
        for index in active.indices {
            let fault = active[index].fault
            guard fault.kind.domain == .request, fits(fault) else { continue }
            active[index].seen += 1
            if let nth = fault.nth?.value, active[index].seen != nth { continue }
            if let times = fault.times?.value, active[index].applied >= times { continue }
            active[index].applied += 1
            applying.append(active[index])
        }
        return applying
    }
}

/// One active fault, with its counts.
struct ActiveFault: Hashable, Sendable {
    /// Name for ``Action/heal(_:)`` and in trace events; unique among active faults.
    let id: String
    let fault: FaultSpec
    /// Number of requests that matched.
    var seen = 0
    /// Number of requests that it changed.
    var applied = 0
}

extension RequestSubject {
    func fits(_ kind: OriginRequest.Kind, _ library: VersionLibrary) -> Bool {
        switch self {
        case .manifest: kind == .manifest
        case .outcomes: kind == .outcomes
        case .api: false
        case .index: library.versions.contains { kind == .file($0.index) }
        case .route(let text): library.names(text, kind)
        }
    }
}

extension VersionLibrary {
    /// Whether the text, a route or a template with `{hash}`, names the requested file.
    func names(_ text: String, _ kind: OriginRequest.Kind) -> Bool {
        guard case .file(let route) = kind else { return false }
        return route == text || versions.contains { $0.file(route)?.template == text }
    }
}
