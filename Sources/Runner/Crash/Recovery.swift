import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// Checks a device after a crash. Launched with a healthy network it must start a version without help (R1),
/// reach the expected version, leave nothing behind, and not change any more.
///
/// The checkers of the invariants run all the time. What must hold after a crash, and where it is checked:
/// - Recovery ends, and a second one changes nothing (findings name it `ST-I1`): ``launch(_:)`` and
///   ``verifyIdempotence(_:)``.
/// - The record names complete versions only, or the embedded one starts: R1's checker and ``launch(_:)``.
/// - What was reported as pending or current stays (`ST-I3`): `ReportedIsDurable`.
/// - An incomplete download changes nothing, what must be kept is there, no stored content changes: R7's
///   checker.
/// - Only what the record names is left: R7's checker, after the idle period of ``verifyIdempotence(_:)``.
/// - Generations of the record only grow, what was blacklisted stays so: the checkers of R8 and R5.
package struct Recovery: Sendable {
    /// A failed check, without the crash that led to it.
    package struct Finding: Hashable, Sendable {
        package var rule: String
        package var headline: String
        package var expected: String
        package var actual: String
        /// Names of the versions that the texts name.
        package var versions: [String]
        /// Whether it shows only when the device is used further than a scenario's run does
        /// (``Recovery/furtherUse``).
        package var isOfFurtherUse = false

        package init(
            _ rule: String, _ headline: String, expected: String, actual: String, versions: [String] = []
        ) {
            self.rule = rule
            self.headline = headline
            self.expected = expected
            self.actual = actual
            self.versions = versions
        }

        package init(_ finding: CheckerList.Finding) {
            self.init(
                finding.rule, finding.violation.headline, expected: finding.violation.expected,
                actual: finding.violation.actual, versions: finding.violation.versions)
        }
    }

    /// Whether the expected version must be reached; a scenario can say that it can't be.
    private let hasLiveness: Bool

    package init(of plan: RunPlan) {
        hasLiveness = if case .expected = plan.scenario.liveness { true } else { false }
    }

    /// Time in which a launch must be confirmed.
    package static let limit = TimeSpan.seconds(60)
    /// Longer than the idle minute of R7, and longer than its checker waits.
    package static let idlePeriod = TimeSpan.minutes(4)

    /// Ends the scenario, heals the network, and launches the app as a user does.
    package func begin(_ device: inout ObservedWorld) {
        device.world.disarm()
        device.perform(.heal(nil))
        device.perform(.network(.online))
        device.perform(.user(.waits))
        // A deploy in two steps is completed.
        if let version = device.halfDeployed {
            device.perform(.deploy(DeploySpec(Spanned(version), keepsOldFiles: false)))
        }
        device.perform(.launch(.foreground))
    }

    /// Result of a launch after a crash.
    package enum Launch: Sendable {
        case failed(Finding)
        /// A limit of the run was reached, for this reason.
        case unfinished(String)
        /// It started a version; its process was killed so that it can be compared with others (``end(_:)``).
        case recovered(ObservedWorld)
    }

    package func launch(_ crashed: ObservedWorld) -> Launch {
        var device = crashed
        begin(&device)
        let exhausted = device.pass(until: device.world.now + Recovery.limit) { isOver($0) }
        if let finding = evaluateLaunch(device, exhausted: exhausted) { return .failed(finding) }
        end(&device)
        return .recovered(device.forked)
    }

    /// Kills the process after a successful launch. What it did not sync stays unsynced, because a missing
    /// sync shows only in later use.
    package func end(_ device: inout ObservedWorld) { device.perform(.kill(.user)) }

    /// Whether the recovery is over: its first page is confirmed.
    package func isOver(_ device: ObservedWorld) -> Bool { device.reached.isConfirmed }

    /// Checks R1 at the end of a recovery: the launch must have served a page.
    /// - Returns: nil if the device passes.
    package func evaluateLaunch(_ device: ObservedWorld, exhausted: String?) -> Finding? {
        if let finding = device.findings.first { return Finding(finding) }
        if let exhausted {
            return Finding(
                "ST-I1", "Recovery did not end", expected: "a page within \(Recovery.limit.shown)",
                actual: exhausted)
        }
        let observed = device.observer.observed
        let isServed = observed.starts.contains { $0.process == observed.process && $0.servedAt != nil }
        if isServed { return nil }
        if case .recovery = observed.screen { return nil }
        // U7: nothing was ever complete, and the app asks for nothing by itself, or is offered nothing: the
        // user has a button.
        let asksOnRequestAlone = observed.settings.updates != .automatic
        let isOfferedNothing = observed.hasLoggedInProcess(.nothingOffered)
        if asksOnRequestAlone || isOfferedNothing, observed.screen == .offline,
            observed.logged([.becamePending]) == nil
        {
            return nil
        }
        return Finding(
            "R1", "After a crash the device starts no version",
            expected: "the page of a complete version within \(Recovery.limit.shown)",
            actual: !device.hasProcess ? "no process" : "screen \(observed.screen)")
    }

    // MARK: - After another disturbance

    /// Ends the scenario, heals everything, and uses a device that may still run, as after the last step of a
    /// scenario; at the end its process is killed.
    package func use(_ device: inout ObservedWorld) -> Launch {
        if let finding = device.findings.first { return .failed(Finding(finding)) }
        device.world.disarm()
        device.perform(.heal(nil))
        device.perform(.network(.online))
        device.perform(.user(.waits))
        if hasLiveness, let finding = reachExpectedVersion(&device) { return .failed(finding) }
        if let finding = device.findings.first { return .failed(Finding(finding)) }
        end(&device)
        return .recovered(device.forked)
    }

    // MARK: - After the recovery

    /// Checks a recovered device whose process was killed: it must reach the expected version, and a second
    /// recovery must change nothing.
    /// - Returns: nil if the device passes.
    package func evaluateAfterRecovery(_ device: inout ObservedWorld) -> Finding? {
        if hasLiveness, let finding = reachExpectedVersion(&device) { return finding }
        return verifyIdempotence(&device)
    }

    /// Uses the device in rounds, as after the last step of a scenario, until it has confirmed the expected
    /// version.
    private func reachExpectedVersion(_ device: inout ObservedWorld) -> Finding? {
        var expected: [String] = []
        var reached: (version: String?, isConfirmed: Bool) = (nil, false)
        for round in 0..<UsageRounds.count {
            let start = device.world.now
            device.perform(.launch(.foreground))
            device.perform(.check)
            let exhausted = device.pass(
                until: device.world.now + UsageRounds.foregroundTime(device.observer.observed)
            ) {
                Recovery.isAtExpectedVersion($0)
            }
            if let finding = finding(device, exhausted) { return finding }
            if Recovery.isAtExpectedVersion(device) { return nil }
            expected = device.expectedVersions
            reached = device.reached
            if expected.isEmpty { return nil }
            device.perform(.background)
            device.perform(.kill(.user))
            if round >= UsageRounds.backToBack - 1 {
                if let finding = finding(device, device.pass(until: start + UsageRounds.laterInterval)) {
                    return finding
                }
            }
        }
        let version = expected.first ?? "some version"
        return Finding(
            "liveness", "The device did not come to run and confirm \(version)",
            expected: "\(version) within \(UsageRounds.count) rounds of use",
            actual: "\(reached.version ?? "none"), \(reached.isConfirmed ? "confirmed" : "not confirmed")",
            versions: [version, reached.version].compactMap(\.self))
    }

    private static func isAtExpectedVersion(_ device: ObservedWorld) -> Bool {
        let reached = device.reached
        guard reached.isConfirmed, let version = reached.version else { return false }
        return device.expectedVersions.contains(version)
    }

    /// First finding of the checkers, else a finding if the device did not become idle.
    private func finding(_ device: ObservedWorld, _ exhausted: String?) -> Finding? {
        if let finding = device.findings.first { return Finding(finding) }
        return exhausted.map {
            Finding("ST-I1", "The device does not come to rest", expected: "an end", actual: $0)
        }
    }

    /// What ``use(_:)`` and ``verifyIdempotence(_:)`` do with a device, as steps of a scenario: the file of a
    /// finding ends with them where the run of the file alone would not come as far.
    package static let furtherUse: [Action] = {
        func wait(_ span: TimeSpan) -> Action { .wait(Spanned(span, SourceSpan(start: 0, end: 0))) }
        let restart = [Action.kill(.user), .launch(.foreground), wait(idlePeriod)]
        return [
            .heal(nil), .network(.online), .user(.waits), .launch(.foreground), .check, wait(.minutes(2)),
        ]
            + restart + restart + [.network(.offline)] + restart
    }()

    /// Waits for the idle period, in which unneeded files are removed; then a kill and a launch must change
    /// nothing.
    package func verifyIdempotence(_ device: inout ObservedWorld) -> Finding? {
        // A process removes unneeded files at its start or in its idle minute (R7), so one must run.
        if !device.hasProcess {
            device.perform(.launch(.foreground))
        }
        if let finding = finding(device, device.pass(until: device.world.now + Recovery.idlePeriod)) {
            return finding
        }
        // A pending version is started by the next process, and a start that the process left open,
        // because it died, gets its end there (R3): correct changes.
        let record = device.observer.view.live.record
        if record?.pending != nil || record?.openStart != nil { return nil }
        // A version that was recalled while it ran is left at the next process start (U13), and one that was
        // recalled, or lost its place, after its process had confirmed goes at the next confirmed start (R7).
        if device.recordsRecalled || device.recordsFormerVersion {
            device.perform(.kill(.user))
            device.perform(.launch(.foreground))
            if let finding = finding(device, device.pass(until: device.world.now + Recovery.idlePeriod)) {
                return finding
            }
        }
        let before = StoreSnapshot(device.observer.view.live)
        let wasConfirmed = device.reached.isConfirmed
        device.perform(.network(.offline))
        device.perform(.kill(.user))
        device.perform(.launch(.foreground))
        if let finding = finding(device, device.pass(until: device.world.now + Recovery.idlePeriod)) {
            return finding
        }
        // A start that is not confirmed changes the record, which is correct; so does the second of an
        // embedded version that fails, which the next process skips (R13).
        guard wasConfirmed, device.reached.isConfirmed, !device.observer.hasRescued else { return nil }
        let after = StoreSnapshot(device.observer.view.live)
        guard before != after else { return nil }
        return Finding(
            "ST-I1", "A second recovery changes what the first one left", expected: before.text,
            actual: after.text)
    }
}

/// The parts of a store that a launch without news must not change: all content, and what the record names.
/// Left out: start records, counts of confirmations, boot id and log.
package struct StoreSnapshot: Hashable, Sendable {
    package var blobs: [Digest256]
    package var tables: [Digest256]
    package var partials: [PartialImage]
    package var strays: [String]
    package var roles: [String]
    package var blacklist: [RecordImage.BlacklistEntry]
    package var damaged: [Digest256]

    package init(_ image: StoreImage) {
        blobs = image.blobs.map(\.name)
        tables = image.tableNames.sorted()
        partials = image.partials.sorted { $0.key < $1.key }
        strays = image.strays.sorted()
        roles = (image.record?.roles ?? []).map { "\($0.name) \($0.key.id)" }
        blacklist = image.record?.blacklist ?? []
        damaged = image.record?.damaged ?? []
    }

    package var text: String {
        "\(blobs.count) blobs, \(tables.count) tables, \(partials.count) partial files, "
            + (roles.isEmpty ? "no roles" : roles.joined(separator: ", "))
            + (blacklist.isEmpty ? "" : ", blacklist of \(blacklist.count)")
    }
}
