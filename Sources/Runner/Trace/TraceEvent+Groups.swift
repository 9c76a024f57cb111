import Backend
import ScenarioLanguage
import Updater

/// Groups of events that a failure can be about.
extension TraceEvent.Kind {
    /// Whether it is a disturbance from outside, the end of a process or a page, or something that did not
    /// go well: such an event can be the cause of a failure, whatever the failure is about.
    var isDisturbance: Bool {
        switch self {
        case .faultApplied, .powerCut, .damaged, .processEnded, .processFailed, .webProcessDied,
            .boundExceeded, .deployed,
            .deployedFor, .recalled, .pageFailed, .callsOnStoppedDisk, .raceGivenUp, .actionDidNothing,
            .suspended, .transferFailed:
            true
        case .answerHead(_, let status, _, _): status >= 400
        case .pageReceived(_, let answer): answer.status >= 400 || answer.status == 0 || !answer.isWhole
        case .networkChanged(let state): state != .online
        case .log(let entry): entry.cause.isSetback
        default: false
        }
    }

    /// Whether it ends a process or a page, so that nothing runs after it.
    var endsProcessOrPage: Bool {
        switch self {
        case .processEnded, .powerCut, .webProcessDied, .pageFailed: true
        default: false
        }
    }

    /// Whether the updater reports its state.
    var isUpdaterReport: Bool {
        switch self {
        case .status, .log: true
        default: false
        }
    }

    /// Whether the origin offers a version.
    var isOffer: Bool {
        if case .answerHead(_, _, .some, _) = self { true } else { false }
    }

    /// Whether the updater logs a switch, the beginning or the end of a start, or a rescue.
    var isStartLog: Bool {
        guard case .log(let entry) = self else { return false }
        return switch entry.cause {
        case .switched, .startMarked, .startNotMarked, .startConfirmed, .startFailedByPage,
            .startFailedByCrash,
            .startFailedNotResponding, .startFailedWebProcess, .startFailedByClock, .startUnclear,
            .startUnclearByClock, .startEndedInFront, .startUncounted, .rescued:
            true
        default: false
        }
    }

    var isPage: Bool {
        switch self {
        case .pageLoad, .pageReady, .pageFailed, .webProcessDied, .navigation: true
        case .screen(let screen): if case .loading = screen { false } else { true }
        default: false
        }
    }

    var isScreen: Bool {
        switch self {
        case .networkChanged, .screen, .whiteBegan, .whiteEnded, .contentShown, .launched: true
        default: false
        }
    }

    var isProcess: Bool {
        switch self {
        case .launched, .processEnded, .powerCut, .foregrounded, .backgrounded, .activated,
            .deactivated, .suspended, .resumed, .listening:
            true
        default: false
        }
    }

    /// Whether it is such a request to the origin, or the end of a request without a complete answer.
    func isRequest(_ wanted: ExpectationPart.RequestKind) -> Bool {
        switch self {
        case .requestSent(let request):
            switch (wanted, request.kind) {
            // Requests for any resource can have a condition.
            case (.all, _), (.conditional, _), (.manifest, .manifest), (.outcomes, .outcomes),
                (.files, .file), (.resumed, .file):
                true
            case (.index, .file(let route)): RequestSubject.isIndex(route)
            case (.route(let template), .file(let route)): RouteTemplate.fits(route, template)
            default: false
            }
        case .transferFailed, .transferCancelled: true
        default: false
        }
    }

    /// Whether it is a request of a page to the local server, the answer, or a status of the updater, which
    /// can show the beginning or the end of an update.
    var isAnswerOrStatus: Bool {
        switch self {
        case .pageRequested, .pageReceived, .status: true
        default: false
        }
    }

    /// Whether it is the answer to such a request of a client that is no page of the app.
    func isClientAnswer(_ wanted: AnswersExpectation) -> Bool {
        if case .clientAnswered(let request, _, _) = self { wanted.isAsked(by: request) } else { false }
    }

    /// Whether it is the beginning of a page load, or such a request of a page or the local server's answer
    /// to it.
    func isAnswer(_ wanted: AnswersExpectation) -> Bool {
        switch self {
        case .pageRequested(let request), .pageReceived(let request, _): wanted.isAsked(by: request)
        case .pageLoad: true
        default: false
        }
    }
}

extension LogCause {
    /// Whether something was refused, failed, lost or left, so that the entry can be the reason of a
    /// failure.
    var isSetback: Bool {
        switch self {
        case .launched, .upToDate, .nothingOffered, .alreadyPending, .alreadyDownloading, .checkJoined,
            .downloadStarted, .becamePending, .switched, .startMarked, .startConfirmed, .startUncounted,
            .unblocked, .forced, .userStarted, .secondChance, .numberCorrected, .optionalMissing,
            .blacklistEnded, .parkingEnded, .storeUpdate:
            false
        default: true
        }
    }
}

extension ExpectationPart {
    /// Whether an event is about this part.
    func concerns(_ event: TraceEvent.Kind) -> Bool {
        switch self {
        case .pending, .lastKnownGood, .blacklist, .blame, .parked, .stored, .storedFiles, .log, .logOf:
            event.isUpdaterReport
        case .requests(let kind): event.isRequest(kind)
        case .fetchedFiles, .fetched, .bytes:
            if case .transferEnded = event { true } else { event.isRequest(.all) }
        case .answers(let wanted): event.isAnswer(wanted)
        case .clientAnswers(let wanted): event.isClientAnswer(wanted)
        case .forwarded: if case .forwarded = event { true } else { false }
        case .timeToAnswer: event.isAnswerOrStatus
        case .outcomes: if case .outcomes = event { true } else { event.isLog([.outcomesNotTaken]) }
        case .whiteTime, .screen, .progress: event.isScreen
        case .timeToContent:
            switch event {
            case .contentShown, .launched: true
            default: event.isPage || event.isStartLog
            }
        case .process, .port: event.isProcess
        case .report: if case .report = event { true } else { false }
        case .messages, .progressMessages, .replies:
            if case .messageDelivered = event { true } else { false }
        case .links: if case .linkTaken = event { true } else { false }
        case .nativeAnswers:
            switch event {
            case .nativeAsked, .nativeAnswered: true
            default: false
            }
        case .cookies, .storage:
            switch event {
            case .called, .note: true
            default: event.isPage
            }
        case .running, .confirmed, .started, .starts, .page, .namedPage, .route, .time, .reloads, .switches:
            event.isPage || event.isStartLog || event.endsProcessOrPage
        }
    }
    /// Whether the part's value can change with such an event, so that the event alone explains a change.
    func changes(with event: TraceEvent.Kind) -> Bool {
        switch self {
        case .requests, .fetched, .fetchedFiles, .bytes, .answers: changesTraffic(with: event)
        case .clientAnswers, .forwarded: concerns(event)
        case .pending:
            event.isLog([
                .becamePending, .pendingDropped, .switched, .recalled, .rolledBackByOrder, .embeddedByOrder,
                .contentDamaged, .parked, .parkingEnded, .blacklistEntry, .superseded,
            ])
        case .blacklist, .blame: event.isLog([.blacklistEntry, .blacklistEnded, .unblocked])
        case .parked: event.isLog([.parked, .parkingEnded])
        case .lastKnownGood: event.isLog([.startConfirmed, .recalled, .contentDamaged])
        case .stored, .storedFiles: event.isLog([.becamePending, .contentDamaged])
        case .starts: event.isStartLog
        case .running, .namedPage, .page, .route, .confirmed, .process, .screen, .progress:
            event.endsProcessOrPage
        case .reloads, .switches, .started: if case .pageLoad = event { true } else { false }
        case .timeToContent: if case .contentShown = event { true } else { false }
        case .timeToAnswer: if case .pageReceived = event { true } else { false }
        case .whiteTime: event.isWhite
        case .port: if case .listening = event { true } else { false }
        case .cookies, .storage: if case .note = event { true } else { false }
        // A report counts when the origin has accepted it.
        case .outcomes: if case .transferEnded = event { true } else { false }
        case .messages, .progressMessages, .replies, .links, .report: concerns(event)
        case .nativeAnswers: if case .nativeAnswered = event { true } else { false }
        case .log, .logOf, .time: false
        }
    }

    /// Whether the part's value can change some time after such an event.
    func changesLater(than event: TraceEvent.Kind) -> Bool {
        switch self {
        case .running, .namedPage, .route: if case .pageLoad = event { true } else { false }
        case .pending, .blacklist, .blame, .parked, .lastKnownGood: changes(with: event)
        case .stored, .storedFiles:
            if case .transferEnded = event { true } else { changes(with: event) }
        default: false
        }
    }

    private func changesTraffic(with event: TraceEvent.Kind) -> Bool {
        switch (self, event) {
        case (.requests, .requestSent), (.answers, .pageReceived): concerns(event)
        case (.fetched, .transferEnded), (.fetchedFiles, .transferEnded), (.bytes, .transferEnded): true
        case (.bytes, .transferFailed), (.bytes, .transferCancelled): true
        default: false
        }
    }
}

extension TraceEvent.Kind {
    func isLog(_ causes: [LogCause]) -> Bool {
        if case .log(let entry) = self { causes.contains(entry.cause) } else { false }
    }

    fileprivate var isWhite: Bool {
        switch self {
        case .whiteBegan, .whiteEnded: true
        default: false
        }
    }
}
