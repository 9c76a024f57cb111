import Core

/// Progress of downloads as the page and the loading screen were last shown it (U7).
///
/// **Invariants**
/// - What the page is shown never decreases for one version, and changes only by a file or a hundredth, so
///   that page and log are not flooded.
/// - What the loading screen shows never decreases, even if another version replaces the download.
struct ReportedProgress: Sendable {
    /// Progress last reported to the page.
    private var last: DownloadProgress?
    /// Progress last shown on the loading screen.
    private(set) var shown: DownloadProgress?

    /// - Returns: what is to be reported; nil if it has hardly grown.
    mutating func report(_ current: DownloadProgress) -> DownloadProgress? {
        var progress = current
        if let last, last.version == progress.version {
            progress.bytesDone = max(progress.bytesDone, last.bytesDone)
            progress.filesDone = max(progress.filesDone, last.filesDone)
            let step = max(1, (progress.bytes ?? 0) / 100)
            guard progress.filesDone > last.filesDone || progress.bytesDone >= last.bytesDone + step else {
                return nil
            }
        }
        last = progress
        return progress
    }

    /// Takes what the loading screen would show next; nil if nothing is known of it.
    mutating func show(_ progress: DownloadProgress?) {
        if let progress, shown.map({ !progress.isBehind($0) }) ?? true { shown = progress }
    }
}
