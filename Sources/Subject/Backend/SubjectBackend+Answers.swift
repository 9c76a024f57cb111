import Backend
import Core
import Foundation
import World

/// Waiting for a subject's answers where the scenario needs them. Each wait takes a second at most.
extension SubjectBackend {
    /// What the subject was told before a step it has heard when the step is performed, as in the world: a
    /// page that is ready has said so.
    func awaitAnswers() {
        guard suspendedAt == nil else { return }
        wait {
            guard failure == nil, session.hasUnanswered else { return nil }
            return takeInputs()
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
    private func wait(_ turn: () -> Bool?) {
        let began = clock.now
        while let process, process.exit() == nil, clock.now - began < .seconds(1), let hasArrived = turn() {
            if !hasArrived { usleep(500) }
        }
    }
}
