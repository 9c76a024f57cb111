import AppHost
import Core
import LocalServer

/// An ``AppHost/AppHost`` with what a developer wants around it and no app ships: a plain browser in the
/// place of the web view, and mock handlers in the place of an API.
///
/// It says to the host what a native shell would say, by the same events, and answers what native code would
/// answer: the host knows nothing of a browser or a mock. What it takes for itself: bridge methods `webView`,
/// `receive` and `setMock`, messages to pages (they wait until the page's script asks for them), and the
/// timers that it sets.
///
/// What can go wrong: one step of it may be several of the host's, so it is not bounded as the host's is.
package struct DevelopmentHost: HostedApp {
    package private(set) var host = AppHost()
    /// Events for the host that this value makes itself.
    var queue: [AppHost.Event] = []
    var effects: [AppHost.Effect] = []
    var mocks: MockBook
    /// The app's own.
    var routes = RouteTable()
    var views: [BrowserView] = []
    var mailboxes: [Mailbox] = []
    var delayed: [DelayedAnswer] = []
    private var nextDelayed: UInt64 = 0

    /// A mock handler's answer that waits for its time.
    struct DelayedAnswer: Sendable {
        var number: UInt64
        var call: LocalServer.HandlerCall
        var answer: MockAnswer
    }

    /// The timers of this value's own.
    package enum TimerName: Hashable, Sendable {
        /// The browser has not asked for anything of this load for a while.
        case quiet(PageLoadToken)
        case mock(UInt64)
    }

    private var timers: [(name: TimerName, number: UInt64)] = []
    private var nextTimer: UInt64 = 1

    static let methods = ["webView", "receive", "setMock"]

    package init(mocks: MockBook = MockBook()) { self.mocks = mocks }

    package mutating func handle(
        _ event: AppHost.Event, at now: Instant, disk: inout some Disk
    ) -> [AppHost.Effect] {
        take(event)
        while !queue.isEmpty {
            for effect in host.handle(queue.removeFirst(), at: now, disk: &disk) { take(effect) }
        }
        let result = effects
        effects.removeAll(keepingCapacity: true)
        return result
    }

    // MARK: - From outside

    private mutating func take(_ event: AppHost.Event) {
        switch event {
        case .launched(var launch):
            routes = launch.routes
            launch.routes = mocks.rows(before: routes)
            launch.nativeMethods += DevelopmentHost.methods
            launch.confirmsDelivery = true
            launch.reportsPageTraffic = true
            queue.append(.launched(launch))
        case .routes(let table):
            routes = table
            queue.append(.routes(mocks.rows(before: table)))
        case .timer(.outer(let number)): fired(number)
        default: queue.append(event)
        }
    }

    // MARK: - From the host

    private mutating func take(_ effect: AppHost.Effect) {
        switch effect {
        case .pageLoad(let view, let token, _):
            asked(view, token)
            effects.append(effect)
        case .load(let view, let url):
            effects.append(effect)
            askToLoad(view, url)
        case .message(_, let token, let message): post(token, message)
        case .pageTraffic(_, let token, let traffic): saw(traffic, token)
        case .pageAsks(let question) where DevelopmentHost.methods.contains(question.method): answer(question)
        case .handlerAsked(let call, let request): answer(call, request.handler, effect)
        default: effects.append(effect)
        }
    }

    private mutating func answer(_ question: AppHost.PageQuestionForNative) {
        let params: JSONNode
        do {
            params = try JSONReader.read(question.params, dialect: .strict)
        } catch {
            return queue.append(.answerPage(question.call, .refused(error.message)))
        }
        switch question.method {
        case "receive": return receive(question, params)
        case "setMock":
            guard let name = params["name"]?.string, let isOn = params["on"]?.bool else {
                return queue.append(.answerPage(question.call, .refused("setMock wants name and on")))
            }
            mocks.set(name, isOn)
            queue.append(.routes(mocks.rows(before: routes)))
        default:
            guard said(params, question.load) else {
                return queue.append(.answerPage(question.call, .refused("unknown event of a web view")))
            }
        }
        queue.append(.answerPage(question.call, .result(Array("true".utf8))))
    }

    // MARK: - Mock handlers

    /// A handler's name that is no mock's is the app's own native code's.
    private mutating func answer(_ call: LocalServer.HandlerCall, _ name: String, _ effect: AppHost.Effect) {
        guard let answer = mocks.take(name) else { return effects.append(effect) }
        guard answer.delay > .zero else { return give(answer, to: call) }
        nextDelayed += 1
        delayed.append(DelayedAnswer(number: nextDelayed, call: call, answer: answer))
        set(.mock(nextDelayed), after: answer.delay)
    }

    private mutating func give(_ answer: MockAnswer, to call: LocalServer.HandlerCall) {
        queue.append(
            .answerRequest(
                call, LocalServer.HandlerAnswer(answer.status, fields: answer.fields, body: answer.body)))
    }

    // MARK: - Timers

    mutating func set(_ name: TimerName, after span: TimeSpan) {
        cancel(name)
        timers.append((name, nextTimer))
        effects.append(.setTimer(.outer(nextTimer), after: span))
        nextTimer += 1
    }

    mutating func cancel(_ name: TimerName) {
        guard let place = timers.firstIndex(where: { $0.name == name }) else { return }
        effects.append(.cancelTimer(.outer(timers.remove(at: place).number)))
    }

    private mutating func fired(_ number: UInt64) {
        guard let place = timers.firstIndex(where: { $0.number == number }) else { return }
        switch timers.remove(at: place).name {
        case .quiet(let token): isQuiet(token)
        case .mock(let number):
            guard let place = delayed.firstIndex(where: { $0.number == number }) else { return }
            let late = delayed.remove(at: place)
            give(late.answer, to: late.call)
        }
    }
}
