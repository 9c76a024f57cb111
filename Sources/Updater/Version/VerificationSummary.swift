/// How reliably this device can verify a version, given its manifest: the three dialects differ in the
/// hashes, order and fitness that they state. Derived from the assets, logged when the version becomes
/// pending, and shown.
struct VerificationSummary: Hashable, Sendable {
    enum Unchanged: String, Hashable, Sendable {
        /// Every asset by its hash.
        case byHash = "by-hash"
        /// Assets with a hash by that; the others by a strong tag, if the response had one.
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
    /// Whether the dialect can force, roll back, order the embedded version, recall and unblock.
    var hasOrders: Bool
    var fitness: Fitness

    init(_ table: VersionTable) {
        let assets = table.assets
        let required = assets.indices.count { !assets[$0].isOptional }
        let hashed = assets.indices.count { !assets[$0].isOptional && assets[$0].hash != .none }
        if hashed == required {
            verified = .everyByte
            unchanged = .byHash
        } else if hashed > 0 {
            verified = .hashedRows
            unchanged = .byHashOrTag
        } else {
            verified = .atAcceptance
            unchanged = .byTag
        }
        switch table.metadata.order {
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

    /// The summary as logged.
    var text: String {
        "verified=\(verified.rawValue) unchanged=\(unchanged.rawValue) order=\(order.rawValue) "
            + "orders=\(hasOrders ? "yes" : "no") native=\(fitness.rawValue)"
    }
}
