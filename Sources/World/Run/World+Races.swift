import AppHost
import Backend
import Core
import ScenarioLanguage

/// Races whose order a step of the scenario sets.
extension World {
    /// An order that was not reached after this time is given up.
    static let racePatience = TimeSpan.seconds(1)

    mutating func beginRace(_ order: [RacingEvent], step: Int, _ device: Int) {
        let index = races.begin(order, step: step)
        kernel.schedule(
            WorldEvent(device: Int32(device), process: 0, what: .gateOpens(index)),
            at: now + World.racePatience)
    }

    /// Whether a race's order holds this back; delivers it and what waited for it if it is its turn.
    mutating func isHeld(_ input: AppInput, _ device: Int, _ process: Int) -> Bool {
        guard let event = race(input) else { return false }
        let held = RaceBarrier.Held(device: device, process: process, input: input)
        switch races.meet(event, held) {
        case .isOther: return false
        case .waits: return true
        case .comes(let waiting):
            fact(.raced(event), device)
            deliver(input, device)
            for next in waiting {
                fact(.raced(next.event), device)
                release(next.input)
            }
            return true
        }
    }

    private mutating func release(_ held: RaceBarrier.Held) {
        guard devices[held.device].process.number == held.process else { return }
        deliver(held.input, held.device)
    }

    /// The order was not reached in time: everything continues in the order in which it came.
    mutating func giveUpRace(_ index: Int) {
        guard let (step, held) = races.giveUp(index) else { return }
        fact(.raceGivenUp(step: step), -1)
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
            contains(bytes, "Sec-Fetch-Dest: document") ? .indexRequested : nil
        case .launched, .again, .timer, .transfer, .listener, .connection, .upstream, .webView, .foreground,
            .background,
            .suspended, .resumed, .push, .check, .network, .user, .settings, .marker:
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
