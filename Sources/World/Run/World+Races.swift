import AppHost
import Backend
import Core
import ScenarioLanguage

/// Races whose order a step of the scenario sets.
extension World {
    /// Time after which an order that was not reached is given up.
    static let raceTimeout = TimeSpan.seconds(1)

    mutating func beginRace(_ order: [RacingEvent], step: Int, _ device: Int) {
        let index = races.begin(order, step: step)
        kernel.schedule(
            WorldEvent(device: Int32(device), process: 0, what: .raceTimesOut(index)),
            at: now + World.raceTimeout)
    }

    /// Whether a race has taken the input over: it holds it back, or has delivered it and the held inputs
    /// that follow it.
    mutating func isHeld(_ input: AppInput, _ device: Int, _ process: Int) -> Bool {
        guard let event = race(input) else { return false }
        let held = RaceBarrier.Held(device: device, process: process, input: input)
        switch races.admit(event, held) {
        case .unrelated: return false
        case .hold: return true
        case .proceed(let released):
            record(.raced(event), device)
            deliver(input, device)
            for next in released {
                record(.raced(next.event), device)
                release(next.input)
            }
            return true
        }
    }

    private mutating func release(_ held: RaceBarrier.Held) {
        guard devices[held.device].process.ordinal == held.process else { return }
        deliver(held.input, held.device)
    }

    /// The order was not reached in time: the held inputs are delivered.
    mutating func giveUpRace(_ index: Int) {
        guard let (step, held) = races.giveUp(index) else { return }
        record(.raceGivenUp(step: step), -1)
        for input in held { release(input) }
    }

    private func race(_ input: AppInput) -> RacingEvent? {
        switch input {
        case .webView(_, .navigating): .navigationStarts
        case .webView(_, .message(let bytes, _)):
            if contains(bytes, "switchToPendingVersion") {
                .switchApplied
            } else if contains(bytes, "startupDidComplete") {
                .confirmationArrives
            } else {
                nil
            }
        case .connection(_, .received(let bytes)):
            contains(bytes, "Accept: text/html") ? .indexRequested : nil
        case .launched, .again, .synced, .timer, .transfer, .signaturesVerified, .listener, .connection,
            .upstream, .webView,
            .foreground,
            .background, .active, .inactive,
            .suspended, .resumed, .frozen, .push, .check, .network, .user, .settings, .openLink, .callPage,
            .nativeAnswer, .marker:
            nil
        }
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return false }
        for start in 0...(bytes.count - wanted.count) where bytes[start] == first {
            if bytes[start..<start + wanted.count].elementsEqual(wanted) { return true }
        }
        return false
    }
}
