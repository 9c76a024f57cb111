/// What the app reports about its versions. A report shows what is durable.
struct Report: Hashable, Sendable {
    var embedded: Version?
    var current: Version?
    var pending: Version?
    /// Whether the pending version waits for its second chance.
    var pendingWaits = false
    var lastKnownGood: Version?
    var good: [Version] = []
    var blacklist: [Version] = []
    var parked: [Version] = []

    func lists(_ version: Version) -> Bool {
        blacklist.contains(version) || parked.contains(version)
    }
}
