import Backend

/// U8, U9: the versions that the origin has offered to this device.
///
/// A version becomes pending because a manifest offered it to this device. One that is meant for another
/// share, or that only another device has been offered, does not.
struct Offers: Hashable, Sendable {
    /// Ids, sorted.
    private var ids: [String] = []
    /// Whether an answer to a request for the manifest could not be identified: what it offers is unknown.
    private var isUncertain = false

    /// The origin has answered a request for the manifest with 200.
    mutating func answered(offering id: String?, isManifest: Bool) {
        guard let id else {
            if !isManifest { isUncertain = true }
            return
        }
        let index = ids.firstIndex { $0 >= id } ?? ids.endIndex
        if index == ids.endIndex || ids[index] != id { ids.insert(id, at: index) }
    }

    func mayInclude(_ id: String) -> Bool { isUncertain || ids.contains(id) }
}

extension ReferenceModel {
    /// The app says that a version has become pending.
    mutating func comparePending(ofID id: String) {
        let installed =
            [report.embedded, previousReport.embedded, report.current, report.pending] + report.parked
        decide(.share)
        guard !offers.mayInclude(id), !installed.contains(where: { $0?.id == id }) else { return }
        disagree(
            .share, report.pending, allowed: "what a manifest offers to this device becomes pending",
            actual: "\(id) does, which none has offered")
    }
}
