import Backend
import Core
import ScenarioLanguage
import Updater

/// Which version a device should come to run and confirm, worked out from the trace and the scenario
/// alone: what every edge offers it at the end, fit for its native build, not recalled, whose starts
/// succeed here, not blacklisted for causes seen in the trace; else last known good; else embedded.
package struct ExpectedVersionOracle: Sendable {
    private var offers: [Offer]
    /// Of each edge, for some devices only; newer than its offer to all.
    private var targeted: [(edge: Int, audience: Audience, version: String)] = []
    private var recalled: [String] = []

    private struct Offer: Sendable {
        var version: String?
        /// Files are there; a manifest without its files can't be fetched.
        var hasFiles: Bool
    }

    /// Before the first deploy every edge offers the embedded version.
    package init(edges: Int, embedded: String?) {
        offers = Array(repeating: Offer(version: embedded, hasFiles: true), count: max(1, edges))
    }

    package mutating func observe(_ fact: TraceEvent) {
        switch fact.kind {
        case .deployed(let version, let edges, let parts, let command, _):
            if parts != .files { targeted.removeAll { edges.contains($0.edge) } }
            for edge in edges where offers.indices.contains(edge) {
                switch parts {
                case .all:
                    offers[edge] = Offer(version: command == .embedded ? nil : version, hasFiles: true)
                case .manifest: offers[edge].version = version
                case .files: break
                }
            }
        case .deployedFor(let audience, let version, let edges, _):
            for edge in edges { targeted.append((edge, audience, version)) }
        case .recalled(let ids): recalled = ids
        default: break
        }
    }

    /// The versions that would be right, the best first. Empty: nothing can be asked.
    package func candidates(_ observed: ObservedState, failing: [String]) -> [String] {
        let embedded = observed.app.builds.first { $0.name == observed.build }?.embeds
        let status = observed.status
        func isUsable(_ name: String) -> Bool {
            guard let version = observed.versions.first(where: { $0.name == name }) else { return false }
            if recalled.contains(name) || recalled.contains(version.id) { return false }
            return !failing.contains(name) && ExpectedVersionOracle.fits(version, observed)
        }
        let settings = observed.settings
        // Only the own dialect names a channel: the one that the app was installed with.
        let isForThisChannel =
            observed.app.dialect != .own || settings.channel == observed.app.settings.channel
        let offered = offers.enumerated().map { edge, offer in
            targeted.last { row in
                row.edge == edge
                    && row.audience.fits(
                        user: settings.user, cohort: settings.cohort, channel: settings.channel)
            }?.version ?? (isForThisChannel ? offer.version : nil)
        }
        if let first = offered.first, let name = first, offered.allSatisfy({ $0 == name }), isUsable(name) {
            let isListed = (status?.blacklist ?? []).contains { observed.name($0) == name }
            if !(isListed && ExpectedVersionOracle.isBlamed(name, observed)) { return [name] }
        }
        let good = observed.good.reversed().map { observed.name($0.key) }.filter(isUsable)
        // Where even the embedded one can't start, nothing can be asked.
        return good + (embedded.map { [$0] } ?? []).filter { !failing.contains($0) }
    }

    /// The trace shows causes that a blacklist entry may rest on: two failed starts, or nine that never
    /// came to a confirmation (three parkings).
    private static func isBlamed(_ name: String, _ observed: ObservedState) -> Bool {
        let blame = blame(name, observed)
        return blame.failed >= enoughFailed || blame.unconfirmed >= enoughUnconfirmed
    }

    package static let enoughFailed = 2
    package static let enoughUnconfirmed = 9

    /// Starts that failed, and all that never came to a confirmation.
    package static func blame(_ name: String, _ observed: ObservedState) -> (failed: Int, unconfirmed: Int) {
        let starts = observed.starts.filter { observed.name($0.key) == name && !$0.hasSignalled }
        let failed = starts.filter { start in
            start.hasReportedFailure || start.webProcessDeaths >= 2
                || start.death == .crash || start.death == .notResponding
                || start.inFront >= max(.seconds(5), observed.leastStartupTimeout)
        }
        return (failed.count, starts.count)
    }

    private static func fits(_ version: VersionSetup, _ observed: ObservedState) -> Bool {
        guard let native = version.native else { return true }
        return observed.app.builds.first { $0.name == observed.build }?.native == native
    }
}
