import AppHost
import Core
import Foundation
import Updater

/// Checks a release before it ships: alone, and against the previous release.
///
/// Guarantees: everything that the updater would refuse is an error (routes, clashes, sizes), and so is
/// everything that costs installed apps their storage or leaves old files in caches. Changes that may be
/// intended are warnings. Deliberately not here: what the files do when they run; write a scenario with
/// `folder` for that.
package struct ReleaseLint {
    /// A folder that does not exist.
    package struct MissingFolder: Error, Hashable, Sendable {
        package var path: String
    }

    private let release: ReleaseFolder
    private let previous: ReleaseFolder?
    private let limits = UpdaterLimits()

    /// - Parameters:
    ///   - path: the folder of the release.
    ///   - previous: the folder of the previous release; nil for the first one.
    package static func findings(_ path: String, previous: String?) throws(MissingFolder) -> [Finding] {
        let old = previous.flatMap { ReleaseFolder($0) }
        if let previous, old == nil { throw MissingFolder(path: previous) }
        return try findings(path, after: old)
    }

    /// As ``findings(_:previous:)``, after a release that is published.
    package static func findings(_ path: String, after previous: ReleaseFolder?) throws(MissingFolder)
        -> [Finding]
    {
        guard let release = ReleaseFolder(path) else { throw MissingFolder(path: path) }
        let lint = ReleaseLint(release: release, previous: previous)
        return lint.ownFindings + lint.comparison
    }

    package func finding(
        _ rule: ReleaseRule, _ message: String, _ location: Finding.Location, label: String = "",
        help: String,
        related: [Finding.Related] = []
    ) -> Finding {
        Finding(
            rule: rule.rawValue, severity: rule.severity, message: message, label: label, location: location,
            help: help, related: related)
    }

    // MARK: - The release alone

    private var ownFindings: [Finding] { index + paths + clashes + sizes + references }

    private var index: [Finding] {
        if release.file("/index.html") != nil { return [] }
        return [
            finding(
                .noIndex, "there is no index.html", release.location,
                help: "is this the folder that is published? index.html must be at its top level")
        ]
    }

    private var paths: [Finding] {
        release.files.compactMap { file in
            if !file.isReadable {
                return finding(
                    .unreadable, "'\(file.route)' can't be read, or is not a regular file",
                    release.location(file),
                    help: "links and special files can't be published: replace it by the file")
            }
            do throws(RouteError) {
                _ = try Route(file.route)
                return nil
            } catch {
                return finding(
                    .badRoute, "\(error)", release.location(file), label: file.route, help: "rename the file")
            }
        }
    }

    /// Clashing paths, by the updater's rule for manifests (`PathClash`): files of equal content may clash.
    private var clashes: [Finding] {
        var sorted = release.files.map { (name: ReleaseLint.folded($0.route), file: $0) }
        sorted.sort {
            $0.name == $1.name ? TextBytes.precedes($0.file.route, $1.file.route) : $0.name < $1.name
        }
        return zip(sorted, sorted.dropFirst()).compactMap { one, other in
            guard one.name == other.name, one.file.bytes != other.file.bytes else { return nil }
            return finding(
                .routesClash,
                "'\(one.file.route)' and '\(other.file.route)' are the same name on many volumes",
                release.location(other.file),
                help: "rename one: on such a volume one of the two is lost",
                related: [Finding.Related(message: "the other one", location: release.location(one.file))])
        }
    }

    package static func folded(_ path: String) -> String { path.uppercased().lowercased() }

    private var sizes: [Finding] {
        var found: [Finding] = []
        if release.files.count > limits.assetCount {
            found.append(
                finding(
                    .tooLarge, "\(release.files.count) files, and updaters accept \(limits.assetCount)",
                    release.location,
                    help: "leave out files that no page requests"))
        }
        if release.size > limits.versionBytes {
            found.append(
                finding(
                    .tooLarge,
                    "\(Bytes.shown(release.size)) in total, and updaters accept "
                        + Bytes.shown(limits.versionBytes), release.location,
                    help: "load large media when they are needed"))
        }
        for file in release.files where file.size > limits.fileBytes {
            found.append(
                finding(
                    .tooLarge,
                    "\(Bytes.shown(file.size)), and updaters accept \(Bytes.shown(limits.fileBytes))",
                    release.location(file), help: "split it, or load it when it is needed"))
        }
        return found
    }

    /// Missing scripts and styles that the index refers to, by absolute or relative paths.
    private var references: [Finding] {
        guard let index = release.file("/index.html"), index.size < 4 << 20 else { return [] }
        let text = String(decoding: index.bytes, as: UTF8.self)
        var missing: [String] = []
        for match in text.matches(of: #/(?:src|href)\s*=\s*["']([^"'#?]+\.(?:m?js|css))[^"']*["']/#) {
            let target = String(match.1)
            if target.contains("://") || target.hasPrefix("//") || target.contains("..") { continue }
            let bare = target.hasPrefix("./") ? String(target.dropFirst(2)) : target
            let route = bare.hasPrefix("/") ? bare : "/" + bare
            // The app serves these files; no version contains them.
            if ReleaseLint.builtIn.contains(route) { continue }
            let decoded = route.removingPercentEncoding ?? route
            if release.file(route) == nil, release.file(decoded) == nil, !missing.contains(route) {
                missing.append(route)
            }
        }
        return missing.map { route in
            finding(
                .brokenReference, "the index refers to '\(route)', which is not here",
                release.location(index),
                help: "was the build copied completely?")
        }
    }

    private static let builtIn = PageSide.files.map { "/" + $0.name } + ["/cordova_plugins.js"]

    // MARK: - Compared with the previous release

    private var comparison: [Finding] {
        guard let previous else { return [] }
        return identity(previous) + changes(previous) + growth(previous) + spellings(previous)
    }

    private func identity(_ previous: ReleaseFolder) -> [Finding] {
        var found: [Finding] = []
        let (old, new) = (ReleaseIdentity(previous), ReleaseIdentity(release))
        for app in new.apps {
            guard let before = old.apps.first(where: { $0.source == app.source }), before.id != app.id else {
                continue
            }
            let (from, to) = (ReleaseIdentity.port(ofApp: before.id), ReleaseIdentity.port(ofApp: app.id))
            found.append(
                finding(
                    .appChanged, "the app was '\(before.id)' and is '\(app.id)'",
                    Finding.Location(file: release.path + app.source),
                    help: from == to
                        ? "installed apps take versions of their own id only"
                        : "installed apps take versions of their own id only; in a new app the port changes "
                            + "from \(from) to \(to), and pages lose their storage"))
        }
        if let from = old.port, let to = new.port, from != to {
            found.append(
                finding(
                    .portChanged, "pages were served from port \(from) and would be from \(to)",
                    Finding.Location(file: release.path + "/index.html"),
                    help: "keep the port: storage and cookies belong to it"))
        }
        return found
    }

    private func changes(_ previous: ReleaseFolder) -> [Finding] {
        release.files.compactMap { file in
            guard let before = previous.file(file.route), !ReleaseLint.mayChange(file.route) else {
                return nil
            }
            guard before.size != file.size || before.bytes != file.bytes else { return nil }
            let related = [Finding.Related(message: "as it was", location: previous.location(before))]
            if let hash = ReleaseLint.hash(in: file.route) {
                return finding(
                    .changedUnderHash, "different content under the name '\(file.route)'",
                    release.location(file),
                    help: "the hash '\(hash)' in its name means that it never changes: rebuild it",
                    related: related)
            }
            return finding(
                .changedWithoutHash, "'\(file.route)' changed and its name did not", release.location(file),
                help: "put a hash of the content into the name, so that no cache mixes the two",
                related: related)
        }
    }

    /// Whether a file keeps its name when its content changes, as pages and lists do.
    private static func mayChange(_ route: String) -> Bool {
        let name = route.lowercased()
        return [".html", ".htm", ".json", ".txt", ".webmanifest", ".xml", ".map"].contains {
            name.hasSuffix($0)
        } || name.hasSuffix("/sw.js") || name.hasSuffix("/service-worker.js")
    }

    /// The part of a file name that bundlers make from the content: eight or more letters and digits between
    /// dots, dashes or underscores, with at least one digit.
    package static func hash(in route: String) -> String? {
        guard let name = route.split(separator: "/").last else { return nil }
        let parts = name.split(whereSeparator: { ".-_".contains($0) })
        return parts.dropLast().last { part in
            part.count >= 8 && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
                && part.contains(where: \.isNumber) && part.contains(where: { $0.isLetter })
        }.map(String.init)
            ?? parts.dropLast().last { $0.count >= 16 && $0.allSatisfy(\.isHexDigit) }.map(
                String.init)
    }

    /// Growth by a quarter in total or to twice the size of a file; growth up to 100 KB is allowed.
    private func growth(_ previous: ReleaseFolder) -> [Finding] {
        let least = 100_000
        var found: [Finding] = []
        if release.size - previous.size > least, release.size * 4 > previous.size * 5 {
            found.append(
                finding(
                    .sizeJump,
                    "the release grew from \(Bytes.shown(previous.size)) to \(Bytes.shown(release.size))",
                    release.location, help: "each device downloads what changed: is it intended?"))
        }
        for file in release.files {
            guard let before = previous.files.first(where: { ReleaseLint.isSame($0.route, file.route) }),
                file.size - before.size > least, file.size > 2 * before.size
            else { continue }
            found.append(
                finding(
                    .sizeJump,
                    "'\(file.route)' grew from \(Bytes.shown(before.size)) to \(Bytes.shown(file.size))",
                    release.location(file), help: "does it contain something that belongs elsewhere?",
                    related: [Finding.Related(message: "as it was", location: previous.location(before))]))
        }
        return found
    }

    /// Whether two names are the same except for their hash.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        func bare(_ route: String) -> String {
            hash(in: route).map { route.replacingOccurrences(of: $0, with: "*") } ?? route
        }
        return TextBytes.areEqual(bare(left), bare(right))
    }

    private func spellings(_ previous: ReleaseFolder) -> [Finding] {
        var before: [String: ReleaseFolder.File] = [:]
        for file in previous.files { before[ReleaseLint.folded(file.route)] = file }
        return release.files.compactMap { file in
            guard let old = before[ReleaseLint.folded(file.route)],
                !TextBytes.areEqual(old.route, file.route), previous.file(file.route) == nil
            else { return nil }
            return finding(
                .spellingChanged, "'\(file.route)' was '\(old.route)' before", release.location(file),
                help: "keep one spelling: to some volumes both are one file, to requests they are two",
                related: [Finding.Related(message: "the previous spelling", location: previous.location(old))]
            )
        }
    }
}

package enum Bytes {
    package static func shown(_ count: Int) -> String {
        if count >= 10_000_000 { return "\(count / 1_000_000) MB" }
        return count >= 10_000 ? "\(count / 1_000) KB" : "\(count) B"
    }
}
