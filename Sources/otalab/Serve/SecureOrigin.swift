import DeviceShell

#if HTTPS
    import DeviceShellHTTPS
#endif

/// What this build has for an origin and a remote root that speak https: the room DeviceShellHTTPS where the
/// package's trait HTTPS was chosen, nothing where the program is one file.
enum SecureOrigin {
    #if HTTPS
        static let isThere = true

        /// Tells why a connection to an origin was not made, or not trusted.
        static func made(_ log: ServeLog) -> (any AppLoop.OriginTransport)? {
            HTTPSOrigin { log.tell("origin", $0) }
        }

        /// The same of the remote root.
        static func upstream(_ log: ServeLog) -> (any AppLoop.UpstreamTransport)? {
            HTTPSUpstream { log.tell("remote", $0) }
        }
    #else
        static let isThere = false

        static func made(_ log: ServeLog) -> (any AppLoop.OriginTransport)? { nil }

        static func upstream(_ log: ServeLog) -> (any AppLoop.UpstreamTransport)? { nil }
    #endif

    /// How to get a build that can.
    static let help =
        "build one that can: swift build -c release --traits HTTPS; or serve the origin by http on this machine"

    static let remoteHelp =
        "build one that can: swift build -c release --traits HTTPS; or put a proxy that speaks http before it"
}
