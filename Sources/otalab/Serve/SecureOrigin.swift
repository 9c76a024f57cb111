import DeviceShell

#if HTTPS
    import DeviceShellHTTPS
#endif

/// This build's https transports for origins and remote roots: those of DeviceShellHTTPS if the package trait
/// HTTPS is on, else none, so that the program can be a single file.
enum SecureOrigin {
    #if HTTPS
        static let isAvailable = true

        /// The transport to origins; logs why a connection failed or was not trusted.
        static func origin(_ log: ServeLog) -> (any AppLoop.OriginTransport)? {
            HTTPSOrigin { log.log("origin", $0) }
        }

        /// The transport to the remote root; logs why a connection failed or was not trusted.
        static func upstream(_ log: ServeLog) -> (any AppLoop.UpstreamTransport)? {
            HTTPSUpstream { log.log("remote", $0) }
        }
    #else
        static let isAvailable = false

        static func origin(_ log: ServeLog) -> (any AppLoop.OriginTransport)? { nil }

        static func upstream(_ log: ServeLog) -> (any AppLoop.UpstreamTransport)? { nil }
    #endif

    /// How to get a build with https.
    static let help =
        "build otalab with https: swift build -c release --traits HTTPS; or serve the origin over http here"

    static let remoteHelp =
        "build otalab with https: swift build -c release --traits HTTPS; or put an http proxy in front of it"
}
