import AppHost
import Core
import ScenarioLanguage
import Updater

/// The app's lifecycle: install, launch, foreground and background, suspension, and all ends of a process.
extension World {
    /// Installs a build's package; no process may run.
    mutating func install(_ build: Int, on device: Int) {
        let publication = origin.embedded(build: build)
        let files = AppPackage.files(setup.app.builds[build], publication: publication, library: library)
        do {
            try devices[device].disk.mountPackage(files: files)
        } catch {
            record(
                .note("the package of build \(setup.app.builds[build].name) can't be installed: \(error)"),
                device)
        }
        devices[device].build = build
        let root = setup.origin.root(of: setup.app.builds[build])
        devices[device].settings.origin =
            setup.app.dialect == .meteor ? root : root + OriginResponder.manifestPath
        devices[device].settings.keys = setup.publicKeys(of: setup.app.builds[build])
        record(.installed(build: setup.app.builds[build].name), device)
    }

    /// Starts the app; if it runs, brings it to the front.
    mutating func launch(foreground: Bool, link: String?, name: String?, _ device: Int) {
        if devices[device].isRunning {
            if foreground { bringToFront(device) }
            if let link {
                devices[device].pages.nextLoadName = name
                arrive(.openLink(link), device)
            }
            return
        }
        devices[device].processes += 1
        devices[device].process = AppProcess(ordinal: devices[device].processes, isInForeground: foreground)
        devices[device].process.link = link
        devices[device].pages.nextLoadName = name
        // The platform shows its launch screen until the app shows another.
        devices[device].display.show(.cover)
        record(.launched(foreground: foreground, bootID: devices[device].clock.boot), device)
        post(.input(.launched), device)
        if !foreground { startBackgroundBudget(device) }
    }

    func embeds(_ device: Int) -> Bool { origin.embedded(build: devices[device].build) != nil }

    /// The first event of a process.
    mutating func launchEvent(_ device: Int) -> AppHost.Event? {
        let number = UInt64(device)
        let process = UInt64(devices[device].processes)
        var entropy: [UInt8] = []
        for word in 0..<4 as Range<UInt64> {
            let drawn = choices.draw(.entropy, number, process, word)
            for shift in 0..<8 as Range<UInt64> {
                entropy.append(UInt8(truncatingIfNeeded: drawn >> (shift * 8)))
            }
        }
        let isInForeground = devices[device].process.isInForeground
        let clock = originTime + setup.app.wallClock
        let embedded = embeds(device)
        return devices[device].launch(
            library, embedded: embedded, entropy: entropy, inForeground: isInForeground,
            wallClock: WallClock(seconds: clock.seconds, at: devices[device].clock.reading(at: now))
        ).map { .launched($0) }
    }

    // MARK: - Foreground, background, suspension

    mutating func bringToFront(_ device: Int) {
        guard devices[device].isRunning else { return }
        keepAwake(device)
        // Resuming has started it.
        stopBackgroundBudget(device)
        guard !devices[device].process.isInForeground else { return setActive(true, device) }
        devices[device].process.isInForeground = true
        devices[device].process.isActive = true
        record(.foregrounded, device)
        arrive(.foreground, device)
    }

    mutating func sendToBackground(_ device: Int) {
        guard devices[device].process.isInForeground else { return }
        devices[device].process.isInForeground = false
        devices[device].process.isActive = false
        record(.backgrounded, device)
        arrive(.background, device)
        startBackgroundBudget(device)
    }

    /// The app in front gets the user's input again, or not any more.
    mutating func setActive(_ isActive: Bool, _ device: Int) {
        guard devices[device].process.isInForeground, devices[device].process.isActive != isActive else {
            return
        }
        devices[device].process.isActive = isActive
        record(isActive ? .activated : .deactivated, device)
        arrive(isActive ? .active : .inactive, device)
    }

    mutating func startBackgroundBudget(_ device: Int) {
        stopBackgroundBudget(device)
        let process = devices[device].process.ordinal
        guard process != 0 else { return }
        let end = now + devices[device].profile.backgroundBudget
        let ticket = kernel.schedule(
            WorldEvent(device: Int32(device), process: Int32(process), what: .suspends), at: end)
        devices[device].process.suspension = ticket
    }

    private mutating func stopBackgroundBudget(_ device: Int) {
        if let ticket = devices[device].process.suspension { kernel.cancel(ticket) }
        devices[device].process.suspension = nil
    }

    /// Notifies the app, which is frozen when it has handled the notification (``freeze(_:)``).
    mutating func suspend(_ device: Int) {
        guard devices[device].isRunning, !devices[device].process.isSuspended else { return }
        arrive(.suspended, device)
    }

    /// Stops the process until it is resumed.
    mutating func freeze(_ device: Int) {
        devices[device].process.inbox.isPaused = true
        record(.suspended, device)
        guard !devices[device].profile.socketsSurviveSuspension else { return }
        // The app is notified when it resumes.
        for transfer in dropTransfers(device) {
            record(.transferFailed(transfer.id, .reset, bytes: transfer.arrived), device)
            devices[device].process.held.lose(transfer.id)
        }
        for id in devices[device].network.takeAllBeginning() {
            record(.transferFailed(id, .reset, bytes: 0), device)
            devices[device].process.held.lose(id)
        }
    }

    /// Resumes a suspended process. One that has not handled yet that it is to be suspended is not: otherwise
    /// it would sleep in front.
    private mutating func keepAwake(_ device: Int) {
        devices[device].process.inbox.remove { $0 == .suspended }
        if devices[device].process.isSuspended { resume(device) }
    }

    mutating func resume(_ device: Int) {
        guard devices[device].process.isSuspended else { return }
        devices[device].process.inbox.isPaused = false
        record(.resumed, device)
        var news: [AppInput] = [.resumed]
        if !devices[device].profile.socketsSurviveSuspension {
            news += takeSockets(device)
            news += devices[device].process.held.takeLostTransfers().map { .transfer($0, .failed(.reset)) }
        }
        devices[device].process.inbox.addFirst(news)
        setWake(device)
        let held = devices[device].process.held.takePageEvents()
        for event in held { post(.page(event.webView, event.event), device) }
        if !devices[device].process.isInForeground { startBackgroundBudget(device) }
    }

    /// Stops the process for a time without a notice, as SIGSTOP or a freezer of the system does. Its sockets
    /// stay open. Pages, user and network go on, and what they send waits.
    mutating func stop(for span: TimeSpan, _ device: Int) {
        guard devices[device].isRunning, !devices[device].process.inbox.isPaused else { return }
        devices[device].process.inbox.isPaused = true
        devices[device].process.frozenSince = now
        record(.suspended, device)
        post(.thaws, device, after: span)
    }

    /// The process continues. It notices the time in which it did not run before all that came in it, and
    /// that before its timers.
    mutating func thaw(_ device: Int) {
        guard let since = devices[device].process.frozenSince else { return }
        devices[device].process.frozenSince = nil
        devices[device].process.inbox.isPaused = false
        record(.resumed, device)
        devices[device].process.inbox.moveTimersLast()
        devices[device].process.inbox.addFirst([.frozen(now - since)])
        setWake(device)
        for work in devices[device].process.held.takeWork() { post(work, device) }
    }

    mutating func push(_ device: Int) {
        record(.pushed, device)
        guard devices[device].isRunning else {
            // iOS does not launch an app for a push after its user has swiped it away.
            if devices[device].lastDeath == .user, devices[device].profile.platform == "ios" {
                record(.actionDidNothing("a push does not start an app that its user has closed"), device)
                return
            }
            launch(foreground: false, link: nil, name: nil, device)
            post(.input(.push), device)
            return
        }
        keepAwake(device)
        arrive(.push, device)
        if !devices[device].process.isInForeground { startBackgroundBudget(device) }
    }

    // MARK: - Ends

    /// The user ends the app, by a swipe in the app switcher. An app in front is notified before that it is
    /// no longer active, where the profile says so: it has handled that when it ends, because the gesture
    /// takes longer than any of its steps.
    mutating func endByUser(_ device: Int) {
        if devices[device].process.isInForeground, devices[device].process.isActive,
            !devices[device].process.inbox.isPaused, devices[device].profile.inactiveBeforeSwipe,
            !devices[device].disk.isStopped
        {
            devices[device].process.isActive = false
            record(.deactivated, device)
            run(.inactive, device)
            // The process has ended where the disk stopped.
            if devices[device].disk.isStopped { return }
        }
        end(.user, device)
    }

    /// Ends the process and discards everything that the world holds for it. A process that can run has
    /// handled that it leaves the front.
    mutating func end(_ cause: DeathCause, _ device: Int) {
        guard devices[device].isRunning else { return }
        if !devices[device].process.inbox.isPaused, !devices[device].disk.isStopped {
            for notice in devices[device].process.inbox.takeLeavingFront() { run(notice, device) }
            if devices[device].disk.isStopped { return }
        }
        endProcess(cause, device)
        devices[device].disk.processEnded()
    }

    /// As ``end(_:_:)``, but the disk does not notice it: it still knows handles and syncs in flight.
    private mutating func endProcess(_ cause: DeathCause, _ device: Int) {
        let process = devices[device].process.ordinal
        guard process != 0 else { return }
        record(.processEnded(cause), device)
        if let storage = devices[device].process.webViews.first?.storage {
            devices[device].pages.storage = storage
        }
        dropTransfers(device)
        // The next process may give its requests the same ids.
        _ = devices[device].network.takeAllBeginning()
        devices[device].process = .none
        devices[device].lastDeath = cause
        kernel.cancelAll { $0.device == Int32(device) && $0.process == Int32(process) }
        stopTyping(device)
        if stoppedDevice == device { stoppedDevice = nil }
    }

    mutating func powerCut(_ outcome: PowerCutOutcome, _ device: Int) {
        endProcess(.battery, device)
        let survivors = devices[device].disk.powerCut(keeping: outcome)
        boot(device)
        record(.powerCut(survived: survivors.count { $0 }, of: survivors.count), device)
    }

    mutating func restart(_ device: Int) {
        end(.system, device)
        devices[device].disk.cleanShutdown()
        boot(device)
    }

    private mutating func boot(_ device: Int) {
        devices[device].clock.reboot(at: now)
    }

    mutating func storeUpdate(_ build: Int, _ device: Int) {
        end(.storeUpdate, device)
        install(build, on: device)
    }
}
