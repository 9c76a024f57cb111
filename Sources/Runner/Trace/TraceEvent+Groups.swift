import Backend
import ScenarioLanguage

/// Groups of events that a failure can be about.
extension TraceEvent.Kind {
    /// Whether it is a disturbance from outside, or the end of a process or a page.
    var isDisturbance: Bool {
        switch self {
        case .faultApplied, .powerCut, .damaged, .processEnded, .webProcessDied, .boundExceeded, .deployed,
            .deployedFor, .recalled, .pageFailed, .callsOnStoppedDisk, .raceGivenUp, .actionDidNothing:
            true
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

    /// Whether the updater logs the beginning or the end of a start, or a rescue.
    var isStartLog: Bool {
        guard case .log(let entry) = self else { return false }
        return switch entry.cause {
        case .startMarked, .startNotMarked, .startConfirmed, .startFailedByPage, .startFailedByCrash,
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
        case .screen, .whiteBegan, .whiteEnded, .contentShown, .launched: true
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

extension ExpectationPart {
    /// Whether an event is about this part.
    func concerns(_ event: TraceEvent.Kind) -> Bool {
        switch self {
        case .pending, .lastKnownGood, .blacklist, .blame, .parked, .stored, .storedFiles, .log, .logOf:
            event.isUpdaterReport
        case .requests(let kind): event.isRequest(kind)
        case .fetchedFiles, .fetched, .bytes: event.isRequest(.all)
        case .answers(let wanted): event.isAnswer(wanted)
        case .timeToAnswer: event.isAnswerOrStatus
        case .outcomes: if case .outcomes = event { true } else { false }
        case .whiteTime, .screen, .progress: event.isScreen
        case .process, .port: event.isProcess
        case .messages, .progressMessages, .replies:
            if case .messageDelivered = event { true } else { false }
        case .cookies, .storage: if case .called = event { true } else { event.isPage }
        case .running, .confirmed, .started, .starts, .page, .namedPage, .time, .timeToContent, .reloads,
            .switches:
            event.isPage || event.isStartLog
        }
    }
}
