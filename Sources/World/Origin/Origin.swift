import Backend
import Core
import ScenarioLanguage
import Updater

/// The remote origin: what each of its edges offers and has.
///
/// Guarantees: serial and date follow the order of the publications, the embedded versions first;
/// every edge changes for itself; a deploy takes the former files away unless they are kept. Deliberately
/// not here: how a request is answered (``OriginAnswers``), faults (``FaultBoard``), rollout shares.
struct Origin: Hashable, Sendable {
    typealias Publication = ManifestWriter.Publication

    /// What an edge answers with.
    struct Offer: Hashable, Sendable {
        var publication: Publication?
        /// What ``publication`` is written as.
        var manifest: [UInt8] = []
        /// Versions whose files are there: of two under one URL the first one's.
        var layers: [Int] = []

        mutating func publish(_ made: Publication, _ library: Library) {
            publication = made
            manifest = ManifestWriter(library: library).bytes(made)
        }
    }

    struct Edge: Hashable, Sendable {
        var offer = Offer()
        /// What it offered before the last deploy to it.
        var former = Offer()
        /// For some devices only, each newer than ``offer``; the newest last.
        var targeted: [Targeted] = []

        /// A request for a manifest tells whose it is and gets the newest one that is meant for it; one for a
        /// file tells nothing: whatever lies here is found by its hash.
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
    /// Of the publication that was made last.
    private(set) var serial = 0
    private var date: OriginTime
    /// The publication inside each build's package.
    private var embedded: [Publication?]

    init(_ setup: WorldSetup, _ library: Library) {
        edges = setup.origin.edges.map { _ in Edge() }
        date = setup.origin.epoch + .days(-1)
        embedded = []
        for build in setup.app.builds {
            guard let place = build.embeds.flatMap({ library.place(ofVersion: $0) }) else {
                embedded.append(nil)
                continue
            }
            serial += 1
            date = date + .seconds(1)
            embedded.append(Publication(version: place, serial: serial, date: date))
        }
        let installed = setup.app.builds.firstIndex { $0.name == setup.app.installed } ?? 0
        guard embedded.indices.contains(installed), let first = embedded[installed] else { return }
        var offer = Offer(layers: first.version.map { [$0] } ?? [])
        offer.publish(first, library)
        for place in edges.indices { edges[place] = Edge(offer: offer, former: offer) }
    }

    /// What the package of a build carries: the version as it was deployed last, if it ever was.
    func embedded(build: Int) -> Publication? {
        embedded.indices.contains(build) ? embedded[build] : nil
    }

    /// Publishes; says the serial, 0 for files alone.
    mutating func deploy(
        _ version: Int?, edges chosen: [Int], parts: DeployParts, command: ManifestCommand,
        keepsOldFiles: Bool,
        now: OriginTime, _ library: Library
    ) -> Int {
        for place in chosen { edges[place].former = edges[place].offer }
        if parts != .manifest, let version {
            for place in chosen {
                let kept = keepsOldFiles ? edges[place].offer.layers.filter { $0 != version } : []
                edges[place].offer.layers = [version] + kept
            }
        }
        if parts == .files { return 0 }
        for place in chosen { edges[place].targeted = [] }
        let made = publish(version, command, now)
        for place in chosen { edges[place].offer.publish(made, library) }
        for place in embedded.indices where embedded[place]?.version == version && version != nil {
            embedded[place] = Publication(version: version, serial: made.serial, date: made.date)
        }
        return made.serial
    }

    /// Publishes for some devices only, beside what all others are offered; says the serial.
    mutating func deploy(
        _ version: Int, for audience: Audience, edges chosen: [Int], command: ManifestCommand,
        now: OriginTime, _ library: Library
    ) -> Int {
        var made = publish(version, command, now)
        made.audience = audience
        var offer = Offer(layers: [version])
        offer.publish(made, library)
        for place in chosen {
            edges[place].targeted.removeAll { $0.audience == audience }
            edges[place].targeted.append(Targeted(audience: audience, offer: offer))
        }
        return made.serial
    }

    /// Every edge publishes what it offers once more, with these ids recalled, under one new serial.
    mutating func recall(_ ids: [String], now: OriginTime, _ library: Library) {
        recalled = (recalled + ids.filter { !recalled.contains($0) }).sorted()
        publishAgain(now, library)
    }

    mutating func unblock(_ ids: [String], now: OriginTime, _ library: Library) {
        unblock = (unblock + ids.filter { !unblock.contains($0) }).sorted()
        publishAgain(now, library)
    }

    private mutating func publishAgain(_ now: OriginTime, _ library: Library) {
        let next = publish(nil, .update, now)
        for place in edges.indices {
            guard var publication = edges[place].offer.publication else { continue }
            edges[place].former = edges[place].offer
            publication.serial = next.serial
            publication.date = next.date
            publication.recalled = recalled
            publication.unblock = unblock
            edges[place].offer.publish(publication, library)
            for number in edges[place].targeted.indices {
                guard var publication = edges[place].targeted[number].offer.publication else { continue }
                publication.serial = next.serial
                publication.date = next.date
                publication.recalled = recalled
                publication.unblock = unblock
                edges[place].targeted[number].offer.publish(publication, library)
            }
        }
    }

    private mutating func publish(_ version: Int?, _ command: ManifestCommand, _ now: OriginTime)
        -> Publication
    {
        serial += 1
        // Two publications within a second still have an order.
        date = max(now, date + .seconds(1))
        return Publication(
            version: version, serial: serial, date: date, command: command, recalled: recalled,
            unblock: unblock)
    }
}
