import Backend
import Core
import Updater

/// R2: the mark of a start of a version not yet proven is on the durable disk before its index is served:
/// version, native build, boot id, page token.
///
/// The index is served when the server answers for the first time for a page load. No mark is needed for
/// embedded and proven versions, nor after the confirmation of the start in this process. Where the mark
/// could not be written, and the log says so, a good version may start without one.
struct StartRecordBeforeIndex: Checker {
    let rule = "R2"

    private var answered: [PageLoadToken] = []

    /// Nothing: page loads end with their process.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch fact.kind {
        case .launched: answered.removeAll()
        case .answered(let answer):
            guard let token = answer.load, answer.status == 200 || answer.status == 304,
                !answered.contains(token), let load = observed.load(token)
            else { return nil }
            answered.append(token)
            return judge(load, observed, store)
        default: break
        }
        return nil
    }

    private func judge(_ load: LoadTrace, _ observed: ObservedState, _ store: StoreView) -> Violation? {
        let key = load.version
        if observed.isProven(key) || observed.start(of: key)?.end != nil { return nil }
        let isSpared =
            observed.confirmedProcesses(of: key) > 0
            && observed.logged([.startNotMarked], since: observed.processBegan) != nil
        if isSpared { return nil }
        let name = observed.name(key)
        guard let mark = store.durable.record?.mark else {
            return Violation(
                "The index of \(name) was served before the mark of its start was durable",
                expected: "a mark for \(name) on the medium", actual: "no mark")
        }
        let start = observed.start(of: key)
        guard mark.key == key, mark.native == observed.buildNumber,
            mark.boot != nil || !observed.profile.providesBootID,
            start?.loads.contains(mark.token) ?? (mark.token == load.token)
        else {
            return Violation(
                "The mark on the medium is not that of the start whose index was served",
                expected: "\(name) on build \(observed.buildNumber), page load \(load.token.text)",
                actual: "\(observed.name(mark.key)) on build \(mark.native), page load \(mark.token.text)")
        }
        return nil
    }
}
