import AppHost

/// What the callbacks of an iOS app's scenes, and of its time in background, mean for the host.
///
/// In front is an app while one of its scenes is; active while one of its scenes is active (R2). In
/// background it works for ``backgroundTime`` seconds, then it is about to be suspended: the host closes its
/// socket and stops its clocks before the system stops the process (S4, N3).
///
/// **Guarantees.** Events alternate: `.foreground` and `.background`, `.active` and `.inactive`, `.suspended`
/// and `.resumed`, whatever order the scenes come in. `.resumed` is sent before anything else that happens
/// after a suspension. A background task that has begun is ended.
struct AppPhases {
    /// A scene; `ObjectIdentifier` of it.
    typealias Scene = ObjectIdentifier

    enum Callback: Hashable, Sendable {
        case entersForeground(Scene)
        case becomesActive(Scene)
        case resignsActive(Scene)
        case entersBackground(Scene)
        case disconnects(Scene)
        /// The app is about to be terminated.
        case terminates
        /// A silent push arrived.
        case pushed
        /// The system has no background time for the app.
        case taskRefused
        /// The time in background is over, or the system says that it is about to be.
        case timeIsOver
        /// The host has had ``settlingTime`` for a suspension.
        case settled
    }

    enum Effect: Hashable, Sendable {
        case send(AppHost.Event)
        /// Asks the system for background time, in place of what the app has, and sends
        /// ``Callback/timeIsOver`` after ``backgroundTime`` from now.
        case beginTask
        /// Sends ``Callback/settled`` after ``settlingTime``.
        case settle
        /// Gives the background time back, and says that the pushes were worked on.
        case endTask
    }

    /// Seconds. The system gives some 30 to an app that goes to the background, and 30 for a push.
    static let backgroundTime = 20.0
    /// Seconds until the host has certainly handled an event, because none is answered.
    static let settlingTime = 1.0

    /// Scenes in front.
    private var front: Set<Scene> = []
    private var active: Set<Scene> = []
    private var isInFront: Bool
    private var isSuspended = false
    private var hasTask = false

    /// - Parameter isInFront: whether the launch was in front (`Updater.Launch.inForeground`).
    init(isInFront: Bool) { self.isInFront = isInFront }

    mutating func handle(_ callback: Callback) -> [Effect] {
        switch callback {
        case .entersForeground(let scene): return entersForeground(scene)
        case .becomesActive(let scene):
            // Whatever was missed, an active scene is in front.
            let effects = entersForeground(scene)
            let isFirst = active.isEmpty
            active.insert(scene)
            return effects + (isFirst ? [.send(.active)] : [])
        case .resignsActive(let scene): return resignsActive(scene)
        case .entersBackground(let scene), .disconnects(let scene):
            let effects = resignsActive(scene)
            front.remove(scene)
            guard front.isEmpty, isInFront else { return effects }
            isInFront = false
            return effects + [.send(.background)] + beginTask()
        case .terminates:
            defer { active = [] }
            return active.isEmpty ? [] : [.send(.inactive)]
        case .pushed:
            let effects = resume() + [.send(.push)]
            return effects + (isInFront ? [.endTask] : beginTask())
        case .taskRefused, .timeIsOver:
            guard hasTask, !isInFront, !isSuspended else { return [] }
            isSuspended = true
            return [.send(.suspended), .settle]
        case .settled:
            guard hasTask, isSuspended else { return [] }
            hasTask = false
            return [.endTask]
        }
    }

    private mutating func entersForeground(_ scene: Scene) -> [Effect] {
        front.insert(scene)
        guard !isInFront else { return [] }
        isInFront = true
        let effects = resume() + [.send(.foreground)]
        defer { hasTask = false }
        return effects + (hasTask ? [.endTask] : [])
    }

    private mutating func resignsActive(_ scene: Scene) -> [Effect] {
        guard active.remove(scene) != nil, active.isEmpty else { return [] }
        return [.send(.inactive)]
    }

    private mutating func resume() -> [Effect] {
        defer { isSuspended = false }
        return isSuspended ? [.send(.resumed)] : []
    }

    private mutating func beginTask() -> [Effect] {
        hasTask = true
        return [.beginTask]
    }
}
