import Backend
import AppHost
import Core
import Updater

extension World {
    package func view(of device: Int = 0) -> DeviceView {
        // Field by field: a copy of the device would retain everything that it holds.
        var view = DeviceView(device: device, build: setup.app.builds[devices[device].build].name)
        view.network = devices[device].network.state
        view.screen = devices[device].display.screen
        view.status = devices[device].display.status
        view.whiteTime = devices[device].display.white.total(at: now)
        view.progress = devices[device].display.progress
        guard devices[device].isRunning else { return view }
        view.process = devices[device].process.ordinal
        view.isInForeground = devices[device].process.isInForeground
        view.isActive = devices[device].process.isActive
        // ``AppProcess/isSuspended`` would be asked of a copy.
        view.isSuspended =
            devices[device].process.inbox.isPaused && devices[device].process.frozenSince == nil
        view.port = devices[device].process.sockets.port
        view.isListening = view.port != nil
        view.webViews = devices[device].process.webViews.map { hosted in
            var page = hosted.view.view
            page.running = running(page.versions, page.load, device)
            return page
        }
        if let first = view.webViews.first {
            view.hasConfirmed = first.hasConfirmed
            view.running = first.running
            view.possiblyRunning = possiblyRunning(first.versions, first.load, device)
        }
        return view
    }

    /// The error report that a user could send now; nil: no process runs that could write one.
    package func errorReport(of device: Int = 0) -> String? {
        devices[device].isRunning ? devices[device].process.app.report : nil
    }

    /// Names of the cookies of the app's pages, and keys that the pages stored under their current origin.
    package func webStorage(of device: Int = 0) -> (cookies: [String], keys: [String]) {
        let kept = devices[device].process.webViews.first?.storage ?? devices[device].pages.storage
        let cookies = devices[device].process.webViews.first?.view.cookies ?? kept.cookies
        let origin = devices[device].pages.origin
        return (cookies.map(\.name), kept.items.filter { $0.origin == origin }.map(\.key))
    }

    /// ``DeviceView/running`` alone.
    package func running(on device: Int = 0) -> String? {
        guard devices[device].isRunning, !devices[device].process.webViews.isEmpty,
            let (versions, load) = devices[device].process.webViews[0].view.shownVersions
        else { return nil }
        return running(versions, load, device)
    }

    /// The version that has all bytes that the page received. If several have, as when a version changes
    /// nothing, the one that the app announced for this load, or else the one that it says runs.
    private func running(_ versions: VersionMask, _ load: PageLoadToken?, _ device: Int) -> String? {
        if versions.isEmpty { return nil }
        if let index = versions.onlyIndex { return library.versions[index].name }
        let said = [devices[device].pages.version(of: load), devices[device].display.status?.current]
        for key in said {
            guard let key, let index = library.index(of: key), versions.contains(index) else { continue }
            return library.versions[index].name
        }
        return versions.indices.last.map { library.versions[$0].name }
    }

    /// Names of the versions that have all bytes that the page received, if these and the app's announcement
    /// leave several.
    private func possiblyRunning(_ versions: VersionMask, _ load: PageLoadToken?, _ device: Int) -> [String] {
        guard versions.hasSeveral, devices[device].pages.version(of: load) == nil else { return [] }
        return names(of: versions)
    }

    /// Names of the versions, without the embedded one, whose manifest and required files are complete on the
    /// device. They are found by their content, whatever the layout of the disk.
    package func storedVersions(on device: Int = 0, in view: DiskImage = .live) -> [String] {
        let disk = devices[device].disk
        let stored = disk.files(under: DiskPath(.data, ""), in: view).compactMap {
            disk.content(of: $0, in: view)
        }
        let embedded = setup.app.builds[devices[device].build].embeds
        let package =
            embedded.flatMap { library.index(ofVersion: $0) }.map { library.versions[$0].files } ?? []
        return library.versions.filter { version in
            guard version.name != embedded else { return false }
            guard isListed(version, in: disk, view) else { return false }
            return version.files.allSatisfy { file in
                if file.isOptional || package.contains(where: { $0.content == file.content }) { return true }
                return stored.contains { library.content(of: file).isContent(of: $0) }
            }
        }.map(\.name)
    }

    /// Whether the store has a table of this version, whose name is the content digest.
    private func isListed(_ version: BuiltVersion, in disk: SimulatedDisk, _ view: DiskImage) -> Bool {
        disk.content(of: StorePaths.table(library.keys[version.ordinal]), in: view) != nil
    }

    /// Name of a version in the setup.
    package func name(of key: VersionKey) -> String {
        if let index = library.index(of: key) { return library.versions[index].name }
        return library.versions(withID: key.id).indices.first.map { library.versions[$0].name } ?? key.id
    }

    package func names(of mask: VersionMask) -> [String] { mask.indices.map { library.versions[$0].name } }

    /// Name of the version that an edge offers; nil: none.
    package func offered(edge: Int) -> String? {
        origin.edges[edge].offer.publication?.version.map { library.versions[$0].name }
    }

    /// Name of the version inside the package of the installed build.
    package func embedded(on device: Int = 0) -> String? { setup.app.builds[devices[device].build].embeds }
}
