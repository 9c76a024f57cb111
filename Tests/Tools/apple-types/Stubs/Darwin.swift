// swift-format-ignore-file: AlwaysUseLowerCamelCase
// A stub of Apple's module `Darwin`: signatures alone, so that code for it can be type-checked on Linux. It does
// nothing, and nothing is ever linked with it.
//
// What both systems have comes from Glibc, with Glibc's types. What differs, and what only Apple has, is declared
// here as in sys/socket.h, netinet/in.h, sys/sysctl.h, fcntl.h, pthread.h, time.h; sys/event.h is in `DarwinEvents`.
// Not compared with an SDK.
@_exported import DarwinEvents
@_exported import Glibc

// MARK: sys/socket.h, netinet/in.h

extension sockaddr_in {
    public var sin_len: UInt8 {
        get { fatalError() }
        set { fatalError() }
    }
}

extension sockaddr_in6 {
    public var sin6_len: UInt8 {
        get { fatalError() }
        set { fatalError() }
    }
}

public var SOCK_STREAM: Int32 { fatalError() }
public var SO_NOSIGPIPE: Int32 { fatalError() }
public var SO_NWRITE: Int32 { fatalError() }
public var SHUT_RD: Int32 { fatalError() }
public var SHUT_WR: Int32 { fatalError() }
public var SHUT_RDWR: Int32 { fatalError() }
public var IPPROTO_TCP: Int32 { fatalError() }
public var IPPROTO_IPV6: Int32 { fatalError() }

public struct sf_hdtr {}

public func sendfile(
    _ fd: Int32, _ s: Int32, _ offset: off_t, _ len: UnsafeMutablePointer<off_t>?,
    _ hdtr: UnsafeMutablePointer<sf_hdtr>?, _ flags: Int32
) -> Int32 { fatalError() }

// MARK: sys/sysctl.h, sys/proc.h

public var CTL_KERN: Int32 { fatalError() }
public var KERN_PROC: Int32 { fatalError() }
public var KERN_PROC_PID: Int32 { fatalError() }
public var P_TRACED: Int32 { fatalError() }

public struct extern_proc { public var p_flag: Int32 }

public struct kinfo_proc {
    public var kp_proc: extern_proc

    public init() { fatalError() }
}

public func sysctl(
    _ name: UnsafeMutablePointer<Int32>?, _ namelen: UInt32, _ oldp: UnsafeMutableRawPointer?,
    _ oldlenp: UnsafeMutablePointer<Int>?, _ newp: UnsafeMutableRawPointer?, _ newlen: Int
) -> Int32 { fatalError() }

public func sysctlbyname(
    _ name: UnsafePointer<CChar>?, _ oldp: UnsafeMutableRawPointer?,
    _ oldlenp: UnsafeMutablePointer<Int>?, _ newp: UnsafeMutableRawPointer?, _ newlen: Int
) -> Int32 { fatalError() }

// MARK: fcntl.h

public var F_FULLFSYNC: Int32 { fatalError() }

// MARK: pthread.h

public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }

// MARK: time.h

public struct clockid_t: RawRepresentable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { fatalError() }
}

public var CLOCK_REALTIME: clockid_t { fatalError() }
public var CLOCK_MONOTONIC: clockid_t { fatalError() }

public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>) -> Int32 {
    fatalError()
}
