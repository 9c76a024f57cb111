import Backend

extension ExpectationPart {
    /// What must be visible of the app for this part to be judged.
    var needs: Visibility {
        switch self {
        case .running, .page, .namedPage, .route, .process, .port, .time, .started, .requests, .fetchedFiles,
            .fetched, .bytes, .cookies, .storage, .answers, .clientAnswers, .timeToContent(.launch):
            .outside
        case .pending: .pending
        case .lastKnownGood: .good
        case .blacklist: .blacklist
        case .parked: .parked
        case .screen, .whiteTime: .screen
        case .stored, .storedFiles, .blame: [.disk, .reports]
        case .confirmed, .starts, .reloads, .switches, .progress, .timeToContent, .timeToAnswer, .log, .logOf,
            .outcomes, .messages, .progressMessages, .replies, .nativeAnswers, .links, .report, .forwarded:
            .reports
        }
    }
}
