import Backend
import Core
import ScenarioLanguage
import Updater

/// What one device can run in the end, apart from what the origin offers (``ExpectedVersionOracle``).
struct DeviceEvaluation {
    private let observed: ObservedState
    /// Names or ids of recalled versions.
    private var recalled: [String]
    /// Name of the version inside the installed package.
    let embedded: String?
    /// What the edges offer.
    private let offered: [ExpectedVersionOracle.Offer.Content]
    private let native: String?
    /// Whether the trace does not determine what the device has or knows.
    private(set) var isUncertain: Bool

    /// - Parameter mayBeIgnored: whether a manifest that is offered may be older than the accepted one (U8),
    ///   or is an order in one of a version for another build (U10).
    init(
        _ observed: ObservedState, _ offered: [ExpectedVersionOracle.Offer.Content], mayBeIgnored: Bool
    ) {
        self.observed = observed
        self.offered = offered
        let build = observed.app.builds.first { $0.name == observed.build }
        embedded = build?.embeds
        native = build?.native
        recalled = []
        isUncertain = observed.isMediumDamaged
        if observed.recalled.isEmpty { return }
        // The device knows a recall if it asks for a manifest that states it, and accepts it (U13).
        let isKnown =
            mayAsk && !mayBeIgnored
            && offered.allSatisfy { content in
                switch content {
                case .nothing: false
                case .embedded: true
                // A false size is found when the file comes (U1).
                case .version(let name): !isTooLarge(name) && observed.fits(name)
                }
            }
        if isKnown { recalled = observed.recalled } else { isUncertain = true }
    }

    /// Whether the app's checks ask the origin (U14), and the origin does not want it to wait any more.
    var mayAsk: Bool {
        if observed.retryAfterLeft > .zero { return false }
        switch observed.settings.updates {
        case .automatic, .manual: return true
        case .page, .never: return false
        }
    }

    /// Whether the manifest's dialect has an order of publications. Without one a version that the device has
    /// left is taken again only by a process that lives for a minute (U8).
    private var hasOrder: Bool { observed.app.dialect != .meteor }

    /// Whether a version that is offered may be taken. If there is no order and what runs ends its process,
    /// the wait for the second check may begin again and again.
    var mayTakeOffer: Bool {
        if hasOrder { return true }
        guard let current = observed.status?.current,
            let running = observed.versions.first(where: { $0.name == observed.name(current) })
        else { return true }
        return !running.startup.mayEndProcess
    }

    /// Whether the app lives long enough to download a version: where what runs ends its process, the minute
    /// on R9's screen is all that there is (R13). Under a debugger no start is broken, and there is no
    /// minute.
    func mayDownload(_ name: String) -> Bool {
        let mayEnd = observed.versions.contains { $0.startup.mayEndProcess }
        if observed.app.isDebugged, mayEnd { return false }
        // It waits for ten seconds without progress, and a connection over TLS needs three round trips.
        if mayEnd, observed.profile.link.latency >= .seconds(1) { return false }
        let size = observed.versions.first { $0.name == name }?.size ?? 0
        if observed.profile.link.time(forBytes: size) < .minutes(1) { return true }
        return !mayEnd
    }

    /// Whether the device may accept a version: it is within the limits (U10), its files have the sizes that
    /// the manifest states (U1), and it was made for the installed native build.
    func fits(_ name: String) -> Bool {
        !isTooLarge(name) && !hasFalseSize(name) && observed.fits(name)
    }

    /// Whether the manifest states a size that a required file of the version does not have. Meteor's sizes
    /// are hints, and the frontend dialect without hashes has none.
    private func hasFalseSize(_ name: String) -> Bool {
        guard observed.app.hasHashes, observed.app.dialect != .meteor else { return false }
        return observed.versions.first { $0.name == name }?.files.contains { file in
            // Only the own dialect says that a file is optional.
            let isOptional = file.isOptional && observed.app.dialect == .own
            guard !isOptional, case .made(let key) = file.content, let stated = file.statedSize else {
                return false
            }
            return stated != key.size
        } ?? false
    }

    /// Whether generated files of the version are larger than the limits of an app (U10).
    private func isTooLarge(_ name: String) -> Bool {
        let limits = UpdaterLimits()
        var total = 0
        for file in observed.versions.first(where: { $0.name == name })?.files ?? [] {
            guard case .made(let key) = file.content else { continue }
            if key.size > limits.fileBytes || key.size > limits.versionBytes - total { return true }
            total += max(key.size, 0)
        }
        return false
    }

    func prediction(_ name: String) -> StartPrediction {
        guard let version = observed.versions.first(where: { $0.name == name }) else { return .fails }
        let starts = observed.starts.count { observed.name($0.key) == name }
        let prediction = version.startup.prediction(
            afterStarts: starts, native: native, observed.settings)
        // A manifest without hashes can't distinguish two versions of one id.
        if isDoubled(name) || mayLookLikeAnother(name) { return .uncertain }
        // A page of it may have been confirmed by a step of the scenario, or before the settings changed.
        return prediction == .fails && isGood(name) ? .uncertain : prediction
    }

    /// Whether perhaps no start of the embedded version can be confirmed.
    var mayEmbeddedFail: Bool { embedded.map { prediction($0) != .succeeds } ?? false }

    /// Whether the embedded version is current, or becomes so at the next start.
    var isEmbeddedTaken: Bool {
        [observed.status?.current, observed.status?.pending].contains { key in
            key.map { observed.name($0) == embedded } ?? false
        }
    }

    private func isDoubled(_ name: String) -> Bool {
        let entries = observed.names.entries
        guard let entry = entries.first(where: { $0.name == name }), entry.key != nil else { return false }
        return entries.count { $0.key == entry.key } > 1
    }

    /// Whether its page received bytes of another version with another start-up: a page that may be of
    /// several versions starts as the first of them, and a manifest without hashes can make it another one's
    /// altogether.
    private func mayLookLikeAnother(_ name: String) -> Bool {
        let versions = observed.versions
        guard let index = versions.firstIndex(where: { $0.name == name }),
            index < observed.shownContent.count, let shown = observed.shownContent[index]
        else { return false }
        guard shown.contains(index), let first = shown.indices.first else { return !observed.app.hasHashes }
        return !versions[first].startup.isLike(versions[index].startup)
    }

    /// Whether the version may be offered to this device, and may be confirmed here.
    func isUsable(_ name: String) -> Bool {
        guard let version = observed.versions.first(where: { $0.name == name }) else { return false }
        // The embedded version can't be recalled.
        if name == embedded { return prediction(name) != .fails }
        if recalled.contains(name) || recalled.contains(version.id) { return false }
        return prediction(name) != .fails && fits(name)
    }

    func canRun(_ name: String) -> Bool { isUsable(name) && !isRightlyBlacklisted(name) }

    /// R9's chain: the version that was confirmed last, the one before it, the embedded one.
    private var chain: [String] {
        let good = observed.goodVersions.suffix(2).reversed().map { observed.name($0.key) }
        return good + [embedded].compactMap(\.self).filter { !good.contains($0) }
    }

    /// The first usable version of the chain; if the trace does not determine it, all that can run.
    var fallback: [String] {
        let usable = chain.filter { isUsable($0) }
        let isDetermined =
            !isUncertain && usable.allSatisfy { prediction($0) == .succeeds && !isRightlyBlacklisted($0) }
            && observed.versions.allSatisfy { $0.dataSchema == nil }
        return isDetermined ? Array(usable.prefix(1)) : requirable(allThatCanRun)
    }

    /// The versions if one of them is sure to be there and to be confirmed; otherwise none can be required.
    func requirable(_ names: [String]) -> [String] {
        if runsForeignContent { return [] }
        let isOneSure = names.contains { name in
            prediction(name) == .succeeds && canReadData(name) && !isRecalledByName(name)
                // With its record the device loses all versions but the embedded one.
                && (!observed.isRecordDamaged || name == embedded)
                // Content that is damaged is fetched again if the origin offers its version (R10).
                && (!observed.isMediumDamaged || name == embedded || offered.contains(.version(name)))
        }
        return isOneSure ? names : []
    }

    /// Whether the page of what runs got bytes of no version, which a manifest without hashes can't tell
    /// (U1): for the device they are the version's.
    private var runsForeignContent: Bool {
        guard !observed.app.hasHashes, let index = observed.status?.current.flatMap(observed.index(of:)),
            observed.shownContent.indices.contains(index), let shown = observed.shownContent[index]
        else { return false }
        return shown.indices.isEmpty
    }

    /// Whether the origin has recalled it, whether or not the device knows.
    private func isRecalledByName(_ name: String) -> Bool {
        let id = observed.versions.first { $0.name == name }?.id
        return name != embedded && observed.recalled.contains { $0 == name || $0 == id }
    }

    /// Good versions, the embedded one, and what is pending or runs, without those that can't be confirmed.
    var allThatCanRun: [String] {
        let good = observed.goodVersions.reversed().map { observed.name($0.key) }
        let held = [observed.status?.current, observed.status?.pending].compactMap { $0 }
            .map { observed.name($0) }
        var names: [String] = []
        for name in good + [embedded].compactMap(\.self) + held
        where !names.contains(name) && isUsable(name) { names.append(name) }
        return names
    }

    /// R12: recovery takes no version that can't read the data that a confirmed one has written.
    private func canReadData(_ name: String) -> Bool {
        let confirmed = observed.starts.filter { $0.end == .confirmed }.map { observed.name($0.key) }
        let written = observed.versions.filter { confirmed.contains($0.name) && $0.dataSchema != nil }
        guard let newest = written.max(by: { $0.dataSchema ?? 0 < $1.dataSchema ?? 0 }) else { return true }
        let own = observed.versions.first { $0.name == name }?.dataSchema
        return own.map { $0 >= newest.dataSchemaReadableFrom ?? newest.dataSchema ?? 0 } ?? false
    }

    private func isGood(_ name: String) -> Bool {
        observed.goodVersions.contains { observed.name($0.key) == name }
    }

    /// R3: a parked version waits for a day of origin time, for which not all rounds of use may be enough.
    func isParked(_ name: String) -> Bool {
        (observed.status?.parked ?? []).contains { observed.name($0) == name }
    }

    /// Whether the app reports the version as blacklisted, and the trace contains the evidence: two failed
    /// starts, or as many that were never confirmed as three parkings need.
    func isRightlyBlacklisted(_ name: String) -> Bool {
        let isListed = (observed.status?.blacklist ?? []).contains { observed.name($0) == name }
        guard isListed else { return false }
        let evidence = BlameEvidence(name, observed)
        // After a failure each parking takes one second chance.
        let parkingStarts = evidence.failed > 0 ? 4 : BlameEvidence.unconfirmedStartsForBlame
        return evidence.failed >= BlameEvidence.failedStartsForBlame || evidence.unconfirmed >= parkingStarts
    }
}

/// Starts of a version that count against it.
package struct BlameEvidence: Hashable, Sendable {
    /// Number of starts that failed.
    package var failed: Int
    /// Number of starts that were never confirmed, failed ones included.
    package var unconfirmed: Int

    package static let failedStartsForBlame = 2
    /// Three parkings (R3). The shortest way to each is a start that ends in front, and its second chance.
    package static let unconfirmedStartsForBlame = 6
    /// A process that ends so soon after the page's signal may end before the confirmation is durable.
    private static let timeToConfirm = TimeSpan.seconds(5)

    package init(_ name: String, _ observed: ObservedState) {
        let starts = observed.starts.filter {
            observed.name($0.key) == name && BlameEvidence.isUnconfirmed($0)
        }
        failed =
            starts.filter { start in
                start.hasReportedFailure || start.webProcessDeaths >= 2
                    || start.death == .crash || start.death == .notResponding
                    || start.inFront >= max(.seconds(5), observed.leastStartupTimeout)
            }.count
        unconfirmed = starts.count
    }

    private static func isUnconfirmed(_ start: StartTrace) -> Bool {
        if start.end == .confirmed { return false }
        // Its confirmation came too late.
        if start.hasFailedFirst { return true }
        guard let signalled = start.signalledAt else { return true }
        return start.diedAt.map { $0 - signalled < timeToConfirm } ?? false
    }
}
