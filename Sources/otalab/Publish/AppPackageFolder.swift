import AppHost
import Core
import DevelopmentHost
import DeviceShell
import Foundation
import Publishing
import Runner

/// The folder of `publish --embed`: an app package, which the next native build ships.
///
/// Guarantees: a folder that is none is not touched; the package is replaced when the new one is whole. A
/// folder `DIR.new` that an interruption leaves beside it is removed by the next call.
struct AppPackageFolder {
    let path: String
    private let isForBrowser: Bool

    /// What a package has; a folder with anything else is somebody's.
    private static let names = ["manifest.json", "web", "www"]

    /// - Parameter others: folders of the call that the package must be apart from.
    /// - Returns: nil without the flag.
    /// - Throws: ``UsageError``.
    init?(_ arguments: Arguments, besides others: [String]) throws {
        isForBrowser = arguments.has("--browser")
        guard let path = arguments.text("--embed") else {
            guard isForBrowser else { return nil }
            throw UsageError(
                message: "--browser is for the package that --embed writes", help: "name it with --embed DIR")
        }
        self.path = path
        for other in others where PublishingFolders.areNested(path, other) {
            throw UsageError(
                message: "'\(path)' and '\(other)' are one inside the other",
                help: "name a folder of its own with --embed")
        }
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: path, isDirectory: &isFolder) else { return }
        let present = isFolder.boolValue ? try manager.contentsOfDirectory(atPath: path) : [path]
        if let other = present.first(where: { !AppPackageFolder.names.contains($0) }) {
            throw UsageError(
                message: "'\(path)' is no app package: it has '\(other)'",
                help: "--embed replaces its folder; name one that is not there yet, or an earlier package")
        }
    }

    private var scripts: [(name: String, content: [UInt8])] {
        (isForBrowser ? BrowserPageSide.files : PageSide.files).map { ($0.name, Array($0.text.utf8)) }
    }

    /// Replaces the package by what a folder offers.
    func replace(with published: inout PosixDisk) throws(PublishError) -> EmbeddedRelease.Summary {
        let new = path + ".new"
        try remove(new)
        let summary: EmbeddedRelease.Summary
        try PublishingFolders.make(new)
        do throws(PublishError) {
            var disk = try AppPackageFolder.disk(new)
            summary = try EmbeddedRelease.write(from: &published, to: &disk, www: scripts)
        } catch {
            try remove(new)
            throw error
        }
        try remove(path)
        guard rename(new, path) == 0 else { throw .disk(DiskError(.denied, .rename)) }
        return summary
    }

    private static func disk(_ folder: String) throws(PublishError) -> PosixDisk {
        do {
            return try PosixDisk(data: folder, access: .everyone)
        } catch {
            throw .disk(error)
        }
    }

    private func remove(_ folder: String) throws(PublishError) {
        guard FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            throw .disk(DiskError(.denied, .remove))
        }
    }
}
