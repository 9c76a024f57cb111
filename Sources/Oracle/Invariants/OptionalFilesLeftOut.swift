import Backend
import Core

/// U12.optional: an optional file that keeps failing does not hold its version up.
///
/// A process does not request an optional file any more that failed ten times in a row without a byte, once
/// the origin has answered a check since.
///
/// Silent about: Meteor's source maps, and the frontend's manifest, which has no optional files; failures
/// before a process death.
struct OptionalFilesLeftOut: RuleChecker {
    let rule = "U12"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U12.optional", decided)] }

    private struct File: Hashable {
        var route: String
        var failures = 0
        /// Whether the origin has answered a check since the last failure that is allowed.
        var isAnswered = false
    }

    /// Optional files that failed last, of the running process.
    private var failing: [File] = []
    private static let mostFailures = 10

    /// Adds nothing: it remembers nothing beyond a process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched: failing = []
        case .requestSent(let request):
            guard case .file(let route) = request.kind else { return nil }
            return evaluate(route)
        case .transferEnded(let id, _, _), .transferFailed(let id, _, _):
            ended(observed.transfer(id, ofProcess: event.process), observed)
        default: break
        }
        return nil
    }

    private mutating func evaluate(_ route: String) -> Violation? {
        guard let file = failing.first(where: { $0.route == route }) else { return nil }
        decided += 1
        guard file.isAnswered else { return nil }
        return Violation(
            "An optional file that keeps failing holds its version up",
            expected: "\(route) is left out", actual: "it is requested after \(file.failures) failures",
            clause: "U12.optional")
    }

    private mutating func ended(_ transfer: TransferTrace?, _ observed: ObservedState) {
        guard let transfer else { return }
        if transfer.isGoodManifestAnswer {
            for index in failing.indices where failing[index].failures >= OptionalFilesLeftOut.mostFailures {
                failing[index].isAnswered = true
            }
        }
        guard let route = transfer.route, OptionalFilesLeftOut.isOptional(route, observed) else { return }
        let isSuccess = transfer.status.map { (200..<300).contains($0) } ?? false
        if isSuccess, transfer.state == .ended || transfer.bytes > 0 {
            failing.removeAll { $0.route == route }
        } else if let index = failing.firstIndex(where: { $0.route == route }) {
            failing[index].failures += 1
        } else {
            failing.append(File(route: route, failures: 1))
        }
    }

    /// Whether each version that has the file says so.
    private static func isOptional(_ route: String, _ observed: ObservedState) -> Bool {
        guard observed.app.dialect == .own else { return false }
        let files = observed.versions.flatMap(\.files).filter { $0.route == route }
        return !files.isEmpty && files.allSatisfy(\.isOptional)
    }
}
