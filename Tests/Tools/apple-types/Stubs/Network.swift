// A stub of Apple's module `Network`: signatures alone, so that code for it can be type-checked on Linux. It does
// nothing, and nothing is ever linked with it. Only what this package uses, as Apple documents it for iOS 18;
// not compared with an SDK.
import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public var status: Status { fatalError() }
    public var isExpensive: Bool { fatalError() }
    public var isConstrained: Bool { fatalError() }
}

public final class NWPathMonitor: @unchecked Sendable {
    public init() { fatalError() }

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { fatalError() }
        set { fatalError() }
    }

    public func start(queue: DispatchQueue) { fatalError() }
    public func cancel() { fatalError() }
}
