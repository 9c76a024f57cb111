import Core

/// Rollout by share (U9): a publication whose share leaves this device out is not offered here. Its recalls
/// hold, its serial is not accepted, and the manifest that it names for the others is requested, in the same
/// check. Where that one is an older publication of the same version, the newer one decides: it is not
/// offered here.
extension Updater {
    /// What a manifest means for this device.
    enum RolloutDecision: Hashable, Sendable {
        /// It is offered, or refused or ignored for another reason.
        case offered
        /// It is not; the manifest for the others has been requested.
        case requestedOther
        /// It is not, and there is none for the others.
        case nothingOffered
    }

    mutating func decideRollout(_ table: VersionTable) throws(ManifestRefusal) -> RolloutDecision {
        guard let run = checks.run, isForThisApp(table.metadata), comparison(of: table) != .older else {
            return .offered
        }
        guard let rollout = table.metadata.rollout, !rollout.includes(device: record.device) else {
            guard run.withheld.contains(table.key) else { return .offered }
            log(.rolloutOutside, table.key, "a newer publication of it is not offered here")
            return .nothingOffered
        }
        let other = try rollout.otherwise.map { (url) throws(ManifestRefusal) in try target(of: url, run) }
        log(.rolloutOutside, table.key, "share=\(rollout.share)/\(rollout.of) otherwise=\(other ?? "none")")
        withhold(table)
        guard let other else { return .nothingOffered }
        requestOther(other)
        return .requestedOther
    }

    private func isForThisApp(_ metadata: ManifestMetadata) -> Bool {
        (metadata.app == nil || metadata.app == settings.app)
            && (metadata.channel == nil || metadata.channel == settings.channel)
    }

    /// Absolute URL of the manifest for the others: of the same origin, not requested before in this check,
    /// and one of at most three.
    private func target(of url: String, _ run: CheckRun) throws(ManifestRefusal) -> String {
        let requested = run.manifests.last ?? settings.manifestURL
        let origin = [OriginURL.root(settings.origin)]
        guard let target = OriginURL.resolve(url, against: requested, allowed: origin) else {
            throw ManifestRefusal(.originChangeNotAllowed, "otherwise=\(url.prefix(200))")
        }
        guard !run.manifests.contains(target), target != settings.manifestURL else {
            throw ManifestRefusal(.rolloutLoop, "otherwise=\(target.prefix(200))")
        }
        guard run.manifests.count < Rollout.maxHops else {
            throw ManifestRefusal(.rolloutTooManyHops, "otherwise=\(target.prefix(200))")
        }
        return target
    }

    /// What was offered here by an earlier manifest, and is not any more, is dropped; the recalls hold.
    private mutating func withhold(_ table: VersionTable) {
        let before = record
        let key = table.key
        checks.run?.withheld.append(key)
        if record.forced == key { record.forced = nil }
        if record.pending == key, key != record.embedded {
            log(.pendingDropped, key, "outside the rollout's share")
            dropPending(key)
            dropIfNeverStarted(key)
        }
        if unfinishedKey == key { dropUnfinished(.rolloutOutside) }
        var recalled = checks.run?.withheldRecalls ?? []
        recalled += table.metadata.recalled.filter { !recalled.contains($0) }
        recalled = Array(recalled.prefix(StoreRecord.withheldRecallLimit))
        checks.run?.withheldRecalls = recalled
        if recalled != record.withheldRecalls {
            let isNew = !recalled.allSatisfy { record.withheldRecalls.contains($0) }
            record.withheldRecalls = recalled
            if isNew { applyRecall() }
        }
        commit(ifChangedSince: before)
    }

    /// Requests another manifest in the same check, as a new transfer.
    private mutating func requestOther(_ url: String) {
        guard var run = checks.run else { return }
        effects.append(.cancelTimer(.idle(run.id)))
        run.request(url, as: nextTransferID(), at: now)
        checks.run = run
        effects.append(.fetch(run.id, run.request))
        effects.append(.setTimer(.idle(run.id), after: settings.connectTimeout))
    }
}

extension CheckRun {
    /// Begins anew with another manifest.
    fileprivate mutating func request(_ url: String, as id: TransferID, at now: Instant) {
        self.id = id
        request.url = url
        manifests.append(url)
        redirects = 0
        status = 0
        retryAfter = nil
        announced = nil
        body = []
        claims = []
        signer = nil
        lastProgress = now
    }
}
