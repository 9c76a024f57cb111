import AppHost
import Core
import HTTP1
import Updater

/// A device whose app runs outside of the world, on real sockets or in somebody's hand: origin, network,
/// page, user, triggers and facts stay the world's, and are the same code.
///
/// Guarantees: what would have reached the app is handed out instead, in order, without costing
/// time; what the app does comes back as its effects. A process is still the world's to begin and to end:
/// whoever runs the app looks at ``DeviceView/process``. Deliberately not here: sockets and clocks (whoever
/// drives the world calls ``run(until:)``), and the outside app's disk, of which the world knows nothing.
extension World {
    /// Something for an app outside.
    package struct HandedOut: Hashable, Sendable {
        package var device: Int
        /// The number of the process that it is meant for.
        package var process: Int
        package var what: What

        package enum What: Hashable, Sendable {
            case event(AppHost.Event)
            /// Nothing for the app: when it has dealt with all that was handed out before, a trigger's action
            /// comes (``World/passMarker(_:of:)``).
            case marker(Int)
        }
    }

    /// From the next process on. To be called before the first.
    package mutating func runAppOutside(of device: Int = 0) { devices[device].isAppOutside = true }

    /// All that was handed out since the last time.
    package mutating func takeHandedOut() -> [HandedOut] {
        defer { handedOut.removeAll(keepingCapacity: true) }
        return handedOut
    }

    /// Nothing waits to be taken.
    package var isHandedOutEmpty: Bool { handedOut.isEmpty }

    /// Files of the installed build's package: paths on its volume, and bytes.
    package func packageFiles(of device: Int = 0) -> [(path: String, bytes: [UInt8])] {
        let disk = devices[device].disk
        return disk.files(under: DiskPath(.package, "")).compactMap { path in
            disk.content(of: path).map { (path.text, $0.bytes) }
        }
    }

    /// The app has dealt with what stood before the marker.
    package mutating func passMarker(_ number: Int, of device: Int = 0) {
        performScheduled(number)
        performDue()
        settleDevice(device)
    }

    /// The app outside has said this.
    package mutating func carryOutEffect(_ effect: AppHost.Effect, of device: Int = 0) {
        guard devices.indices.contains(device), devices[device].isRunning else { return }
        causality.continueFromLast()
        carryOut([effect], device)
        performDue()
        settleDevice(device)
    }

    mutating func handOut(_ what: HandedOut.What, _ device: Int) {
        handedOut.append(HandedOut(device: device, process: devices[device].process.number, what: what))
        if case .event(.suspended) = what { freeze(device) }
    }

    /// The faults that are there, by name, with how many requests each fitted and struck.
    package var activeFaults: [(name: String, seen: Int, applied: Int)] {
        faults.active.map { ($0.id, $0.seen, $0.applied) }
    }

    // MARK: - Requests as they come off a wire

    /// What the origin takes a request for of which only the bytes are known. The version is the one that is
    /// offered and has the file; nil: none has.
    package func originRequest(
        target: RequestTarget, fields: HeaderFields, body: [UInt8], from device: Int = 0
    ) -> OriginRequest {
        let edge = origin.edges[devices[device].network.edge]
        let layers = edge.offer.layers + edge.targeted.flatMap(\.offer.layers)
        let (kind, version) = kind(of: target, layers)
        return OriginRequest(
            kind: kind, url: setup.origin.root + target.text, fields: fields, body: body, version: version)
    }

    private func kind(of target: RequestTarget, _ layers: [Int]) -> (OriginRequest.Kind, VersionKey?) {
        let path = target.route?.text ?? target.path
        let manifest =
            setup.app.dialect == .meteor ? OriginAnswers.meteorManifestPath : OriginAnswers.manifestPath
        if path == manifest { return (.manifest, nil) }
        if path == manifest + "/outcomes" { return (.outcomes, nil) }
        let places = layers + library.versions.indices.filter { !layers.contains($0) }
        var routes = [path]
        for prefix in ["/ota", "/__cordova"] where path.hasPrefix(prefix + "/") {
            routes.append(String(path.dropFirst(prefix.utf8.count)))
        }
        for route in routes {
            let place = places.first { library.versions[$0].file(route) != nil }
            if let place { return (.file(route), library.keys[place]) }
        }
        let folder = "/ota/" + ManifestWriter.contentFolder
        if path.hasPrefix(folder) {
            let hash = String(path.dropFirst(folder.utf8.count))
            for place in places {
                let found = library.versions[place].files.first { library.content(of: $0).hash == hash }
                if let found { return (.file(found.route), library.keys[place]) }
            }
        }
        return (.file(routes.last ?? path), nil)
    }
}
