import Backend
import Core
import Foundation
import Runner
import ScenarioLanguage
import World

/// The crash points of somebody else's updater: its system calls are recorded once, replayed onto the model
/// of a disk, and each image of the state folder that a kill or a power cut can leave is launched for real.
///
/// Promises
/// - The replay has the folder's content byte for byte at the end, else the search is inconclusive and says
///   what differs.
/// - Each image is launched once, however many crashes leave it; outcomes of power cuts are those of the
///   device's profile, of each class (``PowerCutClass``).
///
/// Deliberately not here: crashes within a recovery; threads of the subject, which another recording may
/// order otherwise.
package struct RecordedCrashPoints: Sendable {
    package var run: SubjectRun
    /// Outcomes at each operation: the kill, then power cuts; nil: all.
    package var outcomes: Int?
    /// Only every n-th operation.
    package var every = 1
    /// Called when an image has been launched, with the number of those that have been and of all.
    package var progress: @Sendable (_ launched: Int, _ all: Int) -> Void = { _, _ in }

    package init(_ run: SubjectRun, outcomes: Int?) {
        self.run = run
        self.outcomes = outcomes
    }

    /// A crash that a launch did not recover from.
    package struct Finding: Sendable {
        /// Number of the operation after which it was, from 1; 0: before the first.
        package var operation: Int
        /// What survived.
        package var outcome: String
        /// The operations up to the crash, the last one last; for a power cut each that was not durable says
        /// whether it survived.
        package var operations: [String]
        package var image: StateImage
        /// The recovery as a scenario file.
        package var recovery: String
        /// The ports that the image or a file of a version may name.
        package var ports: SubjectBackend.Ports?
        package var result: ScenarioResult
        /// How many images failed with the same headline.
        package var count = 1

        package var headline: String { result.failures.first?.headline ?? "\(result.verdict)" }
    }

    package struct Report: Sendable {
        package var plan: RunPlan
        /// Operations on the state folder.
        package var operations = 0
        /// Crashes tried, the kill and each power cut counted.
        package var crashes = 0
        /// Different images, all of which were launched.
        package var images = 0
        package var failures = 0
        /// Images whose recovery was not judged, and why the first of them was not.
        package var unjudged = 0
        package var whyUnjudged: String?
        /// The first one of each headline.
        package var findings: [Finding] = []
        /// Calls on the state folder that are not followed.
        package var notFollowed: [String] = []
        /// Why the subject can't be put through the scenario; nil: it can.
        package var skipped: String?
        /// Why the search could not be made; nil: it was.
        package var problem: String?
    }

    /// - Throws: ``CallRecorder/UnavailableRecorder``.
    package func report(of plan: RunPlan) throws -> Report {
        var report = Report(plan: plan)
        let recorder = try CallRecorder()
        var run = run
        run.options.ports = SubjectBackend.Ports.lasting()
        var recorded = run
        recorded.options.recorder = recorder
        // A traced process takes several times as long for the same work.
        recorded.options.speed = 1
        let result = recorded.result(of: plan)
        if result.verdict == .skipped {
            report.skipped = result.reason ?? ""
            return report
        }
        guard result.verdict == .passed else {
            report.problem =
                "without a crash it is '\(result.verdict)': "
                + (result.failures.first?.headline ?? result.reason ?? "")
            return report
        }
        do {
            let crashes = try replay(recorder, &report)
            guard report.problem == nil else { return report }
            launch(crashes, run, &report)
        } catch let error as RecordedDisk.ReplayFault {
            report.problem = "the recorded calls could not be replayed: \(error.message)"
        } catch let error as RecoveryPlan.UnsuitableScenario {
            report.problem = error.reason
        } catch let error as ScenarioFault {
            report.problem = error.message
        }
        return report
    }

    // MARK: - Replay

    /// An image, and the first crash that leaves it.
    fileprivate struct Crash {
        var image: StateImage
        var operation: Int
        var outcome: String
        var operations: [String]
        /// Index of the last step before it.
        var step: Int
    }

    private func replay(_ recorder: CallRecorder, _ report: inout Report) throws -> [Crash] {
        let setup = try ScenarioRunner(profiles: run.profiles).prepare(report.plan.scenario).setup
        var disk = RecordedDisk(
            root: recorder.root, workingFolder: FileManager.default.currentDirectoryPath,
            profile: setup.devices.first?.crashProfile ?? .strict)
        var found = Crashes()
        for log in recorder.logs {
            var reader = SystemCallReader()
            let calls = reader.read(Array(FileManager.default.contents(atPath: log.path) ?? Data()))
            // A call in which the process was ended has no result: the folder tells whether it took place.
            let interrupted = calls.indices.filter { calls[$0].result == nil }
            disk.package = log.package.map { (recorder.packageRoot, $0) }
            let before = (disk, found)
            for isDone in interrupted.isEmpty ? [false] : [false, true] {
                (disk, found) = before
                try replay(
                    isDone ? calls : calls.filter { $0.result != nil }, recorder.steps, &disk, &found)
                if StateImage(disk.disk) == log.image { break }
            }
            if let real = log.image, StateImage(disk.disk) != real {
                var reasons = StateImage(disk.disk).differences(from: real, count: 3)
                reasons += disk.notFollowed.map { "not followed: \($0)" }
                if let line = reader.unreadable.first {
                    reasons.append("\(reader.unreadable.count) lines can't be read, the first is: \(line)")
                }
                report.problem = "the replay differs from the folder: " + reasons.joined(separator: "; ")
                break
            }
        }
        report.operations = found.operations.count
        report.crashes = found.count
        report.notFollowed = disk.notFollowed
        return found.crashes
    }

    /// Replays one process.
    private func replay(
        _ calls: [SystemCall], _ steps: [(at: Int64, step: Int)], _ disk: inout RecordedDisk,
        _ found: inout Crashes
    ) throws {
        // Syncs cover what was written before they began.
        var syncs = calls.filter { RecordedDisk.isSync($0) }.sorted { $0.begunAfter < $1.begunAfter }[...]
        for (index, call) in calls.enumerated() {
            while let sync = syncs.first, sync.begunAfter <= index {
                disk.beginSync(sync)
                syncs.removeFirst()
            }
            guard let change = try disk.apply(call) else { continue }
            found.operations.append(change)
            guard found.operations.count.isMultiple(of: every) else { continue }
            found.add(disk.disk, step: steps.last { $0.at <= call.at }?.step ?? 0, atMost: outcomes)
        }
        disk.processEnded()
    }

    /// The operations so far, and what crashes after them leave.
    private struct Crashes {
        var operations: [String] = []
        /// How many were tried.
        var count = 0
        /// Those with an image of their own.
        var crashes: [Crash] = []
        private var known: Set<StateImage> = []
        /// Digests of disks, which are quicker to compare: those of disks with an image that is known.
        private var digests: Set<UInt64> = []

        /// - Parameter most: outcomes to try, the kill among them; nil: all.
        mutating func add(_ disk: SimulatedDisk, step: Int, atMost most: Int?) {
            take(disk, "kill", step) { [] }
            let choice = disk.powerCutChoice(turn: operations.count, atMost: most.map { max(0, $0 - 1) })
            for candidate in choice.candidates {
                var cut = disk
                cut.powerCut(keeping: candidate.outcome)
                take(cut, "power cut", step) { Crashes.fates(of: disk.pendingDescriptions, candidate) }
            }
        }

        /// What of the changes that were not durable survives: the shorter list, and the length of the other.
        private static func fates(of pending: [String], _ cut: PowerCutChoice.Candidate) -> [String] {
            let kept = pending.indices.filter { cut.survivors[$0] && $0 != cut.torn }
            let lost = pending.indices.filter { !cut.survivors[$0] }
            var lines = ["of \(pending.count) changes that were not durable yet"]
            if lost.count <= kept.count {
                lines +=
                    lost.map { "lost  \(pending[$0])" } + ["kept  \(lost.isEmpty ? "all" : "the others")"]
            } else {
                lines +=
                    kept.map { "kept  \(pending[$0])" } + ["lost  \(kept.isEmpty ? "all" : "the others")"]
            }
            return lines + (cut.torn.map { ["torn  \(pending[$0])"] } ?? [])
        }

        /// - Parameter fates: what of the changes that were not durable survives; asked for a new image only.
        private mutating func take(
            _ disk: SimulatedDisk, _ outcome: String, _ step: Int, _ fates: () -> [String]
        ) {
            count += 1
            guard digests.insert(disk.dataDigest()).inserted else { return }
            let image = StateImage(disk)
            guard known.insert(image).inserted else { return }
            crashes.append(
                Crash(
                    image: image, operation: operations.count, outcome: outcome,
                    operations: operations.suffix(20) + fates(), step: step))
        }
    }

    // MARK: - Launches

    /// One after another: a state folder may name the ports, and so may Meteor's index.
    private func launch(_ crashes: [Crash], _ run: SubjectRun, _ report: inout Report) {
        report.images = crashes.count
        var run = run
        // Crashes of one step have one recovery.
        var last: (step: Int, recovery: RecoveryPlan)?
        for (index, crash) in crashes.enumerated() {
            do throws(RecoveryPlan.UnsuitableScenario) {
                let recovery: RecoveryPlan
                if let last, last.step == crash.step {
                    recovery = last.recovery
                } else {
                    recovery = try RecoveryPlan(of: report.plan, after: crash.step)
                }
                last = (crash.step, recovery)
                run.options.initialState = crash.image
                report.add(run.result(of: recovery.plan), of: crash, recovery, run.options.ports)
            } catch {
                report.problem = error.reason
                return
            }
            progress(index + 1, crashes.count)
        }
    }
}

extension RecordedCrashPoints.Report {
    fileprivate mutating func add(
        _ result: ScenarioResult, of crash: RecordedCrashPoints.Crash, _ recovery: RecoveryPlan,
        _ ports: SubjectBackend.Ports?
    ) {
        switch result.verdict {
        case .passed: return
        case .failed: break
        default:
            unjudged += 1
            whyUnjudged = whyUnjudged ?? result.failures.first?.headline ?? result.reason
            return
        }
        failures += 1
        let finding = RecordedCrashPoints.Finding(
            operation: crash.operation, outcome: crash.outcome, operations: crash.operations,
            image: crash.image, recovery: recovery.text, ports: ports, result: result)
        if let same = findings.firstIndex(where: { $0.headline == finding.headline }) {
            findings[same].count += 1
        } else {
            findings.append(finding)
        }
    }
}
