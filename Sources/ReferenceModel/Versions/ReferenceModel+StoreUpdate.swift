/// N1: a store update settles everything before anything is loaded.
extension ReferenceModel {
    /// The first process of another native build reports its state.
    /// - Parameter before: what a process of the build before reported last.
    mutating func compareStoreUpdate(after before: Report) {
        life.noticedBuild = life.build
        life.mayHaveNoticed = false
        guard isFirstReportOfBuild else { return }
        isFirstReportOfBuild = false
        decideStoreUpdate(after: before)
        if let version = report.blacklist.first {
            disagree(
                .blacklistEnds, version, allowed: "no entry of the build before",
                actual: "it is blacklisted")
        }
        if let version = report.parked.first {
            disagree(
                .parkingEnds, version, allowed: "no parking of the build before", actual: "it is parked")
        }
        if let version = report.good.first(where: { $0 != report.embedded }) {
            disagree(
                .startRecord, version, allowed: "nothing is good but the embedded version",
                actual: "it is good")
        }
        if let version = report.pending, app.dialect != .own {
            disagree(
                .bareDialects, version, allowed: "no downloaded version stays", actual: "it is pending")
        }
    }

    /// What one of the two reports has is compared: it had to go, or it is there.
    private mutating func decideStoreUpdate(after before: Report) {
        if !before.blacklist.isEmpty || !report.blacklist.isEmpty { decide(.blacklistEnds) }
        if !before.parked.isEmpty || !report.parked.isEmpty { decide(.parkingEnds) }
        let hadGood = before.good.contains { $0 != before.embedded }
        if hadGood || report.good.contains(where: { $0 != report.embedded }) { decide(.startRecord) }
        guard app.dialect != .own else { return }
        let wasDownloaded = [before.current, before.pending].contains { $0 != nil && $0 != before.embedded }
        if wasDownloaded || report.pending != nil { decide(.bareDialects) }
    }
}
