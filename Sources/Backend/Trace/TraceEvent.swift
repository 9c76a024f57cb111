import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Updater

/// Something that happened in a run, as an observer outside the app sees it. Checkers, expectations and
/// reports are computed from trace events, bytes and disk images alone.
package struct TraceEvent: Hashable, Sendable {
    /// Ordinal in the run, from 1 over all devices; events that are not kept have one too.
    package var ordinal: Int
    package var at: Instant
    /// Index of the device; -1 for an event of no device.
    package var device: Int
    /// Ordinal of the process on its device, from 1; 0: no process.
    package var process: Int
    package var kind: Kind
    /// Ordinal of the event that led to this one.
    package var cause: Int?

    package init(
        ordinal: Int, at: Instant, device: Int, process: Int = 0, kind: Kind, cause: Int? = nil
    ) {
        self.ordinal = ordinal
        self.at = at
        self.device = device
        self.process = process
        self.kind = kind
        self.cause = cause
    }

    /// The part of the system that an event belongs to: its column in a timeline.
    package enum Lane: String, Hashable, Sendable, CaseIterable {
        case lab, origin, network, disk, updater, server, page, user, device
    }

    package enum Kind: Hashable, Sendable {
        // The laboratory.
        case note(String)
        /// An action had no effect: it named something that does not exist, or came at the wrong time.
        case actionDidNothing(String)
        /// An event of a race was delivered when the step's order allowed it.
        case raced(RacingEvent)
        /// The order that the step set for a race was not reached in time and is no longer enforced.
        case raceGivenUp(step: Int)

        // The origin.
        /// A version was published on the edges with these indices. `serial` counts publications; 0 if only
        /// files were published. `statedDate`: the date that the manifest states instead of the origin's
        /// time, from that time.
        case deployed(
            version: String?, edges: [Int], DeployParts, ManifestCommand, serial: Int,
            statedDate: TimeSpan? = nil)
        /// A version was published for some devices only.
        case deployedFor(Audience, version: String, edges: [Int], serial: Int)
        case recalled([String])
        case unblocked([String])
        case routed(edge: Int)
        /// `diskDelay`: by how much the fault slows down disk calls. `failsDisk`: whether it makes them fail.
        /// `timerDelay`: by how much timers fire late at most. `freeSpace`: bytes that it leaves on the disk.
        case faultBegan(
            String, diskDelay: TimeSpan = .zero, failsDisk: Bool = false, timerDelay: TimeSpan = .zero,
            freeSpace: Int? = nil)
        /// A fault changed a request or a disk call.
        case faultApplied(String)
        case faultHealed(String)

        // Between device and origin.
        case networkChanged(NetworkState)
        indirect case requestSent(RequestEvent)
        indirect case answerHead(TransferID, status: Int, offered: String?, AnswerSummary = AnswerSummary())
        /// A transfer ended. `bytes` counts the body bytes that arrived; `contentOf` names the versions that
        /// have these bytes at the requested route.
        case transferEnded(TransferID, bytes: Int, contentOf: VersionMask)
        case transferFailed(TransferID, TransferFailure, bytes: Int)
        case transferCancelled(TransferID, bytes: Int)
        /// The outcomes that the device reported (T3): the request's body.
        case outcomes([UInt8])

        // The device.
        case installed(build: String)
        case launched(foreground: Bool, bootID: Int)
        case processEnded(DeathCause)
        /// A foreign process ended, or could not serve, without the scenario's doing; its end follows.
        case processFailed(String)
        case foregrounded
        case backgrounded
        /// The app in front gets the user's input again, or not any more; it stays visible.
        case activated
        case deactivated
        case suspended
        case resumed
        /// The power failed. `survived` of the pending disk operations reached the medium.
        case powerCut(survived: Int, of: Int)
        case pushed
        /// The app's own code requested a check for updates.
        case checkRequested
        /// `byPage`: a page has switched the app to another environment (F9); else native code did.
        indirect case settingsChanged(SettingsSpec, byPage: Bool = false)

        // The disk.
        case damaged(String)
        /// One `handle` did more disk work than a bounded step may.
        case boundExceeded(StepCounts)
        /// The update worked while a page, the user or the platform waited for an answer.
        case answerDelayed(AnswerDelay)
        /// The disk was stopped, and the app kept calling it: number of calls.
        case callsOnStoppedDisk(Int)

        // The app.
        indirect case status(UpdaterStatus)
        case log(LogEntry)
        case screen(AppHost.Screen)
        case pageLoad(WebViewID, PageLoadToken, VersionKey)
        case answered(LocalServer.AccessLogEntry)
        case report(String)
        case listening(Bool)
        /// The remote root received a request that the local server forwarded.
        indirect case forwarded(ForwardedRequest)
        /// A client that is no page of the app got an answer of the local server; status 0: the end of its
        /// connection instead. What came through a tunnel to the remote root is the body of another one,
        /// with 101.
        indirect case clientAnswered(ClientRequest, status: Int, PageAnswerContent? = nil)

        // The page.
        case navigation(WebViewID, AppHost.NavigationKind, name: String?)
        /// A page sent a request to the local server.
        case pageRequested(PageRequest)
        /// A page received the answer to a request, or the end of its connection.
        case pageReceived(PageRequest, PageAnswer)
        /// A document replaced the one before. `load` is the token in the document's URL.
        case committed(WebViewID, load: PageLoadToken?, VersionMask)
        case contentShown(WebViewID)
        /// All files have been received, and the page has started.
        case pageReady(WebViewID)
        case pageFailed(WebViewID, String)
        /// The page called a method of the bridge.
        case called(WebViewID, BridgeCall, load: PageLoadToken?)
        /// A message of the native side (JSON, UTF-8) reached its document.
        case messageDelivered(WebViewID, [UInt8])
        /// Native code sent the page in front a message with this method (rule N5).
        case nativeAsked(method: String)
        /// Native code got the page's result (JSON, UTF-8); nil: it gets none.
        case nativeAnswered(method: String, result: [UInt8]?)
        /// Native code took over a link of a page (rule N5).
        case linkTaken(String)
        case touched(WebViewID)
        case webProcessDied(WebViewID)
        case pageClosed(WebViewID, load: PageLoadToken?)
        /// From here the user sees neither cover, native screen nor content.
        case whiteBegan
        case whiteEnded(TimeSpan)
        case userDid(UserAction)
    }

    package var lane: Lane {
        switch kind {
        case .note, .actionDidNothing, .raced, .raceGivenUp: .lab
        case .deployed, .deployedFor, .recalled, .unblocked: .origin
        case .routed, .faultBegan, .faultApplied, .faultHealed, .networkChanged, .requestSent, .answerHead,
            .transferEnded, .transferFailed, .transferCancelled, .outcomes:
            .network
        case .installed, .launched, .processEnded, .processFailed, .foregrounded, .backgrounded, .activated,
            .deactivated,
            .suspended, .resumed, .powerCut, .pushed, .checkRequested, .settingsChanged:
            .device
        case .damaged, .boundExceeded, .answerDelayed, .callsOnStoppedDisk: .disk
        case .status, .log, .report: .updater
        case .answered, .listening, .forwarded, .clientAnswered: .server
        case .pageLoad, .navigation, .pageRequested, .pageReceived, .committed, .contentShown,
            .pageReady,
            .pageFailed,
            .called, .messageDelivered, .nativeAsked, .nativeAnswered, .linkTaken, .touched, .webProcessDied,
            .pageClosed:
            .page
        case .userDid: .user
        case .screen, .whiteBegan, .whiteEnded: .device
        }
    }
}
