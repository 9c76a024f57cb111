import Core

/// Whom the origin has chosen versions for (U9): the record remembers it, so that a change is noticed over
/// process deaths too.
struct OfferedTo: Hashable, Sendable {
    var user: String?
    var cohort: String?
}

extension Updater {
    /// Settings change while the process runs.
    mutating func changeSettings(_ changed: UpdaterSettings) {
        let former = settings
        settings = changed
        // Before that the store is not open; what it holds is settled with the new settings.
        guard phase == .running else { return }
        let before = record
        settleLine()
        if record != before { lookAgain(line: before.line) }
        if former.usesMeteredNetwork != changed.usesMeteredNetwork
            || former.meteredBytes != changed.meteredBytes
        {
            applyDataPolicy()
        }
    }

    /// Others are offered other versions: what is under way was meant for the former ones.
    private mutating func lookAgain(line former: OriginLine) {
        dropDownload(former == record.line ? .superseded : .lineChanged)
        if let run = check {
            // It asked for the former user; its answer must not count (U4).
            effects.append(.cancelFetch(run.id))
            effects.append(.cancelTimer(.idle(run.id)))
            check = nil
            wish(run.reason)
        } else if settings.updates == .automatic {
            wish(.app)
        }
        commit()
    }

    /// U9: what was offered to another user, cohort or channel does not become current here. Its content
    /// keeps its place (R7), so that nothing is fetched again when it is offered to this one too.
    mutating func settleAudience() {
        let audience = OfferedTo(user: settings.user, cohort: settings.cohort)
        guard audience != record.offeredTo else { return }
        record.offeredTo = audience
        dropUnfitPending("the user or cohort changed")
    }

    mutating func dropUnfitPending(_ reason: String) {
        guard let pending = record.pending, pending != record.embedded else { return }
        log(.pendingDropped, pending, reason)
        record.remember(left: pending)
        dropPending(pending)
    }
}
