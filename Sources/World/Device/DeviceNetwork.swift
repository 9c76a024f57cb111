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

    var isOffline: Bool { state == .offline }
}
