import Core

/// For whom the origin selected versions (U9). It is part of the record, so that a change is noticed across
/// processes.
struct OfferAudience: Hashable, Sendable {
    var user: String?
    var cohort: String?
}

extension Updater {
    /// Applies settings that changed while the process runs.
    mutating func changeSettings(_ changed: UpdaterSettings) {
        let previous = settings
        settings = changed
        // Earlier the store is not open; its content is then evaluated with the new settings.
        guard store.phase == .running else { return }
        let before = record
        updateOriginLine()
        if record != before { restartChecks(line: before.line) }
        if changed.updates != previous.updates { updatePolicyChanged() }
        if previous.usesMeteredNetwork != changed.usesMeteredNetwork
            || previous.meteredBytes != changed.meteredBytes
        {
            applyDataPolicy()
        }
    }

    /// Other versions may be offered now, and what is in progress was meant for the previous audience or
    /// line.
    private mutating func restartChecks(line previous: OriginLine) {
        dropDownload(previous == record.line ? .superseded : .lineChanged)
        if let run = checks.run {
            // It was sent for the previous user; its response must not count (U4).
            cancelRequest(run.id)
            checks.run = nil
            log(.checkDropped, nil, "wish=\(run.reason.rawValue) the settings changed")
            requestCheck(run.reason)
        } else if settings.updates == .automatic {
            requestCheck(.app)
        }
        commit()
        // What an earlier process has begun to download has lost its place (R7); the other audience or line
        // may still want it within the minute (U2).
        scheduleGarbageCollection()
    }

    /// An app without content looks for some at once, or says that the user must (U7).
    private mutating func updatePolicyChanged() {
        if settings.updates == .never { stopUpdates() }
        lookForContent()
        showMissingContent(screenWithoutContent)
    }

    /// U14: nothing is requested any more, and what was requested before ends.
    private mutating func stopUpdates() {
        if let run = checks.run {
            cancelRequest(run.id)
            checks.run = nil
            log(.checkDropped, nil, "wish=\(run.reason.rawValue) updates are off")
        }
        if let upload = outcomeUpload { cancelRequest(upload.id) }
        outcomeUpload = nil
        dropDownload(.updatesOff)
    }

    /// U9: what was offered to another user, cohort or channel does not become current here. Its content is
    /// retained (R7), so that nothing is downloaded again if it is offered to this one too.
    mutating func updateAudience() {
        let audience = OfferAudience(user: settings.user, cohort: settings.cohort)
        guard audience != record.audience else { return }
        record.audience = audience
        record.forced = nil
        record.endOffers()
        dropUnfitPending("the user or cohort changed")
    }

    mutating func dropUnfitPending(_ reason: String) {
        guard let pending = record.pending, pending != record.embedded else { return }
        log(.pendingDropped, pending, reason)
        record.recordLeft(pending)
        dropPending(pending)
    }
}
