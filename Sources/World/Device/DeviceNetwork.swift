import ScenarioLanguage
import Updater

/// A device's network.
///
/// Invariants: while the state is offline no transfer runs on the link; the edge is an index of the setup's.
struct DeviceNetwork: Sendable {
    var state = NetworkState.online
    var link: Link
    /// Index of the origin's edge that requests reach.
    var edge: Int

    /// Requests that were recorded and are not on the link yet, because an action that they trigger is being
    /// performed.
    var beginning: [TransferID] = []

    var isOffline: Bool { state == .offline }

    /// - Returns: whether the request was still to begin.
    mutating func takeBeginning(_ id: TransferID) -> Bool {
        guard let index = beginning.firstIndex(of: id) else { return false }
        beginning.remove(at: index)
        return true
    }

    mutating func takeAllBeginning() -> [TransferID] {
        defer { beginning = [] }
        return beginning
    }
}
