import Updater

/// Which native build the device has noticed (N1).
extension ObservedState {
    /// A build that another one has replaced.
    package struct FormerBuild: Hashable, Sendable {
        var name: String
        var goodVersions: [GoodVersion]
    }

    /// A process notices a store update if the build is another one than that of the process before it (N1).
    mutating func noticeBuild() {
        isBuildBack = false
        if build == buildsSeen.last { return }
        let last = buildsSeen.last ?? app.installed
        buildsSeen.append(build)
        guard app.isStoreUpdate(from: last, to: build) else { return }
        if let former = formerBuild, !app.isStoreUpdate(from: former.name, to: build) {
            goodVersions = former.goodVersions
            formerBuild = nil
            isBuildBack = true
            return
        }
        if formerBuild == nil { formerBuild = FormerBuild(name: last, goodVersions: goodVersions) }
        goodVersions.removeAll()
    }

    /// Causes that say that the process may not have written what it settled.
    static let unwritten: [LogCause] = [
        .storeUnavailable, .storeInUse, .recordNotWritten, .recordNewerFormat,
    ]
}
