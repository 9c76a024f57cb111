import Core
import Oracle
import Runner

/// The figures of a crash-point search: of one scenario, or summed over several.
package struct CrashTally: Hashable, Sendable {
    /// Disk operations of the scenario at which a first crash was tried.
    package var firstPoints = 0
    /// Disk operations of recoveries at which a second crash was tried.
    package var secondPoints = 0
    /// Operations that ``CrashLimits/every`` left out.
    package var pointsLeftOut = 0
    /// Points at which every outcome that the file system allows was tried.
    package var exactPoints = 0
    package var sampledPoints = 0
    /// Crashes, one for each outcome at each point. Each was launched or equal to one that was.
    package var states = 0
    /// States that were launched; the others were equal to one of them.
    package var launched = 0
    /// For each class of outcomes, the number of points at which it exists and at which it was tried.
    package var classes = CrashClassCounts()
    /// First crashes whose recovery was crashed again at each operation.
    package var secondTried = 0
    /// First crashes whose recovery was not crashed again.
    package var secondLeftOut = 0
    /// States after recoveries from which the device was used further and then left idle; the others were
    /// equal to one of them.
    package var used = 0
    /// Launches that reached a limit of the run, so that nothing is known of them.
    package var unfinished = 0
    /// States from which the device did not recover as it should.
    package var failures = 0

    package init() {}

    package var merged: Int { states - launched }

    package var points: Int { firstPoints + secondPoints }

    package static func + (left: CrashTally, right: CrashTally) -> CrashTally {
        var sum = left
        sum.firstPoints += right.firstPoints
        sum.secondPoints += right.secondPoints
        sum.pointsLeftOut += right.pointsLeftOut
        sum.exactPoints += right.exactPoints
        sum.sampledPoints += right.sampledPoints
        sum.states += right.states
        sum.launched += right.launched
        sum.classes = sum.classes + right.classes
        sum.secondTried += right.secondTried
        sum.secondLeftOut += right.secondLeftOut
        sum.used += right.used
        sum.unfinished += right.unfinished
        sum.failures += right.failures
        return sum
    }
}

/// A crash from which the device did not recover as it should.
package struct CrashFinding: Hashable, Sendable {
    /// The id of the violated rule: `R1`; `ST-I1`: recovery ends, and a second one changes nothing.
    package var rule: String
    package var headline: String
    package var expected: String
    package var actual: String
    /// One crash, or two: the second within the recovery from the first.
    package var crashes: [CrashSite]

    init(_ verdict: Recovery.Finding, crashes: [CrashSite]) {
        self.init(
            rule: verdict.rule, headline: verdict.headline, expected: verdict.expected,
            actual: verdict.actual, crashes: crashes)
    }

    package init(rule: String, headline: String, expected: String, actual: String, crashes: [CrashSite]) {
        self.rule = rule
        self.headline = headline
        self.expected = expected
        self.actual = actual
        self.crashes = crashes
    }
}
