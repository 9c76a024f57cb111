import Runner

/// The states that a search has seen, and what was learned at each state that was disturbed.
package struct KnownStates<Reuse: Sendable>: Sendable {
    private var states: Set<CrashKey> = []
    private var reusable: [CrashKey: Reuse] = [:]

    func contains(_ key: CrashKey) -> Bool { states.contains(key) }

    func reuse(_ key: CrashKey) -> Reuse? { reusable[key] }

    /// - Returns: whether the state is new.
    mutating func add(_ key: CrashKey) -> Bool { states.insert(key).inserted }

    /// Adds results; of two with the same key the first is kept.
    mutating func add(_ results: [(key: CrashKey, reuse: Reuse)]) {
        for entry in results where reusable[entry.key] == nil { reusable[entry.key] = entry.reuse }
    }
}

/// Collects the disturbed states of one item of a wave.
///
/// Invariants: a state is added once; whether it is new depends on the previous waves and on this item alone,
/// so that a result does not depend on the number of cores.
package struct DisturbedStates<Kind: Disturbance>: Sendable {
    /// States of the previous waves.
    private let known: KnownStates<Kind.Reuse>
    /// If set, equal states are all kept.
    private let mergeCheck: MergeCheck?
    private var own = KnownStates<Kind.Reuse>()

    package var tally = CrashTally()
    /// New states, each once.
    private(set) var new: [DisturbedDevice<Kind>] = []
    private(set) var results: [(key: CrashKey, reuse: Kind.Reuse)] = []

    init(known: KnownStates<Kind.Reuse>, mergeCheck: MergeCheck? = nil) {
        self.known = known
        self.mergeCheck = mergeCheck
    }

    /// What was learned at an equal state; nil if none was disturbed.
    package func reuse(_ key: CrashKey) -> Kind.Reuse? {
        mergeCheck == nil ? known.reuse(key) ?? own.reuse(key) : nil
    }

    /// All disturbances of the state with this key have been tried.
    package mutating func add(_ reuse: Kind.Reuse, of key: CrashKey) {
        own.add([(key, reuse)])
        results.append((key, reuse))
    }

    package mutating func add(_ device: ObservedWorld, sites: [Kind.Site], cause: Kind.Cause) {
        add(device, key: mergeCheck?.forget(device.key) ?? device.key, sites: sites, cause: cause)
    }

    /// - Parameter key: equal for states that are the same.
    package mutating func add(_ device: ObservedWorld, key: CrashKey, sites: [Kind.Site], cause: Kind.Cause) {
        let isNew = !known.contains(key) && own.add(key)
        guard isNew || mergeCheck != nil else { return }
        new.append(DisturbedDevice(device: device.forked, sites: sites, cause: cause, key: key))
    }
}
