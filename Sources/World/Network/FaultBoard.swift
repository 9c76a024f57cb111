import Core
import Updater

/// The faults that are there, and which of them strikes a request.
///
/// A fault counts the requests it fits from the time it began; `nth` and `times` speak of those.
struct FaultBoard: Hashable, Sendable {
    struct Active: Hashable, Sendable {
        let fault: Fault
        var seen = 0
        var applied = 0
    }

    private(set) var active: [Active] = []

    var isEmpty: Bool { active.isEmpty }

    /// One of the same id takes the place of the former.
    mutating func begin(_ fault: Fault) {
        active.removeAll { $0.fault.id == fault.id }
        active.append(Active(fault: fault))
    }

    /// Takes one away, or with nil all; gives those that were there.
    mutating func heal(_ id: String?) -> [Fault] {
        let leaving = active.filter { id == nil || $0.fault.id == id }.map(\.fault)
        active.removeAll { id == nil || $0.fault.id == id }
        return leaving
    }

    func contains(_ fits: (Fault.Kind) -> Bool) -> Bool { active.contains { fits($0.fault.kind) } }

    /// The faults of the network that strike this request, in the order in which they began. Counts.
    mutating func strike(_ request: OriginRequest, edge: String, _ library: Library) -> [Fault] {
        var striking: [Fault] = []
        for place in active.indices {
            let fault = active[place].fault
            guard fault.kind.isOfNetwork, fault.edge == nil || fault.edge == edge,
                fault.target.fits(request, library)
            else { continue }
            active[place].seen += 1
            if let nth = fault.nth, active[place].seen != nth { continue }
            if let times = fault.times, active[place].applied >= times { continue }
            active[place].applied += 1
            striking.append(fault)
        }
        return striking
    }
}

extension Fault.Kind {
    /// It strikes requests; the others change a disk, a link or a port while they last.
    var isOfNetwork: Bool {
        switch self {
        case .refuse, .dnsFailure, .connectTimeout, .insecure, .staleEdge, .captivePortal, .indexForUnknown,
            .reset, .stall, .truncate, .corrupt, .status, .answer, .slowAnswers:
            true
        case .offline, .bandwidth, .slowDisk, .noSpace, .diskDenied, .diskReadOnly, .disk, .lyingSync,
            .garbage,
            .shortWrites, .portTaken:
            false
        }
    }
}

extension Fault.Target {
    func fits(_ request: OriginRequest, _ library: Library) -> Bool {
        switch self {
        case .all: true
        case .manifest: request.kind == .manifest
        case .outcomes: request.kind == .outcomes
        case .index: library.versions.contains { request.kind == .file($0.index) }
        case .route(let text): library.names(text, request.kind)
        }
    }
}

extension Library {
    /// Whether the text, a route or a template with `{hash}`, means what the request asks for.
    func names(_ text: String, _ kind: OriginRequest.Kind) -> Bool {
        switch kind {
        case .manifest: text == "manifest"
        case .outcomes: text == "outcomes"
        case .file(let route):
            route == text || (text == "index" && versions.contains { $0.index == route })
                || versions.contains { $0.file(route)?.template == text }
        }
    }
}
