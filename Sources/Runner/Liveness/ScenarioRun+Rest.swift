import Backend
import Core
import Oracle
import ScenarioLanguage

/// R7.closed: an app that has nothing left to do has no file open but the store's lock. A handle that is
/// forgotten at each update, request or start runs the process out of descriptors after days.
///
/// Silent about: an app that stands still; one whose clients may not read their answers, which are sent from
/// open files; a backend whose disks can't be observed.
extension ScenarioRun {
    /// Time within which what is under way ends after the rounds of liveness; else nothing is said.
    private static var timeToRest: TimeSpan { .minutes(2) }

    /// After the rounds of liveness.
    mutating func checkRest() {
        guard found.isEmpty, !isOver, !hasClients, backend.showsOpenFiles else { return }
        // A copy comes to rest: the run ends as it does without this check, with the same requests.
        var rest = self
        let end = backend.now + ScenarioRun.timeToRest
        if !rest.backend.isSettled, !rest.pass(until: end, { $0.backend.isSettled }) { return }
        for device in 0..<deviceCount {
            let view = rest.backend.view(of: device)
            guard view.process != nil, !view.isSuspended,
                let open = rest.backend.withDisk(of: device, { $0.openPaths }), !open.isEmpty
            else { continue }
            let names = Set(open.map(\.text)).sorted()
            let violation = Violation(
                "A file stays open that nothing is done with any more",
                expected: "no open file but the store's lock",
                actual: "\(open.count) open: \(names.prefix(3).joined(separator: ", "))",
                clause: "R7.closed")
            fail(CheckerList.Finding(rule: "R7", violation: violation, at: backend.now), on: device)
        }
    }

    private var hasClients: Bool {
        NumberedStep.all(of: plan.scenario).contains { numbered in
            if case .client = numbered.step.action { true } else { false }
        }
    }
}
