import AppHost
import Backend
import Core
import HTTP1
import Updater

/// A device whose app runs outside of the world, on real sockets or on a real phone. Origin, network, pages,
/// user, triggers and trace remain those of the world.
///
/// Guarantees: inputs of the app are queued in order for the caller and take no time; the caller passes the
/// app's effects back. The world still begins and ends processes: the caller follows ``DeviceView/process``.
/// Deliberately not here: sockets and clocks (the caller calls ``run(until:)``), and the external app's disk,
/// which the world does not know.
extension World {
    /// An input for an external app.
    package struct ExternalInput: Hashable, Sendable {
        package var device: Int
        /// Ordinal of the receiving process.
        package var process: Int
        package var what: What

        package enum What: Hashable, Sendable {
            case event(AppHost.Event)
            /// Not for the app: the caller reports when the app has handled all earlier inputs
            /// (``World/markerReached(_:of:)``), so that a triggered action can happen.
            case marker(Int)
        }
    }

    /// Makes a device's app external. Must be called before its first process.
    package mutating func useExternalApp(of device: Int = 0) { devices[device].isAppExternal = true }

    /// Removes and returns all queued inputs.
    package mutating func takeExternalInputs() -> [ExternalInput] {
        defer { externalInputs.removeAll(keepingCapacity: true) }
        return externalInputs
    }

    /// Whether no input is queued.
    package var hasNoExternalInputs: Bool { externalInputs.isEmpty }

    /// Files of the installed build's package: paths on its volume, and contents.
    package func packageFiles(of device: Int = 0) -> [(path: String, content: PublishedContent)] {
        let disk = devices[device].disk
        return disk.files(under: DiskPath(.package, "")).compactMap { path in
            disk.content(of: path).map { (path.text, $0.published) }
        }
    }

    /// The app has handled all inputs before the marker.
    package mutating func markerReached(_ index: Int, of device: Int = 0) {
        touched.insert(device)
        performScheduled(index)
        performDue()
        settleDevice(device)
    }

    /// Carries out an effect of the external app.
    package mutating func performExternalEffect(_ effect: AppHost.Effect, of device: Int = 0) {
        guard devices.indices.contains(device), devices[device].isRunning else { return }
        touched.insert(device)
        causality.continueFromLast()
        carryOut([effect], device)
        performDue()
        settleDevice(device)
    }

    /// The external app's process has ended by itself, or is ended because it can't serve.
    package mutating func processFailed(_ why: String, of device: Int = 0) {
        guard devices[device].isRunning else { return }
        touched.insert(device)
        record(.processFailed(why), device)
        end(.crash, device)
        performDue()
        settleDevice(device)
    }

    /// Whether a page waits for the external app's server: it has a request without a whole answer, and
    /// nothing of it is on its way in the world.
    package func isPageWaiting(of device: Int = 0) -> Bool {
        let isOnItsWay = nextEventTime.map { $0 - now <= .milliseconds(1) } ?? false
        return !isOnItsWay && devices[device].process.webViews.contains { $0.view.hasOpenRequest }
    }

    /// Records what an external app says, for the timeline.
    package mutating func note(_ text: String, of device: Int = 0) { record(.note(text), device) }

    mutating func queueForExternalApp(_ what: ExternalInput.What, _ device: Int) {
        externalInputs.append(
            ExternalInput(device: device, process: devices[device].process.ordinal, what: what))
        if case .event(.suspended) = what { freeze(device) }
    }

    /// The active faults by name, with the number of requests that each matched and changed.
    package var activeFaults: [(name: String, seen: Int, applied: Int)] {
        faults.active.map { ($0.id, $0.seen, $0.applied) }
    }

    // MARK: - Requests from the wire

    /// The origin's interpretation of a request of which only the bytes are known. Its version is an offered
    /// one that has the file; nil: none has.
    package func originRequest(
        target: RequestTarget, fields: HeaderFields, body: [UInt8], from device: Int = 0
    ) -> OriginRequest {
        let edge = origin.edges[devices[device].network.edge]
        let layers = edge.offer.layers + edge.targeted.flatMap(\.offer.layers)
        let (kind, version) = kind(of: target, layers, device)
        return OriginRequest(
            kind: kind, url: setup.origin.root + target.text, fields: fields, body: body, version: version)
    }

    private func isArchivedManifest(_ path: String, _ device: Int) -> Bool {
        let archive = origin.edges[devices[device].network.edge].offer.archive
        return archive.contains { path == "/ota/" + $0.name }
    }

    private func kind(of target: RequestTarget, _ layers: [Int], _ device: Int) -> (
        OriginRequest.Kind, VersionKey?
    ) {
        let path = target.route?.text ?? target.path
        let manifest = setup.app.dialect.originPath
        if path == manifest || isArchivedManifest(path, device) { return (.manifest, nil) }
        if path == manifest + "/outcomes" { return (.outcomes, nil) }
        let indices = layers + library.versions.indices.filter { !layers.contains($0) }
        var routes = [path]
        for prefix in ["/ota", "/__cordova"] where path.hasPrefix(prefix + "/") {
            routes.append(String(path.dropFirst(prefix.utf8.count)))
        }
        for route in routes {
            let index = indices.first { library.versions[$0].file(route) != nil }
            if let index { return (.file(route), library.keys[index]) }
        }
        let folder = "/ota/" + ManifestWriter.contentFolder
        if path.hasPrefix(folder) {
            let hash = String(path.dropFirst(folder.utf8.count))
            for index in indices {
                let found = library.versions[index].files.first { library.hash(of: $0) == hash }
                if let found { return (.file(found.route), library.keys[index]) }
            }
        }
        return (.file(routes.last ?? path), nil)
    }
}
