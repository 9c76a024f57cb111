import Core
import Foundation
import Runner
import ScenarioLanguage

/// The scenario of a device that starts with what a crash has left: the same app and origin, what the origin
/// and the store had done by then, a restart, and launches.
///
/// Free of an updater's policy: each version starts well here, so that a page must come, whichever one runs.
/// Whether its files belong together and are bytes of a version is for the rules that always hold.
struct RecoveryPlan {
    struct UnsuitableScenario: Error { var reason: String }

    let plan: RunPlan
    /// The scenario as a file.
    let text: String

    /// - Parameter last: index of the last step that was performed before the crash.
    init(of plan: RunPlan, after last: Int) throws(UnsuitableScenario) {
        var scenario = plan.scenario
        let numbered = NumberedStep.tree(of: scenario)
        if let repeated = numbered.first(where: { $0.inner.contains { $0.step.action.isOfSurroundings } }) {
            throw UnsuitableScenario(
                reason: "step \(repeated.index + 1) repeats what the origin or the store does")
        }
        // What a trigger waits for may not come again: it is done at once.
        scenario.steps =
            numbered.filter { $0.index <= last && $0.step.action.isOfSurroundings }.map { numbered in
                var step = numbered.step
                step.trigger = nil
                return step
            } + RecoveryPlan.launches
        for index in scenario.versions.indices { scenario.versions[index].startup = StartupSpec() }
        scenario.covers = []
        // It is printed with the scenario's name as its id, which the contents of files depend on.
        text = ScenarioPrinter.text(of: scenario)
        let file = ScenarioFile(path: "recovery.json5", bytes: Array(text.utf8))
        let reading = file.read(devices: [scenario.device.value])
        guard let read = reading.scenarios.first, !reading.hasErrors,
            let plan = RunPlan.plans(for: read, seed: plan.seed).first
        else {
            throw UnsuitableScenario(
                reason: "the recovery can't be written as a scenario: "
                    + reading.diagnostics.map(\.message).joined(separator: "; "))
        }
        self.plan = plan
    }

    private static var launches: [Step] {
        let ready = #"{ expect: { page: "ready" }, within: "45s" }"#
        let steps = [
            "{ restart: true }", "{ launch: true }", ready, "{ check: true }", #"{ wait: "5s" }"#,
            "{ relaunch: true }", ready,
        ]
        let text = """
            { schema: 1, title: "Recovery", app: { embeds: "v" },
              versions: { v: { files: { "index.html": "1 KB" } } },
              steps: [\(steps.joined(separator: ", "))] }
            """
        let reading = ScenarioFile(path: "recovery.json5", bytes: Array(text.utf8)).read(devices: ["plain"])
        return reading.scenarios.first?.steps ?? []
    }
}

extension Action {
    /// Whether origin, store or network does it, without the app.
    fileprivate var isOfSurroundings: Bool {
        switch self {
        case .deploy, .recall, .unblock, .storeUpdate, .route, .set: true
        default: false
        }
    }
}
