/// The exit codes of the program. If several apply the first of ``precedence`` wins.
package enum ExitCode: Int, Hashable, Sendable, CaseIterable {
    /// Everything selected passed, strict expected failures included.
    case passed = 0
    /// An expectation, an invariant or liveness failed, or an expected failure passed.
    case failed = 1
    /// An unknown flag, a bad value, a missing path: raised before anything runs.
    case usage = 2
    /// A scenario file is invalid; the valid ones were run and reported.
    case invalid = 3
    case nothingSelected = 4
    /// The same seed gave different traces.
    case nonDeterministic = 5
    /// No failure, but a budget ran out.
    case inconclusive = 6
    /// A defect of otalab itself.
    case internalError = 70
    case reportNotWritten = 74
    case interrupted = 130

    /// Highest first.
    package static let precedence: [ExitCode] = [
        .usage, .internalError, .interrupted, .nonDeterministic, .failed, .invalid, .inconclusive,
        .reportNotWritten, .nothingSelected, .passed,
    ]

    /// The code that wins if several apply; ``passed`` if none applies.
    package static func first(of codes: [ExitCode]) -> ExitCode {
        precedence.first { codes.contains($0) } ?? .passed
    }
}

extension Verdict {
    /// Exit code of a run with one result of this verdict.
    package var exitCode: ExitCode {
        switch self {
        case .passed, .expectedFailure, .skipped: .passed
        case .failed, .unexpectedPass: .failed
        case .invalid: .invalid
        case .inconclusive: .inconclusive
        case .nonDeterministic: .nonDeterministic
        }
    }
}

extension ScenarioResult {
    /// Whether the run was ended from outside, without a verdict on the app, which is an error of the whole
    /// run.
    package var endedFromOutside: Bool {
        verdict == .inconclusive
            && failures.contains { $0.kind == .workerDied || $0.kind == .wallLimit }
    }

    /// Exit code of a run with only this result.
    package var exitCode: ExitCode { endedFromOutside ? .internalError : verdict.exitCode }
}
