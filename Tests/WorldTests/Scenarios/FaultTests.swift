import AppHost
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("Faults of network, disk and port")
struct FaultTests {
    static let passing: [FaultKind] = [
        .refuse, .dnsFailure, .connectTimeout, .insecure, .captivePortal, .reset(after: nil),
        .reset(after: .percent(60)), .stall(after: nil), .stall(after: .bytes(30_000)),
        .truncate(.percent(10)),
        .corrupt(bytes: 1, at: nil),
        .status(503, headers: [HeaderSpec(name: "Retry-After", value: Spanned<String?>(.some("20")))]),
        .status(404, headers: []), .slow(.answers, by: .seconds(5)), .staleEdge,
    ]

    @Test(
        "After one request for the script went wrong, in whatever way, the update still arrives whole",
        arguments: passing)
    func script(kind: FaultKind) throws {
        try updateArrives(despite: kind, "/app.js")
    }

    @Test(
        "After one request for the manifest went wrong, in whatever way, the update still arrives",
        arguments: passing.filter { !$0.makesAnotherManifest })
    func manifest(kind: FaultKind) throws {
        try updateArrives(despite: kind, .manifest)
    }

    private func updateArrives(despite kind: FaultKind, _ target: RequestSubject) throws {
        var world = try Shop.world()
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.settleDown()
        world.perform(.deploy(DeploySpec("v2")))
        var fault = FaultSpec(kind, target: target)
        fault.times = 1
        world.perform(.fault(fault), as: "one")
        for _ in 0..<4 where !world.isPending("v2") {
            world.perform(.check)
            _ = world.run(.minutes(5)) { $0.isPending("v2") }
        }
        #expect(world.count { $0 == .faultApplied("one") } == 1)
        #expect(world.isPending("v2"), "\(world.traceText)")
        world.relaunch()
        #expect(world.run(.seconds(10)) { $0.isReady("v2") }, "\(world.traceText)")
    }

    /// A world whose page is up, with a fault of disk calls and a check for v2 that meets it.
    private func worldWithFailingCalls(
        _ error: DiskErrorSpec, nth: Int? = nil, times: Int? = nil
    ) throws -> World {
        var world = try Shop.world()
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.settleDown()
        var fault = FaultSpec(.diskError(error))
        fault.nth = nth.map { Spanned($0) }
        fault.times = times.map { Spanned($0) }
        world.perform(.fault(fault), as: "calls")
        world.perform(.deploy(DeploySpec("v2")))
        return world
    }

    private func errors(_ world: World, _ text: String) -> Int {
        world.count {
            if case .log(let entry) = $0 { "\(entry)".contains(text) } else { false }
        }
    }

    @Test("The nth call of a kind on a part of the store fails, once, and the update arrives all the same")
    func nthDiskCall() throws {
        var world = try worldWithFailingCalls(
            DiskErrorSpec(.inputOutput, .rename, of: .download), nth: 1, times: 1)
        world.perform(.check)
        #expect(world.run(.minutes(5)) { $0.isPending("v2") }, "\(world.traceText)")
        #expect(errors(world, "EIO in rename") == 1, "\(world.traceText)")
        #expect(world.appliedDeviceFaults == ["calls"])
    }

    @Test("Calls beyond the nth, of other kinds and on other parts do not fail")
    func otherDiskCalls() throws {
        for (error, nth) in [
            (DiskErrorSpec(.inputOutput, .rename, of: .download), 1_000),
            (DiskErrorSpec(.inputOutput, .write, of: .package), 1),
            (DiskErrorSpec(.inputOutput, .rename, of: .record), 1),
        ] {
            var world = try worldWithFailingCalls(error, nth: nth)
            world.perform(.check)
            #expect(world.run(.minutes(5)) { $0.isPending("v2") }, "\(world.traceText)")
            #expect(errors(world, "EIO") == 0 && world.appliedDeviceFaults == [], "\(error)")
        }
    }

    @Test("A number of calls fails, or without a number all until the fault is healed")
    func manyDiskCalls() throws {
        var world = try worldWithFailingCalls(DiskErrorSpec(.denied, .rename, of: .download), times: 2)
        world.perform(.check)
        #expect(world.run(.minutes(5)) { $0.isPending("v2") }, "\(world.traceText)")
        #expect(errors(world, "EACCES in rename") == 2, "\(world.traceText)")

        world = try worldWithFailingCalls(DiskErrorSpec(.denied, .rename, of: .download))
        // Another fault of calls ends alone.
        world.perform(.fault(FaultSpec(.diskError(DiskErrorSpec(.noMemory, .list)))), as: "other")
        world.perform(.heal("other"))
        world.perform(.check)
        #expect(!world.run(.minutes(5)) { $0.isPending("v2") })
        #expect(errors(world, "EACCES in rename") > 2, "\(world.traceText)")
        world.perform(.heal("calls"))
        #expect(world.appliedDeviceFaults == ["calls"])
        world.perform(.check)
        #expect(world.run(.minutes(5)) { $0.isPending("v2") }, "\(world.traceText)")
    }

    @Test("Offline cuts what runs; back online the download goes on from where it was")
    func offline() throws {
        var world = try Shop.world()
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.perform(.deploy(DeploySpec("v2")))
        world.schedule(
            TriggeredAction(.when(Spanned(.stored(.percent(50), of: "/app.js"))), .network(.offline)))
        world.perform(.check)
        #expect(world.run(.seconds(20)) { $0.view().network == .offline }, "\(world.traceText)")
        #expect(
            world.count { if case .transferFailed(_, .offline, 30_000) = $0 { true } else { false } } == 1)
        world.run(for: .minutes(5))
        #expect(!world.isPending("v2"))
        world.perform(.network(.online))
        #expect(world.run(.minutes(2)) { $0.isPending("v2") }, "\(world.traceText)")
        let offsets = world.trace.compactMap { event -> Int? in
            if case .requestSent(let request) = event.kind, request.kind == .file("/app.js") {
                return request.from ?? 0
            }
            return nil
        }
        #expect(offsets.last == 30_000, "\(offsets)")
    }

    @Test(
        "A kill at an amount of stored bytes follows them at once, and only the rest is fetched then"
    )
    func killAtStored() throws {
        var world = try Shop.world()
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.perform(.deploy(DeploySpec("v2")))
        world.schedule(TriggeredAction(.when(Spanned(.stored(.percent(60), of: "/app.js"))), .kill(.system)))
        world.perform(.check)
        #expect(world.run(.seconds(20)) { $0.view().process == nil }, "\(world.traceText)")
        world.start()
        #expect(world.run(.minutes(2)) { $0.isPending("v2") }, "\(world.traceText)")
        let sent = world.trace.compactMap { event -> Int? in
            if case .transferEnded(_, let bytes, let mask) = event.kind, mask.contains(1) { return bytes }
            return nil
        }
        #expect(sent == [24_000], "\(sent)")
    }

    @Test("An action at the nth request happens before that request leaves, also when it kills")
    func asked() throws {
        var world = try Shop.world()
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.perform(.deploy(DeploySpec("v2")))
        world.schedule(TriggeredAction(.when(Spanned(.asked("/app.js", nth: 1))), .kill(.crash)))
        world.perform(.check)
        #expect(world.run(.seconds(20)) { $0.view().process == nil }, "\(world.traceText)")
        #expect(world.devices[0].network.link.isIdle)
        #expect(world.waitingActions.isEmpty)
    }

    @Test("A confirmed version triggers what waits for it, at a time and after a while too")
    func otherTriggers() throws {
        var world = try Shop.world()
        world.schedule(TriggeredAction(.after(Spanned(.confirmed("v1"))), .deploy(DeploySpec("v2"))))
        world.schedule(TriggeredAction(.at(Spanned(.seconds(3))), .background))
        world.schedule(TriggeredAction(.delay(Spanned(.seconds(4))), .foreground))
        world.start()
        world.run(until: .zero + .milliseconds(3_500))
        #expect(world.count { if case .deployed = $0 { true } else { false } } == 1)
        #expect(!world.view().isInForeground)
        world.run(until: .zero + .milliseconds(4_500))
        #expect(world.view().isInForeground)
    }

    @Test("A full disk is logged, not blamed on the version; healed, the update arrives")
    func noSpace() throws {
        var world = try Shop.world()
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.perform(.fault(FaultSpec(.noSpace(after: 20_000))), as: "full")
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        world.run(for: .minutes(1))
        #expect(!world.isPending("v2"))
        #expect(world.count { if case .log(let entry) = $0 { entry.cause == .noSpace } else { false } } >= 1)
        world.perform(.heal(nil))
        world.perform(.check)
        #expect(world.run(.minutes(5)) { $0.isPending("v2") }, "\(world.traceText)")
        #expect(world.view().status?.blacklist.isEmpty == true)
    }

    @Test("A taken port shows its screen and no page; given back, the page comes")
    func portTaken() throws {
        var world = try Shop.world()
        world.perform(.fault(FaultSpec(.portTaken)), as: "port")
        world.start()
        world.run(for: .seconds(3))
        #expect(world.view().screen == .portTaken)
        world.perform(.heal("port"))
        #expect(world.run(.seconds(15)) { $0.isReady("v1") }, "\(world.traceText)")
    }

    @Test(
        "A race's order is kept: the index is requested after the platform announced a navigation, or before"
    )
    func race() throws {
        for order in [
            [RacingEvent.navigationStarts, .indexRequested], [.indexRequested, .navigationStarts],
        ] {
            var world = try Shop.world()
            world.start()
            #expect(world.run(.seconds(5)) { $0.isReady("v1") })
            world.perform(.page(PageSpec(action: .reload)), as: "second", order: order)
            #expect(world.run(.seconds(5)) { $0.isReady("v1") && $0.view().webViews.first?.name == "second" })
            let raced = world.trace.compactMap { event in
                if case .raced(let event) = event.kind { event } else { nil }
            }
            #expect(raced == order)
        }
    }

    @Test("An order that can't come about is given up after a second, and noted")
    func impossibleRace() throws {
        var world = try Shop.world()
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.perform(
            .page(PageSpec(action: .reload)), as: "second", order: [.switchApplied, .indexRequested])
        #expect(world.run(.seconds(5)) { $0.view().webViews.first?.name == "second" }, "\(world.traceText)")
        #expect(world.count { $0 == .raceGivenUp(step: 0) } == 1)
    }

    @Test("Damage is done to what is stored, wherever it lies, and noticed")
    func damage() throws {
        for damage in [
            Damage.truncate(to: .percent(50)), .flip(bytes: 1), .remove, .readError(at: .percent(50)),
        ] {
            var world = try Shop.world()
            world.start()
            #expect(world.run(.seconds(5)) { $0.isReady("v1") })
            world.perform(.deploy(DeploySpec("v2")))
            world.perform(.check)
            #expect(world.run(.seconds(30)) { $0.isPending("v2") })
            world.perform(.kill(.user))
            world.perform(
                .disk(
                    DiskSpec(
                        file: Spanned(.content(FileReference(version: "v2", route: "/app.js"))),
                        damage: Spanned(damage))))
            world.perform(.powerCut(.everything))
            #expect(world.count { if case .damaged = $0 { true } else { false } } == 1, "\(damage)")
            world.perform(.network(.offline))
            world.start()
            #expect(world.run(.seconds(10)) { $0.isReady("v1") }, "\(damage) \(world.traceText)")
        }
    }
}

extension FaultKind {
    /// A damaged manifest that can still be read is another publication under the same serial: an updater
    /// can't tell it from a true one, and waits for the next.
    fileprivate var makesAnotherManifest: Bool {
        if case .corrupt = self { return true }
        return false
    }
}

extension World {
    /// The check at launch has ended.
    mutating func settleDown() { run(for: .seconds(20)) }
}
