import Core

/// Both views of one device's store, and what a scenario took from the medium by force.
public struct StoreView: Hashable, Sendable {
    public var live = StoreImage()
    /// The worst that a power cut can leave.
    public var durable = StoreImage()
    /// Content that a `disk` step removed and that has not come back.
    public var lost: [Digest256] = []
    /// Some stored thing was damaged by the scenario: what the record says can be older by right.
    public var isDamaged = false

    public init() {}
}
