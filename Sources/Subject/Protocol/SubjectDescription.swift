import Core

/// What an adapter says about its updater in its first message.
package struct SubjectDescription: Hashable, Sendable {
    package enum Clock: String, Hashable, Sendable, CaseIterable {
        /// It lives in real time.
        case system
        /// Its time passes only by ``SubjectCommand/advance(milliseconds:)``.
        case own
    }

    package enum Serving: String, Hashable, Sendable, CaseIterable {
        /// It listens on the port that it was given.
        case http
        /// The laboratory listens and requests each file from it.
        case get
    }

    /// Commands that it understands beside `launch`.
    package enum Skill: String, Hashable, Sendable, CaseIterable {
        case check, push, front, active, user, network, page, call, rest, status
    }

    /// What it reports.
    package enum Telling: String, Hashable, Sendable, CaseIterable {
        case current, pending, good, blacklist, parked, error, screen
    }

    package var name: String
    package var version: String
    /// Formats of manifests that it reads, as the protocol names them.
    package var dialects: [String]
    package var clock: Clock
    package var serves: Serving
    package var does: [Skill]
    package var tells: [Telling]
    /// nil: it declares none, and rules that depend on one are not judged.
    package var policy: SubjectPolicy?
    /// Words of `does` and `tells` that the protocol does not have: of a later version, or slips.
    package var unknownSkills: [String] = []
    package var unknownTellings: [String] = []
}

/// What an updater is meant to do where updaters differ.
package struct SubjectPolicy: Hashable, Sendable {
    /// What proves a start.
    package enum Proof: String, Hashable, Sendable, CaseIterable {
        case called, loaded, never
    }

    /// When a waiting version is shown.
    package enum Moment: String, Hashable, Sendable, CaseIterable {
        case launch, reload, front, call
    }

    package var confirm: Proof
    package var startupTimeout: TimeSpan
    package var switchAt: [Moment]
    /// How often an unproven version is started again before another one is shown.
    package var retries: Int
    package var blacklists: Bool
}
