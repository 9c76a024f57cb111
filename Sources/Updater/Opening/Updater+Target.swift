import Core

/// Whom versions are for (U9): the line, and who asks in it.
extension Updater {
    /// What the origin chooses by, beside the line: the app's user and cohort.
    private var target: String { "\(settings.user ?? "")\n\(settings.cohort ?? "")" }

    /// Another user or cohort than the record was written for: what waits was meant for the one before. It
    /// stays stored, and is pending again when the origin offers it to this one too.
    /// - Returns: whether it is another.
    @discardableResult
    mutating func settleTarget() -> Bool {
        guard record.target != target else { return false }
        let isFirst = record.target == nil
        record.target = target
        if !isFirst, let pending = record.pending, pending != record.embedded {
            log(.pendingDropped, pending, "meant for another user or cohort")
            dropPending(pending)
        }
        return !isFirst
    }

    /// The app's settings have changed under way.
    mutating func settingsChanged(_ changed: UpdaterSettings) {
        let former = settings
        settings = changed
        guard phase == .running else { return }
        let isOtherLine = former.origin != changed.origin || former.channel != changed.channel
        if isOtherLine {
            settleLine()
            dropDownload(.lineChanged)
        }
        let isOtherTarget = settleTarget()
        if isOtherTarget { dropDownload(.superseded) }
        if isOtherLine || isOtherTarget {
            commit()
            if settings.updates == .automatic { wish(.app) }
        }
        if former.usesMeteredNetwork != changed.usesMeteredNetwork
            || former.meteredBytes != changed.meteredBytes
        {
            applyDataPolicy()
        }
    }
}
