import Core

/// One accepted connection of this process; never used again.
public struct ConnectionID: Hashable, Comparable, Sendable {
    public let number: UInt32

    public init(_ number: UInt32) { self.number = number }

    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.number < right.number }
}

/// The files of one version as the server needs them. `site` is compared by `name`.
public struct Site: Hashable, Sendable {
    /// Names the version; unique among the versions of this process.
    public var name: String
    /// The route of ``files`` that answers navigations.
    public var index: String
    /// Sorted by route.
    public var files: [SiteFile]

    public init(name: String, index: String, files: [SiteFile]) {
        self.name = name
        self.index = index
        self.files = files
    }
}

public struct SiteFile: Hashable, Sendable {
    /// Decoded absolute path.
    public var route: String
    public var path: DiskPath
    /// Bytes.
    public var size: Int
    /// The strong entity tag without its quotes.
    public var tag: String
    /// Media type; nil: by the route's extension.
    public var type: String?
    /// The URL carries the content's hash: may be kept for a year (S5).
    public var isImmutable: Bool
    public var sourceMap: String?

    public init(
        route: String, path: DiskPath, size: Int, tag: String, type: String? = nil, isImmutable: Bool = false,
        sourceMap: String? = nil
    ) {
        self.route = route
        self.path = path
        self.size = size
        self.tag = tag
        self.type = type
        self.isImmutable = isImmutable
        self.sourceMap = sourceMap
    }
}

extension LocalServer {
    /// What does not change while the process lives.
    public struct Configuration: Hashable, Sendable {
        public var port: UInt16
        /// 128 bits in hex from the launch's entropy; the start URL carries it as `otalab-key`, then a cookie
        /// (S6).
        public var sessionKey: String
        /// Files of the app package that belong to no version; nil: none (M16).
        public var www: Site?
        public var limits = Limits()
        /// Who answers which path, until ``Event/routes(_:)`` says otherwise.
        public var routes = RouteTable()
        /// Where API requests go, until ``Event/remoteRoot(_:)`` says otherwise; nil: nowhere, which is 502.
        public var remote: RemoteRoot?
        /// nil: this device has no clock, and answers carry no `Date`.
        public var wallClock: WallClock?

        public init(port: UInt16, sessionKey: String, www: Site? = nil) {
            self.port = port
            self.sessionKey = sessionKey
            self.www = www
        }
    }

    public struct Limits: Hashable, Sendable {
        public var connections = 128
        /// Of these, connections that have not shown the key, at most: the other half is the page's (S10).
        var newcomers: Int { max(connections / 2, 1) }
        /// Connections that have shown it, at most while one of them is idle: the page's next one comes
        /// through a place that is left.
        var known: Int { connections - max(connections / 8, 1) }
        public var requestLine = 8 << 10
        public var headerBlock = 32 << 10
        public var headerLines = 100
        /// Of a bridge message.
        public var bodyBytes = 1 << 20
        public var headTimeout = TimeSpan.seconds(10)
        public var idleTimeout = TimeSpan.seconds(60)
        /// Without a byte of an answer being taken.
        public var writeTimeout = TimeSpan.seconds(30)
        /// For a connection to the remote root, name and all.
        public var connectTimeout = TimeSpan.seconds(15)
        /// Without a byte from or to the remote root.
        public var answerTimeout = TimeSpan.seconds(60)
        /// Of a request's body on its way to the remote root, over each minute that we read it; a body that
        /// is slower keeps a connection for nothing (HT-T2).
        public var bodyBytesPerSecond = 1_024
        /// Without a byte through a WebSocket, either way.
        public var tunnelTimeout = TimeSpan.minutes(10)

        public init() {}
    }

    public enum Event: Hashable, Sendable {
        case opened(ConnectionID)
        case received(ConnectionID, [UInt8])
        /// Everything of the last ``Effect/send(_:_:)`` on this connection has been handed to the peer.
        case sent(ConnectionID)
        /// A part of the last ``Effect/send(_:_:)`` has been handed over, and more is left.
        case progressed(ConnectionID)
        /// The peer has ended its side: it sends nothing more, and may still read answers (RFC 9112 §9.6).
        case finished(ConnectionID)
        /// The peer is gone, or sending failed. With a file that could not be read: why.
        case closed(ConnectionID, DiskError?)
        case timer(TimerName)
        /// Answers ``Effect/navigationAsked(_:)``.
        case answerNavigation(NavigationID, NavigationAnswer)
        /// The web view shows this load's document now.
        case committed(PageLoadToken)
        /// No request of this load can come any more.
        case ended(PageLoadToken)
        /// What requests that belong to no page load get; nil: 503.
        case current(Site?)
        case bridgeAnswer(BridgeCall, [UInt8])
        /// A token the host has put into a URL that it will ask a web view to load.
        case announced(PageLoadToken)
        /// The listening socket is gone. Every connection is closed: peers keep theirs over a suspension, and
        /// would wait for answers.
        case stopped
        /// Answers ``Effect/upstream(_:_:)``.
        case upstream(UpstreamID, UpstreamEvent)
        /// Where API requests go from now on; those under way stay where they are.
        case remoteRoot(RemoteRoot?)
        /// Who answers which path from now on. A request whose body is still coming may find that another
        /// row takes it: 503.
        case routes(RouteTable)
        /// Answers ``Effect/handlerAsked(_:_:)``.
        case handlerAnswer(HandlerCall, HandlerAnswer)
    }

    public enum Effect: Hashable, Sendable {
        /// Head and body leave in one write. The server sends nothing else on this connection before
        /// ``Event/sent(_:)`` or ``Event/closed(_:_:)``.
        case send(ConnectionID, Output)
        /// At once. What was handed over and has not left is dropped, and the peer sees a reset; what has
        /// left still reaches it. The descriptor is free then, or within a second.
        case close(ConnectionID)
        /// A request of this connection has shown the key: it goes before all that have not (S10).
        case admitted(ConnectionID)
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        /// When the peer's bytes are taken from its socket, from now on.
        case hear(ConnectionID, ReadInterest)
        case upstream(UpstreamID, UpstreamCall)
        case navigationAsked(Navigation)
        /// The head of this load's index has been handed over.
        case indexServed(PageLoadToken)
        /// Answers of this load are on their way (true), or none is (false).
        case sending(PageLoadToken, Bool)
        /// A request carried this load's own token: its document is in use.
        case seen(PageLoadToken)
        case bridge(BridgeCall, PageLoadToken, [UInt8])
        /// A row of the route table gives this request to native code. It waits, without a limit, for
        /// ``Event/handlerAnswer(_:_:)``.
        case handlerAsked(HandlerCall, HandlerRequest)
        case answered(Answer)
        /// A stored file could not be opened or read.
        case readFailed(site: String, DiskPath, DiskError)
    }

    public enum ReadInterest: Hashable, Sendable {
        /// While no answer is on its way; so begins every connection.
        case betweenAnswers
        case always
        /// What comes stays in the peer's own socket.
        case never
    }

    /// Body of an answer. `file` is read by the surroundings straight from the handle, which stays open
    /// until `sent` or `closed`; the server closes it.
    public struct Output: Hashable, Sendable {
        public enum Body: Hashable, Sendable {
            case none
            case bytes([UInt8])
            case file(FileHandle, offset: Int, count: Int)
        }

        public var head: [UInt8]
        public var body: Body

        public init(head: [UInt8], body: Body) {
            self.head = head
            self.body = body
        }
    }

    public struct NavigationID: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: NavigationID, right: NavigationID) -> Bool { left.number < right.number }
    }

    /// A document is asked for; the index will answer it when the host has said from which version.
    public struct Navigation: Hashable, Sendable {
        public var id: NavigationID
        /// Path and query as asked, without this server's own query items.
        public var target: String
        /// The token in the asked URL: announced and unused, or that of the page being reloaded.
        public var token: PageLoadToken?
        /// The request revalidates (`Cache-Control: max-age=0` or `no-cache`), as `location.reload()` does.
        public var isReload: Bool

        public init(id: NavigationID, target: String, token: PageLoadToken?, isReload: Bool) {
            self.id = id
            self.target = target
            self.token = token
            self.isReload = isReload
        }
    }

    public enum NavigationAnswer: Hashable, Sendable {
        /// This load is pinned to this site. When the asked URL carries another token or none, the server
        /// redirects to the one with this token and answers that from the same site without asking again.
        case page(PageLoadToken, Site)
        /// Nothing can be shown: 503 with a plain sentence.
        case unavailable
    }

    public struct BridgeCall: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: BridgeCall, right: BridgeCall) -> Bool { left.number < right.number }
    }

    /// What was answered to whom; for logs and, in a laboratory, for the trace.
    public struct Answer: Hashable, Sendable {
        public var method: String
        public var target: String
        public var status: Int
        public var type: String?
        public var load: PageLoadToken?
        public var site: String?
        /// The remote root's answer, passed on.
        public var isRemote = false

        public init(
            method: String, target: String, status: Int, type: String?, load: PageLoadToken?, site: String?,
            isRemote: Bool = false
        ) {
            self.isRemote = isRemote
            self.method = method
            self.target = target
            self.status = status
            self.type = type
            self.load = load
            self.site = site
        }
    }

    public enum TimerName: Hashable, Comparable, Sendable {
        case head(ConnectionID)
        case idle(ConnectionID)
        case write(ConnectionID)
        case upstream(ConnectionID)
    }
}
