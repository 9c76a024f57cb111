import Backend
import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Testing
import Updater

@testable import World

/// Every case of a trace event, effect and input once, and once for each of its members with that member
/// changed: no two of them may have the same digest.
@Suite("The digest covers the content of trace events, effects and inputs")
struct DigestTests {
    private static func digest(_ value: some Digested) -> UInt64 {
        var digest = ContentDigest()
        digest.mix(value)
        return digest.value
    }

    private static func distinct<Value: Digested>(
        _ values: [Value], _ place: SourceLocation = #_sourceLocation
    ) {
        for (number, value) in values.enumerated() {
            let same = values[..<number].filter { digest($0) == digest(value) }
            #expect(same.isEmpty, "\(value) has the digest of \(same)", sourceLocation: place)
            #expect(digest(value) == digest(value), sourceLocation: place)
        }
    }

    // MARK: - Values

    private static let key = VersionKey(id: "v1", digest: Digest256(1, 2, 3, 4))
    private static let keys = [
        key, VersionKey(id: "v2", digest: Digest256(1, 2, 3, 4)),
        VersionKey(id: "v1", digest: Digest256(9, 2, 3, 4)),
        VersionKey(id: "v1", digest: Digest256(1, 9, 3, 4)),
        VersionKey(id: "v1", digest: Digest256(1, 2, 9, 4)),
        VersionKey(id: "v1", digest: Digest256(1, 2, 3, 9)),
    ]
    private static let load = PageLoadToken(1)

    /// A value, and it with each member changed.
    private static func changed<Value>(_ value: Value, _ changes: [(inout Value) -> Void]) -> [Value] {
        let members = Mirror(reflecting: value).children.count
        #expect(
            changes.count >= members,
            "\(Value.self) has \(members) members: mix the new one, and change it here")
        return [value]
            + changes.map { change in
                var copy = value
                change(&copy)
                return copy
            }
    }

    private static let statuses = changed(
        UpdaterStatus(),
        [
            { $0.embedded = key }, { $0.current = key }, { $0.pending = key }, { $0.pendingWaits = true },
            { $0.lastKnownGood = key }, { $0.good = [key] }, { $0.blacklist = [key] }, { $0.parked = [key] },
            { $0.downloading = key }, { $0.currentSince = OriginTime(seconds: 1) },
        ])
    private static let environments = changed(
        AppHost.Environment(origin: "a", channel: "b", remote: nil),
        [{ $0.origin = "c" }, { $0.channel = "c" }, { $0.remote = try? RemoteRoot("http://a") }])
    private static let entries = changed(
        LogEntry(.launched, version: "v1", detail: "a=1", after: .seconds(1)),
        [
            { $0.cause = .storeUpdate }, { $0.version = nil }, { $0.detail = "a=2" }, { $0.after = nil },
            { $0.after = .seconds(2) },
        ])
    private static let progresses = changed(
        DownloadProgress(version: key, filesDone: 1, files: 2, bytesDone: 3, bytes: 4),
        [
            { $0.version.id = "v2" }, { $0.filesDone = 5 }, { $0.files = 5 }, { $0.bytesDone = 5 },
            { $0.bytes = nil },
        ])
    private static let answers = changed(
        LocalServer.AccessLogEntry(
            method: "GET", target: "/", status: 200, type: "a/b", load: load, site: "v1"),
        [
            { $0.method = "HEAD" }, { $0.target = "/a" }, { $0.status = 404 }, { $0.type = nil },
            { $0.load = nil },
            { $0.site = "v2" }, { $0.isRemote = true }, { $0.refusal = "no session key" },
        ])
    private static let requestEvents = changed(
        RequestEvent(
            transfer: TransferID(1), kind: .manifest, url: "u", version: key, edge: 0, from: nil,
            isConditional: false),
        [
            { $0.transfer = TransferID(2) }, { $0.kind = .file("/a") }, { $0.kind = .file("/b") },
            { $0.kind = .outcomes }, { $0.url = "w" }, { $0.version = nil }, { $0.edge = 1 }, { $0.from = 0 },
            { $0.isConditional = true }, { $0.asker = .init { _ in nil } },
            { $0.ifRange = "a" }, { $0.asker = .init { $0 == "OTA-Running" ? "v1" : nil } },
        ])
    private static let requests = changed(
        OriginRequest(
            kind: .manifest, url: "u", fields: ["a": "b"], body: [1], version: key, attempt: 1),
        [
            { $0.kind = .outcomes }, { $0.url = "w" }, { $0.fields = ["a": "c"] },
            { $0.fields = ["c": "b"] }, { $0.body = [2] }, { $0.version = nil },
            { $0.attempt = 2 },
        ])
    private static let notes = changed(
        AnswerSummary(),
        [
            { $0.serial = 1 }, { $0.retryAfter = .seconds(1) }, { $0.isRedirect = true },
            { $0.unsatisfiedLength = 1 }, { $0.withheldSerial = 1 }, { $0.partFrom = 1 },
            { $0.tag = "a" }, { $0.isCoded = true }, { $0.isMisdated = true },
            { $0.date = OriginTime(seconds: 1) }, { $0.signature.signers = ["k1"] },
        ])
    /// A share, because the rest of it counts only with one.
    private static let audience: Audience = {
        var audience = Audience()
        audience.share = 1
        return audience
    }()
    private static let audiences = changed(
        audience,
        [
            { $0.user = "a" }, { $0.cohort = "a" }, { $0.channel = "a" }, { $0.share = 2 }, { $0.of = 3 },
            { $0.salt = "a" },
        ])
    private static let pageRequests = changed(
        PageRequest(webView: .first, load: load, target: "/", destination: .script),
        [
            { $0.webView = WebViewID(1) }, { $0.load = nil }, { $0.target = "/a" },
            { $0.destination = .style },
        ])
    private static let pageAnswers = changed(
        PageAnswer(status: 200, type: "a/b", bytes: 1, contentOf: VersionMask(index: 0), isWhole: true),
        [
            { $0.status = 404 }, { $0.type = "a/c" }, { $0.bytes = 2 },
            { $0.contentOf = VersionMask(index: 1) },
            { $0.isWhole = false }, { $0.source = .cache }, { $0.source = .revalidatedCache },
        ])
    private static let counts: [StepCounts] = {
        var (read, written, sync, other) = (StepCounts(), StepCounts(), StepCounts(), StepCounts())
        read.count(read: 1)
        written.count(written: 1)
        sync.count(.sync)
        other.count(.open)
        #expect(Mirror(reflecting: read).children.count == 4, "mix the new member, and change it here")
        return [StepCounts(), read, written, sync, other]
    }()
    private static let userActions: [UserAction] = [
        .waits, .types(from: nil, to: nil), .types(from: .seconds(1), to: nil),
        .types(from: nil, to: .seconds(1)),
        .taps, .tapsLink, .swipesAway, .presses(.retry), .presses(.tryAgain),
    ]
    private static let screens: [AppHost.Screen] =
        [.page, .cover, .loading(nil), .offline, .recovery, .portTaken] + progresses.map { .loading($0) }
    private static let loads: [PageLoadToken?] = [nil, load, PageLoadToken(2)]

    // MARK: - Trace events

    private static let kinds: [TraceEvent.Kind] =
        [
            .note("a"), .note("b"), .actionDidNothing("a"),
            .actionDidNothing("b"), .raced(.indexRequested), .raced(.switchApplied), .raceGivenUp(step: 1),
            .raceGivenUp(step: 2), .deployed(version: "v1", edges: [0], .all, .update, serial: 1),
            .deployed(version: nil, edges: [0], .all, .update, serial: 1),
            .deployed(version: "v1", edges: [0, 1], .all, .update, serial: 1),
            .deployed(version: "v1", edges: [0], .files, .update, serial: 1),
            .deployed(version: "v1", edges: [0], .all, .force, serial: 1),
            .deployed(version: "v1", edges: [0], .all, .update, serial: 2),
            .deployedFor(Audience(), version: "v2", edges: [0], serial: 1),
            .deployedFor(Audience(), version: "v1", edges: [1], serial: 1),
            .deployedFor(Audience(), version: "v1", edges: [0], serial: 2), .recalled(["a"]),
            .recalled(["a", "b"]),
            .recalled(["ab"]), .unblocked(["a"]), .unblocked(["b"]), .routed(edge: 0), .routed(edge: 1),
            .faultBegan("a"), .faultBegan("b"), .faultBegan("a", freeSpace: 1), .faultApplied("a"),
            .faultApplied("b"), .faultHealed("a"),
            .faultHealed("b"), .networkChanged(.online), .networkChanged(.offline),
            .answerHead(TransferID(1), status: 200, offered: "v1"),
            .answerHead(TransferID(2), status: 200, offered: "v1"),
            .answerHead(TransferID(1), status: 404, offered: "v1"),
            .answerHead(TransferID(1), status: 200, offered: nil),
            .transferEnded(TransferID(1), bytes: 1, contentOf: VersionMask(index: 0)),
            .transferEnded(TransferID(2), bytes: 1, contentOf: VersionMask(index: 0)),
            .transferEnded(TransferID(1), bytes: 2, contentOf: VersionMask(index: 0)),
            .transferEnded(TransferID(1), bytes: 1, contentOf: VersionMask(index: 1)),
            .transferFailed(TransferID(1), .reset, bytes: 1),
            .transferFailed(TransferID(2), .reset, bytes: 1),
            .transferFailed(TransferID(1), .refused, bytes: 1),
            .transferFailed(TransferID(1), .reset, bytes: 2),
            .transferCancelled(TransferID(1), bytes: 1), .transferCancelled(TransferID(2), bytes: 1),
            .transferCancelled(TransferID(1), bytes: 2), .outcomes([1]), .outcomes([2]),
            .installed(build: "a"),
            .installed(build: "b"), .launched(foreground: true, bootID: 1),
            .launched(foreground: false, bootID: 1),
            .launched(foreground: true, bootID: 2), .processEnded(.user), .processEnded(.crash),
            .processFailed("a"), .processFailed("b"),
            .foregrounded,
            .backgrounded, .activated, .deactivated, .suspended, .resumed, .powerCut(survived: 1, of: 2),
            .powerCut(survived: 2, of: 2), .powerCut(survived: 1, of: 3), .pushed, .checkRequested,
            .settingsChanged(SettingsSpec()), .damaged("a"),
            .damaged("b"),
            .answerDelayed(AnswerDelay()), .callsOnStoppedDisk(1), .callsOnStoppedDisk(2), .report("a"),
            .report("b"), .listening(true),
            .listening(false), .pageLoad(.first, load, key), .pageLoad(WebViewID(1), load, key),
            .pageLoad(.first, PageLoadToken(2), key), .navigation(.first, .reload, name: "a"),
            .navigation(WebViewID(1), .reload, name: "a"), .navigation(.first, .link, name: "a"),
            .navigation(.first, .reload, name: nil), .committed(.first, load: load, VersionMask(index: 0)),
            .committed(WebViewID(1), load: load, VersionMask(index: 0)),
            .committed(.first, load: nil, VersionMask(index: 0)),
            .committed(.first, load: load, VersionMask(index: 1)), .contentShown(.first),
            .contentShown(WebViewID(1)),
            .pageReady(.first), .pageReady(WebViewID(1)), .pageFailed(.first, "a"), .pageFailed(.first, "b"),
            .pageFailed(WebViewID(1), "a"), .called(.first, .onError, load: load),
            .called(WebViewID(1), .onError, load: load), .called(.first, .holdOff, load: load),
            .called(.first, .onError, load: nil), .messageDelivered(.first, [1]),
            .messageDelivered(.first, [2]),
            .messageDelivered(WebViewID(1), [1]),
            .nativeAsked(method: "a"), .nativeAsked(method: "b"), .nativeAnswered(method: "a", result: nil),
            .nativeAnswered(method: "a", result: []), .nativeAnswered(method: "b", result: []),
            .nativeAnswered(method: "a", result: [1]), .linkTaken("a"), .linkTaken("b"),
            .touched(.first), .touched(WebViewID(1)), .webProcessDied(.first), .webProcessDied(WebViewID(1)),
            .pageClosed(.first, load: load), .pageClosed(WebViewID(1), load: load),
            .pageClosed(.first, load: nil),
            .whiteBegan, .whiteEnded(.seconds(1)), .whiteEnded(.seconds(2)),
        ] + more

    private static let more: [TraceEvent.Kind] =
        audiences.map { .deployedFor($0, version: "v1", edges: [0], serial: 1) }
        + requestEvents.map { .requestSent($0) }
        + notes.dropFirst().map { .answerHead(TransferID(1), status: 200, offered: "v1", $0) }
        + counts.map { .boundExceeded($0) } + statuses.map { .status($0) } + entries.map { .log($0) }
        + screens.map { .screen($0) } + keys.dropFirst().map { .pageLoad(.first, load, $0) }
        + answers.map { .answered($0) } + pageRequests.map { .pageRequested($0) }
        + pageRequests.map { .pageReceived($0, pageAnswers[0]) }
        + pageAnswers.dropFirst().map { .pageReceived(pageRequests[0], $0) }
        + userActions.map { .userDid($0) } + forwarded.map { .forwarded($0) }
        + clients.map { .clientAnswered($0, status: 200) } + [.clientAnswered(clients[0], status: 0)]
        + contents.map { .clientAnswered(clients[0], status: 200, $0) }

    private static let contents = [
        PageAnswerContent(fields: [], body: nil), PageAnswerContent(fields: [], body: []),
        PageAnswerContent(fields: ["a: b"], body: []), PageAnswerContent(fields: [], body: [97]),
    ]

    private static let clients = changed(
        ClientRequest(
            kind: .app, method: "GET", target: "/a", fields: [.init(name: "Host", value: "a")], hasKey: false,
            namesOwnHost: true),
        [
            { $0.kind = .page }, { $0.method = "PUT" }, { $0.target = "/b" }, { $0.fields = [] },
            { $0.fields[0].value = "b" }, { $0.hasKey = true }, { $0.namesOwnHost = false },
        ])

    private static let forwarded =
        [
            ("GET", "/a", "Host", "a"), ("PUT", "/a", "Host", "a"), ("GET", "/b", "Host", "a"),
            ("GET", "/a", "Date", "a"), ("GET", "/a", "Host", "b"),
        ].map { method, target, name, value in
            ForwardedRequest(
                method: method, target: target, fields: [ForwardedRequest.Field(name: name, value: value)])
        } + [ForwardedRequest(method: "GET", target: "/a", fields: [], body: [1])]

    @Test("every case of a trace event, and every member of what it carries")
    func traceEvents() {
        #expect(Set(Self.kinds.map(TraceEventCase.number)) == Set(1...64), "a case is missing above")
        Self.distinct(Self.kinds)
    }

    @Test("a trace event's time, device, process and cause")
    func frame() {
        let event = TraceEvent(ordinal: 1, at: .zero, device: 0, process: 1, kind: .pushed, cause: 2)
        Self.distinct(
            Self.changed(
                event,
                [
                    { $0.at = .zero + .seconds(1) }, { $0.device = 1 }, { $0.process = 2 },
                    { $0.kind = .resumed },
                    { $0.cause = nil }, { $0.cause = 3 },
                ]))
    }

    // MARK: - Effects

    @Test("every effect of the app, and what it carries")
    func effects() {
        let (line, other) = (ConnectionID(1), ConnectionID(2))
        let timers: [AppHost.TimerName] =
            [
                .updater(.startup), .updater(.sendingAllowance), .updater(.aliveAfterLoad(Self.load)),
                .updater(.aliveAfterLoad(PageLoadToken(2))), .updater(.idle(TransferID(1))),
                .updater(.idle(TransferID(2))), .updater(.retry), .updater(.recheck),
                .updater(.collectGarbage),
                .updater(.forced), .updater(.cover), .retryListening, .wrapper(1), .wrapper(2),
                .pageAnswer(AppHost.CallID(1)), .pageAnswer(AppHost.CallID(2)),
            ]
            + [line, other].flatMap { id in
                [.server(.head(id)), .server(.idle(id)), .server(.write(id)), .server(.upstream(id))]
            }
        let outputs: [LocalServer.Output] = [
            .init(head: [1], body: .none), .init(head: [2], body: .none), .init(head: [1], body: .bytes([1])),
            .init(head: [1], body: .bytes([2])),
            .init(head: [1], body: .file(FileHandle(id: 1), offset: 0, count: 1)),
            .init(head: [1], body: .file(FileHandle(id: 2), offset: 0, count: 1)),
            .init(head: [1], body: .file(FileHandle(id: 1), offset: 1, count: 1)),
            .init(head: [1], body: .file(FileHandle(id: 1), offset: 0, count: 2)),
        ]
        let roots = ["http://a", "https://a", "http://b", "http://a:81", "http://a/c"].compactMap {
            try? RemoteRoot($0)
        }
        #expect(roots.count == 5)
        let calls: [UpstreamCommand] =
            roots.map { .open($0) } + [.send([1]), .send([2]), .receive, .finish, .close]
        var all: [AppHost.Effect] = [
            .again(.urgent), .again(.background),
            .sync(SyncTicket(1), .directory(DiskPath(.data, "")), .urgent),
            .cancelFetch(TransferID(1)), .cancelFetch(TransferID(2)), .listen(port: 1),
            .listen(port: 2),
            .stopListening, .close(line), .close(other), .setReadInterest(line, .always),
            .setReadInterest(line, .never),
            .setReadInterest(line, .betweenAnswers), .setReadInterest(other, .always),
            .load(.first, url: "a"),
            .load(.first, url: "b"),
            .load(WebViewID(1), url: "a"), .message(.first, Self.load, [1]), .message(.first, Self.load, [2]),
            .message(WebViewID(1), Self.load, [1]), .message(.first, PageLoadToken(2), [1]),
            .pageReturned(AppHost.CallID(1), result: nil), .pageReturned(AppHost.CallID(1), result: []),
            .pageReturned(AppHost.CallID(2), result: nil), .pageReturned(AppHost.CallID(1), result: [1]),
            .report("a"), .report("b"), .openLink(.first, url: "a"), .openLink(.first, url: "b"),
            .openLink(WebViewID(1), url: "a"), .pageLoad(WebViewID(1), Self.load, Self.key),
            .pageLoad(.first, PageLoadToken(2), Self.key), .send(other, outputs[0]),
            .upstream(UpstreamID(2), .close),
            .setTimer(.retryListening, after: .seconds(2)), .fetch(TransferID(2), Self.requests[0]),
        ]
        all += Self.questions.map { .nativeMethodCalled($0) }
        all += Self.requestsOfHandlers.map { .handlerRequested(LocalServer.HandlerCallID(1), $0) }
        all += [
            .handlerRequested(LocalServer.HandlerCallID(2), Self.requestsOfHandlers[0]),
            .pageTraffic(.first, Self.load, .seen), .pageTraffic(WebViewID(1), Self.load, .seen),
            .pageTraffic(.first, PageLoadToken(2), .seen), .pageTraffic(.first, Self.load, .sending(true)),
            .pageTraffic(.first, Self.load, .sending(false)),
        ]
        all += Self.environments.map { .environmentSwitched($0) }
        all += timers.map { .setTimer($0, after: .seconds(1)) } + timers.map { .cancelTimer($0) }
        all += outputs.map { .send(line, $0) } + calls.map { .upstream(UpstreamID(1), $0) }
        all += Self.requests.map { .fetch(TransferID(1), $0) } + Self.screens.map { .screen($0) }
        all +=
            Self.statuses.map { .status($0) } + Self.entries.map { .log($0) }
            + Self.answers.map { .answered($0) }
        all += Self.keys.map { .pageLoad(.first, Self.load, $0) }
        Self.distinct(all)
    }

    private static let questions: [AppHost.NativeMethodCall] = {
        let first = AppHost.NativeMethodCall(
            call: AppHost.CallID(1), view: .first, load: load, method: "a", params: [1], isOverHTTP: false)
        var all = [first, first, first, first, first, first, first]
        all[1].call = AppHost.CallID(2)
        all[2].view = WebViewID(1)
        all[3].load = PageLoadToken(2)
        all[4].method = "b"
        all[5].params = [2]
        all[6].isOverHTTP = true
        return all
    }()

    private static let requestsOfHandlers: [LocalServer.HandlerRequest] = {
        let first = LocalServer.HandlerRequest(handler: "a", method: .get, target: "/a")
        var all = [first, first, first, first, first]
        all[1].method = .post
        all[2].target = "/b"
        all[3].fields.append("a", "b")
        all[4].body = [1]
        return all + [LocalServer.HandlerRequest(handler: "b", method: .get, target: "/a")]
    }()

    // MARK: - Inputs

    @Test("every input of the app, and what it carries")
    func inputs() {
        let id = TransferID(1)
        let line = ConnectionID(1)
        var all: [AppInput] = [
            .launched, .again(.urgent), .again(.background), .synced(SyncTicket(1), nil), .foreground,
            .background, .suspended, .resumed, .push, .check, .settings,
            .timer(.retryListening), .timer(.updater(.retry)), .marker(1), .marker(2), .network(.online),
            .network(.offline), .user(.retry), .user(.tryAgain), .listener(.listening), .listener(.portTaken),
            .frozen(.seconds(1)), .frozen(.seconds(2)),
            .callPage(AppHost.CallID(1), method: "a", params: []),
            .callPage(AppHost.CallID(2), method: "a", params: []),
            .callPage(AppHost.CallID(1), method: "b", params: []),
            .callPage(AppHost.CallID(1), method: "a", params: [1]),
            .nativeAnswer(AppHost.CallID(1), .result([])), .nativeAnswer(AppHost.CallID(2), .result([])),
            .nativeAnswer(AppHost.CallID(1), .result([1])), .nativeAnswer(AppHost.CallID(1), .refused("a")),
            .nativeAnswer(AppHost.CallID(1), .refused("b")),
            .listener(.lost), .transfer(TransferID(2), .end), .transfer(id, .end), .transfer(id, .bytes([1])),
            .transfer(id, .bytes([2])), .transfer(id, .failed(.reset)), .transfer(id, .failed(.refused)),
            .transfer(id, .head(status: 200, fields: [:])), .transfer(id, .head(status: 201, fields: [:])),
            .transfer(id, .head(status: 200, fields: ["a": "b"])),
            .connection(ConnectionID(2), .sent),
            .connection(line, .opened), .connection(line, .received([1])), .connection(line, .received([2])),
            .connection(line, .sent), .connection(line, .progressed), .connection(line, .finished),
            .connection(line, .closed(nil)), .connection(line, .closed(DiskError(.noSpace, .read))),
            .connection(line, .closed(DiskError(.inputOutput, .read))),
            .connection(line, .closed(DiskError(.noSpace, .write))),
            .connection(line, .closed(DiskError(.noSpace, .read, DiskPath(.data, "a")))),
            .upstream(UpstreamID(2), .sent), .upstream(UpstreamID(1), .connected),
            .upstream(UpstreamID(1), .sent),
            .upstream(UpstreamID(1), .bytes([1])), .upstream(UpstreamID(1), .bytes([2])),
            .upstream(UpstreamID(1), .ended), .upstream(UpstreamID(1), .failed(.reset)),
            .upstream(UpstreamID(1), .failed(.refused)),
        ]
        let events: [AppHost.WebViewEvent] = [
            .navigating(.reload, url: "a"), .navigating(.link, url: "a"), .navigating(.reload, url: "b"),
            .committed(url: "a"), .committed(url: "b"), .addressChanged(url: "a"), .addressChanged(url: "b"),
            .contentShown,
            .loaded,
            .touched, .message([1], documentURL: "a"), .message([2], documentURL: "a"),
            .message([1], documentURL: "b"), .webProcessDied, .closed, .committedKeepingPrevious(url: "a"),
            .committedKeepingPrevious(url: "b"), .documentGone(url: "a"), .documentGone(url: "b"),
        ]
        all += events.map { .webView(.first, $0) } + [.webView(WebViewID(1), .loaded)]
        Self.distinct(all)
    }

    // MARK: - Bytes

    @Test("each byte of a row, and its length, wherever the row ends in a word or in four")
    func bytes() {
        for count in [0, 1, 7, 8, 9, 31, 32, 63, 64, 65, 95, 96, 97, 200] {
            let row = [UInt8](repeating: 7, count: count)
            func digest(_ bytes: [UInt8]) -> UInt64 {
                var digest = ContentDigest()
                digest.mix(bytes)
                return digest.value
            }
            #expect(digest(row) != digest(row + [7]) && digest(row) != digest(row + [0]))
            for index in row.indices {
                var other = row
                other[index] = 8
                #expect(digest(other) != digest(row), "byte \(index) of \(count)")
            }
            for index in row.indices.dropFirst() where index + 8 < count {
                var (one, other) = (row, row)
                one[index - 1] = 9
                other[index] = 9
                #expect(digest(one) != digest(other), "order at \(index) of \(count)")
            }
        }
    }

    @Test("it is the same in every process: a number, once and for all")
    func fixed() {
        #expect(
            Self.digest(LogEntry(.launched, version: "v1", detail: "a=1", after: .seconds(1)))
                == 3_675_103_062_665_926_028)
    }
}
