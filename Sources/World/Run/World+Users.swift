import Core

/// Users who keep typing, in the order in which they began.
///
/// Invariants: a device has at most one user who has not stopped; a user keeps its index, by which queued
/// events name it; one who has stopped never types again.
struct TypingUsers: Hashable, Sendable {
    private struct User: Hashable, Sendable {
        let device: Int
        let until: Instant?
        var hasStopped = false
    }

    private var users: [User] = []

    /// - Parameter until: nil: until the process or the user's next action ends it.
    mutating func begin(on device: Int, until: Instant?) -> Int {
        stop(on: device)
        users.append(User(device: device, until: until))
        return users.count - 1
    }

    /// Whether the user still types at this time.
    mutating func types(_ index: Int, at now: Instant) -> Bool {
        guard users.indices.contains(index), !users[index].hasStopped else { return false }
        if let until = users[index].until, now > until { users[index].hasStopped = true }
        return !users[index].hasStopped
    }

    mutating func stop(on device: Int) {
        for index in users.indices where users[index].device == device { users[index].hasStopped = true }
    }
}

extension World {
    /// Time between two touches of a user who types.
    private static let typingPause = TimeSpan.seconds(2)

    mutating func startTyping(from: TimeSpan?, to: TimeSpan?, _ device: Int) {
        stopTyping(device)
        let index = typing.begin(on: device, until: to.map { now + $0 })
        let next = WorldEvent(device: Int32(device), process: 0, what: .user(index))
        kernel.schedule(next, at: now + (from ?? .zero))
    }

    mutating func userTypes(_ index: Int, _ device: Int) {
        guard typing.types(index, at: now) else { return }
        if devices[device].process.isInForeground { userTouches(.typed, device) }
        let next = WorldEvent(device: Int32(device), process: 0, what: .user(index))
        kernel.schedule(next, at: now + World.typingPause)
    }

    mutating func userTouches(_ touch: WebView.Event, _ device: Int) {
        guard devices[device].process.isInForeground, let id = devices[device].process.webViews.first?.id
        else { return }
        deliverToWebView(id, touch, device)
    }

    /// The user stops using the device.
    mutating func stopTyping(_ device: Int) {
        typing.stop(on: device)
        kernel.cancelAll { event in
            guard event.device == Int32(device), case .user = event.what else { return false }
            return true
        }
    }
}
