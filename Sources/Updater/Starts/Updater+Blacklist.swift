import Core

/// The blacklist (R5).
extension Updater {
    /// R5: never the embedded version, never a proven one, never the only one that can be shown.
    mutating func blacklist(_ key: VersionKey, _ cause: LogCause, _ evidence: String) {
        guard !record.isProven(key), recoveryVersion(excluding: [key]) != nil else {
            log(.blacklistSpared, key, "nothing else can be shown, or it is proven")
            return keepPending(key)
        }
        let previous = record.blacklist.first { record.appliesHere($0) && $0.key == key }
        record.addToBlacklist(
            BlacklistEntry(
                key: key, native: record.native, line: record.line, cause: cause,
                evidence: String(decoding: evidence.utf8.prefix(400), as: UTF8.self),
                count: (previous?.count ?? 0) + 1,
                since: date(of: .blacklisted(key))))
        // The entry keeps the count; when it ends, the version starts without a history.
        record.setStartHistory(StartHistory(key: key))
        log(.blacklistEntry, key, "cause=\(cause.rawValue) \(evidence)")
        leaveCurrent(key)
        dropPending(key)
        // Offered again when the entry has ended, it is one that this device has left (U8).
        record.recordLeft(key)
        if record.parked?.key == key { record.parked = nil }
        forget(key)
    }

    /// Ends entries whose days of origin time have passed (R5).
    mutating func endOldEntries() {
        guard let time = originNow else { return }
        for index in record.blacklist.indices where !record.blacklist[index].hasEnded {
            let entry = record.blacklist[index]
            guard let since = entry.since, let days = entry.days, time - since >= .days(days) else {
                continue
            }
            record.blacklist[index].hasEnded = true
            log(.blacklistEnded, entry.key, "days=\(days) entry=\(entry.count)")
        }
    }
}
