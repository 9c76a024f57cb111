import Backend
import Core
import ScenarioLanguage

/// The files of a version: generated ones, those of a real build, and the scenario's annotations of both.
extension ScenarioCompiler {
    package var hasBuilds: Bool { scenario.versions.contains { $0.folder != nil } }

    package func files(of version: VersionSpec) throws(ScenarioFault) -> [FileSetup] {
        if hasBuilds { return try builtFiles(of: version, depth: 0) }
        return scenario.files(of: version.name.value).map { file in
            var setup = FileSetup(route: file.route, content: .made(key(file.content, file.size)))
            annotate(&setup, file.spec)
            return setup
        }
    }

    /// Files of a version if any version is a real build: the inherited files, then the folder, then the
    /// scenario's own files, in order. Sizes and routes are known only here, so unknown names are found here.
    private func builtFiles(of version: VersionSpec, depth: Int) throws(ScenarioFault) -> [FileSetup] {
        guard depth <= scenario.versions.count else {
            throw ScenarioFault(.cycle, "'\(version.name.value)' comes from itself", at: version.name.span)
        }
        var files: [FileSetup] = []
        if let from = version.from?.value, let previous = scenario.version(from) {
            files = try builtFiles(of: previous, depth: depth + 1)
        }
        for route in version.changes {
            let index = try index(of: route, in: files, version)
            let file = FileReference(version: version.name.value, route: route.value)
            files[index].content = .made(key(file, files[index].content.size))
        }
        for route in version.without { files.remove(at: try index(of: route, in: files, version)) }
        if let folder = version.folder {
            let found = try read(folder)
            for file in found where !isMadeByWorld(file.route) {
                var setup = FileSetup(route: file.route, content: .bytes(file.bytes))
                // Build tools write a source map beside its file, and it may be missing (U12).
                let map = file.route + ".map"
                setup.sourceMap = found.contains { $0.route == map } ? map : nil
                setup.isOptional =
                    file.route.hasSuffix(".map") && found.contains { $0.route + ".map" == file.route }
                put(setup, in: &files)
            }
        }
        for spec in version.files {
            let route = spec.route.value
            var setup = FileSetup(route: route, content: .bytes([]))
            if let size = spec.size?.value {
                setup.content = .made(
                    key(FileReference(version: version.name.value, route: route), size))
            } else if let same = spec.same {
                setup.content = try content(of: same, depth: depth)
            } else if let index = files.firstIndex(where: { TextBytes.areEqual($0.route, route) }) {
                setup = files[index]
            } else {
                throw ScenarioFault(
                    .unknownName, "'\(version.name.value)' has no file '\(route)' to say that of",
                    at: spec.route.span, help: near(route, files) ?? "say its size, and it is made")
            }
            annotate(&setup, spec)
            put(setup, in: &files)
        }
        return files
    }

    /// Whether a file of a real build is one that the world makes itself: Meteor's index, new in each
    /// version, and the manifest that Meteor's build tool writes beside it.
    private func isMadeByWorld(_ route: String) -> Bool {
        scenario.app.manifest == .meteor && ["/index.html", "/program.json"].contains(route)
    }

    private func index(
        of route: Spanned<String>, in files: [FileSetup], _ version: VersionSpec
    ) throws(ScenarioFault) -> Int {
        if let index = files.firstIndex(where: { TextBytes.areEqual($0.route, route.value) }) { return index }
        throw ScenarioFault(
            .unknownName, "'\(version.name.value)' does not inherit '\(route.value)'", at: route.span,
            help: near(route.value, files))
    }

    private func near(_ route: String, _ files: [FileSetup]) -> String? {
        RouteNames.nearest(to: route, among: files.map(\.route)).map { "did you mean '\($0)'?" }
    }

    private func content(of same: Spanned<FileReference>, depth: Int) throws(ScenarioFault) -> ContentSource {
        if let version = scenario.version(same.value.version) {
            let files = try builtFiles(of: version, depth: depth + 1)
            if let file = files.first(where: { TextBytes.areEqual($0.route, same.value.route) }) {
                return file.content
            }
        }
        throw ScenarioFault(
            .unknownName, "'\(same.value.version)' has no file '\(same.value.route)'", at: same.span)
    }

    private func read(_ folder: Spanned<String>) throws(ScenarioFault) -> [FolderFile] {
        let home = scenario.source.resolve(folder.span).file.path
        do throws(FolderError) {
            return try readFolder(folder.value, home)
        } catch {
            throw ScenarioFault(.impossible, error.message, at: folder.span, help: error.help)
        }
    }

    private func put(_ file: FileSetup, in files: inout [FileSetup]) {
        files.removeAll { TextBytes.areEqual($0.route, file.route) }
        files.append(file)
    }

    private func key(_ file: FileReference, _ size: Int) -> ContentKey {
        ContentKey(version: file.version, route: file.route, size: size)
    }

    private func annotate(_ setup: inout FileSetup, _ spec: FileSpec) {
        setup.isOptional = spec.optional
        setup.isImmutable = spec.immutable
        setup.statedSize = spec.statedSize?.value
        setup.type = spec.type?.value
        setup.sourceMap = spec.sourceMap?.value ?? setup.sourceMap
    }
}

/// Suggests the route that the author may have meant.
enum RouteNames {
    /// The route that shares the longest prefix and suffix, if they are at least two thirds of it.
    static func nearest(to route: String, among routes: [String]) -> String? {
        let written = Array(route.unicodeScalars)
        func common(_ other: String) -> Int {
            let letters = Array(other.unicodeScalars)
            let head = zip(written, letters).prefix { $0 == $1 }.count
            let rest = min(written.count, letters.count) - head
            let tail = zip(written.reversed(), letters.reversed()).prefix { $0 == $1 }.count
            return head + min(tail, rest)
        }
        guard let best = routes.max(by: { common($0) < common($1) }) else { return nil }
        return common(best) * 3 >= max(written.count, best.unicodeScalars.count) * 2 ? best : nil
    }
}

extension ContentSource {
    fileprivate var size: Int {
        switch self {
        case .made(let key): key.size
        case .bytes(let bytes): bytes.count
        }
    }
}
