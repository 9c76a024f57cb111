import Backend
import Core
import ScenarioLanguage
import Updater

/// Computes which version a device should run and confirm, from the trace and the scenario alone.
///
/// The expected version is the one that all edges offer to this device, if it fits the native build, is not
/// recalled, can start here, and is not rightly blacklisted. Otherwise the device should run a version that
/// was confirmed before, or else the embedded version.
package struct ExpectedVersionOracle: Sendable {
    /// Name of the version that each edge offers to all devices, by the edge's index.
    private var offers: [String?]
    /// Offers to some devices only. The last one for a device has priority over the edge's offer to all.
    private var targetedOffers: [TargetedOffer] = []
    /// Names or ids of recalled versions.
    private var recalled: [String] = []

    private struct TargetedOffer: Sendable {
        var edge: Int
        var audience: Audience
        var version: String
        var serial: Int
    }

    /// Before the first deploy every edge offers the embedded version.
    package init(edges: Int, embedded: String?) {
        offers = Array(repeating: embedded, count: max(1, edges))
    }

    package mutating func observe(_ event: TraceEvent) {
        switch event.kind {
        case .deployed(let version, let edges, let parts, let command, _):
            if parts != .files { targetedOffers.removeAll { edges.contains($0.edge) } }
            for edge in edges where offers.indices.contains(edge) {
                switch parts {
                case .all: offers[edge] = command == .embedded ? nil : version
                case .manifest: offers[edge] = version
                case .files: break
                }
            }
        case .deployedFor(let audience, let version, let edges, let serial):
            targetedOffers += edges.map {
                TargetedOffer(edge: $0, audience: audience, version: version, serial: serial)
            }
        case .recalled(let ids): recalled = ids
        default: break
        }
    }

    /// Names of the versions that are acceptable, the best first. An empty result means that nothing can be
    /// required of this device.
    ///
    /// - Parameter failing: Names of versions whose starts fail on this device.
    package func candidates(_ observed: ObservedState, failing: [String]) -> [String] {
        // Only the device itself knows whether it is in a share: its first answer shows it.
        guard !isShareUnknown(observed) else { return [] }
        let offered = offers.indices.map { offer(ofEdge: $0, observed) }
        if let first = offered.first, let name = first, offered.allSatisfy({ $0 == name }),
            isUsable(name, observed, failing: failing), !isRightlyBlacklisted(name, observed)
        {
            return [name]
        }
        let good = observed.goodVersions.reversed().map { observed.name($0.key) }
        let embedded = observed.app.builds.first { $0.name == observed.build }?.embeds
        // If not even the embedded version can start, nothing can be required.
        return good.filter { isUsable($0, observed, failing: failing) }
            + [embedded].compactMap(\.self).filter { !failing.contains($0) }
    }

    /// The version that an edge offers to this device.
    private func offer(ofEdge edge: Int, _ observed: ObservedState) -> String? {
        let settings = observed.settings
        let targeted = targetedOffers.last {
            $0.edge == edge
                && ($0.audience.share != nil
                    ? isInShare($0, observed) == true
                    : $0.audience.fits(
                        user: settings.user, cohort: settings.cohort, channel: settings.channel))
        }
        if let targeted { return targeted.version }
        // Only our own dialect names a channel: the one that the app was installed with.
        let isForThisChannel =
            observed.app.dialect != .own || settings.channel == observed.app.settings.channel
        return isForThisChannel ? offers[edge] : nil
    }

    private func isShareUnknown(_ observed: ObservedState) -> Bool {
        targetedOffers.contains { $0.audience.share != nil && isInShare($0, observed) == nil }
    }

    /// Whether the device is in the share that the offer is for; nil if no answer has shown it.
    private func isInShare(_ offer: TargetedOffer, _ observed: ObservedState) -> Bool? {
        if offer.audience.share == 0 { return false }
        if offer.audience.share == offer.audience.of ?? Audience.standardOf { return true }
        let answer = observed.transfers.last {
            $0.serial == offer.serial || $0.withheldSerial == offer.serial
        }
        return answer.map { $0.serial == offer.serial }
    }

    private func isUsable(_ name: String, _ observed: ObservedState, failing: [String]) -> Bool {
        guard let version = observed.versions.first(where: { $0.name == name }) else { return false }
        if recalled.contains(name) || recalled.contains(version.id) { return false }
        return !failing.contains(name) && ExpectedVersionOracle.fits(version, observed)
    }

    /// Whether the app reports the version as blacklisted, and the trace contains the evidence: two failed
    /// starts, or nine that were never confirmed (three parkings).
    private func isRightlyBlacklisted(_ name: String, _ observed: ObservedState) -> Bool {
        let isListed = (observed.status?.blacklist ?? []).contains { observed.name($0) == name }
        guard isListed else { return false }
        let evidence = ExpectedVersionOracle.blameEvidence(name, observed)
        return evidence.failed >= ExpectedVersionOracle.failedStartsForBlame
            || evidence.unconfirmed >= ExpectedVersionOracle.unconfirmedStartsForBlame
    }

    package static let failedStartsForBlame = 2
    package static let unconfirmedStartsForBlame = 9

    /// Starts of a version that count against it.
    package struct BlameEvidence: Hashable, Sendable {
        /// Number of starts that failed.
        package var failed: Int
        /// Number of starts that were never confirmed, failed ones included.
        package var unconfirmed: Int
    }

    package static func blameEvidence(_ name: String, _ observed: ObservedState) -> BlameEvidence {
        let starts = observed.starts.filter { observed.name($0.key) == name && !$0.hasSignalled }
        let failed = starts.filter { start in
            start.hasReportedFailure || start.webProcessDeaths >= 2
                || start.death == .crash || start.death == .notResponding
                || start.inFront >= max(.seconds(5), observed.leastStartupTimeout)
        }
        return BlameEvidence(failed: failed.count, unconfirmed: starts.count)
    }

    /// Whether a version was made for the native build that is installed.
    private static func fits(_ version: VersionSetup, _ observed: ObservedState) -> Bool {
        guard let native = version.native else { return true }
        return observed.app.builds.first { $0.name == observed.build }?.native == native
    }
}
