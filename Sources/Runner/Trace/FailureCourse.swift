import AppHost
import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

/// The kinds of events that led to the failure of an expectation, as texts that are equal in scenarios of
/// different lengths.
///
/// An expectation is a claim about one scenario: without the deploy, the relaunch or the fault before it, it
/// fails as well, and shows nothing. So a smaller scenario must have the same course. An event counts if it
/// is about what the expectation compares and about a version that it names, or if it changes what these
/// versions meet: a fault of their files, damage, a store update. Of several equal ones the last counts, of
/// requests the first after a deploy. The time since the value last changed counts by its order of magnitude,
/// because waiting is what some rules are about.
///
/// Guarantees: no times, numbers or names of steps; names of versions are those of the scenario.
struct FailureCourse {
    private let subject: FailureSubject
    private let names: VersionNames
    private let trace: ArraySlice<TraceEvent>
    private var events: [String] = []
    /// When a compared value last changed, or a version that it names was deployed.
    private var changed = Instant.zero
    /// Whether a compared value has changed since the deploy.
    private var hasChanged = false
    /// Whether a fault was applied since then.
    private var hasFault = false
    /// Names of the faults that end after some requests, and of those that last.
    private var passing: [String] = []
    private var lasting: [String] = []
    private var isOffline = false

    static func of(
        _ subject: FailureSubject, in trace: [TraceEvent], until end: Instant, of scenario: Scenario,
        _ names: VersionNames
    ) -> [String] {
        let count = trace.firstIndex { $0.at > end } ?? trace.count
        var course = FailureCourse(subject: subject, names: names, trace: trace[..<count])
        course.passing = NumberedStep.all(of: scenario).filter(\.isPassingFault).map(\.faultName)
        for event in trace[..<count] { course.add(event) }
        return course.events + course.state(at: end)
    }

    private init(subject: FailureSubject, names: VersionNames, trace: ArraySlice<TraceEvent>) {
        self.subject = subject
        self.names = names
        self.trace = trace
    }

    private mutating func add(_ event: TraceEvent) {
        note(event)
        guard let text = text(of: event) else { return }
        switch event.kind {
        case .requestSent:
            if !events.contains(text) { append(text) }
            return
        case .deployed:
            events.removeAll { $0.hasPrefix("request") }
            (changed, hasChanged) = (event.at, false)
        case let kind where subject.parts.contains(where: { $0.changes(with: kind) }):
            if hasFault { append("fault") }
            (changed, hasChanged, hasFault) = (event.at, true, false)
        default: break
        }
        append(text)
    }

    private mutating func note(_ event: TraceEvent) {
        switch event.kind {
        case .networkChanged(let state): isOffline = state == .offline
        case .faultApplied: if !isAboutOther(event) { hasFault = true }
        // Without a network.
        case .log(let entry): if entry.cause == .checkFailed { hasFault = true }
        case .faultBegan(let name, _, _, _, _): if !passing.contains(name) { lasting.append(name) }
        case .faultHealed(let name): lasting.removeAll { $0 == name }
        default: break
        }
    }

    private mutating func append(_ text: String) {
        events.removeAll { $0 == text }
        events.append(text)
    }

    private func text(of event: TraceEvent) -> String? {
        switch event.kind {
        case .deployed(let version, _, let parts, let command, _, _):
            let name = version ?? "embedded"
            return names(name) ? "deployed \(name) \(parts.rawValue) \(command)" : nil
        case .deployedFor(_, let version, _, _): return names(version) ? "deployed \(version)" : nil
        case .recalled(let versions): return versions.contains(where: names) ? "recalled" : nil
        case .unblocked(let versions): return versions.contains(where: names) ? "unblocked" : nil
        case .damaged: return "damage"
        case .installed: return "installed"
        case .settingsChanged(let settings, _): return ScenarioPrinter.value(of: .set(settings)).line
        case .pageRequested, .forwarded, .clientAnswered:
            let isAsked = subject.parts.contains { $0.isTraffic && $0.concerns(event.kind) }
            return isAsked ? "asked" : nil
        case .powerCut: return isAboutPages ? "power cut" : nil
        case .processEnded: return isAboutPages ? "end of process" : nil
        case .webProcessDied: return isAboutPages ? "end of web process" : nil
        case .launched(let isInFront, _):
            return isAboutPages ? isInFront ? "launch" : "launch in background" : nil
        case .pageFailed: return isAboutPages ? "page failed" : nil
        case .pageReady: return isAboutPages ? "page ready" : nil
        case .pageLoad(_, _, let key):
            let name = names.name(of: key)
            return isAboutPages && names(name) ? "page of \(name)" : nil
        case .requestSent(let request): return text(of: request)
        case .log(let entry): return text(of: entry)
        default: return nil
        }
    }

    /// Whether a fault met a request for a file of a version that the failure is not about.
    private func isAboutOther(_ fault: TraceEvent) -> Bool {
        // A fault of a request comes right after it.
        let request = trace.last { event in
            if case .faultApplied = event.kind { false } else { event.ordinal < fault.ordinal }
        }
        guard case .requestSent(let request) = request?.kind, let version = request.version
        else { return false }
        return !names(names.name(of: version))
    }

    private func text(of request: RequestEvent) -> String? {
        if let version = request.version {
            let name = names.name(of: version)
            return names(name) ? "request for a file of \(name)" : nil
        }
        switch request.kind {
        case .manifest: return "request for the manifest"
        case .outcomes: return subject.parts.contains(.outcomes) ? "request with outcomes" : nil
        case .file: return nil
        }
    }

    private func text(of entry: LogEntry) -> String? {
        guard let id = entry.version, entry.cause.isDecision(about: subject.parts) else { return nil }
        let name = names.name(ofID: id)
        return names(name) ? "\(entry.cause.rawValue) \(name)" : nil
    }

    private var isAboutPages: Bool { subject.parts.contains { $0.concerns(.pageReady(.first)) } }

    /// Whether the failure is about this version, or about none.
    private func names(_ version: String) -> Bool {
        subject.versions.isEmpty || subject.versions.contains(version)
    }

    /// The state at the end that decides what could have happened: faults, the network, and the time that has
    /// passed, from which on waiting has a meaning of its own (pauses between checks, days of a blacklist).
    private func state(at end: Instant) -> [String] {
        let seconds = (end - changed).microseconds / 1_000_000
        let borders: [(Int64, String)] = [
            (20, "20 seconds later"), (60, "a minute later"), (900, "15 minutes later"),
            (3_600, "an hour later"), (86_400, "a day later"), (7 * 86_400, "a week later"),
            (30 * 86_400, "30 days later"),
        ]
        // A fault after the last change has changed nothing; if nothing changed, it may be the reason.
        let fault = hasFault && !hasChanged ? "fault" : nil
        let surroundings = [
            lasting.isEmpty ? "no fault lasts" : "a fault lasts", isOffline ? "offline" : "online",
        ]
        return [fault].compactMap(\.self) + surroundings + borders.filter { seconds >= $0.0 }.map(\.1)
    }
}

extension NumberedStep {
    /// Whether it is a fault that ends after some requests.
    fileprivate var isPassingFault: Bool {
        guard case .fault(let fault) = step.action else { return false }
        return fault.times != nil || fault.nth != nil
    }
}

extension LogCause {
    /// Whether the app has decided something about a version that changes it for good, or refused it.
    fileprivate func isDecision(about parts: [ExpectationPart]) -> Bool {
        switch self {
        case .becamePending, .switched, .startMarked, .startConfirmed, .unblocked, .forced, .blacklistEnded,
            .parkingEnded:
            true
        // It is refused again with each offer.
        case .blacklisted, .parkedOffer, .recalledOffer, .heldOff, .leftBefore:
            parts.contains(.pending) || parts.contains(.running) || parts.contains(.log)
        default: isSetback
        }
    }
}

extension Mismatch {
    /// What failed, without what changes from run to run (``FailureIdentity/pattern``).
    var pattern: String {
        "\(part.name) \(expected)" + (part.isState ? ", found \(actual)" : "")
    }
}

extension ExpectationPart {
    /// Whether it counts what the local server is asked.
    fileprivate var isTraffic: Bool {
        switch self {
        case .answers, .clientAnswers, .forwarded: true
        default: false
        }
    }

    /// Whether its value is a state of the device in a word, not a list or a number.
    fileprivate var isState: Bool {
        switch self {
        case .running, .pending, .lastKnownGood, .confirmed, .page, .process, .screen, .namedPage, .port:
            true
        default: false
        }
    }
}
