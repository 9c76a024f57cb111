import Core

/// A person who goes on typing.
struct UserPlan: Hashable, Sendable {
    let device: Int
    let until: Instant?
    /// Ended by another plan, or with the process.
    var isOver = false
}

extension World {
    /// Between two touches of somebody who types.
    private static let typingPause = TimeSpan.seconds(2)

    mutating func types(from: TimeSpan?, to: TimeSpan?, _ device: Int) {
        endUser(device)
        users.append(UserPlan(device: device, until: to.map { now + $0 }))
        let plan = WorldEvent(device: Int32(device), process: 0, what: .user(users.count - 1))
        kernel.schedule(plan, at: now + (from ?? .zero))
    }

    mutating func userActs(_ number: Int, _ device: Int) {
        guard users.indices.contains(number), !users[number].isOver else { return }
        if let until = users[number].until, now > until {
            users[number].isOver = true
            return
        }
        if devices[device].process.isInForeground { userTouches(.typed, device) }
        let plan = WorldEvent(device: Int32(device), process: 0, what: .user(number))
        kernel.schedule(plan, at: now + World.typingPause)
    }

    mutating func userTouches(_ touch: WebView.Event, _ device: Int) {
        guard devices[device].process.isInForeground, let id = devices[device].process.webViews.first?.id
        else { return }
        page(id, touch, device)
    }

    /// Whoever held the device in hand has put it away.
    mutating func endUser(_ device: Int) {
        for place in users.indices where users[place].device == device { users[place].isOver = true }
        kernel.cancelAll { event in
            guard event.device == Int32(device), case .user = event.what else { return false }
            return true
        }
    }
}
