import Core

/// Time in which the process did not run. Nothing could happen in it that speaks for or against a version
/// or the origin: a start is neither confirmed nor failed by it (R3, R4, R6), and the origin was not silent
/// (U5).
///
/// What counts the time of the device goes on: delays that the origin requests, back-offs, the time in
/// background.
extension Updater {
    /// Time for which a page must live after its load, to confirm its start (R6).
    static let timeAlive = TimeSpan.seconds(5)

    /// Without a notice before. A suspension that was announced is discounted as a whole when it ends.
    mutating func wasFrozen(for span: TimeSpan) {
        guard !environment.isSuspended else { return }
        discount(span)
        updateClock()
    }

    /// Subtracts a time that ends now from all that counts only while the process runs.
    mutating func discount(_ span: TimeSpan) {
        starts.run?.discount(span)
        cover.discount(span)
        // A web process that died meanwhile is reported after this.
        for page in pages.open where page.isWatchedAfterLoad {
            effects.append(.setTimer(.aliveAfterLoad(page.token), after: Updater.timeAlive))
        }
        checks.run?.discount(span)
        for index in download?.transfers.indices ?? 0..<0 {
            download?.transfers[index].discount(span)
        }
        restartOutcomesTimer()
        switching.launchWait?.discount(span)
    }
}
