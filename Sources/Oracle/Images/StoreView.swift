import Core

/// Both views of one device's store, and what a scenario took from the medium by force.
package struct StoreView: Hashable, Sendable {
    package var live = StoreImage()
    /// The worst that a power cut can leave.
    package var durable = StoreImage()
    /// Content that a `disk` step removed and that has not come back.
    package var lost: [Digest256] = []
    /// Some stored thing was damaged by the scenario: what the record says can be older by right.
    package var isDamaged = false

    package init() {}
}
