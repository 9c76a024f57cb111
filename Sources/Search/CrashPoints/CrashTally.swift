import Core
import Oracle
import Runner

/// What a search over crash points came to: one scenario's, or the sum of several.
package struct CrashTally: Hashable, Sendable {
    /// Disk operations at which a first crash was tried, and a second one within the recovery.
    package var firstPoints = 0
    package var secondPoints = 0
    /// Operations that were not tried, by ``CrashLimits/every``.
    package var pointsLeftOut = 0
    /// Points at which every outcome that the file system allows was tried.
    package var exactPoints = 0
    package var sampledPoints = 0
    /// Crashes: points times outcomes. Each was launched, or found equal to one that was.
    package var states = 0
    /// Those that were launched; the others were equal to one of them.
    package var launched = 0
    /// At how many points each class of outcomes exists, and was tried.
    package var classes = CrashClassCounts()
    /// First crashes whose recovery was cut off again at each operation, and those left out.
    package var secondTried = 0
    package var secondLeftOut = 0
    /// States at the end of recoveries from which the device was used on and left at rest; the others were
    /// equal to one of them.
    package var used = 0
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
        sum.failures += right.failures
        return sum
    }
}

/// A crash from which the device did not come back as it should.
package struct CrashFinding: Hashable, Sendable {
    /// `R1`, `ST-I1` …
    package var rule: String
    package var headline: String
    package var expected: String
    package var actual: String
    /// One crash, or two: the second within the recovery from the first.
    package var places: [CrashPlace]

    package init(rule: String, headline: String, expected: String, actual: String, places: [CrashPlace]) {
        self.rule = rule
        self.headline = headline
        self.expected = expected
        self.actual = actual
        self.places = places
    }
}
