import Backend

/// What each profile orders (storage.md, "Profiles").
extension CrashProfile {
    /// Metadata forms one sequence.
    var isJournalled: Bool {
        switch self {
        case .journal, .writeback, .apple: true
        case .strict, .prefix, .alice: false
        }
    }

    /// A grown length waits for the data under it.
    var sizeNeedsData: Bool { self == .journal }

    /// A rename over a file waits for the data of the file that takes its place.
    var replacementNeedsData: Bool { self == .journal || self == .writeback }

    /// Blocks that a length covers without their data can show what was on the medium before.
    var canShowGarbage: Bool { self != .journal && self != .prefix }
}
