import Backend
import Core
import Foundation
import World

/// Waiting for a subject's answers where the scenario needs them. Each wait takes a second at most, but for
/// the one at the end of a check of the adapter.
extension SubjectBackend {
    /// What the subject was told before a step it has heard when the step is performed, as in the world: a
    /// page that is ready has said so.
    func awaitAnswers(atMost limit: TimeSpan = .seconds(1)) {
        guard suspendedAt == nil else { return }
        wait(atMost: limit) {
            guard failure == nil, session.hasUnanswered else { return nil }
            return takeInputs()
        }
    }

    /// Waits until each command has an answer, for the patience at most.
    /// - Returns: what was not answered, in this process or in an earlier one; nil: nothing.
    func unanswered() -> String? {
        if let unansweredAtEnd { return unansweredAtEnd }
        guard suspendedAt == nil else { return nil }
        awaitAnswers(atMost: options.patience)
        return session.oldestUnanswered.map { "the adapter did not answer '\($0.command.name)'" }
    }

    /// Remembers a command that the process had time to answer before it was ended.
    func noteUnanswered() {
        guard unansweredAtEnd == nil, suspendedAt == nil, let open = session.oldestUnanswered else { return }
        let time = clock.now - open.sentAt
        if time >= .seconds(1) {
            unansweredAtEnd = "the adapter did not answer '\(open.command.name)' in \(time.shown)"
        }
    }

    /// An app that the user swipes away has handled that it is no longer active: the gesture takes longer
    /// than that.
    func notifyBeforeEnd(_ outputs: [World.ExternalInput]) {
        let notice = SubjectCommand.active(false)
        guard isProcessOver, let process, suspendedAt == nil, session.understands(notice),
            outputs.contains(where: { $0.process == processOfWorld && $0.what == .event(.inactive) })
        else { return }
        send(notice)
        wait {
            guard session.isOpen(notice) else { return nil }
            process.flush()
            // All else that it says comes too late: in the world its process has ended.
            return (try? session.take(process.read(), at: world.now)).map { !$0.isEmpty }
        }
    }

    /// - Parameter turn: returns whether anything arrived; nil: the wait is over.
    private func wait(atMost limit: TimeSpan = .seconds(1), _ turn: () -> Bool?) {
        let began = clock.now
        while let process, process.exit() == nil, clock.now - began < limit, let hasArrived = turn() {
            if !hasArrived { usleep(500) }
        }
    }
}
