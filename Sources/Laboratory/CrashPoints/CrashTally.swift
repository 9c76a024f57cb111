import Core

/// What a search over crash points came to: one scenario's, or the sum of several.
public struct CrashTally: Hashable, Sendable {
    /// Disk operations at which a first crash was tried, and a second one within the recovery.
    public var firstPoints = 0
    public var secondPoints = 0
    /// Operations that were not tried, by ``CrashLimits/every``.
    public var pointsLeftOut = 0
    /// Points at which every outcome that the file system allows was tried.
    public var exactPoints = 0
    public var sampledPoints = 0
    /// Crashes: points times outcomes. Each was launched, or found equal to one that was.
    public var states = 0
    /// Those that were launched; the others were equal to one of them.
    public var launched = 0
    /// At how many points each class of outcomes exists, and was tried.
    public var classes = CrashClassCounts()
    /// First crashes whose recovery was cut off again at each operation, and those left out.
    public var secondTried = 0
    public var secondLeftOut = 0
    /// States at the end of recoveries from which the device was used on and left at rest; the others were
    /// equal to one of them.
    public var used = 0
    public var failures = 0

    public init() {}

    public var merged: Int { states - launched }

    public var points: Int { firstPoints + secondPoints }

    public static func + (left: CrashTally, right: CrashTally) -> CrashTally {
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
public struct CrashFinding: Hashable, Sendable {
    /// `R1`, `ST-I1` …
    public var rule: String
    public var headline: String
    public var expected: String
    public var actual: String
    /// One crash, or two: the second within the recovery from the first.
    public var places: [CrashPlace]

    public init(rule: String, headline: String, expected: String, actual: String, places: [CrashPlace]) {
        self.rule = rule
        self.headline = headline
        self.expected = expected
        self.actual = actual
        self.places = places
    }
}
