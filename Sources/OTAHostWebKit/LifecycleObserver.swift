#if canImport(UIKit)
    import AppHost
    import Dispatch
    import Foundation
    import UIKit

    /// Passes the notifications of scenes, and the end of background time, to ``AppPhases``, and performs
    /// what comes out.
    ///
    /// Notifications and not delegate methods, so that the app's own scene delegate stays its own.
    @MainActor
    final class LifecycleObserver {
        private var phases: AppPhases
        private let send: (AppHost.Event) -> Void
        private let observers = Observers()
        private var task = UIBackgroundTaskIdentifier.invalid
        /// Counts the background tasks, so that the timer of one does not end the next.
        private var tasks = 0
        /// Pushes that are worked on.
        private var pushes: [(UIBackgroundFetchResult) -> Void] = []

        init(_ phases: AppPhases, send: @escaping (AppHost.Event) -> Void) {
            self.phases = phases
            self.send = send
            observe(UIScene.willEnterForegroundNotification) { .entersForeground($0) }
            observe(UIScene.didActivateNotification) { .becomesActive($0) }
            observe(UIScene.willDeactivateNotification) { .resignsActive($0) }
            observe(UIScene.didEnterBackgroundNotification) { .entersBackground($0) }
            observe(UIScene.didDisconnectNotification) { .disconnects($0) }
            observe(UIApplication.willTerminateNotification) { _ in .terminates }
        }

        /// Ends with its owner, from whatever thread.
        private final class Observers {
            var tokens: [any NSObjectProtocol] = []

            deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        }

        /// Reports what the scenes that are there already are in, for an app that makes its shell late.
        func begin() {
            for scene in UIApplication.shared.connectedScenes {
                switch scene.activationState {
                case .foregroundActive: handle(.becomesActive(ObjectIdentifier(scene)))
                case .foregroundInactive: handle(.entersForeground(ObjectIdentifier(scene)))
                case .background, .unattached: break
                @unknown default: break
                }
            }
        }

        func receivePush(_ completion: @escaping (UIBackgroundFetchResult) -> Void) {
            pushes.append(completion)
            handle(.pushed)
        }

        private func observe(
            _ name: NSNotification.Name,
            _ callback: @escaping @Sendable (AppPhases.Scene) -> AppPhases.Callback
        ) {
            // Without a queue the block runs at once, on the thread that posts, which for these is the main
            // one: the process may end right after (R2).
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                [weak self] notification in
                guard let scene = notification.object as AnyObject? else { return }
                let received = callback(ObjectIdentifier(scene))
                MainActor.assumeIsolated { self?.handle(received) }
            }
            observers.tokens.append(observer)
        }

        private func handle(_ callback: AppPhases.Callback) {
            for effect in phases.handle(callback) { perform(effect) }
        }

        private func perform(_ effect: AppPhases.Effect) {
            switch effect {
            case .send(let event): send(event)
            case .beginTask: beginTask()
            case .settle: after(AppPhases.settlingTime) { $0.handle(.settled) }
            case .endTask: endTask()
            }
        }

        private func beginTask() {
            let previous = task
            tasks += 1
            let count = tasks
            task = UIApplication.shared.beginBackgroundTask(withName: "otalab") { [weak self] in
                self?.handle(.timeIsOver)
            }
            if previous != .invalid { UIApplication.shared.endBackgroundTask(previous) }
            guard task != .invalid else { return handle(.taskRefused) }
            after(AppPhases.backgroundTime) { observer in
                if observer.tasks == count { observer.handle(.timeIsOver) }
            }
        }

        private func endTask() {
            tasks += 1
            // Whether a push brought anything new is not known here; the system counts it for its budget.
            for completion in pushes { completion(.newData) }
            pushes = []
            guard task != .invalid else { return }
            UIApplication.shared.endBackgroundTask(task)
            task = .invalid
        }

        private func after(_ seconds: Double, _ body: @escaping @MainActor (LifecycleObserver) -> Void) {
            DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
                MainActor.assumeIsolated {
                    if let self { body(self) }
                }
            }
        }
    }
#endif
