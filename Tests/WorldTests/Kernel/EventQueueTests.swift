import Core
import Testing

@testable import World

@Suite("The queue of events")
struct EventQueueTests {
    @Test("Entries come by instant, then tie-break, then in the order in which they went in")
    func order() {
        var queue = EventQueue<String>()
        queue.push("late", at: .zero + .seconds(2))
        queue.push("second", at: .zero + .seconds(1), tie: 1)
        queue.push("third", at: .zero + .seconds(1), tie: 1)
        queue.push("first", at: .zero + .seconds(1))
        var order: [String] = []
        while let next = queue.pop() { order.append(next.payload) }
        #expect(order == ["first", "second", "third", "late"])
    }

    @Test("A cancelled entry leaves, and its ticket is worth nothing for the one that takes its slot")
    func cancel() {
        var queue = EventQueue<Int>()
        let ticket = queue.push(1, at: .zero + .seconds(5))
        let wasThere = queue.remove(ticket)
        #expect(wasThere)
        #expect(queue.isEmpty)
        queue.push(2, at: .zero)
        let isStillThere = queue.remove(ticket)
        #expect(!isStillThere)
        let seen1 = queue.pop()?.payload
        #expect(seen1 == 2)
    }

    @Test("Whatever is pushed and cancelled, what is left comes in order", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var choices = RandomChoices(seed: seed)
        var queue = EventQueue<Int>()
        var model: [(at: Int64, sequence: Int)] = []
        var tickets: [(QueueTicket, Int)] = []
        for number in 0..<400 {
            let drawn = choices.draw(.tie, 1)
            if drawn % 3 == 0, !tickets.isEmpty {
                let (ticket, cancelled) = tickets.remove(at: Int(drawn / 3 % UInt64(tickets.count)))
                queue.remove(ticket)
                model.removeAll { $0.sequence == cancelled }
            } else {
                let at = Int64(drawn / 7 % 50)
                tickets.append((queue.push(number, at: Instant(microseconds: at)), number))
                model.append((at, number))
            }
        }
        let expected = model.sorted { $0.at == $1.at ? $0.sequence < $1.sequence : $0.at < $1.at }.map(
            \.sequence)
        #expect(queue.entries.map(\.payload) == expected)
        var popped: [Int] = []
        while let next = queue.pop() { popped.append(next.payload) }
        #expect(popped == expected)
    }

    @Test("A fork of a queue goes its own way")
    func fork() {
        var queue = EventQueue<Int>()
        queue.push(1, at: .zero)
        var copy = queue
        copy.push(0, at: .zero - .seconds(1))
        #expect(queue.count == 1)
        let seen2 = copy.pop()?.payload
        #expect(seen2 == 0)
        let seen3 = queue.pop()?.payload
        #expect(seen3 == 1)
    }
}

@Suite("Clock, timers and choices")
struct KernelTests {
    @Test("The clock jumps over time in which nothing happens, and never goes back")
    func clock() {
        var kernel = Kernel<Int>()
        kernel.schedule(1, at: .zero + .days(7))
        let seen4 = kernel.advance()
        #expect(seen4 == 1)
        #expect(kernel.now == .zero + .days(7))
        kernel.schedule(2, at: .zero)
        let seen5 = kernel.advance()
        #expect(seen5 == 2)
        #expect(kernel.now == .zero + .days(7))
        let seen6 = kernel.advance()
        #expect(seen6 == nil)
    }

    @Test("Setting a timer again returns the previous ticket")
    func timers() {
        var queue = EventQueue<Int>()
        var timers = Timers<String>()
        let first = queue.push(1, at: .zero)
        let second = queue.push(2, at: .zero)
        let seen7 = timers.set("sweep", first)
        #expect(seen7 == nil)
        let seen8 = timers.set("retry", second)
        #expect(seen8 == nil)
        let seen9 = timers.set("sweep", second)
        #expect(seen9 == first)
        #expect(timers.names == ["retry", "sweep"])
        let seen10 = timers.remove("sweep")
        #expect(seen10 == second)
        let seen11 = timers.remove("sweep")
        #expect(seen11 == nil)
    }

    @Test("Taking one draw out of a run moves none of another cause")
    func choices() {
        var all = RandomChoices(seed: 7)
        let first = all.draw(.tie, 1)
        let other = all.draw(.tie, 2)
        let again = all.draw(.tie, 1)
        var without = RandomChoices(seed: 7)
        let seen12 = without.draw(.tie, 1)
        #expect(seen12 == first)
        let seen13 = without.draw(.tie, 1)
        #expect(seen13 == again)
        let seen14 = without.draw(.tie, 2)
        #expect(seen14 == other)
        #expect(first != again)
        var otherSeed = RandomChoices(seed: 8)
        let seen15 = otherSeed.draw(.tie, 1)
        #expect(seen15 != first)
        var otherFamily = RandomChoices(seed: 7)
        let seen16 = otherFamily.draw(.damage, 1)
        #expect(seen16 != first)
    }

    @Test("The ring holds the last events, the oldest first, and the digest depends on every one")
    func ring() {
        func history(_ numbers: [Int64]) -> History {
            var history = History(seed: 1, lastEvents: 3)
            for number in numbers {
                history.note(
                    EventRecord(at: Instant(microseconds: number), code: 1, device: 0, process: 1, detail: 0))
            }
            return history
        }
        let five = history([1, 2, 3, 4, 5])
        #expect(five.lastEvents.map(\.at.microseconds) == [3, 4, 5])
        #expect(five.digest == history([1, 2, 3, 4, 5]).digest)
        #expect(five.digest != history([1, 2, 4, 3, 5]).digest)
        #expect(five.digest != history([1, 2, 3, 4]).digest)
    }

    @Test("A race's events come in the requested order, and one that is not part of it is never held")
    func gate() {
        func held(_ number: Int) -> RaceBarrier.Held {
            RaceBarrier.Held(device: 0, process: number, input: .again(.urgent))
        }
        func words(_ turn: RaceBarrier.Decision) -> String {
            switch turn {
            case .unrelated: "other"
            case .hold: "waits"
            case .proceed(let waiting): "comes with \(waiting.map(\.input.process))"
            }
        }
        var gate = RaceBarrier(order: [.indexRequested, .navigationStarts], step: 3)
        var turns = [
            words(gate.admit(.switchApplied, held(1))), words(gate.admit(.navigationStarts, held(2))),
        ]
        #expect(!gate.isDone)
        turns.append(words(gate.admit(.indexRequested, held(3))))
        #expect(gate.isDone)
        turns.append(words(gate.admit(.navigationStarts, held(4))))
        #expect(turns == ["other", "waits", "comes with [2]", "other"])
    }
}
