import Backend

extension Visibility {
    /// What an adapter says that it tells.
    init(told description: SubjectDescription) {
        self = .outside
        for telling in description.tells {
            switch telling {
            case .pending: insert(.pending)
            case .good: insert(.good)
            case .blacklist: insert(.blacklist)
            case .parked: insert(.parked)
            case .screen: insert(.screen)
            case .current, .error: break
            }
        }
    }
}
