/// Finds steps that heal nothing, or set the network to what it is, in any run.
///
/// Faults and networks are followed from step to step. A fault that a step began counts as active until a
/// step heals it, although it may have ended after a number of times. What an armed step does can happen at
/// any time after it, so nothing is known from there on of what it begins or ends.
struct FaultFollower {
    /// Steps that change nothing, with the reason; each once.
    private(set) var found: [(step: Step, why: String)] = []
    /// Names of the faults that can be active; nil for one without a name.
    private var active: [String?] = []
    /// Faults that an armed step can begin at any time.
    private var armed: [String?] = []
    /// The network of each device; nil: unknown.
    private var networks: [(device: String, kind: NetworkKind?)]
    private let firstDevice: String
    /// Whether an armed step can change a network.
    private var hasArmedNetwork = false
    private var isSilent = false

    init(_ scenario: Scenario) {
        firstDevice = scenario.devices.first?.name.value ?? ""
        let names = scenario.devices.isEmpty ? [firstDevice] : scenario.devices.map(\.name.value)
        networks = names.map { ($0, .online) }
    }

    mutating func follow(_ steps: [Step]) {
        for step in steps { follow(step) }
    }

    private mutating func follow(_ step: Step) {
        if case .repeat(let inner) = step.action { return followRounds(inner.steps) }
        if step.trigger != nil { return arm(step) }
        if !isSilent, let why = idleness(of: step),
            !found.contains(where: { $0.step.verbSpan == step.verbSpan })
        {
            found.append((step, why))
        }
        switch step.action {
        case .fault(let fault):
            active.append(step.name?.value)
            if case .offline = fault.kind { setAll(nil) }
        case .heal(nil):
            active = []
            setAll(.online)
        case .heal(let name?):
            active.removeAll { $0 == name.value }
            // The network is back if the fault was one of it.
            for index in networks.indices where networks[index].kind != .online { networks[index].kind = nil }
        // Anything can have happened.
        case .gap:
            active.append(nil)
            setAll(nil)
        case .network(let kind): set(kind, device(of: step))
        default: break
        }
    }

    /// Rounds after the first begin with what the round before has left.
    private mutating func followRounds(_ steps: [Step]) {
        let before = (active, networks)
        let wasSilent = isSilent
        isSilent = true
        follow(steps)
        isSilent = wasSilent
        active += before.0.filter { !active.contains($0) }
        for (device, kind) in before.1 where network(of: device) != kind { set(nil, device) }
        follow(steps)
    }

    private mutating func arm(_ step: Step) {
        switch step.action {
        case .fault(let fault):
            armed.append(step.name?.value)
            if case .offline = fault.kind { hasArmedNetwork = true }
        case .network: hasArmedNetwork = true
        case .heal: hasArmedNetwork = true
        default: break
        }
    }

    private func idleness(of step: Step) -> String? {
        switch step.action {
        case .heal(nil):
            let isOnline = !hasArmedNetwork && networks.allSatisfy { $0.kind == .online }
            return active.isEmpty && armed.isEmpty && isOnline ? "there is nothing to heal here" : nil
        case .heal(let name?):
            let canBeActive = active.contains(name.value) || armed.contains(name.value)
            return canBeActive ? nil : "the fault is not active here"
        case .network(let kind):
            guard !hasArmedNetwork, network(of: device(of: step)) == kind else { return nil }
            return "the network is \(kind.rawValue) already"
        default: return nil
        }
    }

    private func device(of step: Step) -> String { step.device?.value ?? firstDevice }

    private func network(of device: String) -> NetworkKind? {
        networks.first { $0.device == device }?.kind
    }

    private mutating func set(_ kind: NetworkKind?, _ device: String) {
        for index in networks.indices where networks[index].device == device { networks[index].kind = kind }
    }

    private mutating func setAll(_ kind: NetworkKind?) {
        for index in networks.indices { networks[index].kind = kind }
    }
}
