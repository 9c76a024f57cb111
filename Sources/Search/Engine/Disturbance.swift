import Runner

/// One kind of disturbance that a search tries at the moments of a run: a stop of the disk, for example.
///
/// ``DisturbanceSearch`` is the engine: it merges equal states, uses all cores, evaluates every new state,
/// and disturbs recoveries a second time. A disturbance says which states a moment can be brought to, and
/// what is required of a device afterwards.
///
/// Promises of a disturbance: equal moments give equal states, on every thread; a moment is not changed, only
/// copies of its world are.
package protocol Disturbance: Sendable {
    /// A step of the world that can be disturbed.
    associatedtype Moment: Sendable
    /// One disturbance, as a scenario states it.
    associatedtype Site: Hashable, Sendable
    /// What leads from a moment to one of its disturbed states again.
    associatedtype Cause: Sendable
    /// The result of all that was tried at one state, reused if an equal state comes again.
    associatedtype Reuse: Sendable

    /// Brings copies of the moment's world to the disturbed states, and adds those.
    /// - Parameters:
    ///   - previous: the disturbances that led to this moment.
    ///   - turn: an ordinal; what is sampled takes turns with it.
    func disturb(_ moment: Moment, after previous: [Site], turn: Int, _ states: inout DisturbedStates<Self>)

    /// A disturbed state again; nil if the moment does not lead to it.
    func reproduced(_ site: Site, _ cause: Cause, at moment: Moment) -> ObservedWorld?

    /// Lets a disturbed device recover, and returns the moments of its recovery.
    func moments(ofRecovery device: inout ObservedWorld) -> [Moment]

    /// Lets a disturbed device recover, and evaluates it.
    func launch(_ disturbed: DisturbedDevice<Self>) -> Recovery.Launch

    /// Uses a recovered device further, and evaluates it; nil if it does what it should.
    func evaluateAfterRecovery(_ device: inout ObservedWorld) -> Recovery.Finding?
}

/// A device that was disturbed, before it recovers.
package struct DisturbedDevice<Kind: Disturbance>: Sendable {
    package var device: ObservedWorld
    /// The disturbances that led to it, oldest first.
    package var sites: [Kind.Site]
    package var cause: Kind.Cause
    package var key: CrashKey
}
