import AppHost
import Backend
import Core
import Updater

/// U5: nothing goes round faster than the settings allow.
///
/// Counted on the wire and on the page: files fetched at once; requests for the same thing by themselves,
/// of which nine in a row without a new byte take at least 15 min; requests while the origin has asked to be
/// left alone; switches in one process that neither the page, nor its start, nor a rescue made (one), and
/// that pages asked for (three to a version in 24 h); rescues from a version (one in a process).
///
/// A new byte is one that makes a partial file longer than it ever was, or a new blob. What wakes the updater
/// (launch, front, push, another network, somebody's wish, a step of the story) begins a new count. An
/// origin's wish holds over the process's death too, but not over a power cut, which may take the note of it
/// away; it ends by the user's own hand.
package struct Bounded: Checker {
    package let rule = "U5"

    private struct Thing: Hashable {
        var kind: OriginRequest.Kind
        var version: VersionKey?
    }

    private struct Tries {
        var thing: Thing
        var sent: [(transfer: TransferID, at: Instant)] = []
    }

    private var most = 0
    private var tries: [Tries] = []
    private var sizes: [PartialImage] = []
    private var blobs: [Digest256] = []
    private var leftAlone: (from: Instant, until: Instant)?
    private var pages = PageSwitches()

    /// The note could not be written or read.
    private static let losesNote: [LogCause] = [.diskFailed, .storeInUse, .storeUnavailable]

    package static let mostTries = 8
    package static let sleep = TimeSpan.minutes(15)

    /// Tries and switches are counted anew in the next process, but for those that pages asked for.
    package func remember(in sum: inout Hasher) {
        sum.combine(most)
        for partial in sizes.sorted(by: { $0.key < $1.key }) { sum.combine(partial) }
        sum.combine(sizes.count)
        for blob in blobs.sorted() { sum.combine(blob) }
        sum.combine(seconds: leftAlone?.from)
        sum.combine(seconds: leftAlone?.until)
        for row in pages.asked {
            sum.combine(row.key)
            sum.combine(seconds: row.at)
        }
    }

    package mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        most = max(most, observed.settings.parallelTransfers)
        switch fact.kind {
        case .launched: tries = []
        case .processEnded:
            if observed.mayLoseNotes || leftAlone.map({ observed.now - $0.from < .seconds(1) }) ?? true {
                leftAlone = nil
            }
        case .powerCut:
            leftAlone = nil
            // What it took away comes anew.
            sizes = store.live.partials
            blobs = store.live.blobs.map(\.name)
        case .damaged: leftAlone = nil
        case .log(let entry):
            if Bounded.losesNote.contains(entry.cause) { leftAlone = nil }
        case .foregrounded, .pushed, .checkRequested, .networkChanged, .resumed, .step, .settingsChanged,
            .routed:
            tries = []
        case .called(_, .checkForUpdates, _): tries = []
        case .userDid(let action):
            tries = []
            if case .presses = action { leftAlone = nil }
        case .requestSent(let request): return sent(request, observed)
        case .answerHead(let id, _, _, let note): head(id, note, observed)
        default: break
        }
        return pages.observe(fact, in: observed)
    }

    package mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        if store.live.partials == sizes, store.live.blobs.count == blobs.count { return nil }
        var isNew = false
        for partial in store.live.partials {
            let place = sizes.firstIndex { $0.key == partial.key }
            guard let place else {
                sizes.append(partial)
                isNew = isNew || partial.size > 0
                continue
            }
            if sizes[place].size < partial.size {
                sizes[place].size = partial.size
                isNew = true
            }
        }
        for blob in store.live.blobs where !blobs.contains(blob.name) {
            blobs.append(blob.name)
            isNew = true
        }
        if isNew { tries = [] }
        return nil
    }

    // MARK: - Requests

    private mutating func sent(_ request: RequestEvent, _ observed: ObservedState) -> Violation? {
        if request.kind == .outcomes { return nil }
        if let wish = leftAlone, observed.now > wish.from + .seconds(1), observed.now < wish.until {
            leftAlone = nil
            return Violation(
                "The origin had asked to be left alone and was asked again",
                expected: "nothing before \(wish.until.microseconds / 1_000_000) s",
                actual: "a request to \(request.url)"
            )
        }
        let open = observed.openTransfers.count { $0.route != nil }
        if open > most {
            return Violation(
                "Too many files are fetched at once", expected: "\(most) at most", actual: "\(open)")
        }
        return count(request, observed)
    }

    private mutating func count(_ request: RequestEvent, _ observed: ObservedState) -> Violation? {
        let thing = Thing(kind: request.kind, version: request.version)
        let place: Int
        if let known = tries.firstIndex(where: { $0.thing == thing }) {
            place = known
        } else {
            place = tries.count
            tries.append(Tries(thing: thing))
        }
        tries[place].sent.append((request.transfer, observed.now))
        let sent = tries[place].sent
        guard sent.count > Bounded.mostTries else { return nil }
        let first = sent[sent.count - 1 - Bounded.mostTries]
        guard observed.now - first.at < Bounded.sleep else { return nil }
        return Violation(
            "\(request.url) is asked for again and again",
            expected: "\(Bounded.mostTries) tries without a new byte, then a sleep of 15 min",
            actual: "the ninth within \((observed.now - first.at).microseconds / 1_000_000) s")
    }

    private mutating func head(_ id: TransferID, _ note: AnswerSummary, _ observed: ObservedState) {
        if note.isRedirect {
            // One try, however often it is sent on.
            for place in tries.indices { tries[place].sent.removeAll { $0.transfer == id } }
        }
        let row = observed.transfers.last { $0.request.transfer == id && $0.process == observed.process }
        guard let wish = note.retryAfter, let status = row?.status, status == 429 || status >= 500 else {
            return
        }
        let until = observed.now + min(wish, .hours(24))
        if let known = leftAlone, known.until >= until { return }
        leftAlone = (observed.now, until)
    }
}

/// The part of U5 that is about pages.
private struct PageSwitches {
    private var shown: VersionKey?
    private var navigation: AppHost.NavigationKind?
    private var hasCalled = false
    private var isRescued = false
    private var isByUser = false
    private var unasked = 0
    private(set) var asked: [(key: VersionKey, at: Instant)] = []
    private var rescuedFrom: [VersionKey] = []

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState) -> Violation? {
        switch fact.kind {
        case .launched:
            self = PageSwitches(asked: asked)
        case .navigation(_, let kind, _): navigation = kind
        case .called(_, .switchToPendingVersion, _): hasCalled = true
        case .log(let entry) where entry.cause == .rescued: isRescued = true
        // R9's screen: the user's own wish.
        case .userDid(.presses): isByUser = true
        case .pageLoad(let view, _, let key):
            guard view == .first else { return nil }
            defer {
                shown = key
                navigation = nil
                hasCalled = false
                isRescued = false
                isByUser = false
            }
            guard let former = shown, former != key, !isByUser else { return nil }
            return switched(from: former, to: key, observed)
        default: break
        }
        return nil
    }

    init(asked: [(key: VersionKey, at: Instant)] = []) { self.asked = asked }

    private mutating func switched(from former: VersionKey, to key: VersionKey, _ observed: ObservedState)
        -> Violation?
    {
        if isRescued {
            if rescuedFrom.contains(former) {
                return Violation(
                    "\(observed.name(former)) was rescued from twice in one process", expected: "once",
                    actual: "a second time, to \(observed.name(key))")
            }
            rescuedFrom.append(former)
            return nil
        }
        if hasCalled || navigation == .reload {
            asked.append((key, observed.now))
            let count = asked.count { $0.key == key && observed.now - $0.at < .hours(24) }
            guard count > 3 else { return nil }
            return Violation(
                "Pages were switched to \(observed.name(key)) too often", expected: "3 times in 24 h",
                actual: "\(count) times")
        }
        unasked += 1
        guard unasked > 1 else { return nil }
        return Violation(
            "A second switch in one process that nobody asked for", expected: "1 at most",
            actual: "\(unasked), the last to \(observed.name(key))")
    }
}
