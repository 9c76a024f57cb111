import Core

/// U15: the networks over which versions may be downloaded. The manifest may always be requested. Files wait
/// while the settings don't allow the network, and resume when it changes.
extension Updater {
    /// Whether the data policy pauses the download. Logged once, and again after the download has resumed.
    mutating func pausesForDataPolicy() -> Bool {
        guard let plan = download else { return false }
        let isPausedByPolicy = !allowsNetwork(for: plan)
        if isPausedByPolicy, !plan.isPausedByPolicy {
            log(
                .waitsForNetwork, plan.table.key,
                "network=\(environment.network.rawValue) missing=\(plan.missingBytes)")
        }
        download?.isPausedByPolicy = isPausedByPolicy
        return isPausedByPolicy
    }

    private func allowsNetwork(for plan: Download) -> Bool {
        guard environment.network == .metered else { return true }
        guard settings.usesMeteredNetwork else { return false }
        return settings.meteredBytes.map { plan.missingBytes <= UntrustedInteger($0) } ?? true
    }

    /// The network changed: stops what it does not allow, resumes what it allows.
    mutating func applyDataPolicy() {
        guard let plan = download, !allowsNetwork(for: plan) else { return fetchMore() }
        download?.endTransfers()
        let files = cancel(plan.transfers) + jobs.removePartialReadings()
        if partial.closeLater(files) { jobs.add(.closeFiles) }
        fetchMore()
    }
}
