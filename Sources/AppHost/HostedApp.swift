import Core

/// What a shell runs: an ``AppHost/AppHost``, or a value around one that watches it or adds to it.
///
/// A value around a host hands on the events it is given and the effects that come back, in their order; it
/// may add events and effects of its own and keep those that it asked for. What nobody but that value needs
/// has no place in the host.
public protocol HostedApp: Sendable {
    /// One bounded step, as ``AppHost/AppHost/handle(_:at:disk:)``. Effects are to be carried out in order.
    mutating func handle(_ event: AppHost.Event, at now: Instant, disk: inout some Disk) -> [AppHost.Effect]
}

extension AppHost: HostedApp {}
