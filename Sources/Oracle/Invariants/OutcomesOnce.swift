import Backend
import Core
import Updater

/// T3: each outcome is reported to the origin by an id of its own until the origin has accepted it, and not
/// after that.
///
/// - An id means the same outcome in every report, also over launches; only its time may be added later.
/// - All ids begin with the device's name, which does not change.
/// - An outcome that the origin has answered with success is not reported again, once a record that can
///   contain this is durable.
/// - An outcome that it has not accepted is in the next report, unless so many are newer that the record has
///   no room for it.
///
/// Silent about: what follows after the scenario has damaged the record, or after a record could not be
/// written; an outcome of a process that ended before its record was durable.
struct OutcomesOnce: RuleChecker {
    let rule = "T3"
    var decided = 0

    private struct Outcome: Hashable {
        var id: String
        /// Version, native build, outcome and cause.
        var facts: String
    }

    /// An outcome of which the record will say that it is to be reported, or is not any more.
    private struct Outstanding: Hashable {
        var id: String
        /// First generation of the record that says so; 0: it is durable.
        var generation: UInt64

        mutating func recordIsDurable(_ durable: UInt64) {
            if generation <= durable { generation = 0 }
        }
    }

    private struct Upload: Hashable {
        var process: Int
        var transfer: TransferID
        var ids: [String]
    }

    /// All outcomes that were reported.
    private var known: [Outcome] = []
    private var accepted: [Outstanding] = []
    /// Outcomes of the last report, if the origin has not accepted it.
    private var refused: [Outstanding] = []
    private var upload: Upload?
    private var sentTransfer: TransferID?
    private var device: String?
    /// Whether outcomes may be lost or reported again.
    private var isUncertain = false

    /// Number of outcomes that the record has room for (Downloads.md).
    private static let limit = 64

    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(known)
        hasher.combine(accepted)
        hasher.combine(refused)
        hasher.combine(device)
        hasher.combine(isUncertain)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched, .processEnded, .powerCut:
            // What the process reported before its record was durable is not known to the next one.
            upload = nil
            sentTransfer = nil
            refused.removeAll { $0.generation > 0 }
            accepted.removeAll { $0.generation > 0 }
        case .damaged: isUncertain = true
        case .log(let entry):
            let losses: [LogCause] = [
                .recordLost, .recordFellBack, .recordNewerFormat, .recordNotWritten, .storeUnavailable,
            ]
            if losses.contains(entry.cause) { isUncertain = true }
        case .requestSent(let request):
            if request.kind == .outcomes { sentTransfer = request.transfer }
        case .outcomes(let bytes): return reported(bytes, event, store)
        case .transferEnded(let id, _, _):
            guard let upload, upload.transfer == id, upload.process == event.process else { return nil }
            self.upload = nil
            let transfer = observed.transfer(id, ofProcess: event.process)
            guard let status = transfer?.status, (200..<300).contains(status) else { return nil }
            refused = []
            accepted += OutcomesOnce.outstanding(upload.ids, store)
        default: break
        }
        return nil
    }

    private mutating func reported(_ bytes: [UInt8], _ event: TraceEvent, _ store: StoreView)
        -> Violation?
    {
        let outcomes = OutcomesOnce.outcomes(bytes)
        let ids = outcomes.map(\.id)
        defer {
            refused = OutcomesOnce.outstanding(ids, store)
            upload = sentTransfer.map { Upload(process: event.process, transfer: $0, ids: ids) }
            for outcome in outcomes where !known.contains(where: { $0.id == outcome.id }) {
                known.append(outcome)
            }
        }
        if isUncertain || outcomes.isEmpty { return nil }
        decided += 1
        return evaluateIDs(outcomes) ?? evaluateAcceptance(ids)
    }

    /// A write of the record may have begun before, and the next one may begin at once.
    private static func outstanding(_ ids: [String], _ store: StoreView) -> [Outstanding] {
        ids.map { Outstanding(id: $0, generation: (store.live.generation ?? 0) + 2) }
    }

    private mutating func evaluateIDs(_ outcomes: [Outcome]) -> Violation? {
        for outcome in outcomes {
            let name = outcome.id.split(separator: "-").dropLast().joined(separator: "-")
            if let device, device != name {
                return Violation(
                    "Outcomes were reported under another name of the device",
                    expected: ViolationText(device), actual: ViolationText(name))
            }
            device = name
            guard let first = known.first(where: { $0.id == outcome.id }), first != outcome else { continue }
            return Violation(
                "Two outcomes were reported under one id", expected: "\(outcome.id) as \(first.facts)",
                actual: ViolationText(outcome.facts))
        }
        let sorted = outcomes.map(\.id).sorted()
        guard let twice = zip(sorted, sorted.dropFirst()).first(where: { $0 == $1 }) else { return nil }
        return Violation(
            "An outcome is in a report twice", expected: "\(twice.0) once", actual: "it is there twice")
    }

    private func evaluateAcceptance(_ ids: [String]) -> Violation? {
        if let again = accepted.first(where: { $0.generation == 0 && ids.contains($0.id) }) {
            return Violation(
                "An outcome was reported again after the origin had accepted it",
                expected: "\(again.id) once", actual: "it is in a later report")
        }
        guard ids.count < OutcomesOnce.limit, let lost = refused.first(where: { !ids.contains($0.id) }) else {
            return nil
        }
        return Violation(
            "An outcome that the origin had not accepted was not reported again",
            expected: "\(lost.id) in the next report", actual: "it is not there")
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        guard let durable = store.durable.generation else { return nil }
        for index in accepted.indices { accepted[index].recordIsDurable(durable) }
        for index in refused.indices { refused[index].recordIsDurable(durable) }
        return nil
    }

    private static func outcomes(_ bytes: [UInt8]) -> [Outcome] {
        do throws(JSONFault) {
            let items = try JSONReader.read(bytes, dialect: .strict).array ?? []
            return items.compactMap { item in
                guard let id = item["id"]?.string else { return nil }
                let facts = ["version", "native", "outcome", "cause"].map { item[$0]?.string ?? "" }
                return Outcome(id: id, facts: facts.joined(separator: " "))
            }
        } catch {
            return []
        }
    }
}
