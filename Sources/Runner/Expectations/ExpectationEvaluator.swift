import AppHost
import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

/// Compares each part of an expectation with what is observed on the device.
struct ExpectationEvaluator {
    let observation: Observation
    /// Whether parts that hold are listed as if they did not, to say what the expectation is about.
    let listsAll: Bool
    /// Whether a part that can be either way holds; a `never` must not be broken by it.
    let acceptsDoubt: Bool
    private(set) var mismatches: [Mismatch] = []

    static func evaluate(
        _ expectation: Expectation, _ observation: Observation, listsAll: Bool = false,
        acceptsDoubt: Bool = true
    ) -> [Mismatch] {
        var evaluator = ExpectationEvaluator(
            observation: observation, listsAll: listsAll, acceptsDoubt: acceptsDoubt)
        evaluator.evaluateVersions(expectation)
        evaluator.evaluateSurface(expectation)
        evaluator.evaluateHistory(expectation)
        evaluator.evaluateTraffic(expectation)
        return evaluator.mismatches
    }

    var view: DeviceView { observation.view }
    var observed: ObservedState { observation.observed }
    /// Events from the position from which the step counts.
    var countedEvents: ArraySlice<TraceEvent> { observation.events[observation.firstCounted...] }
    /// Events for parts that are about the whole scenario unless it says `since`.
    var scopedEvents: ArraySlice<TraceEvent> {
        observation.hasSince ? countedEvents : observation.events[...]
    }

    // MARK: - Versions

    private mutating func evaluateVersions(_ expectation: Expectation) {
        let status = view.status
        if let wanted = expectation.running { evaluateRunning(wanted) }
        if let wanted = expectation.pending {
            compare(.pending, wanted, status?.pending.map { observed.name($0) })
        }
        if let wanted = expectation.lastKnownGood {
            compare(.lastKnownGood, wanted, status?.lastKnownGood.map { observed.name($0) })
        }
        if let wanted = expectation.blacklist {
            compare(.blacklist, wanted, (status?.blacklist ?? []).map { observed.name($0) })
        }
        if let wanted = expectation.parked {
            compare(.parked, wanted, (status?.parked ?? []).map { observed.name($0) })
        }
        if let wanted = expectation.confirmed { compare(.confirmed, wanted, isConfirmed) { "\($0)" } }
        if let wanted = expectation.stored { compare(.stored, wanted, stored) }
        if let wanted = expectation.storedFiles { compare(.storedFiles, wanted, storedFiles(wanted)) }
        for wanted in expectation.blame { evaluateBlame(wanted) }
        if let wanted = expectation.started { compare(.started, wanted, started) }
        for wanted in expectation.starts { evaluateStarts(wanted) }
        for wanted in expectation.pages {
            let page = view.webViews.first { $0.name == wanted.page.value }
            let isShown = page?.state == .shown || page?.state == .ready
            compare(.namedPage(wanted.page.value), wanted.version, isShown ? page?.running : nil)
        }
    }

    private mutating func evaluateRunning(_ wanted: Spanned<String?>) {
        let possible = view.possiblyRunning
        if possible.isEmpty { return compare(.running, wanted, view.running) }
        if !listsAll, acceptsDoubt, let name = wanted.value, possible.contains(name) { return }
        let names = [wanted.value].compactMap(\.self) + possible
        miss(
            .running, wanted.value ?? "none", possible.joined(separator: " or "), wanted.span,
            versions: versions(of: .running, names, []))
    }

    /// Whether the running version has confirmed its current start. A start of an embedded version has no
    /// start record, so the page's signal counts.
    private var isConfirmed: Bool {
        guard view.process != nil, let running = view.running else { return false }
        let start = observed.starts.last {
            $0.process == observed.process && observed.name($0.key) == running
        }
        guard let start else { return false }
        return observed.isConfirmed(start)
    }

    /// Names of the versions that are complete in the store.
    private var stored: [String] {
        observation.store.tables
            .filter { observation.store.flaw(of: $0.key) == nil && $0.key != view.status?.embedded }
            .map { observed.name($0.key) }
    }

    /// Names of the stored files. If several files have the same content, the one that the scenario names.
    private func storedFiles(_ wanted: ListExpectation) -> [String] {
        let namesInScenario: [String] =
            switch wanted {
            case .exact(let names, _): names.map(\.value)
            case .partial(let has, let hasNot, _): (has + hasNot).map(\.value)
            }
        var files: [String] = []
        for blob in observation.store.blobs where blob.isSound {
            let names = observation.contents?.names(of: blob.sha256) ?? []
            let matching = names.filter(namesInScenario.contains)
            files += matching.isEmpty ? [names.first ?? "content of no file"] : matching
        }
        return files
    }

    private mutating func evaluateBlame(_ wanted: BlameExpectation) {
        let name = wanted.version.value
        let entries = observation.store.record?.blacklist ?? []
        guard let entry = entries.last(where: { observed.name($0.key) == name }) else {
            return miss(.blame(version: name), "an entry", "none", wanted.span)
        }
        if let cause = wanted.cause { compare(.blame(version: name, .cause), cause, entry.cause) { $0 } }
        compare(.blame(version: name, .count), wanted.count, Int64(entry.count))
        if let ended = wanted.ended {
            compare(.blame(version: name, .ended), ended, entry.hasEnded) { $0 ? "yes" : "no" }
        }
    }

    private var started: [String] {
        var names: [String] = []
        for case .pageLoad(_, _, let key) in scopedEvents.lazy.map(\.kind) {
            let name = observed.name(key)
            if !names.contains(name) { names.append(name) }
        }
        // An app that does not announce its page loads: the bytes tell.
        if names.isEmpty, !observation.events.contains(where: \.kind.isPageLoad) {
            return ShownVersions.indices(in: scopedEvents).map { observed.versions[$0].name }
        }
        return names
    }

    private mutating func evaluateStarts(_ wanted: StartsExpectation) {
        let name = wanted.version.value
        let begin = scopedEvents.first?.at ?? .zero
        let starts = observed.starts.filter {
            observed.name($0.key) == name
                && (!observation.hasSince || ($0.endedAt ?? observed.now) >= begin)
        }
        func count(_ end: StartTrace.End) -> Int64 {
            Int64(
                starts.filter {
                    $0.end == end
                        || (end == .confirmed && $0.end == nil && observed.isEmbedded($0.key)
                            && $0.hasSignalled)
                }.count)
        }
        compare(.starts(version: name, .confirmed), wanted.confirmed, count(.confirmed))
        compare(.starts(version: name, .failed), wanted.failed, count(.failed))
        compare(.starts(version: name, .unclear), wanted.unclear, count(.unclear))
        compare(.starts(version: name, .uncounted), wanted.uncounted, count(.uncounted))
    }

    // MARK: - Screen and process

    private mutating func evaluateSurface(_ expectation: Expectation) {
        if let wanted = expectation.page { compare(.page, wanted, pageState) { $0.rawValue } }
        if let wanted = expectation.route {
            compare(.route, wanted, view.webViews.first?.route) { $0 ?? "none" }
        }
        let process = view.process == nil ? ProcessState.gone : .alive
        if let wanted = expectation.process { compare(.process, wanted, process) { $0.rawValue } }
        if let wanted = expectation.screen { compare(.screen, wanted, screenState) { $0.rawValue } }
        if let wanted = expectation.port {
            compare(.port, wanted, view.port.map { Int($0) }) { $0.map { "\($0)" } ?? "none" }
        }
        if let wanted = expectation.whiteTime { compare(.whiteTime, wanted, whiteTime) }
        compare(.time, expectation.time, observation.elapsed)
        if let wanted = expectation.times { evaluateTimes(wanted) }
        if let wanted = expectation.cookies { compare(.cookies, wanted, observation.cookies) }
        if let wanted = expectation.storage { compare(.storage, wanted, observation.storage) }
        if let wanted = expectation.progress { evaluateProgress(wanted) }
    }

    private var pageState: PageState {
        guard view.process != nil else { return .gone }
        switch view.screen {
        case .offline: return .offline
        case .recovery: return .recoveryScreen
        case .page, .cover, .loading, .noSpace, .portTaken, .portFailed: break
        }
        guard let first = view.webViews.first else { return .gone }
        switch first.state {
        case .shown, .ready: return .ready
        case .loading: return .loading
        case .empty: return view.screen == .page ? .gone : .loading
        case .failed, .dead: return .gone
        }
    }

    private var screenState: ScreenState {
        switch view.screen {
        case .page: .none
        case .cover: .cover
        case .loading: .loading
        case .offline: .offline
        case .noSpace: .noSpace
        case .recovery: .recovery
        // No fault of a scenario opens a port with an error.
        case .portTaken, .portFailed: .portTaken
        }
    }

    private var whiteTime: TimeSpan {
        var sum = TimeSpan.zero
        var began: Instant?
        for event in scopedEvents {
            switch event.kind {
            case .whiteBegan: began = event.at
            case .whiteEnded(let span):
                sum += span
                began = nil
            case .processEnded, .powerCut, .backgrounded: began = nil
            default: break
            }
        }
        return sum + (began.map { observed.now - $0 } ?? .zero)
    }

    /// Whether progress went back (U7): of one version in bytes or files, and at a change of the version in
    /// its share of the whole.
    private func isLess(_ shown: DownloadProgress, than before: DownloadProgress) -> Bool {
        if before.version == shown.version {
            return shown.bytesDone < before.bytesDone || shown.filesDone < before.filesDone
        }
        if let bytes = shown.bytes, let bytesBefore = before.bytes, bytes > 0, bytesBefore > 0 {
            return shown.bytesDone * 100 / bytes < before.bytesDone * 100 / bytesBefore
        }
        return shown.filesDone * before.files < before.filesDone * shown.files
    }

    private mutating func evaluateProgress(_ wanted: ProgressExpectation) {
        var last: DownloadProgress?
        var fellBack: (from: DownloadProgress, to: DownloadProgress)?
        for case .screen(.loading(let shown?)) in scopedEvents.lazy.map(\.kind) {
            if let before = last, isLess(shown, than: before) { fellBack = fellBack ?? (before, shown) }
            last = shown
        }
        if let flag = wanted.onlyGrows {
            if flag.value, let fellBack {
                miss(
                    .progress, "only grows",
                    "went from \(fellBack.from.bytesDone) to \(fellBack.to.bytesDone) bytes", flag.span)
            } else if !flag.value, fellBack == nil {
                miss(.progress, "goes back", "only grows", flag.span)
            } else if listsAll {
                let shown = flag.value ? "only grows" : "goes back"
                miss(.progress, shown, shown, flag.span)
            }
        }
        if let percent = wanted.percent {
            let shown = view.progress.map { Int64($0) }
            if let shown, percent.holds(shown), !listsAll { return }
            miss(.progress, percent.shown { "\($0) %" }, shown.map { "\($0) %" } ?? "none", percent.span)
        }
    }

    private mutating func evaluateTimes(_ wanted: TimesExpectation) {
        let times = TimesReader.read(observation.events, from: scopedEvents.startIndex).times
        compareLongest(.timeToContent(.launch), wanted.launch, times.launches)
        compareLongest(.timeToContent(.switching), wanted.switching, times.switches)
        compareLongest(.timeToContent(.rescue), wanted.rescue, times.rescues)
        compareLongest(.timeToAnswer(.idle), wanted.answerIdle, times.answersIdle.map { [$0.worst] } ?? [])
        compareLongest(
            .timeToAnswer(.duringUpdate), wanted.answerDuringUpdate,
            times.answersDuringUpdate.map { [$0.worst] } ?? [])
    }

    /// Compares the longest time. If there was none the expectation does not hold.
    private mutating func compareLongest(_ part: ExpectationPart, _ wanted: Bounds?, _ times: [TimeSpan]) {
        guard let wanted else { return }
        if let longest = times.max() { return compare(part, wanted, longest) }
        miss(part, wanted.shown { TimeSpan(microseconds: $0).shown }, "none was", wanted.span)
    }

    private mutating func compare(_ part: ExpectationPart, _ wanted: Bounds?, _ actual: TimeSpan) {
        guard let wanted, listsAll || !wanted.holds(actual.microseconds) else { return }
        miss(part, wanted.shown { TimeSpan(microseconds: $0).shown }, actual.shown, wanted.span)
    }

    // MARK: - Comparing

    /// - Parameter versions: names of the versions in the values that differ.
    private mutating func miss(
        _ part: ExpectationPart, _ expected: String, _ actual: String, _ span: SourceSpan,
        versions: [String] = []
    ) {
        var mismatch = Mismatch(part, expected: expected, actual: actual, at: span)
        mismatch.versions = (part.version.map { [$0] } ?? []) + versions
        mismatches.append(mismatch)
    }

    /// Names of the versions in the values of a part; without the actual ones if the part may hold.
    private func versions(of part: ExpectationPart, _ expected: [String], _ actual: [String]) -> [String] {
        (listsAll ? expected : expected + actual).compactMap { part.version(in: $0) }
    }

    private mutating func compare(_ part: ExpectationPart, _ wanted: Spanned<String?>, _ actual: String?) {
        guard listsAll || wanted.value != actual else { return }
        let (expected, found) = (wanted.value ?? "none", actual ?? "none")
        miss(part, expected, found, wanted.span, versions: versions(of: part, [expected], [found]))
    }

    /// - Parameter shown: text of a value.
    private mutating func compare<Value: Equatable>(
        _ part: ExpectationPart, _ wanted: Spanned<Value>, _ actual: Value, _ shown: (Value) -> String
    ) {
        guard listsAll || wanted.value != actual else { return }
        miss(part, shown(wanted.value), shown(actual), wanted.span)
    }

    mutating func compare(_ part: ExpectationPart, _ wanted: Bounds?, _ actual: Int64) {
        guard let wanted, listsAll || !wanted.holds(actual) else { return }
        miss(part, wanted.shown { "\($0)" }, "\(actual)", wanted.span)
    }

    /// What is left of a list when each entry of another one has taken an equal entry out of it.
    private static func rest(of list: [String], without others: [String]) -> [String] {
        var others = others
        return list.filter { entry in
            guard let index = others.firstIndex(of: entry) else { return true }
            others.remove(at: index)
            return false
        }
    }

    mutating func compare(_ part: ExpectationPart, _ wanted: ListExpectation, _ actual: [String]) {
        var shown: String { actual.isEmpty ? "empty" : actual.sorted().joined(separator: ", ") }
        switch wanted {
        case .exact(let names, let span):
            let expected = names.map(\.value)
            let missing = ExpectationEvaluator.rest(of: expected, without: actual)
            let excess = ExpectationEvaluator.rest(of: actual, without: expected)
            if missing.isEmpty, excess.isEmpty, !listsAll { return }
            let list = expected.sorted().joined(separator: ", ")
            miss(
                part, list.isEmpty ? "empty" : "exactly " + list, shown, span,
                versions: versions(of: part, expected, actual))
            if missing.isEmpty, !names.isEmpty {
                mismatches[mismatches.count - 1].hasOnlyExcessEntries = true
            }
        case .partial(let has, let hasNot, _):
            var rest = actual
            for name in has {
                let found = rest.firstIndex(of: name.value)
                if let found { rest.remove(at: found) }
                guard listsAll || found == nil else { continue }
                let versions = versions(of: part, [name.value], actual)
                miss(part, "to have \(name.value)", shown, name.span, versions: versions)
            }
            for name in hasNot where listsAll || actual.contains(name.value) {
                let versions = versions(of: part, [name.value], actual)
                miss(part, "not to have \(name.value)", shown, name.span, versions: versions)
            }
        }
    }
}

extension Bounds {
    /// `at most 3`, with `number` writing the values.
    func shown(_ number: (Int64) -> String) -> String {
        if let exact { return number(exact) }
        switch (atLeast, atMost) {
        case (let low?, let high?): return "between \(number(low)) and \(number(high))"
        case (let low?, nil): return "at least \(number(low))"
        case (nil, let high?): return "at most \(number(high))"
        case (nil, nil): return "any"
        }
    }
}

extension TraceEvent.Kind {
    fileprivate var isPageLoad: Bool {
        if case .pageLoad = self { true } else { false }
    }
}
