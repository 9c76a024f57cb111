import AppHost
import Backend
import Core
import Updater

/// U7: progress only grows.
///
/// - What the loading screen shows is no smaller share than it has shown in this process before, also when
///   another version replaces the download.
/// - What is reported to a document of one version is no smaller share than what was reported before.
/// - Neither is more than there is.
///
/// Silent about: a document that gets a report of another version in between, whose download then begins
/// anew.
struct ProgressGrows: RuleChecker {
    let rule = "U7"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U7.progress", decided)] }

    /// The last report to the document of a web view.
    private struct Report: Hashable {
        var view: WebViewID
        var version: String
        /// The message names only the id, which another content can have.
        var key: VersionKey?
        var amount: ProgressAmount
    }

    private var shown: ProgressAmount?
    private var reports: [Report] = []

    /// Adds nothing: it counts within a process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched: (shown, reports) = (nil, [])
        case .committed(let view, _, _): reports.removeAll { $0.view == view }
        case .screen(.loading(let progress?)):
            let amount = ProgressAmount(progress)
            defer { shown = amount }
            return evaluate(amount, after: shown, "on the loading screen")
        case .messageDelivered(let view, let bytes):
            guard let message = PageMessage(bytes, observed.names), let amount = message.progress else {
                return nil
            }
            let key = observed.status?.downloading ?? observed.status?.pending
            let before = reports.first {
                $0.view == view && $0.version == message.subject && $0.key == key
            }
            reports.removeAll { $0.view == view }
            reports.append(Report(view: view, version: message.subject, key: key, amount: amount))
            return evaluate(amount, after: before?.amount, "that a page is told")
        default: break
        }
        return nil
    }

    private mutating func evaluate(
        _ amount: ProgressAmount, after before: ProgressAmount?, _ which: ViolationText
    ) -> Violation? {
        decided += 1
        let isLess = before.map { amount.isLess(than: $0) } ?? false
        guard isLess || amount.isTooMuch else { return nil }
        return Violation(
            isLess ? "The progress \(which) fell" : "The progress \(which) is more than all",
            expected: isLess ? "\(before?.text ?? "") or more" : "at most all files and bytes",
            actual: "\(amount.text)", clause: "U7.progress")
    }
}
