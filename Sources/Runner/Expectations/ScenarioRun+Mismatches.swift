import Backend
import Core
import ScenarioLanguage

/// Compares an expectation with the current state of a device; used by `expect`, `always`, `never` and
/// ``WrongSinceTracker``.
extension ScenarioRun {
    /// Changes that an observer has counted on a device (``RunObserver/changes``,
    /// ``RunObserver/majorChanges``).
    package func changes(on device: Int) -> (all: Int, major: Int) {
        // Not through observer(of:), which would copy the observer after every event.
        device == 0
            ? (observer.changes, observer.majorChanges)
            : (otherObservers[device - 1].changes, otherObservers[device - 1].majorChanges)
    }

    package func isTrue(_ condition: DuringCondition?, on device: Int) -> Bool {
        guard let condition else { return true }
        let view = backend.view(of: device)
        switch condition {
        case .pageInUse: return view.isInUse
        case .appInFront: return view.process != nil && view.isInForeground
        case .offline: return view.network == .offline
        }
    }

    /// What is not as expected, of that which the backend shows; the parameters are those of
    /// ``evaluated(_:since:hasSince:on:listsAll:acceptsDoubt:)``.
    package mutating func mismatches(
        _ expectation: Expectation, since: TracePosition, hasSince: Bool, on device: Int,
        listsAll: Bool = false, acceptsDoubt: Bool = true
    ) -> [Mismatch] {
        let found = evaluated(
            expectation, since: since, hasSince: hasSince, on: device, listsAll: listsAll,
            acceptsDoubt: acceptsDoubt)
        let visible = backend.visibility
        return visible == .all ? found : found.filter { visible.isSuperset(of: $0.part.needs) }
    }

    /// - Parameters:
    ///   - since: position in the trace from which events count.
    ///   - hasSince: whether the scenario names that position.
    ///   - listsAll: whether parts that hold are listed too.
    ///   - acceptsDoubt: whether a part that can be either way holds.
    private mutating func evaluated(
        _ expectation: Expectation, since: TracePosition, hasSince: Bool, on device: Int, listsAll: Bool,
        acceptsDoubt: Bool = true
    ) -> [Mismatch] {
        var events = backend.trace
        // The trace can be shorter: WrongSinceTracker also evaluates before that position is reached.
        var firstCounted = min(since.index, events.count)
        if deviceCount > 1 {
            firstCounted = events[..<firstCounted].count { $0.device == device || $0.device < 0 }
            events.removeAll { $0.device != device && $0.device >= 0 }
        }
        let observation = Observation(
            view: backend.view(of: device),
            observed: device == 0 ? observer.observed : otherObservers[device - 1].observed,
            store: device == 0 ? observer.view.live : otherObservers[device - 1].view.live,
            events: events, firstCounted: firstCounted, hasSince: hasSince, elapsed: backend.now - since.at)
        if expectation.cookies != nil || expectation.storage != nil {
            (observation.cookies, observation.storage) = backend.webStorage(of: device)
        }
        if expectation.storedFiles != nil {
            if contents == nil { contents = storedNames }
            observation.contents = contents
        }
        return ExpectationEvaluator.evaluate(
            expectation, observation, listsAll: listsAll, acceptsDoubt: acceptsDoubt)
    }

    /// Notes which parts of an `expect` step are judged.
    mutating func noteJudgement(_ spec: ExpectStep, _ step: Int, on device: Int) {
        let visible = backend.visibility
        if visible == .all { return }
        let parts = evaluated(
            spec.expectation, since: TracePosition(), hasSince: true, on: device, listsAll: true)
        judgement.count(parts.map(\.part), seeing: visible, step: step)
    }

    private var storedNames: StoredNames {
        StoredNames(
            observer.observed.versions.enumerated().map {
                ($0.element.name, backend.files(ofVersion: $0.offset))
            })
    }
}

extension Expectation {
    /// Whether passing time alone can make it true or false.
    var dependsOnTime: Bool { whiteTime != nil || time != nil }

    /// Whether part of it counts single requests and answers, or depends on time alone.
    var countsTraffic: Bool {
        fetched != nil || requests != nil || !answers.isEmpty || bytes != nil || reloads != nil
            || switches != nil || outcomes != nil || log != nil || !logOf.isEmpty || whiteTime != nil
            || progress != nil || time != nil || times != nil || cookies != nil || storage != nil
            || messages != nil || replies != nil || nativeAnswers != nil || links != nil
            || report != nil
    }
}
