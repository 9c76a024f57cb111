import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// What is asked of a device after a crash: launched with a healthy network it comes back by itself (R1),
/// comes to run what it should have, leaves nothing behind, and is at rest.
///
/// The invariants watch all the while. Which of storage.md's checks is made where: ST-I1 ``settle(_:)``;
/// ST-I2 R1's checker and ``launch(_:)``; ST-I3 the checker of its name; ST-I4, ST-I5 and ST-I6 R7's
/// checker; ST-I7 R7's after the idle minutes of ``settle(_:)``; ST-I8 the checkers of R8 and R5.
package struct Recovery: Sendable {
    /// What a finding says, without its place.
    package struct Verdict: Hashable, Sendable {
        package var rule: String
        package var headline: String
        package var expected: String
        package var actual: String

        package init(_ rule: String, _ headline: String, expected: String, actual: String) {
            self.rule = rule
            self.headline = headline
            self.expected = expected
            self.actual = actual
        }

        package init(_ finding: CheckerList.Finding) {
            self.init(
                finding.rule, finding.violation.headline, expected: finding.violation.expected,
                actual: finding.violation.actual)
        }
    }

    /// Unless the story says that the device can't come to what it should have.
    private let hasLiveness: Bool

    package init(of plan: RunPlan) {
        hasLiveness = if case .expected = plan.scenario.liveness { true } else { false }
    }

    package static let limit = TimeSpan.seconds(60)
    /// Longer than the idle minute of R7, and than its checker waits.
    package static let rest = TimeSpan.minutes(4)

    /// The story is over; the network is well; the user taps the app's icon.
    package func begin(_ device: inout ObservedWorld) {
        device.world.disarm()
        device.perform(.heal(nil))
        device.perform(.network(.online))
        device.perform(.user(.waits))
        // Who began a deploy in two steps ends it.
        if let version = device.halfDeployed {
            device.perform(.deploy(DeploySpec(Spanned(version), keepsOldFiles: false)))
        }
        device.perform(.launch(.foreground))
    }

    /// What came of a launch after a crash.
    package enum Launch: Sendable {
        case judged(Verdict)
        /// It came back and has been brought to where it can be compared with others (``end(_:)``).
        case recovered(ObservedWorld)
    }

    package func launch(_ crashed: ObservedWorld) -> Launch {
        var device = crashed
        begin(&device)
        let exhausted = device.pass(until: device.world.now + Recovery.limit) { isOver($0) }
        if let verdict = judgeLaunch(device, exhausted: exhausted) { return .judged(verdict) }
        end(&device)
        return .recovered(device.forked)
    }

    /// The launch has come back: its process is killed. What it did not sync stays unsynced: a missing sync
    /// shows only in the use afterwards (ST-I3).
    package func end(_ device: inout ObservedWorld) { device.perform(.kill(.user)) }

    /// Whether the recovery is over: its first page is confirmed.
    package func isOver(_ device: ObservedWorld) -> Bool { device.reached.isConfirmed }

    /// R1 by really launching, at the end of a recovery.
    package func judgeLaunch(_ device: ObservedWorld, exhausted: String?) -> Verdict? {
        if let finding = device.findings.first { return Verdict(finding) }
        if let exhausted {
            return Verdict(
                "ST-I1", "Recovery did not end", expected: "a page within \(Recovery.limit.shown)",
                actual: exhausted)
        }
        let observed = device.watch.observed
        let isServed = observed.starts.contains { $0.process == observed.process && $0.servedAt != nil }
        if isServed { return nil }
        if case .recovery = observed.screen { return nil }
        return Verdict(
            "R1", "After a crash the device starts no version",
            expected: "the page of a complete version within \(Recovery.limit.shown)",
            actual: !device.hasProcess ? "no process" : "screen \(observed.screen)")
    }

    // MARK: - Afterwards

    /// From the end of a recovery, its process killed: what it should have, then rest, then once more.
    package func judgeRest(_ device: inout ObservedWorld) -> Verdict? {
        if hasLiveness, let verdict = come(&device) { return verdict }
        return settle(&device)
    }

    /// Rounds of use, as after a story, until the device runs and has confirmed what it should have.
    private func come(_ device: inout ObservedWorld) -> Verdict? {
        var wanted: [String] = []
        var reached: (version: String?, isConfirmed: Bool) = (nil, false)
        for round in 0..<Rounds.count {
            let start = device.world.now
            device.perform(.launch(.foreground))
            device.perform(.check)
            let exhausted = device.pass(until: device.world.now + Rounds.inFront) { Recovery.isThere($0) }
            if let verdict = stop(device, exhausted) { return verdict }
            if Recovery.isThere(device) { return nil }
            wanted = device.shouldHave
            reached = device.reached
            if wanted.isEmpty { return nil }
            device.perform(.background)
            device.perform(.kill(.user))
            if round >= Rounds.closeTogether - 1 {
                if let verdict = stop(device, device.pass(until: start + Rounds.farApart)) { return verdict }
            }
        }
        return Verdict(
            "liveness", "The device did not come to run and confirm \(wanted.first ?? "some version")",
            expected: "\(wanted.first ?? "some version") within \(Rounds.count) rounds of use",
            actual: "\(reached.version ?? "none"), \(reached.isConfirmed ? "confirmed" : "not confirmed")")
    }

    private static func isThere(_ device: ObservedWorld) -> Bool {
        let reached = device.reached
        guard reached.isConfirmed, let version = reached.version else { return false }
        return version == device.shouldHave.first
    }

    private func stop(_ device: ObservedWorld, _ exhausted: String?) -> Verdict? {
        if let finding = device.findings.first { return Verdict(finding) }
        return exhausted.map {
            Verdict("ST-I1", "The device does not come to rest", expected: "an end", actual: $0)
        }
    }

    /// Minutes of rest, in which what has no place goes; then a kill and a launch that must change nothing.
    private func settle(_ device: inout ObservedWorld) -> Verdict? {
        // A process cleans up what has no place at its start or in its idle minute (R7): one must run.
        if !device.hasProcess {
            device.perform(.launch(.foreground))
        }
        if let verdict = stop(device, device.pass(until: device.world.now + Recovery.rest)) { return verdict }
        // What waits for its start or second chance is taken up by the next process, by right.
        if device.watch.view.live.record?.pending != nil { return nil }
        // What was recalled while it ran is left at the next process start (U13).
        if device.runsRecalled {
            device.perform(.kill(.user))
            device.perform(.launch(.foreground))
            if let verdict = stop(device, device.pass(until: device.world.now + Recovery.rest)) {
                return verdict
            }
        }
        let before = StoreAtRest(device.watch.view.live)
        device.perform(.network(.offline))
        device.perform(.kill(.user))
        device.perform(.launch(.foreground))
        if let verdict = stop(device, device.pass(until: device.world.now + Recovery.rest)) { return verdict }
        // A start that does not come to its confirmation changes what the record names, by right.
        guard device.reached.isConfirmed, !device.watch.hasRescued else { return nil }
        let after = StoreAtRest(device.watch.view.live)
        guard before != after else { return nil }
        return Verdict(
            "ST-I1", "A second recovery changes what the first one left", expected: before.text,
            actual: after.text)
    }
}

/// What a launch without news leaves as it is: all content, and what the record names. Left out: marks,
/// counts of confirmations, boot id and log.
package struct StoreAtRest: Hashable, Sendable {
    package var blobs: [Digest256]
    package var tables: [Digest256]
    package var partials: [PartialImage]
    package var strays: [String]
    package var roles: [String]
    package var blacklist: [RecordImage.Blacklisted]
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
