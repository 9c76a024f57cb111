import Core

/// U15: the networks over which versions may be downloaded. The manifest may always be requested. Files wait
/// while the settings don't allow the network, and resume when it changes.
extension Updater {
    /// Whether the data policy pauses the download. Logged once, and again after the download has resumed.
    mutating func pausesForDataPolicy() -> Bool {
        guard download != nil else { return false }
        let isPausedByPolicy = !allowsNetworkForDownload
        if isPausedByPolicy, let plan = download, !plan.isPausedByPolicy {
            log(
                .waitsForNetwork, plan.table.key,
                "network=\(environment.network.rawValue) missing=\(plan.missingBytes)")
        }
        let wasPausedByPolicy = download?.isPausedByPolicy ?? false
        download?.isPausedByPolicy = isPausedByPolicy
        if isPausedByPolicy || wasPausedByPolicy { showMissingContent(screenWithoutContent) }
        return isPausedByPolicy
    }

    /// What is missing is counted only where the network is metered.
    private var allowsNetworkForDownload: Bool {
        guard environment.network == .metered, let missing = download?.missingBytes else { return true }
        guard settings.usesMeteredNetwork else { return false }
        return settings.meteredBytes.map { missing <= UntrustedInteger($0) } ?? true
    }

    /// The network changed: stops what it does not allow, resumes what it allows.
    mutating func applyDataPolicy() {
        guard let plan = download, !allowsNetworkForDownload else { return fetchMore() }
        download?.endTransfers()
        let files = cancel(plan.transfers) + jobs.removePartialReadings()
        if partial.closeLater(files) { jobs.add(.closeFiles) }
        fetchMore()
    }
}
