import AppHost
import Backend
import Core
import LocalServer
import Testing
import Updater
import World

@testable import Oracle

/// A checker, something that gives it nothing to decide, and something that does.
struct DecisionCase: Sendable, CustomTestStringConvertible {
    typealias Act = @Sendable (inout Stage) -> Void

    var checker: any Checker
    /// The rule or clause that is decided.
    var id: String
    var idle: Act
    var act: Act
    var app = Stage.app
    var versions: [VersionSetup]

    var testDescription: String { "\(id) by \(type(of: checker))" }

    /// After the launch of the embedded v1.
    init(
        _ checker: any Checker, _ id: String, versions: [VersionSetup] = Stage.versions,
        idle: @escaping Act, act: @escaping Act
    ) {
        self.checker = checker
        self.id = id
        self.versions = versions
        self.idle = idle
        self.act = act
    }

    func stage() -> Stage {
        var stage = Stage([checker], app: app, versions: versions)
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }
}

extension DecisionCase {
    static let serving = [
        DecisionCase(
            OneVersionPerPage(), "S1.pinned",
            idle: { $0.emit(.pageRequested(Stage.request(Stage.token(1), "/app.js"))) },
            act: {
                $0.open(Stage.v2, Stage.token(1))
                $0.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1)))
            }),
        DecisionCase(
            OneVersionPerPage(), "S1.by-hash", idle: { $0.open(Stage.v2, Stage.token(1)) },
            act: { $0.emit(.pageReceived(Stage.request(nil, "/app.js"), Stage.answer(of: 0))) }),
        DecisionCase(
            BytesOfOneVersion(), "S1",
            idle: {
                $0.open(Stage.v2, Stage.token(1))
                $0.emit(
                    .pageReceived(
                        Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1, isWhole: false)))
            },
            act: { $0.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1))) }),
        DecisionCase(
            VerifiedBytes(), "S2",
            idle: {
                $0.emit(
                    .pageReceived(
                        Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1, isWhole: false)))
            },
            act: { $0.emit(.pageReceived(Stage.request(Stage.token(1), "/app.js"), Stage.answer(of: 1))) }),
        DecisionCase(
            PagesForNavigations(), "S3.others",
            idle: { $0.emit(.pageReceived(Stage.request(nil, "/", .document), Stage.answer(of: 1))) },
            act: { $0.emit(.pageReceived(Stage.request(nil, "/app.js"), Stage.answer(of: 1))) }),
        DecisionCase(
            SameOrigin(), "S4", idle: { $0.emit(.listening(false)) },
            act: {
                $0.observed.port = SameOrigin.port(of: Stage.app.id)
                $0.emit(.listening(true))
            }),
        DecisionCase(
            OwnPagesOnly(), "S6", idle: { $0.emit(.clientAnswered(client(hasKey: true), status: 200)) },
            act: { $0.emit(.clientAnswered(client(hasKey: false), status: 403)) }),
        DecisionCase(
            CleanForwarding(), "S7", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: { $0.emit(.forwarded(ForwardedRequest(method: "GET", target: "/api", fields: []))) }),
        DecisionCase(
            PageBeforeUpdate(), "S9", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: {
                var delay = AnswerDelay()
                delay.count(step: StepCounts())
                $0.emit(.answerDelayed(delay))
            }),
        DecisionCase(
            NoWhiteTime(), "T4", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: { $0.emit(.contentShown(.first)) }),
        DecisionCase(
            ComesUp(), "X1", idle: { $0.wait(.seconds(1)) }, act: { $0.emit(.contentShown(.first)) }),
    ]

    private static func client(hasKey: Bool) -> ClientRequest {
        ClientRequest(
            kind: .app, method: "GET", target: "/", fields: [.init(name: "Host", value: "localhost:12308")],
            hasKey: hasKey, namesOwnHost: true)
    }

    static let updating = [
        DecisionCase(
            VerifiedBeforePending(), "U1.complete", idle: { $0.status { $0.pending = nil } },
            act: {
                $0.store = Stage.both(Stage.image([Stage.v2]))
                $0.status { $0.pending = Stage.v2 }
            }),
        DecisionCase(
            NothingFetchedTwice(), "U2.stored", idle: { $0.emit(Stage.sent(1, .manifest)) },
            act: {
                var image = Stage.image([Stage.v2])
                image.download = Stage.table(Stage.v3).table
                $0.store = Stage.both(image)
                $0.emit(Stage.sent(2, .file("/app.js"), version: Stage.v3))
            }),
        DecisionCase(
            OneDownloadAtATime(), "U4.join",
            idle: { $0.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2)) },
            act: { $0.emit(Stage.sent(2, .manifest)) }),
        DecisionCase(
            AttemptLimits(), "U5.six-downloads", idle: { $0.emit(Stage.sent(1, .manifest)) },
            act: { $0.emit(Stage.sent(2, .file("/app.js"), version: Stage.v2)) }),
        DecisionCase(
            AttemptLimits(), "U5.one-unprompted", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: { $0.open(Stage.v2, Stage.token(2)) }),
        DecisionCase(
            TransfersEnd(), "U5.idle", idle: { $0.emit(Stage.sent(1, .manifest)) },
            act: { $0.emit(Stage.sent(2, .manifest), Stage.ended(2)) }),
        DecisionCase(
            FailedChecksRepeated(), "U5.back-off", idle: { $0.emit(Stage.sent(1, .manifest)) },
            act: {
                $0.emit(.transferFailed(TransferID(1), .refused, bytes: 0))
                $0.emit(Stage.sent(2, .manifest))
            }),
        DecisionCase(
            LoadingEnds(), "U7.offline", idle: { $0.emit(.screen(.loading(nil))) },
            act: {
                $0.wait(.seconds(1))
                $0.emit(.screen(.offline))
            }),
        DecisionCase(
            NativeCallsAnswered(), "N5.answer-in-time", idle: { $0.emit(.nativeAsked(method: "a")) },
            act: { $0.emit(.nativeAnswered(method: "a", result: nil)) }),
        DecisionCase(
            ForcedLaunchWaits(), "U6.forced-launch", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: {
                $0.storeChanged { $0 = ForcedLaunchTests.stored(isWhole: false) }
                $0.launch()
                $0.wait(.seconds(10))
                $0.open(Stage.v1, Stage.token(2))
            }),
        DecisionCase(
            ContinuedParts(), "U3.no-mixture", idle: { ContinuedPartTests.begin(&$0, tag: "\"a\"") },
            act: {
                ContinuedPartTests.begin(&$0, tag: "\"a\"")
                $0.emit(ContinuedPartTests.rest(after: "\"a\""))
            }),
        DecisionCase(
            OptionalFilesLeftOut(), "U12.optional", versions: OptionalFileTests.versions,
            idle: { $0.emit(Stage.sent(1, .file("/map"))) },
            act: { stage in
                OptionalFileTests.failures(1, &stage)
                stage.emit(Stage.sent(9, .file("/map")))
            }),
        DecisionCase(
            OneOrigin(), "U10.origin", idle: { $0.emit(Stage.sent(1, .manifest)) },
            act: { $0.emit(Stage.sent(2, .file("/app.js"))) }),
        DecisionCase(
            AskerIsNamed(), "U9.audience", idle: { $0.emit(Stage.sent(1, .manifest)) },
            act: { $0.emit(AskerTests.asked(AskerTests.right)) }),
        DecisionCase(
            LateAnswersLose(), "U9.late-answer",
            idle: { $0.emit(Stage.sent(1, .manifest), Stage.head(1, 200, offered: "v2"), Stage.ended(1)) },
            act: {
                $0.emit(Stage.sent(2, .manifest))
                $0.wait(.seconds(2))
                $0.emit(LineCheckerTests.change(user: "ann"))
                $0.wait(.seconds(2))
                $0.emit(Stage.head(2, 200, offered: "v2"), Stage.ended(2))
            }),
        DecisionCase(
            CausesHold(), "T1.true-cause", idle: { $0.log(.switched, Stage.v2) },
            act: {
                $0.log(.blacklistEntry, Stage.v2)
                $0.log(.blacklisted, Stage.v2)
            }),
        DecisionCase(
            DamagedStaysOut(), "R9.left-out", idle: { $0.open(Stage.v2, Stage.token(1)) },
            act: {
                $0.emit(.pageClosed(.first, load: Stage.token(1)))
                $0.log(.contentDamaged, Stage.v2)
                $0.open(Stage.v2, Stage.token(2))
            }),
        DecisionCase(
            RepairedByOneCheck(), "U8.repair",
            idle: {
                $0.status { $0.current = Stage.v2 }
                $0.log(.leftBefore, Stage.v2)
            },
            act: {
                $0.log(.contentDamaged, Stage.v2)
                $0.log(.downloadStarted, Stage.v2)
            }),
        DecisionCase(
            MomentsUsed(), "U6.push", idle: { $0.log(.switched, Stage.v2, "moment=reload") },
            act: { $0.log(.switched, Stage.v2, "moment=push") }),
        DecisionCase(
            MomentsUsed(), "U6.forced-in-front", idle: { $0.log(.switched, Stage.v2, "moment=push") },
            act: { $0.log(.switched, Stage.v2, "moment=forced") }),
        DecisionCase(
            LinesApart(), "U9.new-line", idle: { $0.answer("v2") },
            act: {
                $0.emit(LineCheckerTests.change(channel: "beta"))
                $0.log(.lineChanged)
                $0.answer("v3")
                $0.wait(.seconds(6))
                $0.status { $0.downloading = Stage.v3 }
            }),
        DecisionCase(
            RecoveryScreenEnds(), "R13.cover", idle: { $0.emit(.contentShown(.first)) },
            act: {
                $0.log(.noContentShown, Stage.v2)
                $0.emit(.screen(.recovery), .contentShown(.first))
            }),
        DecisionCase(
            CoverEnds(), "R13.cover-ends", idle: { $0.wait(.seconds(1)) },
            act: { $0.emit(.screen(.cover), .screen(.page)) }),
        DecisionCase(
            ProgressGrows(), "U7.progress", idle: { $0.emit(.screen(.loading(nil))) },
            act: { $0.emit(.screen(.loading(ProgressCheckerTests.progress(1, 10)))) }),
        DecisionCase(
            DailyLimits(), "U5", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: { $0.open(Stage.v2, Stage.token(2)) }),
        DecisionCase(
            ForwardOnly(), "U8.below", idle: { $0.answer("v2", serial: 2) },
            act: { $0.becomePending(Stage.v2) }),
        fitsTheBuild,
        DecisionCase(
            RoomForDownloads(), "U11.free-space", idle: { $0.log(.noSpace, Stage.v2) },
            act: {
                $0.emit(.faultBegan("full", failsDisk: true, freeSpace: 1_000))
                $0.log(.noSpace, Stage.v2)
            }),
        DecisionCase(
            AllowedNetworks(), "U15.network", idle: { $0.wait(.seconds(9)) },
            act: {
                $0.observed.settings.usesMeteredNetwork = false
                $0.emit(.networkChanged(.metered))
                $0.wait(.seconds(9))
            }),
        DecisionCase(
            AllowedNetworks(), "U15.size", idle: { $0.wait(.seconds(9)) },
            act: {
                $0.observed.settings.meteredBytes = 1_000
                $0.emit(.networkChanged(.metered))
                $0.wait(.seconds(9))
                $0.emit(Stage.sent(1, .file("/app.js")), Stage.ended(1))
            }),
        DecisionCase(
            ReportedIsDurable(), "ST-I3", idle: { $0.status { $0.current = Stage.v1 } },
            act: {
                $0.store = Stage.both(Stage.image([Stage.v2]))
                $0.log(.becamePending, Stage.v2)
            }),
        signedReleases,
    ]

    private static var fitsTheBuild: DecisionCase {
        var made = DecisionCase(
            FitsTheBuild(), "U10.native", idle: { $0.answer("v2") },
            act: {
                $0.answer("v2")
                $0.open(Stage.v2, Stage.token(2))
            })
        made.versions[1].native = "A"
        return made
    }

    private static var signedReleases: DecisionCase {
        var signed = DecisionCase(
            SignedReleases(), "U16", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: { $0.open(Stage.v2, Stage.token(2)) })
        signed.app.keys = [KeySetup(name: "a")]
        signed.app.builds[0].keys = ["a"]
        return signed
    }

    static let recovery = [
        DecisionCase(
            AlwaysStartable(), "R1", idle: { $0.storeChanged { $0 = Stage.both(Stage.image([])) } },
            act: {
                var image = Stage.image([Stage.v2])
                var record = Stage.record([Stage.v2])
                record.current = Stage.v2
                image.slotA = .valid(record)
                $0.storeChanged { $0 = Stage.both(image) }
            }),
        DecisionCase(
            StartRecordBeforeIndex(), "R2", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: { $0.open(Stage.v2, Stage.token(2)) }),
        DecisionCase(
            ParkingHolds(), "R3", idle: { $0.open(Stage.v2, Stage.token(1)) },
            act: { $0.status { $0.parked = [Stage.v2] } }),
        DecisionCase(
            Decisions(), "U9.share", idle: { $0.log(.checkFailed) },
            act: {
                $0.answer("v2")
                $0.becomePending(Stage.v2)
            }),
        DecisionCase(
            Decisions(), "U6.process-start", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: {
                $0.launch()
                $0.status { $0.pending = Stage.v2 }
                $0.open(Stage.v2, Stage.token(2))
            }),
        DecisionCase(
            BlameNeedsEvidence(), "R4", idle: { $0.log(.startUnclear, Stage.v2) },
            act: { $0.log(.startFailedByPage, Stage.v2) }),
        DecisionCase(
            BlacklistHolds(), "R5", idle: { $0.open(Stage.v2, Stage.token(1)) },
            act: { $0.status { $0.blacklist = [Stage.v2] } }),
        DecisionCase(
            ConfirmationByOwnPage(), "R6", idle: { $0.log(.startUnclear, Stage.v2) },
            act: { $0.log(.startConfirmed, Stage.v2) }),
        DecisionCase(
            DeclaredRetries { .init(proof: .called, timeout: .seconds(20), retries: 1) }, "R3",
            idle: { $0.launch() }, act: { $0.emit(.committed(.first, load: nil, VersionMask(index: 1))) }),
        DecisionCase(
            DeadPagesComeBack(), "R11.same-version", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: {
                $0.open(Stage.v1, Stage.token(2))
                $0.emit(.webProcessDied(.first))
            }),
        DecisionCase(
            RetainedContent(), "R7", idle: { $0.storeChanged { $0 = Stage.both(Stage.image([])) } },
            act: { $0.storeChanged { $0 = Stage.both(Stage.image([Stage.v2])) } }),
        DecisionCase(
            LeftoversRemoved(), "R7.idle-minute",
            idle: { $0.storeChanged { $0 = Stage.both(Stage.image([Stage.v2])) } },
            act: { $0.wait(.minutes(4)) }),
        DecisionCase(
            RecordReadable(), "R8", idle: { $0.storeChanged { $0 = Stage.both(Stage.image([Stage.v2])) } },
            act: { $0.storeChanged { $0 = Stage.both(Stage.image([Stage.v2], generation: 2)) } }),
        DecisionCase(
            EverythingLogged(), "T1", idle: { $0.open(Stage.v1, Stage.token(1)) },
            act: {
                $0.log(.parked, Stage.v2)
                $0.status { $0.parked = [Stage.v2] }
            }),
        DecisionCase(
            NoticesOnce(), "T2", idle: { $0.becomePending(Stage.v2) },
            act: {
                let message = #"{"event":1,"method":"newVersionReady","params":{"version":"v2"}}"#
                $0.emit(.messageDelivered(.first, Array(message.utf8)))
            }),
        DecisionCase(
            OutcomesOnce(), "T3", idle: { $0.emit(Stage.sent(1, .outcomes), .outcomes(Array("[]".utf8))) },
            act: { $0.emit(.outcomes(Array(#"[{"id":"d-1","version":"v2","outcome":"ok"}]"#.utf8))) }),
    ]

    static let all = serving + updating + recovery
}

@Suite("Decisions: a checker counts where it compares, and not where it only looks")
struct DecisionCountTests {
    private func count(_ id: String, _ stage: Stage) -> Int {
        stage.checkers.decisions.filter { $0.id == id }.reduce(0) { $0 + $1.count }
    }

    @Test(
        "What gives a checker nothing to decide leaves its count at zero, a comparison raises it",
        arguments: DecisionCase.all)
    func counts(_ entry: DecisionCase) {
        var stage = entry.stage()
        entry.idle(&stage)
        #expect(count(entry.id, stage) == 0)
        entry.act(&stage)
        #expect(count(entry.id, stage) > 0)
    }

    @Test("Each checker is in that table")
    func table() {
        let checkers = CheckerList.crashing + CheckerList.outside
        // It is made from what a subject declares.
        let policy: [any Checker] = [
            DeclaredRetries { .init(proof: .called, timeout: .seconds(20), retries: 1) }
        ]
        let names = Set((checkers + policy).map { "\(type(of: $0))" })
        #expect(names == Set(DecisionCase.all.map { "\(type(of: $0.checker))" }))
    }

    @Test(
        "The counts are those of decisions since they were forgotten, also over launches and installations",
        arguments: DecisionCase.all)
    func forgotten(_ entry: DecisionCase) {
        var stage = entry.stage()
        entry.idle(&stage)
        entry.act(&stage)
        let before = count(entry.id, stage)
        stage.emit(.processEnded(.user), .installed(build: "1.0"))
        stage.launch()
        #expect(count(entry.id, stage) >= before)
        let ids = stage.checkers.decisions.map(\.id)
        stage.checkers.forgetDecisions()
        #expect(stage.checkers.decisions.allSatisfy { $0.count == 0 })
        #expect(stage.checkers.decisions.map(\.id) == ids)
    }

    @Test(
        "Counts are no part of a checker's memory: two runs that differ in them alone are equal",
        arguments: DecisionCase.all)
    func memory(_ entry: DecisionCase) {
        var stage = entry.stage()
        entry.act(&stage)
        var without = stage
        without.checkers.forgetDecisions()
        var hashers = (Hasher(), Hasher())
        stage.checkers.hashMemory(into: &hashers.0)
        without.checkers.hashMemory(into: &hashers.1)
        #expect(hashers.0.finalize() == hashers.1.finalize())
    }
}
