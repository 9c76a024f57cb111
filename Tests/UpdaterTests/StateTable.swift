import Core
import Foundation
import Testing

@testable import Updater

/// Devices and events of the state table: what `VersionStates.md` says about version v2, applied to a real
/// updater.
enum StateTable {
    /// A state that v2 can be in, with further conditions.
    enum Situation: String, CaseIterable {
        case unknown
        case downloading
        case stored
        case pending
        case starting
        case thirdTry = "starting, two unclear ends before"
        case eighthInBackground = "starting, seven uncounted ends before"
        case secondChance = "starting, second chance"
        case chanceAfterFront = "starting, second chance after an end in front"
        case lastTry = "starting, parked twice, two unclear ends since"
        case unreachable = "starting, parked twice, two unclear ends since, no origin ever reachable"
        case failedOnce = "failed-once"
        case waiting
        case parked
        case good
        case proven
        case provenUnconfirmed = "proven, three starts in a row unconfirmed"
        case damaged
        case blacklisted
        case recalled

        var state: VersionState {
            switch self {
            case .unknown: .unknown
            case .downloading: .downloading
            case .stored: .stored
            case .pending: .pending
            case .starting, .thirdTry, .eighthInBackground, .secondChance, .chanceAfterFront, .lastTry,
                .unreachable:
                .starting
            case .failedOnce: .failedOnce
            case .waiting: .waiting
            case .parked: .parked
            case .good: .good
            case .proven, .provenUnconfirmed: .proven
            case .damaged: .damaged
            case .blacklisted: .blacklisted
            case .recalled: .recalled
            }
        }

        /// Whether a page of it is open, so that it can confirm, fail or end.
        var hasPage: Bool { state == .starting || self == .good || self == .proven }
    }

    enum Event: String, CaseIterable {
        case offered
        case anotherOffered = "another is offered"
        case userAsks = "the user asks, offered"
        case dayLater = "a day later, offered"
        case eightDaysLater = "eight days later, offered"
        case recalled = "recalled"
        case unblocked = "unblocked"
        case reload
        case processStart = "process start"
        case damageFound = "damage found"
        case storeUpdate = "store update"
        case confirms
        case fails = "the page reports failure"
        case webProcessDiesTwice = "the web process dies twice in front"
        case clockReachable = "the clock runs out, reachable, untouched"
        case clockInUse = "the clock runs out, in use"
        case clockUnreachable = "the clock runs out, not reachable"
        case endByCrash = "the process ends, the exit record says crash"
        case endUnrecorded = "the process ends, without an exit record"
        case endInFront = "the process ends in front, without an exit record"
        case endInBackground = "the process ends in background"

        var needsPage: Bool {
            switch self {
            case .offered, .anotherOffered, .userAsks, .dayLater, .eightDaysLater, .recalled, .unblocked,
                .reload, .processStart, .damageFound, .storeUpdate:
                false
            case .confirms, .fails, .webProcessDiesTwice, .clockReachable, .clockInUse, .clockUnreachable,
                .endByCrash,
                .endUnrecorded, .endInFront, .endInBackground:
                true
            }
        }
    }

    struct Transition: Equatable {
        var situation: Situation
        var event: Event
        var becomes: String
        var causes: [String]
    }

    /// Runs one transition of the table.
    static func transition(_ situation: Situation, _ event: Event) throws -> Transition {
        var subject = try Subject(situation)
        #expect(subject.state == situation.state, "\(situation.rawValue)")
        subject.device.logged = []
        try subject.apply(event)
        let logged = subject.device.logged.filter { $0.version == "v2" }.map(\.cause)
        let silent: [LogCause] = [.startMarked, .switched, .downloadStarted, .alreadyDownloading, .upToDate]
        var causes: [String] = []
        for cause in logged where !silent.contains(cause) && !causes.contains(cause.rawValue) {
            causes.append(cause.rawValue)
        }
        return Transition(
            situation: situation, event: event, becomes: subject.state?.rawValue ?? "?", causes: causes)
    }
}

/// One device whose version v2 is in a given situation.
struct Subject {
    var device: Harness
    let key: VersionKey
    var token = PageLoadToken(0)
    private let second = Version("v2", serial: 2)

    var state: VersionState? { device.updater.state(of: key) }

    init(_ situation: StateTable.Situation) throws {
        device = try Harness(embedded: Version("v1", serial: 1))
        key = try ManifestReader(dialect: .own).read(second.manifest).key
        try device.start()
        device.offered = second
        switch situation {
        case .unknown: break
        case .downloading:
            device.answers = [("/app.js", 503, [])]
            device.check()
        case .stored:
            try begin(.starting)
            device.kill()
            try device.launch()
            device.offered = Version("v1", serial: 3)
            // This process runs v2 at its second attempt; the origin goes back to v1.
            device.load(.processStart)
            device.check()
            device.offered = Version("v3", serial: 4)
            device.check()
            _ = device.show(.reload)
        case .pending: device.check()
        case .starting: try begin(.starting)
        case .thirdTry:
            device.check()
            try endUnclear(2)
            try show()
        case .eighthInBackground:
            device.check()
            for _ in 0..<7 {
                try show()
                device.send(.background)
                device.kill()
            }
            try show()
        case .secondChance:
            try failOnce()
            try show()
        case .chanceAfterFront:
            try endInFront()
            try show()
        case .lastTry: try parkTwice(isReachable: true)
        case .unreachable: try parkTwice(isReachable: false)
        case .failedOnce: try failOnce()
        case .waiting: try endInFront()
        case .parked:
            device.check()
            try endUnclear(3)
            try device.launch()
            device.load(.processStart)
        case .good:
            try begin(.starting)
            device.send(.page(token, .confirmed))
        case .proven: try prove()
        case .provenUnconfirmed:
            try prove()
            for _ in 0..<3 { try show() }
        case .damaged:
            device.check()
            try damage()
            try device.launch()
        case .blacklisted:
            try failOnce()
            try show()
            device.send(.page(token, .failed("broken")))
            device.load(.commanded)
        case .recalled:
            device.check()
            recall()
        }
    }

    private mutating func begin(_ situation: StateTable.Situation) throws {
        device.check()
        try show()
    }

    /// A new process shows v2.
    private mutating func show() throws {
        device.kill()
        try device.launch()
        token = device.load(.processStart)
        #expect(device.running(token) == "v2")
    }

    private mutating func prove() throws {
        device.check()
        for _ in 0..<5 {
            try show()
            device.send(.page(token, .confirmed))
        }
    }

    private mutating func parkTwice(isReachable: Bool) throws {
        device.check()
        for _ in 0..<2 {
            try endUnclear(3, isReachable: isReachable)
            try comeBackAfterDays(2)
        }
        try endUnclear(2, isReachable: isReachable)
        try show()
    }

    private mutating func endUnclear(_ count: Int, isReachable: Bool = true) throws {
        for _ in 0..<count {
            try show()
            if isReachable { device.check() }
            device.wait(.seconds(6))
            device.kill()
        }
    }

    private mutating func comeBackAfterDays(_ days: Int64) throws {
        try device.launch()
        device.load(.processStart)
        device.wait(.days(days))
        device.check()
        #expect(state == .pending)
    }

    private mutating func failOnce() throws {
        device.check()
        try show()
        device.send(.page(token, .failed("broken")))
        let rescuer = device.load(.commanded)
        device.send(.page(rescuer, .confirmed))
    }

    /// v2 ends in front, and v1 takes over and confirms.
    private mutating func endInFront() throws {
        device.check()
        try show()
        device.kill(inFront: true)
        try device.launch()
        let rescuer = device.load(.processStart)
        #expect(device.running(rescuer) == "v1")
        device.send(.page(rescuer, .confirmed))
    }

    private mutating func damage() throws {
        device.kill()
        let blob = try #require(device.disk.files(under: StorePaths.blobs).first)
        try device.disk.place(blob, [1, 2, 3])
    }

    private mutating func recall() {
        var answer = Version("v1", serial: 9)
        answer.extra = "\"recalled\": [\"v2\"],"
        device.offered = answer
        device.check()
    }

    mutating func apply(_ event: StateTable.Event) throws {
        switch event {
        case .offered: offerAgain()
        case .anotherOffered:
            device.answers = []
            device.offered = Version("v3", serial: 20)
            device.check()
        case .userAsks:
            device.answers = []
            device.offered = Version("v2", serial: 20)
            device.send(.check(.user))
        case .dayLater: pass(days: 1)
        case .eightDaysLater: pass(days: 8)
        case .recalled: recall()
        case .unblocked:
            var answer = Version("v1", serial: 10)
            answer.extra = "\"unblock\": [\"v2\"],"
            device.offered = answer
            device.check()
        case .reload: device.load(.reload)
        case .processStart:
            device.kill()
            try device.launch()
            device.load(.processStart)
        case .damageFound:
            if device.disk.files(under: StorePaths.blobs).isEmpty { return }
            try damage()
            device.boot = "boot-2"
            try device.launch()
        case .storeUpdate:
            device.kill()
            try device.embed(Version("v4", serial: 40))
            device.native = "1.1"
            try device.launch()
        case .confirms, .fails, .webProcessDiesTwice, .clockReachable, .clockInUse, .clockUnreachable,
            .endByCrash,
            .endUnrecorded, .endInFront, .endInBackground:
            try start(event)
        }
    }

    private mutating func offerAgain() {
        device.answers = []
        device.offered = Version("v2", serial: 20)
        device.check()
    }

    private mutating func pass(days: Int64) {
        device.wait(.days(days))
        offerAgain()
    }

    private mutating func start(_ event: StateTable.Event) throws {
        switch event {
        case .confirms: device.send(.page(token, .confirmed))
        case .fails: device.send(.page(token, .failed("broken")))
        case .webProcessDiesTwice:
            device.send(.page(token, .webProcessDied))
            let again = device.load(.webProcessRestart)
            device.send(.page(again, .webProcessDied))
        case .clockReachable:
            device.check()
            device.wait(.seconds(61))
        case .clockInUse:
            device.check()
            device.send(.page(token, .touched))
            device.wait(.seconds(61))
        case .clockUnreachable:
            device.isOffline = true
            device.wait(.seconds(150))
        case .endByCrash: try end(.crash)
        case .endUnrecorded: try end(nil)
        case .endInFront:
            device.kill(inFront: true)
            try device.launch()
        case .endInBackground:
            device.send(.background)
            try end(nil)
        default: Issue.record("not an event of a start")
        }
    }

    private mutating func end(_ record: ExitRecord?) throws {
        device.kill(record)
        try device.launch()
    }
}
