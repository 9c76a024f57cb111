import AppHost
import Testing

@testable import OTAHostWebKit

@Suite("Scenes and background time become the host's events")
struct AppPhasesTests {
    private final class Scene {}

    private let scenes = [Scene(), Scene()]
    private var first: AppPhases.Scene { ObjectIdentifier(scenes[0]) }
    private var second: AppPhases.Scene { ObjectIdentifier(scenes[1]) }

    @Test("one scene: launch in front, away, back")
    func one() {
        var phases = AppPhases(isInFront: true)
        #expect(phases.handle(.entersForeground(first)) == [], "the launch has said so")
        #expect(phases.handle(.becomesActive(first)) == [.send(.active)])
        // A call, the app switcher.
        #expect(phases.handle(.resignsActive(first)) == [.send(.inactive)])
        #expect(phases.handle(.becomesActive(first)) == [.send(.active)])
        #expect(phases.handle(.resignsActive(first)) == [.send(.inactive)])
        #expect(phases.handle(.entersBackground(first)) == [.send(.background), .beginTask])
        #expect(phases.handle(.entersForeground(first)) == [.send(.foreground), .endTask])
        #expect(phases.handle(.becomesActive(first)) == [.send(.active)])
        #expect(phases.handle(.timeIsOver) == [], "the time of a task that has ended")
    }

    @Test("the app is suspended when its time is over, and says first that it is back")
    func suspended() {
        var phases = AppPhases(isInFront: true)
        _ = phases.handle(.entersForeground(first))
        _ = phases.handle(.entersBackground(first))
        #expect(phases.handle(.timeIsOver) == [.send(.suspended), .settle])
        #expect(phases.handle(.timeIsOver) == [], "the system says so as well")
        #expect(phases.handle(.settled) == [.endTask])
        #expect(phases.handle(.settled) == [])
        #expect(phases.handle(.entersForeground(first)) == [.send(.resumed), .send(.foreground)])

        // Back while the host settles: the process is not stopped.
        _ = phases.handle(.entersBackground(first))
        _ = phases.handle(.timeIsOver)
        #expect(phases.handle(.entersForeground(first)) == [.send(.resumed), .send(.foreground), .endTask])
        #expect(phases.handle(.settled) == [])
        // The system has no time at all.
        #expect(phases.handle(.entersBackground(first)) == [.send(.background), .beginTask])
        #expect(phases.handle(.taskRefused) == [.send(.suspended), .settle])
    }

    @Test("two scenes: in front and active until the last one is not")
    func two() {
        var phases = AppPhases(isInFront: false)
        #expect(phases.handle(.entersForeground(first)) == [.send(.foreground)])
        #expect(phases.handle(.becomesActive(first)) == [.send(.active)])
        #expect(phases.handle(.entersForeground(second)) == [])
        #expect(phases.handle(.becomesActive(second)) == [])
        #expect(phases.handle(.resignsActive(first)) == [])
        #expect(phases.handle(.entersBackground(first)) == [])
        #expect(phases.handle(.disconnects(first)) == [])
        #expect(phases.handle(.disconnects(second)) == [.send(.inactive), .send(.background), .beginTask])
        #expect(phases.handle(.disconnects(second)) == [])
    }

    @Test("what was missed is made up for; an end is an end of being active")
    func missed() {
        var phases = AppPhases(isInFront: false)
        #expect(phases.handle(.becomesActive(first)) == [.send(.foreground), .send(.active)])
        #expect(phases.handle(.terminates) == [.send(.inactive)])
        #expect(phases.handle(.terminates) == [])
    }

    @Test("a push has its own time in background, and needs none in front")
    func pushes() {
        var phases = AppPhases(isInFront: false)
        #expect(phases.handle(.pushed) == [.send(.push), .beginTask])
        #expect(phases.handle(.timeIsOver) == [.send(.suspended), .settle])
        // The next one comes while the host settles: its time begins anew, and it is not ended too early.
        #expect(phases.handle(.pushed) == [.send(.resumed), .send(.push), .beginTask])
        #expect(phases.handle(.settled) == [])
        #expect(phases.handle(.timeIsOver) == [.send(.suspended), .settle])
        #expect(phases.handle(.settled) == [.endTask])
        #expect(phases.handle(.pushed) == [.send(.resumed), .send(.push), .beginTask])
        #expect(phases.handle(.entersForeground(first)) == [.send(.foreground), .endTask])
        #expect(phases.handle(.pushed) == [.send(.push), .endTask])
    }
}
