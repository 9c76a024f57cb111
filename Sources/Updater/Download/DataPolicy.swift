import Core

/// U15: which networks versions may be fetched over. Asking for the manifest is always allowed; files wait
/// where the settings don't allow the network, and go on where they stopped when it is left.
extension Updater {
    /// Tells once, and again after it has gone on.
    mutating func isHeldByPolicy() -> Bool {
        guard let plan = download else { return false }
        let isHeld = !allowsNetwork(for: plan)
        if isHeld, !plan.isHeld {
            log(.waitsForNetwork, plan.table.key, "network=\(network.rawValue) missing=\(missingBytes(plan))")
        }
        download?.isHeld = isHeld
        return isHeld
    }

    private func allowsNetwork(for plan: Download) -> Bool {
        guard network == .metered else { return true }
        guard settings.usesMeteredNetwork else { return false }
        return settings.meteredBytes.map { missingBytes(plan) <= $0 } ?? true
    }

    /// Bytes that are still to come, as far as sizes are known.
    private func missingBytes(_ plan: Download) -> Int {
        NeededSpace.sum(
            plan.rows.indices.map { number in
                if case .have = plan.rows[number] { return 0 }
                let row = plan.table.rows[number]
                return max((row.size ?? row.sizeHint ?? 0) - plan.reached[number], 0)
            })
    }

    /// The network is another one: what it does not allow stops, what it allows goes on.
    mutating func applyDataPolicy() {
        guard let plan = download, !allowsNetwork(for: plan) else { return fetchMore() }
        for transfer in plan.transfers {
            effects.append(.cancelFetch(transfer.id))
            effects.append(.cancelTimer(.idle(transfer.id)))
            if let file = transfer.file { orphans.append(file) }
            download?.rows[transfer.row] = .needed
        }
        download?.transfers = []
        for job in background {
            if case .resume(let reading) = job, let file = reading.file { orphans.append(file) }
        }
        background.removeAll { job in if case .resume = job { true } else { false } }
        if !orphans.isEmpty { background.append(.closeOrphans) }
        fetchMore()
    }
}
