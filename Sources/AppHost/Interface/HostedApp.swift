import Core

/// What a shell runs: an ``AppHost/AppHost``, or a value around one that observes it or adds to it.
///
/// A value around a host passes on the events it gets and the effects that come back, in their order; it may
/// add events and effects and keep those that it requested itself. What only that value needs is not part of
/// the host.
public protocol HostedApp: Sendable {
    /// Handles one event in one bounded step, as ``AppHost/AppHost/handle(_:at:disk:)`` does.
    /// - Returns: the effects, to be performed in order.
    mutating func handle(_ event: AppHost.Event, at now: Instant, disk: inout some Disk) -> [AppHost.Effect]
}

extension AppHost: HostedApp {}
