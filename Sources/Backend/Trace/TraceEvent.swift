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
        case answered(LocalServer.AccessLogEntry)
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
