import AppHost
import Backend
import Core

/// R3 of an app whose inside is not known, by the policy that it declares: a version that has failed as often
/// as it may is not shown again.
///
/// A start of a version begins with the first document of a process in the first web view, or with the first
/// one of another version, whose bytes are that version's alone. It fails when the app has been in front for
/// the declared time-out without proof, when the page says that its start failed, or when the process crashes
/// before there is proof. After `1 + retries` failures without a proof the version is not shown again,
/// because the app ships another one.
///
/// Silent about: the embedded version, and apps that ship none; a start that something else ended, which
/// proves nothing; versions that no file tells apart. After a press of the user, a version's unblocking or a
/// store update, failures count from zero.
package struct DeclaredRetries: RuleChecker {
    package enum Proof: Sendable {
        /// The page's call.
        case called
        /// The document's content on the screen.
        case shown
    }

    package struct Policy: Hashable, Sendable {
        package var proof: Proof
        /// Time in front within which a start is proven.
        package var timeout: TimeSpan
        /// Number of starts that may follow one that failed.
        package var retries: Int

        package init(proof: Proof, timeout: TimeSpan, retries: Int) {
            self.proof = proof
            self.timeout = timeout
            self.retries = retries
        }
    }

    package let rule = "R3"
    package var decided = 0

    /// What the app declares; nil: nothing yet.
    private let policy: @Sendable () -> Policy?

    /// Time after the time-out in which a subject in real time can still be late.
    private static let tolerance = TimeSpan.seconds(5)

    /// A start whose document is in front.
    private struct Start {
        var versions: VersionMask
        /// Time in front before ``frontSince``.
        var frontTime = TimeSpan.zero
        var frontSince: Instant?
        var isProven = false
        /// Whether its failure has been counted.
        var hasFailed = false
        /// Whether the version has been compared with the number of its failures.
        var isJudged = false

        func time(at now: Instant) -> TimeSpan { frontTime + (frontSince.map { now - $0 } ?? .zero) }
    }

    private var start: Start?
    /// The start of the document before in this process.
    private var previous: Start?
    private var isInFront = false
    /// Failures of each version by its index, since its last proof.
    private var failures: [Int] = []

    /// - Parameter policy: is asked when it is needed: an app says with its first process what it was told of
    ///   the scenario.
    package init(_ policy: @escaping @Sendable () -> Policy?) { self.policy = policy }

    package func hashMemory(into hasher: inout Hasher) { hasher.combine(failures) }

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        if failures.isEmpty { failures = observed.versions.map { _ in 0 } }
        countTimeout(at: event.at)
        switch event.kind {
        case .launched(let foreground, _):
            (start, previous) = (nil, nil)
            isInFront = foreground
        case .foregrounded, .resumed: setFront(true, at: event.at)
        case .backgrounded, .suspended: setFront(false, at: event.at)
        case .processEnded(.crash):
            fail()
            start = nil
        case .processEnded, .processFailed, .powerCut: start = nil
        case .installed, .unblocked, .userDid(.presses): failures = failures.map { _ in 0 }
        case .committed(.first, _, let mask):
            if var ended = start, ended.versions.onlyIndex != nil {
                ended.frontTime = ended.time(at: event.at)
                ended.frontSince = nil
                previous = ended
            }
            start = Start(versions: mask, frontSince: isInFront ? event.at : nil)
            return judge(observed)
        case .pageReceived(let request, let answer):
            guard request.webView == .first, answer.isFile(ofVersionBehind: request), let current = start
            else { break }
            start?.versions = current.versions.intersection(answer.contentOf)
            return judge(observed)
        case .called(.first, .startupDidComplete, _) where policy()?.proof == .called: prove()
        case .contentShown(.first) where policy()?.proof == .shown: prove()
        case .called(.first, .startupDidFail, _): fail()
        default: break
        }
        return nil
    }

    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        countTimeout(at: observed.now)
        return nil
    }

    private mutating func setFront(_ isNow: Bool, at now: Instant) {
        isInFront = isNow
        guard let since = start?.frontSince else {
            if isNow { start?.frontSince = now }
            return
        }
        if isNow { return }
        start?.frontTime += now - since
        start?.frontSince = nil
    }

    private mutating func countTimeout(at now: Instant) {
        guard let current = start, let policy = policy() else { return }
        if current.time(at: now) >= policy.timeout + DeclaredRetries.tolerance { fail() }
    }

    private mutating func prove() {
        guard let current = start, !current.hasFailed else { return }
        start?.isProven = true
        if let version = current.versions.onlyIndex { failures[version] = 0 }
    }

    private mutating func fail() {
        guard let current = start, !current.isProven, !current.hasFailed else { return }
        start?.hasFailed = true
        if let version = current.versions.onlyIndex { failures[version] += 1 }
    }

    /// Whether the version that the document turned out to be may be shown.
    private mutating func judge(_ observed: ObservedState) -> Violation? {
        guard let current = start, !current.isJudged, let version = current.versions.onlyIndex,
            failures.indices.contains(version)
        else { return nil }
        start?.isJudged = true
        if let previous, previous.versions.onlyIndex == version {
            // Another document of the same start.
            start?.frontTime += previous.frontTime
            start?.isProven = previous.isProven
            start?.hasFailed = previous.hasFailed
            return nil
        }
        let embedded = observed.app.builds.first { $0.name == observed.build }?.embeds
        let name = observed.versions[version].name
        guard let embedded, name != embedded, let policy = policy() else { return nil }
        decided += 1
        guard failures[version] > policy.retries else { return nil }
        return Violation(
            "A version is started again that failed as often as it may",
            expected: "another version than \(versions: [name]) after \(failures[version]) failed starts",
            actual: "\(versions: [name])")
    }
}
