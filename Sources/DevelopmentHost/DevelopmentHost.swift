import AppHost
import Core
import LocalServer

/// An ``AppHost/AppHost`` for development, which no app ships: with a plain browser in place of the web view,
/// and mock handlers in place of an API.
///
/// It sends the host the events that a native shell would send, and answers what native code would answer:
/// the host knows nothing of a browser or a mock. It handles itself: the bridge methods `webView`, `receive`
/// and `setMock`, messages to pages (which wait until the page's script polls for them), and the timers that
/// it sets.
///
/// What can go wrong: one step may take several steps of the host, so it is not bounded as they are.
public struct DevelopmentHost: HostedApp {
    package private(set) var host = AppHost()
    /// Events for the host.
    var queue: [AppHost.Event] = []
    var effects: [AppHost.Effect] = []
    var mocks: MockHandlers
    /// The app's own routes, without those of mock handlers.
    var routes = RouteTable()
    var views: [BrowserView] = []
    var mailboxes: [Mailbox] = []
    var delayed: [DelayedAnswer] = []
    var cuts = CutAnswers()
    /// Whether pages may switch mock handlers: as ``AppHost/AppHost/Launch/allowsTestMessages``.
    private var allowsTestMessages = false
    private var nextDelayed: UInt64 = 0

    /// A mock handler's answer whose delay has not passed.
    struct DelayedAnswer: Sendable {
        var id: UInt64
        var call: LocalServer.HandlerCallID
        var answer: MockAnswer
    }

    /// The timers that this value sets.
    package enum TimerName: Hashable, Sendable {
        /// No response to this load has been in progress for a while.
        case quiet(PageLoadToken)
        /// The delay of the answer with this id has passed.
        case mock(UInt64)
    }

    private var timers: [(name: TimerName, id: UInt64)] = []
    private var nextTimer: UInt64 = 1

    static let methods = ["webView", "receive", "setMock"]

    /// Without mock handlers: for an app of one's own that is tried in a browser.
    public init() { self.init(mocks: MockHandlers()) }

    package init(mocks: MockHandlers) { self.mocks = mocks }

    public mutating func handle(
        _ event: AppHost.Event, at now: Instant, disk: inout some Disk
    ) -> [AppHost.Effect] {
        receive(event)
        while !queue.isEmpty {
            for effect in host.handle(queue.removeFirst(), at: now, disk: &disk) { perform(effect) }
        }
        return effects.takeAll()
    }

    // MARK: - From outside

    private mutating func receive(_ event: AppHost.Event) {
        switch event {
        case .launched(var launch):
            routes = launch.routes
            launch.routes = mocks.entries(before: routes)
            allowsTestMessages = launch.allowsTestMessages
            launch.nativeMethods += DevelopmentHost.methods
            launch.confirmsDelivery = true
            launch.reportsPageTraffic = true
            queue.append(.launched(launch))
        case .routes(let table):
            routes = table
            queue.append(.routes(mocks.entries(before: table)))
        case .timer(.wrapper(let id)):
            if let (index, isOn) = DevelopmentHost.mockSwitch(id) {
                switchMock(index, isOn)
            } else {
                fired(id)
            }
        case .connection(let id, let part):
            if let end = cuts.end(id, part) {
                effects.append(.close(id))
                queue.append(.connection(id, end))
            } else if !cuts.holdsBack(id, part) {
                queue.append(event)
            }
        default: queue.append(event)
        }
    }

    // MARK: - From the host

    private mutating func perform(_ effect: AppHost.Effect) {
        switch effect {
        case .pageLoad(let view, let token, _):
            answered(view, token)
            effects.append(effect)
        case .load(let view, let url):
            effects.append(effect)
            requestLoad(view, url)
        case .message(_, let token, let message): post(token, message)
        case .pageTraffic(_, let token, let traffic): observe(traffic, token)
        case .nativeMethodCalled(let call) where DevelopmentHost.methods.contains(call.method): answer(call)
        case .handlerRequested(let call, let request): answer(call, request.handler, effect)
        case .send(let id, let output): send(id, output)
        default: effects.append(effect)
        }
    }

    private mutating func answer(_ call: AppHost.NativeMethodCall) {
        let params: JSONNode
        do {
            params = try JSONReader.read(call.params, dialect: .strict)
        } catch {
            return queue.append(.nativeMethodReturned(call.call, .refused(error.message)))
        }
        switch call.method {
        case "receive": return receive(call, params)
        case "setMock":
            if let reason = setMock(params) {
                return queue.append(.nativeMethodReturned(call.call, .refused(reason)))
            }
        default:
            guard pageReported(params, call.load) else {
                return queue.append(.nativeMethodReturned(call.call, .refused("unknown event of a web view")))
            }
        }
        queue.append(.nativeMethodReturned(call.call, .result(Array("true".utf8))))
    }

    // MARK: - Mock handlers

    /// - Returns: why it can't be switched; nil: it is.
    private mutating func setMock(_ params: JSONNode) -> String? {
        guard allowsTestMessages else { return "setMock is off in this build" }
        guard let name = params["name"]?.string, let isOn = params["on"]?.bool else {
            return "setMock wants name and on"
        }
        guard let index = mocks.handlers.firstIndex(where: { TextBytes.areEqual($0.name, name) }) else {
            return "no mock handler is named \(name.prefix(60))"
        }
        switchMock(index, isOn)
        return nil
    }

    private mutating func switchMock(_ index: Int, _ isOn: Bool) {
        guard mocks.handlers.indices.contains(index) else { return }
        mocks.set(mocks.handlers[index].name, isOn: isOn)
        queue.append(.routes(mocks.entries(before: routes)))
    }

    /// The event that switches the mock handler at this index of ``MockHandlers/handlers``: a developer's
    /// switch reaches this value as a timer, because the host has no event for it.
    package static func event(switchingMock index: Int, isOn: Bool) -> AppHost.Event {
        .timer(.wrapper(firstMockSwitch + UInt64(index) * 2 + (isOn ? 1 : 0)))
    }

    private static let firstMockSwitch: UInt64 = 1 << 32

    private static func mockSwitch(_ id: UInt64) -> (index: Int, isOn: Bool)? {
        guard id >= firstMockSwitch else { return nil }
        return (Int((id - firstMockSwitch) / 2), id % 2 == 1)
    }

    /// A handler that is no mock belongs to the app's native code.
    private mutating func answer(_ call: LocalServer.HandlerCallID, _ name: String, _ effect: AppHost.Effect)
    {
        guard let answer = mocks.nextAnswer(of: name) else { return effects.append(effect) }
        guard answer.delay > .zero else { return send(answer, to: call) }
        nextDelayed += 1
        delayed.append(DelayedAnswer(id: nextDelayed, call: call, answer: answer))
        set(.mock(nextDelayed), after: answer.delay)
    }

    private mutating func send(_ answer: MockAnswer, to call: LocalServer.HandlerCallID) {
        var fields = answer.fields
        switch answer.end {
        case .complete: break
        case .stalls(after: nil): return
        case .isReset, .breaksOff, .stalls: cuts.announce(answer.end, in: &fields)
        }
        queue.append(
            .handlerAnswer(call, LocalServer.HandlerAnswer(answer.status, fields: fields, body: answer.body)))
    }

    private mutating func send(_ id: ConnectionID, _ output: LocalServer.Output) {
        switch cuts.cut(output, on: id) {
        case .unchanged: effects.append(.send(id, output))
        case .part(let part): effects.append(.send(id, part))
        case .reset:
            effects.append(.close(id))
            queue.append(.connection(id, .closed(nil)))
        }
    }

    // MARK: - Timers

    mutating func set(_ name: TimerName, after span: TimeSpan) {
        cancel(name)
        timers.append((name, nextTimer))
        effects.append(.setTimer(.wrapper(nextTimer), after: span))
        nextTimer += 1
    }

    mutating func cancel(_ name: TimerName) {
        guard let index = timers.firstIndex(where: { $0.name == name }) else { return }
        effects.append(.cancelTimer(.wrapper(timers.remove(at: index).id)))
    }

    private mutating func fired(_ id: UInt64) {
        guard let index = timers.firstIndex(where: { $0.id == id }) else { return }
        switch timers.remove(at: index).name {
        case .quiet(let token): becameQuiet(token)
        case .mock(let id):
            guard let index = delayed.firstIndex(where: { $0.id == id }) else { return }
            let late = delayed.remove(at: index)
            send(late.answer, to: late.call)
        }
    }
}
