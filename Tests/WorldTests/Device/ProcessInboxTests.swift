import AppHost
import Core
import LocalServer
import Testing
import Updater

@testable import World

@Suite("The inbox of a process")
struct ProcessInboxTests {
    private func taken(_ inbox: inout ProcessInbox) -> [AppInput] {
        var inputs: [AppInput] = []
        while let next = inbox.next() { inputs.append(next) }
        return inputs
    }

    private let bytes = AppInput.transfer(TransferID(1), .bytes([1]))
    private let end = AppInput.transfer(TransferID(1), .end)
    private let idle = AppInput.timer(.updater(.idle(TransferID(1))))
    private let startup = AppInput.timer(.updater(.startup))

    @Test("An input of the background lane is taken when no urgent one waits, each lane in order")
    func lanes() {
        var inbox = ProcessInbox()
        for input in [bytes, .check, .again(.background), idle, .again(.urgent), end, .push] {
            inbox.add(input)
        }
        #expect(taken(&inbox) == [.check, .again(.urgent), .push, bytes, .again(.background), idle, end])
        #expect(inbox.isFree)
    }

    @Test("A marker comes after all that waited when it arrived")
    func marker() {
        var inbox = ProcessInbox()
        for input in [bytes, .check, .marker(0), .push, end] { inbox.add(input) }
        #expect(taken(&inbox) == [.check, .push, bytes, .marker(0), end])
    }

    @Test(
        "What is added first comes before all urgent inputs; ends of transfers follow their bytes"
    )
    func first() {
        var inbox = ProcessInbox()
        for input in [bytes, .check] { inbox.add(input) }
        inbox.addFirst([.resumed, .listener(.lost), .transfer(TransferID(1), .failed(.reset))])
        #expect(
            taken(&inbox) == [
                .resumed, .listener(.lost), .check, bytes, .transfer(TransferID(1), .failed(.reset)),
            ])
    }

    @Test("Timers are moved behind all other inputs of their lane")
    func timersLast() {
        var inbox = ProcessInbox()
        for input in [startup, idle, .check, bytes] { inbox.add(input) }
        inbox.moveTimersLast()
        inbox.addFirst([.frozen(.seconds(1))])
        #expect(taken(&inbox) == [.frozen(.seconds(1)), .check, startup, bytes, idle])
    }

    @Test("A page that never stops asking does not keep the update from going on")
    func fairness() {
        var inbox = ProcessInbox()
        inbox.add(bytes)
        for _ in 0..<100 { inbox.add(.check) }
        #expect(taken(&inbox).firstIndex(of: bytes) == LaneQueue<AppInput>.mostUrgentInARow)
    }

    @Test("Every input waits in the lane of the event that it becomes")
    func lanesOfEvents() throws {
        var world = try Shop.world()
        world.start()
        for input in ProcessInboxTests.inputs {
            let event = world.appEvent(input, 0)
            if case .marker = input {
                #expect(event == nil)
            } else {
                #expect(try #require(event).lane == input.lane, "\(input)")
            }
        }
        let kinds = Set(ProcessInboxTests.inputs.map(ProcessInboxTests.kind))
        #expect(kinds == Set(0...25), "an input of every case")
    }

    private static let timers: [AppHost.TimerName] =
        [
            .updater(.startup), .updater(.sendingAllowance), .updater(.aliveAfterLoad(PageLoadToken(1))),
            .updater(.idle(TransferID(1))), .updater(.retry), .updater(.recheck), .updater(.collectGarbage),
            .updater(.forced), .updater(.cover), .updater(.disk), .server(.head(ConnectionID(1))),
            .retryListening, .pageAnswer(AppHost.CallID(1)), .wrapper(1),
        ]

    private static let inputs: [AppInput] =
        timers.map { .timer($0) } + [
            .launched, .again(.urgent), .again(.background), .synced(SyncTicket(1), nil),
            .transfer(TransferID(1), .end), .listener(.listening), .connection(ConnectionID(1), .opened),
            .upstream(UpstreamID(1), .connected), .webView(WebViewID(1), .loaded), .foreground, .background,
            .suspended, .resumed, .frozen(.seconds(1)), .push, .check, .network(.online), .user(.retry),
            .settings, .marker(1), .active, .inactive, .openLink("/"),
            .callPage(AppHost.CallID(1), method: "a", params: []),
            .nativeAnswer(AppHost.CallID(1), .result([])), .signaturesVerified(TransferID(1), .invalid),
        ]

    /// An ordinal for each case, so that a new case without an example fails to compile or fails the test.
    private static func kind(_ input: AppInput) -> Int {
        switch input {
        case .launched: 0
        case .again: 1
        case .synced: 2
        case .timer: 3
        case .transfer: 4
        case .listener: 5
        case .connection: 6
        case .upstream: 7
        case .webView: 8
        case .foreground: 9
        case .background: 10
        case .suspended: 11
        case .resumed: 12
        case .frozen: 13
        case .push: 14
        case .check: 15
        case .network: 16
        case .user: 17
        case .settings: 18
        case .marker: 19
        case .active: 20
        case .inactive: 21
        case .openLink: 22
        case .callPage: 23
        case .nativeAnswer: 24
        case .signaturesVerified: 25
        }
    }
}
