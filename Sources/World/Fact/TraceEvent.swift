import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Updater

/// One thing that happened, as somebody beside the app saw it. Checkers, expectations and reports are
/// worked out from facts, bytes and disk images alone.
package struct TraceEvent: Hashable, Sendable {
    /// Counts from 1 over all devices, also over facts that were not recorded.
    package var number: Int
    package var at: Instant
    /// 0 for the first; -1 for what happens to no device.
    package var device: Int
    /// Counts from 1 on each device; 0: no process.
    package var process: Int
    package var kind: Kind
    /// The number of the fact that led to this one.
    package var cause: Int?

    package init(
        number: Int, at: Instant, device: Int, process: Int = 0, kind: Kind, cause: Int? = nil
    ) {
        self.number = number
        self.at = at
        self.device = device
        self.process = process
        self.kind = kind
        self.cause = cause
    }

    /// Whose column it stands in.
    package enum Lane: String, Hashable, Sendable, CaseIterable {
        case lab, origin, network, disk, updater, server, page, user, device
    }

    package enum Kind: Hashable, Sendable {
        // The laboratory.
        case step(Int, String)
        case note(String)
        /// An action that named nothing that exists, or came when it could do nothing.
        case actionDidNothing(String)
        /// An event of a race whose order a step set came, in its turn.
        case raced(RacingEvent)
        /// The order of that step's race did not come about; it was given up.
        case raceGivenUp(step: Int)

        // The origin.
        /// Edges by their numbers. `serial` counts publications; 0 for files alone.
        case deployed(version: String?, edges: [Int], DeployParts, ManifestCommand, serial: Int)
        /// A publication for some devices only.
        case deployedFor(Audience, version: String, edges: [Int], serial: Int)
        case recalled([String])
        case unblocked([String])
        case routed(edge: Int)
        case faultBegan(String)
        /// It struck a request or the disk.
        case faultApplied(String)
        case faultHealed(String)

        // Between device and origin.
        case networkChanged(NetworkState)
        indirect case requestSent(RequestEvent)
        indirect case answerHead(TransferID, status: Int, offered: String?, AnswerSummary = AnswerSummary())
        /// Body bytes that arrived in all, and whether they are the bytes some version has there.
        case transferEnded(TransferID, bytes: Int, contentOf: VersionMask)
        case transferFailed(TransferID, TransferFailure, bytes: Int)
        case transferCancelled(TransferID, bytes: Int)
        /// What the device reported (T3), as it was sent.
        case outcomes([UInt8])

        // The device.
        case installed(build: String)
        case launched(foreground: Bool, bootID: Int)
        case processEnded(DeathCause)
        case foregrounded
        case backgrounded
        case suspended
        case resumed
        /// Of the pending disk operations, how many survived.
        case powerCut(survived: Int, of: Int)
        case pushed
        /// The app's own code wishes for a check.
        case checkWished
        case settingsChanged

        // The disk.
        case damaged(String)
        /// One `handle` did more than a bounded step may.
        case boundExceeded(StepCounts)
        /// The disk was stopped, and the app went on calling it.
        case callsOnStoppedDisk(Int)

        // The app.
        indirect case status(UpdaterStatus)
        case log(LogEntry)
        case screen(AppHost.Screen)
        case pageLoad(WebViewID, PageLoadToken, VersionKey)
        case answered(LocalServer.Answer)
        case report(String)
        case listening(Bool)

        // The page.
        case navigation(WebViewID, AppHost.NavigationKind, name: String?)
        case asked(PageRequest)
        case got(PageRequest, PageAnswer)
        /// `load` as the document's own URL says.
        case committed(WebViewID, load: PageLoadToken?, VersionMask)
        case contentShown(WebViewID)
        /// Everything is there and the start-up is through.
        case pageReady(WebViewID)
        case pageFailed(WebViewID, String)
        case called(WebViewID, BridgeCall, load: PageLoadToken?)
        /// A message of the native side reached the document that it was meant for (JSON, UTF-8).
        case told(WebViewID, [UInt8])
        case touched(WebViewID)
        case webProcessDied(WebViewID)
        case pageClosed(WebViewID, load: PageLoadToken?)
        /// Neither cover, native screen nor content is in front of the user.
        case whiteBegan
        case whiteEnded(TimeSpan)
        case userDid(UserAction)
    }

    package var lane: Lane {
        switch kind {
        case .step, .note, .actionDidNothing, .raced, .raceGivenUp: .lab
        case .deployed, .deployedFor, .recalled, .unblocked: .origin
        case .routed, .faultBegan, .faultApplied, .faultHealed, .networkChanged, .requestSent, .answerHead,
            .transferEnded, .transferFailed, .transferCancelled, .outcomes:
            .network
        case .installed, .launched, .processEnded, .foregrounded, .backgrounded, .suspended, .resumed,
            .powerCut, .pushed, .checkWished, .settingsChanged:
            .device
        case .damaged, .boundExceeded, .callsOnStoppedDisk: .disk
        case .status, .log, .report: .updater
        case .answered, .listening: .server
        case .pageLoad, .navigation, .asked, .got, .committed, .contentShown, .pageReady, .pageFailed,
            .called, .told, .touched, .webProcessDied, .pageClosed:
            .page
        case .userDid: .user
        case .screen, .whiteBegan, .whiteEnded: .device
        }
    }
}

/// Versions of the setup by their place in it, as a set of at most 64.
package struct VersionMask: Hashable, Sendable {
    package var bits: UInt64

    package init(bits: UInt64 = 0) { self.bits = bits }

    package init(place: Int) { bits = 1 << UInt64(place) }

    package var isEmpty: Bool { bits == 0 }
    package func contains(_ place: Int) -> Bool { bits & 1 << UInt64(place) != 0 }
    package func intersection(_ other: VersionMask) -> VersionMask { VersionMask(bits: bits & other.bits) }
    package mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }

    /// Ascending.
    package var places: [Int] {
        var found: [Int] = []
        var rest = bits
        while rest != 0 {
            found.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return found
    }
}

/// A request to the origin as it left.
package struct RequestEvent: Hashable, Sendable {
    package var transfer: TransferID
    package var kind: OriginRequest.Kind
    package var url: String
    package var version: VersionKey?
    package var edge: Int
    /// The first byte asked for, where it was a range request.
    package var from: Int?
    package var isConditional: Bool

    package init(
        transfer: TransferID, kind: OriginRequest.Kind, url: String, version: VersionKey?, edge: Int,
        from: Int?,
        isConditional: Bool
    ) {
        self.transfer = transfer
        self.kind = kind
        self.url = url
        self.version = version
        self.edge = edge
        self.from = from
        self.isConditional = isConditional
    }
}

/// A request of a page to the local server, as the page knows itself.
package struct PageRequest: Hashable, Sendable {
    package var webView: WebViewID
    /// The load that the asking document's own URL named; nil for a navigation that has none yet.
    package var load: PageLoadToken?
    package var target: String
    package var destination: Destination

    package init(webView: WebViewID, load: PageLoadToken?, target: String, destination: Destination) {
        self.webView = webView
        self.load = load
        self.target = target
        self.destination = destination
    }

    /// `Sec-Fetch-Dest`, as far as it matters.
    package enum Destination: String, Hashable, Sendable, CaseIterable {
        case document, script, style, image, font, fetch, other
    }
}

/// What a page got.
package struct PageAnswer: Hashable, Sendable {
    /// 0: no answer, the connection failed.
    package var status: Int
    /// Media type without parameters, lower case.
    package var type: String
    /// Of the body.
    package var bytes: Int
    /// The versions that have exactly these bytes under this route; those of `www` have none.
    package var contentOf: VersionMask
    /// The body ended as its framing said.
    package var isWhole: Bool
    /// It came from the web view's own cache: no request or a 304.
    package var isCached: Bool

    package init(
        status: Int, type: String, bytes: Int, contentOf: VersionMask, isWhole: Bool, isCached: Bool = false
    ) {
        self.status = status
        self.type = type
        self.bytes = bytes
        self.contentOf = contentOf
        self.isWhole = isWhole
        self.isCached = isCached
    }
}
