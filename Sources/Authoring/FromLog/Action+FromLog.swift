import Core
import ScenarioLanguage

/// Short forms of the actions in a scenario made from a log.
extension Action {
    static func launch(front: Bool) -> Action { .launch(front ? .foreground : .background) }
    static let reload = Action.page(PageSpec(action: .reload))
    static let switchCall = Action.page(PageSpec(action: .calls(Spanned(.switchToPendingVersion))))
    static let types = Action.user(.types(from: nil, to: nil))
    static let looksForUpdate = Action.user(.presses(.lookForUpdate))

    static func deploy(_ version: String, _ order: DeployOrder) -> Action {
        .deploy(DeploySpec(Spanned(version), order: order))
    }
    /// The order to return to the embedded version.
    static let deployEmbedded = Action.deploy(DeploySpec(nil, order: .embedded))
    static func recall(_ version: String) -> Action { .recall([Spanned(version)]) }
    static func unblock(_ version: String) -> Action { .unblock([Spanned(version)]) }

    /// - Parameter times: number of requests it applies to; nil: all until it is healed.
    static func fault(_ kind: FaultKind, on target: RequestSubject? = nil, times: Int? = nil) -> Action {
        var fault = FaultSpec(kind, target: target)
        fault.times = times.map { Spanned($0) }
        return .fault(fault)
    }

    static func flip(_ thing: DamageTarget) -> Action {
        .disk(DiskSpec(file: Spanned(thing), damage: Spanned(.flip(bytes: 1))))
    }
}

/// Faults that appear in a log.
extension FaultKind {
    static let resetHalfway = FaultKind.reset(after: .percent(50))
    static let stallHalfway = FaultKind.stall(after: .percent(50))
    static let slowAnswers = FaultKind.slow(.answers, by: .minutes(5))

    /// An answer that asks the client to wait.
    static var busy: FaultKind {
        var answer = AnswerSpec(429)
        answer.retryAfter = Spanned(.minutes(1))
        return .answer(answer)
    }

    /// An answer with a text instead of the manifest.
    static func manifest(_ text: String) -> FaultKind {
        var answer = AnswerSpec(200)
        answer.body = Spanned(text)
        return .answer(answer)
    }

    var isManifest: Bool { if case .answer(let answer) = self { answer.body != nil } else { false } }
}
