import Core
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("Lanes of events, and timers that decide about a start (S9, R3)")
struct LaneTests {
    private static let token = PageLoadToken(1)
    private static let connection = ConnectionID(1)

    /// Every timer, whether it waits for more urgent work, and whether it decides about a start.
    private static let timers: [(name: AppHost.TimerName, isBackground: Bool, decides: Bool)] = [
        (.updater(.startup), false, true), (.updater(.sendingAllowance), false, true),
        (.updater(.aliveAfterLoad(token)), false, true), (.updater(.idle(TransferID(1))), true, false),
        (.updater(.retry), true, false), (.updater(.recheck), true, false),
        (.updater(.collectGarbage), true, false), (.updater(.forced), false, false),
        (.updater(.cover), false, false), (.updater(.disk), false, false),
        (.server(.head(connection)), false, false), (.server(.idle(connection)), false, false),
        (.server(.write(connection)), false, false), (.server(.upstream(connection)), false, false),
        (.retryListening, false, false), (.pageAnswer(AppHost.CallID(1)), false, false),
        (.wrapper(1), false, false),
    ]

    @Test("Timers of the update wait for more urgent work, those of page, server and disk do not")
    func timerLanes() {
        for timer in LaneTests.timers {
            let lane = AppHost.Event.timer(timer.name).lane
            #expect(lane == (timer.isBackground ? .background : .urgent), "\(timer.name)")
            #expect(timer.name.decidesAboutStart == timer.decides, "\(timer.name)")
        }
    }

    @Test("What arrives from the origin waits for more urgent work; pages, user and platform do not wait")
    func eventLanes() {
        let background: [AppHost.Event] = [
            .again(.background), .transfer(TransferID(1), .end),
            .signaturesVerified(TransferID(1), .invalid),
        ]
        let urgent: [AppHost.Event] = [
            .again(.urgent), .synced(SyncTicket(1), nil), .listener(.listening),
            .connection(LaneTests.connection, .opened), .webView(.first, .closed), .foreground, .background,
            .active, .inactive, .suspended, .resumed, .frozen(.seconds(1)), .push, .check, .network(.online),
            .user(.retry), .openLink("/"), .delivered(LaneTests.token), .routes(RouteTable()),
            .callPage(AppHost.CallID(1), .first, method: "", params: []),
            .nativeMethodReturned(AppHost.CallID(1), .refused("")),
        ]
        for event in background { #expect(event.lane == .background, "\(event)") }
        for event in urgent { #expect(event.lane == .urgent, "\(event)") }
    }

    @Test("Ids of calls are in the order of their numbers, and equal ones are in none")
    func order() {
        let (one, two) = (AppHost.CallID(1), AppHost.CallID(2))
        #expect(one < two && !(two < one) && !(one < one) && one.rawValue == 1)
        let (first, side) = (WebViewID.first, WebViewID(1))
        #expect(first < side && !(side < first) && !(side < side) && first.rawValue == 0)
    }
}
