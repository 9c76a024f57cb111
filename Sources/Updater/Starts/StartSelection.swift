/// Which version this process starts, and which it does not start any more.
///
/// **Invariants**
/// - The choice of the process start holds until a page load makes a version current, or what it rests on
///   changes; then the record's current version counts.
/// - A version that recovery has left is not started again in this process, except by the user (U5, R9).
struct StartSelection: Sendable {
    /// The version that the process starts with, until the first page load.
    var choice: StartChoice?
    /// The version that the user requested on R9's screen, until it is served.
    private(set) var userChoice: VersionKey?
    /// Whether this process has found nothing that it can start.
    var isWithoutContent = false
    /// Versions that recovery has left in this process: each is rescued from once (U5).
    private var abandoned: [VersionKey] = []
    /// Versions logged as too low for the data here (R12).
    private var loggedLowSchemas: [VersionKey] = []

    func hasAbandoned(_ key: VersionKey) -> Bool { abandoned.contains(key) }

    mutating func abandon(_ key: VersionKey) { abandoned.append(key) }

    mutating func userStarts(_ key: VersionKey) {
        choice = nil
        isWithoutContent = false
        userChoice = key
        abandoned.removeAll { $0 == key }
    }

    /// A page load of the user's choice is served.
    mutating func endUserChoice() { userChoice = nil }

    /// - Returns: whether the version was not logged before.
    mutating func logLowSchema(of key: VersionKey) -> Bool {
        guard !loggedLowSchemas.contains(key) else { return false }
        loggedLowSchemas.append(key)
        return true
    }
}
