import Backend
import Core
import ScenarioLanguage
import Updater

/// The remote origin: the manifest and the files of each edge.
///
/// Guarantees: serial and date follow the order of the publications, the embedded versions first; edges
/// change independently; a deploy removes the previous files unless they are kept. Deliberately not here:
/// answers to requests (``OriginResponder``), faults (``ActiveFaults``).
struct Origin: Hashable, Sendable {
    typealias Publication = ManifestWriter.Publication

    /// The content of an edge: what it answers with.
    struct Offer: Hashable, Sendable {
        var publication: Publication?
        /// The manifest of ``publication``.
        var manifest: [UInt8] = []
        /// Indices of the versions whose files exist; the first one wins if two have a URL in common.
        var layers: [Int] = []
        /// Manifests of earlier publications, for devices outside the share of a newer one.
        var archive: [ArchivedManifest] = []

        mutating func publish(_ made: Publication, _ library: VersionLibrary) {
            publication = made
            manifest = Offer.file(made, former: manifest, library)
        }

        /// The file that is published, signed if the publication is.
        static func file(_ made: Publication, former: [UInt8], _ library: VersionLibrary) -> [UInt8] {
            ManifestSigner(setup: library.setup).file(
                ManifestWriter(library: library).bytes(made), made.signing, former: former)
        }
    }

    struct ArchivedManifest: Hashable, Sendable {
        /// Name beside the current manifest.
        var name: String
        var publication: Publication
        var bytes: [UInt8]
    }

    struct Edge: Hashable, Sendable {
        var offer = Offer()
        /// The offer before the last deploy.
        var previous = Offer()
        /// Offers for some devices only, each newer than ``offer``, the newest last.
        var targeted: [Targeted] = []

        /// A manifest request names its device and gets the newest offer for it. A file request does not, so
        /// it finds the files of all offers by their hashes.
        func offer(answering request: OriginRequest) -> Offer {
            switch request.kind {
            case .manifest: return targeted.last { $0.audience.fits(request.fields) }?.offer ?? offer
            case .file, .outcomes:
                var all = offer
                all.layers += targeted.flatMap(\.offer.layers)
                return all
            }
        }
    }

    struct Targeted: Hashable, Sendable {
        var audience: Audience
        var offer: Offer
    }

    private(set) var edges: [Edge]
    private(set) var recalled: [String] = []
    private(set) var unblock: [String] = []
    /// Serial of the last publication.
    private(set) var serial = 0
    /// Number of publications since the start.
    private(set) var publications = 0
    private var date: OriginTime
    /// Publication in the package of each build.
    private var embedded: [Publication?]

    init(_ setup: WorldSetup, _ library: VersionLibrary) {
        edges = setup.origin.edges.map { _ in Edge() }
        date = setup.origin.epoch + .days(-1)
        embedded = []
        for build in setup.app.builds {
            guard let index = build.embeds.flatMap({ library.index(ofVersion: $0) }) else {
                embedded.append(nil)
                continue
            }
            // Two packages with one version have one publication.
            if let same = embedded.first(where: { $0?.version == index }) {
                embedded.append(same)
                continue
            }
            serial += 1
            date = date + .seconds(1)
            embedded.append(
                Publication(
                    version: index, serial: serial, date: date,
                    signing: ManifestSigning(signers: setup.usualSigners)))
        }
        let installed = setup.app.builds.firstIndex { $0.name == setup.app.installed } ?? 0
        guard embedded.indices.contains(installed), let first = embedded[installed] else { return }
        var offer = Offer(layers: first.version.map { [$0] } ?? [])
        offer.publish(first, library)
        for index in edges.indices { edges[index] = Edge(offer: offer, previous: offer) }
    }

    /// The publication in a build's package: that of the version's last deploy, if it was deployed.
    func embedded(build: Int) -> Publication? {
        embedded.indices.contains(build) ? embedded[build] : nil
    }

    /// What a deploy states in place of the next serial, the origin's time and the usual signature.
    struct Stated: Hashable, Sendable {
        var serial: Int?
        /// The date, from the origin's time.
        var date: TimeSpan?
        var signing: ManifestSigning?
    }

    /// Publishes a version; returns the serial, or 0 if only files were published.
    mutating func deploy(
        _ version: Int?, edges chosen: [Int], parts: DeployParts, command: ManifestCommand,
        stated: Stated = Stated(), keepsOldFiles: Bool, now: OriginTime, _ library: VersionLibrary
    ) -> Int {
        for index in chosen { edges[index].previous = edges[index].offer }
        if parts != .manifest, let version {
            for index in chosen {
                let kept = keepsOldFiles ? edges[index].offer.layers.filter { $0 != version } : []
                edges[index].offer.layers = [version] + kept
            }
        }
        if parts == .files { return 0 }
        for index in chosen { edges[index].targeted = [] }
        let made = publish(version, command, stated, now, library)
        for index in chosen { edges[index].offer.publish(made, library) }
        for index in embedded.indices where embedded[index]?.version == version && version != nil {
            embedded[index] = Publication(
                version: version, serial: made.serial, date: made.date, signing: made.signing)
        }
        return made.serial
    }

    /// Publishes a version for a share of the devices, with the previous manifest for the others; returns the
    /// serial.
    mutating func deploy(
        _ version: Int, share audience: Audience, edges chosen: [Int], command: ManifestCommand,
        stated: Stated = Stated(), now: OriginTime, _ library: VersionLibrary
    ) -> Int {
        var made = publish(version, command, stated, now, library)
        made.audience = audience
        for index in chosen {
            edges[index].previous = edges[index].offer
            edges[index].targeted = []
            made.otherwise = edges[index].offer.archivePublication(besides: version, library)
            edges[index].offer.layers = [version] + edges[index].offer.layers.filter { $0 != version }
            edges[index].offer.publish(made, library)
        }
        return made.serial
    }

    /// Publishes a version for some devices only; returns the serial.
    mutating func deploy(
        _ version: Int, for audience: Audience, edges chosen: [Int], command: ManifestCommand,
        stated: Stated = Stated(), now: OriginTime, _ library: VersionLibrary
    ) -> Int {
        var made = publish(version, command, stated, now, library)
        made.audience = audience
        var offer = Offer(layers: [version])
        offer.publish(made, library)
        for index in chosen {
            edges[index].targeted.removeAll { $0.audience == audience }
            edges[index].targeted.append(Targeted(audience: audience, offer: offer))
        }
        return made.serial
    }

    /// Recalls these ids: every edge publishes its offer again, under one new serial.
    mutating func recall(_ ids: [String], now: OriginTime, _ library: VersionLibrary) {
        recalled = (recalled + ids.filter { !recalled.contains($0) }).sorted()
        publishAgain(now, library)
    }

    mutating func unblock(_ ids: [String], now: OriginTime, _ library: VersionLibrary) {
        unblock = (unblock + ids.filter { !unblock.contains($0) }).sorted()
        publishAgain(now, library)
    }

    private mutating func publishAgain(_ now: OriginTime, _ library: VersionLibrary) {
        let next = publish(nil, .update, Stated(), now, library)
        for index in edges.indices {
            guard var publication = edges[index].offer.publication else { continue }
            edges[index].previous = edges[index].offer
            publication.serial = next.serial
            publication.date = next.date
            publication.recalled = recalled
            publication.unblock = unblock
            edges[index].offer.publish(publication, library)
            for audience in edges[index].targeted.indices {
                guard var publication = edges[index].targeted[audience].offer.publication else { continue }
                publication.serial = next.serial
                publication.date = next.date
                publication.recalled = recalled
                publication.unblock = unblock
                edges[index].targeted[audience].offer.publish(publication, library)
            }
        }
    }

    /// A stated serial counts for the next one only if it is higher than all before; a stated date does not.
    private mutating func publish(
        _ version: Int?, _ command: ManifestCommand, _ stated: Stated, _ now: OriginTime,
        _ library: VersionLibrary
    ) -> Publication {
        publications += 1
        let own = stated.serial ?? serial + 1
        serial = max(serial, own)
        // Publications within one second need different dates.
        if stated.date == nil { date = max(now, date + .seconds(1)) }
        return Publication(
            version: version, serial: own, date: stated.date.map { now + $0 } ?? date, command: command,
            recalled: recalled,
            unblock: unblock,
            signing: stated.signing ?? ManifestSigning(signers: library.setup.usualSigners))
    }
}

extension Origin.Offer {
    /// Keeps the current manifest for the devices that a newer publication is not offered to.
    /// - Parameter version: that of the newer publication. If it is the current one, for another share of the
    ///   devices, the manifest for the others stays the same.
    /// - Returns: its URL, relative to the manifest; nil: there is none.
    fileprivate mutating func archivePublication(besides version: Int, _ library: VersionLibrary) -> String? {
        guard var current = publication else { return nil }
        if current.version == version { return current.otherwise }
        current.hasContentURLs = true
        let name = "manifest-\(current.serial).json"
        archive.append(
            Origin.ArchivedManifest(
                name: name, publication: current,
                bytes: Origin.Offer.file(current, former: manifest, library)))
        return name
    }
}
