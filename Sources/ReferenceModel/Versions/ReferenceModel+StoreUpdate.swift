/// N1: a store update settles everything before anything is loaded.
extension ReferenceModel {
    /// The first process of another native build reports its state.
    mutating func compareStoreUpdate() {
        life.noticedBuild = life.build
        life.mayHaveNoticed = false
        guard isFirstReportOfBuild else { return }
        isFirstReportOfBuild = false
        if let version = report.blacklist.first {
            disagree(
                "N1.blacklist-ends", version, allowed: "no entry of the build before",
                actual: "it is blacklisted")
        }
        if let version = report.parked.first {
            disagree(
                "N1.parking-ends", version, allowed: "no parking of the build before", actual: "it is parked")
        }
        if let version = report.good.first(where: { $0 != report.embedded }) {
            disagree(
                "N1.start-record", version, allowed: "nothing is good but the embedded version",
                actual: "it is good")
        }
        if let version = report.pending, app.dialect != .own {
            disagree(
                "N1.bare-dialects", version, allowed: "no downloaded version stays", actual: "it is pending")
        }
    }
}
