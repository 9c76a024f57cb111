import Backend
import Core
import Oracle
import Updater

/// Finds the log entry with which the updater decided what a later event shows.
///
/// A decision is logged first and shows later: a page load begins once the switch is on the disk, a status
/// once the record is written. A checker that notices the later event is about the decision, and its entry
/// gives the reason.
struct Decision {
    /// Longest time between a decision and the event that shows it; a switch call waits for its reload.
    private static let delay = TimeSpan.seconds(5)

    private let names: VersionNames
    /// Names of the versions that the failure is about.
    private let versions: [String]

    init(about versions: [String], _ names: VersionNames) {
        self.versions = versions
        self.names = names
    }

    /// The decision that the event shows; nil if it shows none.
    /// - Parameter trace: all events up to the event, or more.
    func behind(_ event: TraceEvent, in trace: [TraceEvent]) -> TraceEvent? {
        let earlier = trace.prefix { $0.ordinal < event.ordinal }.reversed()
            .prefix { event.at - $0.at <= Decision.delay }
            .filter { $0.device == event.device }
        let process = earlier.prefix { !$0.kind.endsProcess }
        switch event.kind {
        case .pageLoad(_, _, let key):
            let since = process.prefix { if case .pageLoad = $0.kind { false } else { true } }
            return since.first { $0.kind.isLog([.switched, .rescued]) { $0 == key.id } }
        case .status(let status):
            let before = trace.last {
                guard $0.ordinal < event.ordinal, $0.device == event.device else { return false }
                return if case .status = $0.kind { true } else { false }
            }
            guard case .status(let before)? = before?.kind else { return nil }
            // Of several values that differ, what was decided first led to the others.
            return status.causes(after: before).compactMap { causes, value in
                process.first { $0.kind.isLog(causes) { isNamed($0) && (value == nil || $0 == value) } }
            }.min { $0.ordinal < $1.ordinal }
        default: return nil
        }
    }

    /// Whether the failure is about this version, or about none.
    private func isNamed(_ id: String) -> Bool {
        versions.isEmpty || versions.contains(names.name(ofID: id))
    }
}

extension TraceEvent.Kind {
    fileprivate func isLog(_ causes: [LogCause], of isWanted: (String) -> Bool) -> Bool {
        guard case .log(let entry) = self, let id = entry.version else { return false }
        return causes.contains(entry.cause) && isWanted(id)
    }

    fileprivate var endsProcess: Bool {
        switch self {
        case .processEnded, .powerCut: true
        default: false
        }
    }
}

extension UpdaterStatus {
    /// For each value that differs from the status before: the causes of log entries that explain it, and the
    /// id of the version that they must be about; nil if the value is a list, or none.
    fileprivate func causes(after before: UpdaterStatus) -> [([LogCause], String?)] {
        var causes: [([LogCause], String?)] = []
        if current != before.current { causes.append(([.switched, .rescued], current?.id)) }
        if let pending, pending != before.pending {
            causes.append(([.becamePending, .embeddedByOrder], pending.id))
        }
        if pending == nil, before.pending != nil {
            causes.append(
                ([.pendingDropped, .switched, .recalled, .superseded, .blacklistEntry, .parked], nil))
        }
        if lastKnownGood != before.lastKnownGood { causes.append(([.startConfirmed], lastKnownGood?.id)) }
        if blacklist != before.blacklist {
            causes.append(([.blacklistEntry, .blacklistEnded, .unblocked], nil))
        }
        if parked != before.parked { causes.append(([.parked, .parkingEnded], nil)) }
        return causes
    }
}
