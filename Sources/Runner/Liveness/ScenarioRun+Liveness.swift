import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

extension ScenarioRun {
    /// Heals all faults. First an app in front is left alone, because what it waits for or tries again must
    /// not need a launch; only the rules are checked in this time. Then each device is used for eight rounds:
    /// launch (or bring to the front), check, two minutes in the foreground, background, kill by the user.
    /// The rounds after the third are ten hours apart. Within them the device must run and confirm the
    /// expected version.
    package mutating func checkLiveness() {
        stepStarts.append((backend.trace.count, nil))
        act(.heal(nil), on: 0)
        if (0..<deviceCount).contains(where: isWaiting) { pass(until: backend.now + UsageRounds.timeAlone) }
        for device in 0..<deviceCount where !isOver { checkLiveness(of: device) }
    }

    /// Whether an app in front waits for something, or the user for it: the page is not shown, work is under
    /// way, or the last check failed.
    private func isWaiting(_ device: Int) -> Bool {
        let observed = observer(of: device).observed
        guard observed.isAlive, observed.isInForeground else { return false }
        if observed.screen != .page || !backend.isSettled || observed.status?.downloading != nil {
            return true
        }
        return observed.transfers.last { $0.isManifest && $0.process == observed.process }
            .map { !$0.isGoodManifestAnswer } ?? false
    }

    private mutating func checkLiveness(of device: Int) {
        let firstStart = backend.now
        act(.network(.online), on: device)
        act(.user(.waits), on: device)
        var expected: [String] = []
        var reached: (version: String?, isConfirmed: Bool) = (nil, false)
        for round in 0..<UsageRounds.count {
            if isOver { return }
            let start = backend.now
            act(.launch(.foreground), on: device)
            act(.check, on: device)
            var evaluated = -1
            let isReached = pass(
                until: backend.now + UsageRounds.foregroundTime(observer(of: device).observed)
            ) { run in
                let changes = run.changes(on: device).all
                if changes == evaluated { return false }
                evaluated = changes
                reached = run.reached(on: device)
                guard reached.isConfirmed else { return false }
                expected = run.expectedVersions(on: device)
                return reached.version.map { expected.contains($0) } ?? false
            }
            if isReached { return }
            expected = expectedVersions(on: device)
            reached = self.reached(on: device)
            if reached.isConfirmed, let version = reached.version, expected.contains(version) { return }
            if expected.isEmpty { return }
            act(.background, on: device)
            act(.kill(.user), on: device)
            if round >= UsageRounds.backToBack - 1 { pass(until: start + UsageRounds.laterInterval) }
        }
        guard !isOver else { return }
        failLiveness(expected, reached, on: device, from: firstStart)
    }

    // Not through observer(of:), which would copy the observer after every event.

    private func reached(on device: Int) -> (version: String?, isConfirmed: Bool) {
        device == 0 ? observer.reached(in: backend) : otherObservers[device - 1].reached(in: backend)
    }

    private func expectedVersions(on device: Int) -> [String] {
        device == 0 ? observer.expectedVersions : otherObservers[device - 1].expectedVersions
    }

    /// Lets what is under way end, for a day at most. An app that has ended by then is launched once more: by
    /// chance its last start was seen to end, or not.
    package mutating func comeToRest() {
        let limit = backend.now + .days(1)
        _ = pass(until: limit) { $0.backend.isSettled }
        for device in 0..<deviceCount where !isOver && backend.view(of: device).process == nil {
            act(.launch(.foreground), on: device)
        }
        _ = pass(until: limit) { $0.backend.isSettled }
    }

    private mutating func act(_ action: Action, on device: Int) {
        backend.perform(StepAction(NamedAction(action), device: device))
        catchUp()
    }

    private mutating func failLiveness(
        _ expected: [String], _ reached: (version: String?, isConfirmed: Bool), on device: Int,
        from start: Instant
    ) {
        let version = expected.first ?? "some version"
        let name = deviceCount > 1 ? "The device \(plan.scenario.devices[device].name.value)" : "The device"
        var failure = Failure(
            kind: .liveness, headline: "\(name) did not come to run and confirm \(version)", at: backend.now)
        let confirmed = reached.isConfirmed ? "confirmed" : "not confirmed"
        failure.identity.pattern = reached.version == nil ? "nothing runs" : confirmed
        failure.location = FileLocation(plan.scenario.title.span, in: plan.scenario.source)
        failure.differences = [
            Difference(
                expected: "running \(version), confirmed, within \(UsageRounds.count) rounds of use",
                actual: "running \(reached.version ?? "none"), \(confirmed)")
        ]
        failure.help =
            "after the last step the device is used for \(UsageRounds.count) rounds and must come to the version it"
            + " should have; a scenario that ends otherwise on purpose says liveness: \"none\" and because"
        failure.waitedFrom = start
        failure.waitedTo = backend.now
        let versions = [version, reached.version].compactMap(\.self)
        add(failure, about: FailureSubject(versions: versions))
    }
}

/// How a device is used after the last step, so that it can reach the version that it should run.
enum UsageRounds {
    static let count = 8
    /// Time in which the app in front is left alone before: more than the longest pause between two attempts
    /// (U5).
    static let timeAlone = TimeSpan.minutes(20)
    /// Time in front in a round: two minutes, or what the largest version needs on the device's line, the
    /// slowest one to start, or the device's disk to make a version durable, if that is longer: none of these
    /// alone is a failure.
    static func foregroundTime(_ observed: ObservedState) -> TimeSpan {
        let largest = observed.versions.map(\.size).max() ?? 0
        let slowest = observed.versions.map(\.startup.latestConfirmation).max() ?? .zero
        let cost = observed.profile.diskCost
        let mostFiles = observed.versions.map(\.files.count).max() ?? 0
        let syncs = max(cost.sync, cost.syncDirectory) * Int64(mostFiles + syncsOfAnUpdate)
        return max(
            .minutes(2), observed.profile.link.time(forBytes: largest),
            min(slowest, .minutes(10)) + .seconds(10),
            syncs)
    }

    /// Syncs of an update from its launch to the confirmed start, besides those of its files.
    private static let syncsOfAnUpdate = 24

    /// Number of rounds that follow each other without a pause.
    static let backToBack = 3
    /// Interval of the later rounds.
    static let laterInterval = TimeSpan.hours(10)
}

extension RunObserver {
    /// Running version, and whether its start is confirmed. Without hashes the bytes of a page do not say
    /// which version it is (U1), so what the app calls it counts.
    package func reached(in backend: some Backend) -> (version: String?, isConfirmed: Bool) {
        let view = backend.view(of: device)
        guard view.process != nil, let shown = view.running else { return (nil, false) }
        let running = observed.app.hasHashes ? shown : observed.name(observed.status?.current)
        let start = observed.starts.last {
            $0.process == observed.process && observed.name($0.key) == running
        }
        guard let start else { return (running, false) }
        return (running, observed.isConfirmed(start))
    }

    /// Versions that the device may run in the end, the best first; if there is one, it is required.
    package var expectedVersions: [String] { expectedVersionOracle.expectedVersions(observed) }
}
