import Backend
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
        guard app.isStoreUpdate(from: last, to: build) else {
            // To the device it is the same build.
            buildsSeen[buildsSeen.count - 1] = build
            return
        }
        buildsSeen.append(build)
        if let former = formerBuild, !app.isStoreUpdate(from: former.name, to: build) {
            goodVersions = former.goodVersions
            formerBuild = nil
            isBuildBack = true
            return
        }
        if formerBuild == nil { formerBuild = FormerBuild(name: last, goodVersions: goodVersions) }
        goodVersions.removeAll()
    }

    /// Whether a version was made for the installed build, according to its manifest (U10); nil: the manifest
    /// or the build states nothing.
    func isMadeForBuild(_ version: VersionSetup) -> Bool? {
        switch app.dialect {
        case .own: return version.native.map(isInRange(ofNative:))
        case .meteor:
            // A version that names no interface is made for the first build's.
            let first = app.builds.first { $0.name == app.installed }?.native
            let installed = app.builds.first { $0.name == build }
            let embedded = installed?.embeds.flatMap { name in versions.first { $0.name == name } }
            guard installed?.native != nil || embedded != nil else { return nil }
            return (version.native ?? first) == (installed?.native ?? embedded?.native ?? first)
        case .frontend: return nil
        }
    }

    /// Whether the installed build is in the range of numbers that a manifest states for this native
    /// interface: from the lowest build that has it up to the next one, above all of these, that has another.
    /// A build of another interface between them is in it, too.
    func isInRange(ofNative label: String) -> Bool {
        func number(_ text: String) -> [Int] {
            var parts = text.utf8.split(separator: UInt8(ascii: "."))
                .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
            while parts.last == 0 { parts.removeLast() }
            return parts
        }
        func precedes(_ left: [Int], _ right: [Int]) -> Bool { left.lexicographicallyPrecedes(right) }
        let own = app.builds.filter { $0.native == label }.map { number($0.number) }
        guard let lowest = own.min(by: precedes), let highest = own.max(by: precedes) else { return false }
        let next = app.builds.filter { $0.native != label }.map { number($0.number) }
            .filter { precedes(highest, $0) }.min(by: precedes)
        let installed = number(buildNumber)
        return !precedes(installed, lowest) && next.map { precedes(installed, $0) } ?? true
    }

    /// Causes that say that the process may not have written what it settled.
    static let unwritten: [LogCause] = [
        .storeUnavailable, .storeInUse, .recordNotWritten, .recordNewerFormat,
    ]
}
