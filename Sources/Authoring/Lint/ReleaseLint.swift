import AppHost
import Core
import Foundation
import Updater

/// A release before it ships: by itself, and beside the one that is out.
///
/// VerificationSummary: what the updater would refuse of it is an error here (routes, clashes, sizes), and
/// so is what costs installed apps their storage or leaves an old file in their caches. What is changed, and
/// may well be meant, is a warning. Deliberately not here: what the files do when they run; that is a
/// scenario with `folder`.
package struct ReleaseLint {
    /// A folder that is not there.
    package struct MissingFolder: Error, Hashable, Sendable {
        package var path: String
    }

    private let release: ReleaseFolder
    private let former: ReleaseFolder?
    private let limits = UpdaterLimits()

    /// - Parameters:
    ///   - path: the folder of the release.
    ///   - previous: that of the release before; nil: the first one.
    package static func findings(_ path: String, previous: String?) throws(MissingFolder) -> [Finding] {
        guard let release = ReleaseFolder(path) else { throw MissingFolder(path: path) }
        let former = previous.flatMap { ReleaseFolder($0) }
        if let previous, former == nil { throw MissingFolder(path: previous) }
        let lint = ReleaseLint(release: release, former: former)
        return lint.alone + lint.beside
    }

    package func finding(
        _ rule: ReleaseRule, _ message: String, _ place: Finding.Place, label: String = "", help: String,
        related: [Finding.Related] = []
    ) -> Finding {
        Finding(
            rule: rule.rawValue, severity: rule.severity, message: message, label: label, place: place,
            help: help, related: related)
    }

    // MARK: - By itself

    private var alone: [Finding] { index + paths + clashes + sizes + references }

    private var index: [Finding] {
        if release.file("/index.html") != nil { return [] }
        return [
            finding(
                .noIndex, "there is no index.html", release.place,
                help: "is this the folder that is published? Its index.html stands at the top")
        ]
    }

    private var paths: [Finding] {
        release.files.compactMap { file in
            if !file.isReadable {
                return finding(
                    .unreadable, "'\(file.route)' is no file that can be read", release.place(file),
                    help: "links and special files don't travel: put the file itself there")
            }
            do throws(RouteError) {
                _ = try Route(file.route)
                return nil
            } catch {
                return finding(
                    .badRoute, "\(error)", release.place(file), label: file.route, help: "rename the file")
            }
        }
    }

    /// As the updater decides for a manifest's paths (`PathClash`): equal content may have two spellings.
    private var clashes: [Finding] {
        var sorted = release.files.map { (name: ReleaseLint.folded($0.route), file: $0) }
        sorted.sort {
            $0.name == $1.name ? TextBytes.precedes($0.file.route, $1.file.route) : $0.name < $1.name
        }
        return zip(sorted, sorted.dropFirst()).compactMap { one, other in
            guard one.name == other.name, one.file.bytes != other.file.bytes else { return nil }
            return finding(
                .routesClash, "'\(one.file.route)' and '\(other.file.route)' are one name on many volumes",
                release.place(other.file),
                help: "rename one: packaged on such a volume one of the two is lost",
                related: [Finding.Related(message: "the other one", place: release.place(one.file))])
        }
    }

    package static func folded(_ path: String) -> String { path.uppercased().lowercased() }

    private var sizes: [Finding] {
        var found: [Finding] = []
        if release.files.count > limits.rows {
            found.append(
                finding(
                    .tooLarge, "\(release.files.count) files, and updaters take \(limits.rows)",
                    release.place,
                    help: "leave out what no page asks for"))
        }
        if release.size > limits.versionBytes {
            found.append(
                finding(
                    .tooLarge,
                    "\(Bytes.shown(release.size)) in all, and updaters take "
                        + Bytes.shown(limits.versionBytes), release.place,
                    help: "load large media when they are needed"))
        }
        for file in release.files where file.size > limits.fileBytes {
            found.append(
                finding(
                    .tooLarge,
                    "\(Bytes.shown(file.size)), and updaters take \(Bytes.shown(limits.fileBytes))",
                    release.place(file), help: "cut it, or load it when it is needed"))
        }
        return found
    }

    /// What the index needs to start: scripts and styles, from the root of the release or beside the index.
    private var references: [Finding] {
        guard let index = release.file("/index.html"), index.size < 4 << 20 else { return [] }
        let text = String(decoding: index.bytes, as: UTF8.self)
        var missing: [String] = []
        for match in text.matches(of: #/(?:src|href)\s*=\s*["']([^"'#?]+\.(?:m?js|css))[^"']*["']/#) {
            let target = String(match.1)
            if target.contains("://") || target.hasPrefix("//") || target.contains("..") { continue }
            let bare = target.hasPrefix("./") ? String(target.dropFirst(2)) : target
            let route = bare.hasPrefix("/") ? bare : "/" + bare
            // The native side answers these; no version has them.
            if ReleaseLint.ofTheApp.contains(route) { continue }
            let decoded = route.removingPercentEncoding ?? route
            if release.file(route) == nil, release.file(decoded) == nil, !missing.contains(route) {
                missing.append(route)
            }
        }
        return missing.map { route in
            finding(
                .brokenReference, "the index refers to '\(route)', which is not here", release.place(index),
                help: "was the build copied whole?")
        }
    }

    private static let ofTheApp = PageSide.files.map { "/" + $0.name } + ["/cordova_plugins.js"]

    // MARK: - Beside the one before

    private var beside: [Finding] {
        guard let former else { return [] }
        return identity(former) + changes(former) + growth(former) + spellings(former)
    }

    private func identity(_ former: ReleaseFolder) -> [Finding] {
        var found: [Finding] = []
        let (old, new) = (ReleaseIdentity(former), ReleaseIdentity(release))
        for app in new.apps {
            guard let before = old.apps.first(where: { $0.source == app.source }), before.id != app.id else {
                continue
            }
            let (from, to) = (ReleaseIdentity.port(ofApp: before.id), ReleaseIdentity.port(ofApp: app.id))
            found.append(
                finding(
                    .appChanged, "the app was '\(before.id)' and is '\(app.id)'",
                    Finding.Place(file: release.path + app.source),
                    help: from == to
                        ? "installed apps take versions of their own id only"
                        : "installed apps take versions of their own id only; in a new app the port changes "
                            + "from \(from) to \(to), and pages lose their storage"))
        }
        if let from = old.port, let to = new.port, from != to {
            found.append(
                finding(
                    .portChanged, "pages were served from port \(from) and would be from \(to)",
                    Finding.Place(file: release.path + "/index.html"),
                    help: "keep the port: storage and cookies belong to it"))
        }
        return found
    }

    private func changes(_ former: ReleaseFolder) -> [Finding] {
        release.files.compactMap { file in
            guard let before = former.file(file.route), !ReleaseLint.mayChange(file.route) else { return nil }
            guard before.size != file.size || before.bytes != file.bytes else { return nil }
            let related = [Finding.Related(message: "as it was", place: former.place(before))]
            if let hash = ReleaseLint.hash(in: file.route) {
                return finding(
                    .changedUnderHash, "other content under the name '\(file.route)'", release.place(file),
                    help: "the hash '\(hash)' in its name says that it never changes: build it anew",
                    related: related)
            }
            return finding(
                .changedWithoutHash, "'\(file.route)' changed and its name did not", release.place(file),
                help: "put a hash of the content into the name, so that no cache mixes the two",
                related: related)
        }
    }

    /// Pages and lists are found by their name: they change under it.
    private static func mayChange(_ route: String) -> Bool {
        let name = route.lowercased()
        return [".html", ".htm", ".json", ".txt", ".webmanifest", ".xml", ".map"].contains {
            name.hasSuffix($0)
        } || name.hasSuffix("/sw.js") || name.hasSuffix("/service-worker.js")
    }

    /// The part of a name that bundlers make from the content: eight or more letters and digits between
    /// dots, dashes or underscores, with a digit among them.
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

    /// A quarter more in all, or twice as much in one file; what is small may grow.
    private func growth(_ former: ReleaseFolder) -> [Finding] {
        let least = 100_000
        var found: [Finding] = []
        if release.size - former.size > least, release.size * 4 > former.size * 5 {
            found.append(
                finding(
                    .sizeJump,
                    "the release grew from \(Bytes.shown(former.size)) to \(Bytes.shown(release.size))",
                    release.place, help: "each device fetches what changed: is it meant?"))
        }
        for file in release.files {
            guard let before = former.files.first(where: { ReleaseLint.isOne($0.route, file.route) }),
                file.size - before.size > least, file.size > 2 * before.size
            else { continue }
            found.append(
                finding(
                    .sizeJump,
                    "'\(file.route)' grew from \(Bytes.shown(before.size)) to \(Bytes.shown(file.size))",
                    release.place(file), help: "did something get in that belongs elsewhere?",
                    related: [Finding.Related(message: "as it was", place: former.place(before))]))
        }
        return found
    }

    /// The same name but for its hash.
    private static func isOne(_ left: String, _ right: String) -> Bool {
        func bare(_ route: String) -> String {
            hash(in: route).map { route.replacingOccurrences(of: $0, with: "*") } ?? route
        }
        return TextBytes.areEqual(bare(left), bare(right))
    }

    private func spellings(_ former: ReleaseFolder) -> [Finding] {
        var before: [String: ReleaseFolder.File] = [:]
        for file in former.files { before[ReleaseLint.folded(file.route)] = file }
        return release.files.compactMap { file in
            guard let old = before[ReleaseLint.folded(file.route)],
                !TextBytes.areEqual(old.route, file.route), former.file(file.route) == nil
            else { return nil }
            return finding(
                .spellingChanged, "'\(file.route)' was '\(old.route)' before", release.place(file),
                help: "keep one spelling: to some volumes both are one file, to requests they are two",
                related: [Finding.Related(message: "the former one", place: former.place(old))])
        }
    }
}

package enum Bytes {
    package static func shown(_ count: Int) -> String {
        if count >= 10_000_000 { return "\(count / 1_000_000) MB" }
        return count >= 10_000 ? "\(count / 1_000) KB" : "\(count) B"
    }
}
