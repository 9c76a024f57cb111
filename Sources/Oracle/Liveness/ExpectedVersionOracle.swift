import Backend
import Core
import ScenarioLanguage
import Updater

/// Computes which version a device should run and confirm, from the trace and the scenario alone.
///
/// The expected version is the one that all edges offer to this device, if it fits the native build, is not
/// recalled, can start here, and is not rightly blacklisted. Otherwise the device should run the version that
/// was confirmed last, the one before it, or else the embedded version (R9).
///
/// Where the trace does not determine the version, several are acceptable: edges disagree; the files of the
/// offered version were never published; the device may have accepted a newer publication than the offered
/// one (U8), because of its serial or of the date that it states; the app may not ask the origin (U14, U5) or
/// lives too shortly to take its offer (U8); the version is parked, or its page can't be told from that of
/// another version; the scenario has damaged the store. If none of them is sure to start, none is required.
package struct ExpectedVersionOracle: Sendable {
    private let names: [String]
    /// Edges that the device reached, by their indices: the first one, and those that steps routed it to.
    private var routes: [Int]
    /// What each edge offers to all devices, by the edge's index.
    private var offers: [Offer]
    /// Offers to some devices only. The last one for a device has priority over the edge's offer to all.
    private var targetedOffers: [TargetedOffer] = []
    /// Versions with published files on each edge, as far as certain: a deploy may remove older files.
    private var published: [String?]
    /// Number of the last publication.
    private var serial: Int
    /// Whether an offer to some devices stated a number that another publication may have: an answer does not
    /// show then which of them a device was offered.
    private var hasRepeatedSerial = false
    /// Whether a manifest stated a date of its own: an offer may be older than what the device has accepted,
    /// or too far ahead (U8).
    private var hasStatedDate = false
    /// Versions that builds embed.
    private let embeddedNames: [String]
    /// Whether a publication ordered the embedded version, or offered one that a build embeds by its name.
    private var hasOfferedEmbedded = false
    /// Numbers of all publications to all devices.
    private var serials: [PublishedVersion] = []

    struct Offer: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            case nothing
            /// A version, by its name.
            case version(String)
            /// The order to leave all downloaded versions.
            case embedded
        }

        var content: Content
        /// Number of the publication.
        var serial: Int
        /// Whether the files of the version are available.
        var hasFiles: Bool
        /// Version that the manifest of an order describes. If that one does not fit the native build, the
        /// manifest is refused with its order (U10).
        var described: String?
    }

    private struct TargetedOffer: Sendable {
        var edge: Int
        var audience: Audience
        var version: String
        var serial: Int
        /// Whether the files of the version are available: a later deploy of files may have removed them.
        var hasFiles = true
    }

    private struct PublishedVersion: Sendable {
        /// nil: an order, or a manifest without a version.
        var name: String?
        var serial: Int
    }

    /// Before the first deploy every edge offers the version that the installed build embeds.
    /// - Parameters:
    ///   - origin: names of the edges, and the one that the device reaches first.
    ///   - embedded: name of the version that each build embeds, in order. Each version is one publication;
    ///     they are the first ones.
    package init(_ origin: OriginSetup, embedded: [String?], installed: String?) {
        let edges = origin.edges
        self.names = edges
        routes = edges.firstIndex(of: origin.route).map { [$0] } ?? []
        var names: [String] = []
        for case let name? in embedded where !names.contains(name) { names.append(name) }
        embeddedNames = names
        serial = names.count
        for (index, name) in names.enumerated() {
            serials.append(PublishedVersion(name: name, serial: index + 1))
        }
        let content = installed.map { Offer.Content.version($0) } ?? .nothing
        let number = installed.flatMap(names.firstIndex).map { $0 + 1 } ?? 0
        let offer = Offer(content: content, serial: number, hasFiles: true)
        offers = Array(repeating: offer, count: max(1, edges.count))
        published = Array(repeating: installed, count: max(1, edges.count))
    }

    package mutating func observe(_ event: TraceEvent) {
        switch event.kind {
        case .deployed(let version, let edges, let parts, let command, let number, let date):
            let known = edges.filter { offers.indices.contains($0) }
            deployed(version, known, parts, command, number)
            if parts != .files, date != nil { hasStatedDate = true }
        case .deployedFor(let audience, let version, let edges, let number):
            if number <= serial { hasRepeatedSerial = true }
            serial = max(serial, number)
            // The files of any other offer are for its audience alone.
            if audience.share != nil {
                for edge in edges where offers.indices.contains(edge) {
                    replaceOffer(of: version, onEdge: edge)
                    published[edge] = version
                }
            }
            targetedOffers += edges.map {
                TargetedOffer(edge: $0, audience: audience, version: version, serial: number)
            }
        case .recalled, .unblocked: publishAgain()
        case .routed(let edge): if !routes.contains(edge) { routes.append(edge) }
        default: break
        }
    }

    private mutating func deployed(
        _ version: String?, _ edges: [Int], _ parts: DeployParts, _ command: ManifestCommand, _ number: Int
    ) {
        if parts != .manifest, let version {
            for edge in edges { published[edge] = version }
            for index in targetedOffers.indices where edges.contains(targetedOffers[index].edge) {
                targetedOffers[index].hasFiles = targetedOffers[index].version == version
            }
        }
        if parts != .files {
            if command == .embedded || version.map(embeddedNames.contains) ?? false {
                hasOfferedEmbedded = true
            }
            serial = max(serial, number)
            targetedOffers.removeAll { edges.contains($0.edge) }
            let content =
                command == .embedded ? Offer.Content.embedded : version.map { .version($0) } ?? .nothing
            for edge in edges {
                offers[edge] = Offer(
                    content: content, serial: number, hasFiles: true,
                    described: command == .embedded ? version : nil)
            }
            noteSerial(of: command == .embedded ? nil : version, number)
        }
        for edge in edges {
            guard case .version(let name) = offers[edge].content else { continue }
            offers[edge].hasFiles = published[edge] == name
        }
    }

    /// An offer to a share of the devices replaces those of the same version, to another share or to all:
    /// those outside get a manifest of another version that came before. It ends the offers to other
    /// audiences.
    private mutating func replaceOffer(of version: String, onEdge edge: Int) {
        targetedOffers.removeAll {
            $0.edge == edge && ($0.audience.share == nil || $0.version == version)
        }
        if offers[edge].content == .version(version) { offers[edge].content = .nothing }
    }

    /// An order publishes each offer again, under a new number; a manifest that is kept for the devices
    /// outside a share stays as it is.
    private mutating func publishAgain() {
        serial += 1
        let shared = targetedOffers.filter { $0.audience.share != nil }.map(\.edge)
        for edge in offers.indices where offers[edge].content != .nothing && !shared.contains(edge) {
            offers[edge].serial = serial
            if case .version(let name) = offers[edge].content { noteSerial(of: name, serial) }
        }
        for index in targetedOffers.indices { targetedOffers[index].serial = serial }
    }

    private mutating func noteSerial(of version: String?, _ number: Int) {
        serials.append(PublishedVersion(name: version, serial: number))
    }

    // MARK: - The expected versions

    /// Names of the versions that the device may run in the end, the best first; if there is one, it is
    /// required. An empty result means that nothing can be required of this device.
    package func expectedVersions(_ observed: ObservedState) -> [String] {
        // What the origin offers is not signed for this device (U16): it keeps what it has.
        if observed.isOfferRefused { return [] }
        // Only the device itself knows whether it is in a share: its first answer shows it.
        guard !targetedOffers.contains(where: { isInAudience(of: $0, observed) == nil }),
            targetedOffers.isEmpty || !hasRepeatedSerial
        else { return [] }
        let offered = edges(of: observed).map { offer(ofEdge: $0, observed) }
        let evaluation = DeviceEvaluation(
            observed, offered.map(\.content),
            mayBeIgnored: offered.contains { offer in
                mayBeOlder(offer, observed) || !(offer.described.map(observed.fits) ?? true)
            })
        // An order or an offer to run the embedded version holds although no start of it is confirmed (R5).
        let embedded = [Offer.Content.embedded] + (evaluation.embedded.map { [.version($0)] } ?? [])
        if evaluation.mayEmbeddedFail {
            if offered.contains(where: { embedded.contains($0.content) }) { return [] }
            // One that was taken in another origin line, or before an offer to others, is followed by none
            // that ends it.
            let isLast = observed.hasChangedLine || offered.allSatisfy { isNothing($0, evaluation) }
            if hasOfferedEmbedded, isLast, evaluation.isEmbeddedTaken { return [] }
        }
        let fallback = evaluation.fallback
        guard let first = offered.first, offered.allSatisfy({ $0.content == first.content }) else {
            let names = offered.compactMap { offer in
                if case .version(let name) = offer.content { name } else { nil }
            }
            let usable = names.filter { evaluation.canRun($0) }
            return ExpectedVersionOracle.choice(usable, evaluation)
        }
        switch first.content {
        case .nothing: return fallback
        case .embedded:
            guard let embedded = evaluation.embedded, !evaluation.isUncertain,
                offered.allSatisfy({ $0.described.map(evaluation.fits) ?? true })
            else { return fallback }
            // An order below the accepted publication is ignored (U8), and the app may not ask for it.
            if !evaluation.mayAsk || hasStatedDate || mayHaveNewer(than: first.serial, nil, observed) {
                return ExpectedVersionOracle.choice([embedded], evaluation)
            }
            // The order holds although no start of it is confirmed (R5).
            return evaluation.prediction(embedded) == .succeeds ? [embedded] : []
        case .version(let name):
            guard !isNothing(first, evaluation) else { return fallback }
            let isSure =
                offered.allSatisfy(\.hasFiles) && !hasStatedDate && evaluation.mayDownload(name)
                && evaluation.prediction(name) == .succeeds
                && !evaluation.isParked(name) && evaluation.mayAsk && evaluation.mayTakeOffer
                && !mayHaveNewer(than: offered.map(\.serial).min() ?? 0, name, observed)
            return isSure ? [name] : ExpectedVersionOracle.choice([name], evaluation)
        }
    }

    /// Whether an offer changes nothing on this device: it is none, or one that is refused.
    private func isNothing(_ offer: Offer, _ evaluation: DeviceEvaluation) -> Bool {
        switch offer.content {
        case .nothing: true
        case .embedded: false
        case .version(let name):
            !evaluation.isUsable(name) || !evaluation.fits(name) || evaluation.isRightlyBlacklisted(name)
        }
    }

    /// Indices of the edges that a device can reach: the one that is its build's own origin, or all that are
    /// no build's own and those that it was routed to.
    private func edges(of observed: ObservedState) -> [Int] {
        if let own = observed.ownOrigin.flatMap({ names.firstIndex(of: $0) }) { return [own] }
        let taken = observed.app.builds.compactMap(\.origin)
        return offers.indices.filter {
            !names.indices.contains($0) || !taken.contains(names[$0]) || routes.contains($0)
        }
    }

    /// What a device may run that may get the first versions, or not. If no other one is sure, it may have
    /// none.
    private static func choice(_ first: [String], _ evaluation: DeviceEvaluation) -> [String] {
        let rest = evaluation.requirable(evaluation.allThatCanRun.filter { !first.contains($0) })
        return rest.isEmpty ? [] : first + rest
    }

    /// Whether the device may have accepted a publication with a higher number, of which the offer is then an
    /// older one (U8): another edge's or another audience's, or that of the installed package; or another
    /// version with the same number, to which the offer is nothing new. A fault's manifest that states a date
    /// may state any, and two that were valid by chance may have settled a publication that nobody deployed.
    /// - Parameter name: the version that is offered; nil: an order.
    private func mayHaveNewer(than serial: Int, _ name: String?, _ observed: ObservedState) -> Bool {
        if observed.app.dialect == .meteor { return false }
        if observed.damagedOffersTaken > (observed.app.dialect == .frontend ? 0 : 1) { return true }
        if serials.contains(where: { $0.name != name && $0.serial == serial }) { return true }
        let embedded = observed.app.builds.first { $0.name == observed.build }?.embeds
        if serials.contains(where: { $0.name == embedded && $0.serial > serial }) { return true }
        return observed.newestSerial > serial
    }

    /// Whether what an edge offers may be older than what the device has accepted, so that it is ignored.
    private func mayBeOlder(_ offer: Offer, _ observed: ObservedState) -> Bool {
        switch offer.content {
        case .nothing: false
        case .version(let name): hasStatedDate || mayHaveNewer(than: offer.serial, name, observed)
        case .embedded: hasStatedDate || observed.newestSerial > offer.serial
        }
    }

    /// Whether the offer is for this device; nil if it is for a share of the devices, and no answer has shown
    /// on which side this one is.
    private func isInAudience(of offer: TargetedOffer, _ observed: ObservedState) -> Bool? {
        let settings = observed.settings
        guard let share = offer.audience.share else {
            return offer.audience.fits(
                user: settings.user, cohort: settings.cohort, channel: settings.channel)
        }
        if share == 0 { return false }
        if share == offer.audience.of ?? Audience.standardOf { return true }
        let answer = observed.transfers.last {
            $0.serial == offer.serial || $0.withheldSerial == offer.serial
        }
        return answer.map { $0.serial == offer.serial }
    }

    /// What an edge offers to this device.
    private func offer(ofEdge edge: Int, _ observed: ObservedState) -> Offer {
        let settings = observed.settings
        let targeted = targetedOffers.last {
            $0.edge == edge && isInAudience(of: $0, observed) == true
        }
        // Only our own dialect names a channel: the audience's, or the one that the app was installed with.
        let channel = targeted?.audience.channel ?? observed.app.settings.channel
        guard observed.app.dialect != .own || settings.channel == channel else {
            return Offer(content: .nothing, serial: serial, hasFiles: true)
        }
        guard let targeted else { return offers[edge] }
        return Offer(
            content: .version(targeted.version), serial: targeted.serial, hasFiles: targeted.hasFiles)
    }
}
