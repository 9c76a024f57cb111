import ScenarioLanguage

/// Which scenarios can be run on a real process with real sockets and a real disk.
package enum LiveSupport {
    /// Reason why a scenario can't be run; nil: it can.
    package static func reason(against scenario: Scenario) -> String? {
        if scenario.devices.count > 1 { return "a live run has one device" }
        if let reason = MachineSupport.reason(against: scenario.app) { return reason }
        for numbered in NumberedStep.all(of: scenario) {
            if let reason = reason(against: numbered.step) { return reason }
        }
        return endsDuringCall(scenario)
            ? "how far the app has come with a page's call when its process ends is a matter of luck here"
            : nil
    }

    /// Whether the process ends in the instant in which a page calls it.
    private static func endsDuringCall(_ scenario: Scenario) -> Bool {
        var hasCalled = false
        for numbered in NumberedStep.all(of: scenario) {
            switch numbered.step.action {
            case .repeat, .background: break
            case .kill where hasCalled: return true
            case .page(let spec): if case .calls = spec.action { hasCalled = true } else { hasCalled = false }
            default: hasCalled = false
            }
        }
        return false
    }

    private static func reason(against step: Step) -> String? {
        if isBetweenLastByteAndEnd(step) { return "with its last byte a real answer has ended" }
        if let reason = MachineSupport.reason(against: step.action) { return reason }
        return switch step.action {
        case .freeze: "the laboratory does not stop its own process"
        case .page(let spec): reason(against: spec.action)
        case .client(let spec):
            spec.reads ? nil : "a real socket takes in what its client does not read, if it has room"
        case .fault(let spec) where spec.target == .api && spec.kind == .refuse:
            "the laboratory's end of a connection to the remote root is open before it is refused"
        case .fault(let spec): reason(against: spec.kind)
        default: nil
        }
    }

    private static func isBetweenLastByteAndEnd(_ step: Step) -> Bool {
        guard case .when(let awaited) = step.trigger, case .kill = step.action else { return false }
        return switch awaited.value {
        case .fetched, .stored(.percent(100), _): true
        default: false
        }
    }

    private static func reason(against action: PageAction) -> String? {
        if case .sends(let message, _) = action, message.value.contains("//localhost:") {
            return "the app has another port here than its message names"
        }
        guard case .asks(_, .some, _) = action else { return nil }
        return "answers take no time by the laboratory's clock, so a page would keep asking for ever"
    }

    private static func reason(against fault: FaultKind) -> String? {
        switch fault.domain {
        case .timers: "timers fire when the laboratory's clock says so"
        // Of disk and port ``MachineSupport`` has said it.
        case .disk, .port, .network: nil
        case .request:
            switch fault {
            case .dnsFailure: "an address in numbers is not looked up"
            case .connectTimeout: "a port of this machine always answers"
            case .blackHoledAddress: "the origin has one address here"
            case .insecure: "there is no certificate without TLS"
            case .answer(let answer): reason(against: answer)
            default: nil
            }
        }
    }

    private static func reason(against answer: AnswerSpec) -> String? {
        if answer.configuration.contains(where: { $0.name.value == "ROOT_URL" }) {
            return "the origin is this machine, so that each ROOT_URL of its own is a local one"
        }
        for header in answer.headers {
            guard let value = header.value.value else { continue }
            if value.lowercased().contains("//updates.example.com") {
                return "the origin has another name here"
            }
            if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
                return "a real answer has no control characters in its head"
            }
            guard header.name.value.lowercased() == "content-length", let length = Int(value) else {
                continue
            }
            if let body = answer.body?.value, length != body.utf8.count {
                return "a real answer ends with the bytes that it announces"
            }
            if length > 100_000_000 { return "a real answer of this length takes too long" }
        }
        return nil
    }
}
