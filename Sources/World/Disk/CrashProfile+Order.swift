import Backend

/// The persistence order of each profile, as questions that ``PersistenceOrder`` asks.
extension CrashProfile {
    /// Whether metadata operations persist in their order.
    var isJournalled: Bool {
        switch self {
        case .journal, .writeback, .apple: true
        case .strict, .prefix, .alice: false
        }
    }

    /// Whether a grown length persists only with its data.
    var sizeNeedsData: Bool { self == .journal }

    /// Whether a rename over a file persists only with the data of the replacing file.
    var replacementNeedsData: Bool { self == .journal || self == .writeback }

    /// Whether blocks whose length persisted without their data can show previous content of the medium.
    var canShowGarbage: Bool { self != .journal && self != .prefix }
}
