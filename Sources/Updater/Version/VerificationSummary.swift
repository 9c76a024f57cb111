/// What a version's manifest lets this device promise about it (manifests.md, "What each can promise"):
/// worked out from the rows themselves, told when the version becomes pending, and part of what is shown.
struct VerificationSummary: Hashable, Sendable {
    enum Unchanged: String, Hashable, Sendable {
        /// Every row by its hash.
        case byHash = "by-hash"
        /// Rows with a hash; the others by a strong tag, where one came.
        case byHashOrTag = "by-hash-or-tag"
        case byTag = "by-tag"
    }

    enum Order: String, Hashable, Sendable {
        case serial
        case date
        case twoChecks = "two-checks"
    }

    enum Fitness: String, Hashable, Sendable {
        case range
        case equalString = "equal-string"
        case none
    }

    var verified: StoredVersion.Verification
    var unchanged: Unchanged
    var order: Order
    /// Force, roll back, embedded, recall and unblock can be said.
    var hasOrders: Bool
    var fitness: Fitness

    init(_ table: VersionTable) {
        let required = table.rows.filter { !$0.isOptional }
        let hashed = required.count { $0.hash != .none }
        if hashed == required.count {
            verified = .everyByte
            unchanged = .byHash
        } else if hashed > 0 {
            verified = .hashedRows
            unchanged = .byHashOrTag
        } else {
            verified = .atAcceptance
            unchanged = .byTag
        }
        switch table.facts.order {
        case .serial: order = .serial
        case .date: order = .date
        case .none: order = .twoChecks
        }
        switch table.dialect {
        case .own:
            hasOrders = true
            fitness = .range
        case .frontend:
            hasOrders = false
            fitness = .none
        case .meteor:
            hasOrders = false
            fitness = .equalString
        }
    }

    /// As the log tells it.
    var text: String {
        "verified=\(verified.rawValue) unchanged=\(unchanged.rawValue) order=\(order.rawValue) "
            + "orders=\(hasOrders ? "yes" : "no") native=\(fitness.rawValue)"
    }
}
