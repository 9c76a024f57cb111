/// One connection to the remote root. Ids count up from 1 and are not used again in this process.
public struct UpstreamID: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    public static func < (left: UpstreamID, right: UpstreamID) -> Bool { left.rawValue < right.rawValue }
}

/// What the shell does for a connection to the remote root. It reads a portion only on ``receive``: so a slow
/// page slows the remote root, and memory stays at one portion.
public enum UpstreamCommand: Hashable, Sendable {
    /// Opens the connection. Answered by ``UpstreamEvent/connected`` or ``UpstreamEvent/failed(_:)``.
    case open(RemoteRoot)
    /// Sends these bytes. Answered by ``UpstreamEvent/sent``; nothing else is sent before.
    case send([UInt8])
    /// Reads one portion, at most 64 KiB. Answered by ``UpstreamEvent/bytes(_:)`` or ``UpstreamEvent/ended``.
    case receive
    /// Ends the sending side; nothing more will be sent.
    case finish
    /// Closes the connection; no event of it comes any more.
    case close
}

/// What happened on a connection to the remote root.
public enum UpstreamEvent: Hashable, Sendable {
    case connected
    /// Everything of the last ``UpstreamCommand/send(_:)`` has been handed to the system.
    case sent
    /// At least one byte.
    case bytes([UInt8])
    /// The remote root has ended its side.
    case ended
    case failed(UpstreamFailure)
}

/// Why there is no connection, or none any more. The raw value is the sentence of the 502 or 504.
public enum UpstreamFailure: String, Hashable, Sendable, CaseIterable {
    case refused = "the remote root refuses the connection"
    case nameNotResolved = "the remote root's name is not known"
    case unreachable = "the remote root can't be reached"
    case timedOut = "the remote root does not answer"
    case reset = "the remote root broke the connection off"
    case tlsNotAvailable = "this app can't reach a remote root over https"
    case certificateNotTrusted = "the remote root's certificate is not trusted"
    case tlsHandshakeFailed = "the remote root and this app don't agree on a secure connection"
}
