import AppHost

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// What a failure to open a listening socket means.
extension SystemError {
    /// Whether the device does not have the address: it has no IPv6, or none for loopback.
    var isMissingAddress: Bool {
        [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(errorNumber)
    }

    var listenerEvent: AppHost.ListenerEvent {
        switch errorNumber {
        case EADDRINUSE: .portTaken
        case EACCES, EPERM: .portFailed(.notAllowed)
        case EMFILE, ENFILE: .portFailed(.noDescriptor)
        case ENOMEM, ENOBUFS: .portFailed(.noMemory)
        default: .portFailed(.other(errorNumber))
        }
    }
}
