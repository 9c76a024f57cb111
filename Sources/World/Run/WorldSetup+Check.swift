import Backend
import Core
import Updater

extension WorldSetup {
    /// Checks that every name is known and none is given twice.
    func check() throws(SetupError) {
        if versions.count > 64 { throw .tooManyVersions(versions.count) }
        if devices.isEmpty { throw .noDevice }
        try once("version", versions.map(\.name))
        try once("build", app.builds.map(\.name))
        try once("edge", origin.edges)
        for build in app.builds {
            if BuildNumber(build.number) == nil { throw .invalidBuildNumber(build.number) }
            if let name = build.embeds, !versions.contains(where: { $0.name == name }) {
                throw .unknownVersion(name)
            }
            if let name = build.origin, !origin.edges.contains(name) { throw .unknownEdge(name) }
        }
        if !app.builds.contains(where: { $0.name == app.installed }) { throw .unknownBuild(app.installed) }
        if !origin.edges.contains(origin.route) { throw .unknownEdge(origin.route) }
        for version in versions where app.builds.contains(where: { $0.embeds == version.name }) {
            try checkSizes(of: version)
        }
    }

    /// Refuses an embedded version that is too large for its own app. An origin can offer one (U10).
    private func checkSizes(of version: VersionSetup) throws(SetupError) {
        let limits = UpdaterLimits()
        var total = 0
        for file in version.files {
            guard case .made(let key) = file.content, key.size > 0 else { continue }
            guard key.size <= limits.fileBytes else {
                let reason = "route=\(file.route) bytes=\(key.size) limit=\(limits.fileBytes)"
                throw .manifest(version: version.name, reason: reason)
            }
            guard key.size <= limits.versionBytes - total else {
                throw .manifest(version: version.name, reason: "limit=\(limits.versionBytes)")
            }
            total += key.size
        }
    }

    /// Throws the error with which a world refuses this setup. Generated files are made small for it, so that
    /// it costs little.
    package func validate() throws(SetupError) {
        try check()
        var small = self
        for version in versions.indices {
            for file in versions[version].files.indices {
                guard case .made(var key) = versions[version].files[file].content else { continue }
                key.size = min(key.size, WorldSetup.validatedSize)
                small.versions[version].files[file].content = .made(key)
            }
        }
        _ = try VersionLibrary(small)
    }

    /// Size of generated files in ``validate()``, in bytes: enough for different files to differ.
    private static let validatedSize = 64

    private func once(_ kind: String, _ names: [String]) throws(SetupError) {
        let sorted = names.sorted()
        for (name, next) in zip(sorted, sorted.dropFirst()) where name == next {
            throw .duplicateName(kind: kind, name: name)
        }
    }
}

extension AppSetup {
    func build(_ name: String) -> BuildSetup? { builds.first { $0.name == name } }

    /// The range of native builds that covers those declared with this interface: from the lowest of them
    /// up to the next build that has another.
    func range(ofNative label: String?) throws(SetupError) -> BuildRange {
        guard let label else { return BuildRange() }
        let numbered = builds.compactMap { build in
            BuildNumber(build.number).map { (number: $0, native: build.native) }
        }
        let own = numbered.filter { $0.native == label }.map(\.number)
        guard let lowest = own.min(), let highest = own.max() else { throw .unknownNative(label) }
        let next = numbered.filter { $0.native != label && $0.number > highest }.map(\.number).min()
        return BuildRange(minimum: lowest, below: next)
    }

    /// Meteor's compatibility version of a native interface. A version without one gets that of the installed
    /// build, because the dialect has no "any".
    func compatibility(ofNative label: String?) -> String {
        let name = label ?? build(installed)?.native ?? "any"
        return SHA1.hash(of: Array("native \(name)".utf8)).hex
    }
}
