import Core
import ScenarioLanguage

// What can go wrong with a request or with a call to the disk.
extension SweepDisturbances {
    /// Numbers at the borders of what a header can say, and what is no number.
    private static let odd = [
        "0", "1", "-1", "2147483648", "9007199254740993", "9223372036854775807", "18446744073709551616", "x",
    ]

    /// Of a request, each kind once or with several numbers.
    static var faults: [FaultKind] {
        let parts: [Amount] = [.bytes(0), .bytes(1), .percent(50), .percent(100)]
        var all: [FaultKind] = [
            .refuse, .dnsFailure, .connectTimeout, .blackHoledAddress, .insecure, .captivePortal, .staleEdge,
            .indexForUnknown, .reset(after: nil), .stall(after: nil), .corrupt(bytes: 1, at: nil),
        ]
        all += parts.map { .reset(after: $0) } + parts.map { .stall(after: $0) }
        all += parts.dropLast().map { .truncate($0) }
        let statuses = [204, 206, 301, 304, 400, 403, 404, 410, 416, 429, 500, 503, 599]
        all += statuses.map { .status($0, headers: []) }
        all += [.slow(.answers, by: .seconds(20)), .slow(.answers, by: .minutes(2))]
        return all + answers
    }

    /// Whole answers: an empty body, a text, and numbers in the headers that the app reads.
    private static var answers: [FaultKind] {
        func answer(_ status: Int, _ name: String, _ value: String?, body: String? = nil) -> FaultKind {
            var spec = AnswerSpec(status)
            spec.headers = [HeaderSpec(name: Spanned(name), value: Spanned(value))]
            spec.body = body.map { Spanned($0) }
            return .answer(spec)
        }
        var empty = AnswerSpec(200)
        empty.body = Spanned("")
        var text = AnswerSpec(200)
        text.body = Spanned("<!doctype html><title>Maintenance</title>")
        return [.answer(empty), .answer(text), answer(200, "content-length", nil)]
            + odd.map { answer(503, "retry-after", $0) }
            + odd.map { answer(206, "content-range", "bytes \($0)-\($0)/\($0)") }
    }

    static func requests(_ scenario: Scenario) -> [SweepDisturbance] {
        let origin = faults.map { SweepDisturbance(.request, fault($0, times: 1)) }
        let lasting: [FaultKind] = [.refuse, .status(500, headers: []), .staleEdge, .captivePortal]
        let remote: [FaultKind] = [
            .refuse, .reset(after: .percent(50)), .stall(after: .bytes(1)), .status(500, headers: []),
            .captivePortal,
        ]
        return origin
            + lasting.map { SweepDisturbance(.request, fault($0, for: .minutes(3))) }
            + (scenario.app.api.isEmpty
                ? [] : remote.map { SweepDisturbance(.forwarded, fault($0, .api, times: 1)) })
    }

    // MARK: - The disk

    private static let calls: [(call: DiskCall, codes: [DiskError.Code])] = [
        (.open, [.inputOutput, .tooManyOpen, .denied]), (.read, [.inputOutput]),
        (.write, [.noSpace, .inputOutput]), (.sync, [.inputOutput]), (.syncDirectory, [.inputOutput]),
        (.rename, [.inputOutput, .readOnly]), (.remove, [.inputOutput]), (.makeDirectory, [.noSpace]),
        (.list, [.inputOutput]), (.status, [.inputOutput]),
    ]

    static func disk(_ scenario: Scenario) -> [SweepDisturbance] {
        var all: [SweepDisturbance] = []
        for (call, codes) in calls {
            for code in codes {
                let error = FaultKind.diskError(DiskErrorSpec(code, call))
                all += [
                    .init(.diskCalls, fault(error, times: 1)),
                    .init(.diskCalls, fault(error, for: .minutes(1))),
                ]
            }
        }
        for area in [DiskArea.record, .starts, .contents, .tables, .download] {
            all.append(
                .init(.diskCalls, fault(.diskError(DiskErrorSpec(.inputOutput, .open, of: area)), times: 1)))
        }
        let lasting: [FaultKind] = [
            .noSpace(after: 0), .noSpace(after: 5_000), .shortWrites(1_000), .lockedDevice, .readOnlyDisk,
            .slow(.diskWrites, by: .milliseconds(50)), .slow(.diskSyncs, by: .milliseconds(200)),
            .slow(.diskReads, by: .milliseconds(50)), .slow(.diskRemoves, by: .milliseconds(50)),
        ]
        all += lasting.map { .init(.diskCalls, fault($0, for: .minutes(2))) }
        return all + damages(scenario)
    }

    /// Damage shows when the file is read again, at the next launch.
    private static func damages(_ scenario: Scenario) -> [SweepDisturbance] {
        let relaunch = [(after: TimeSpan.seconds(5), action: Action.relaunch(.foreground))]
        let targets: [DamageTarget] = [.record, .starts, .downloadList]
        var all: [SweepDisturbance] = []
        for target in targets {
            for damage in [Damage.remove, .flip(bytes: 1), .truncate(to: .percent(50))] {
                all.append(
                    .init(
                        .change, .disk(DiskSpec(file: Spanned(target), damage: Spanned(damage))),
                        then: relaunch))
            }
        }
        for version in scenario.versions.suffix(1) {
            for damage in [Damage.remove, .flip(bytes: 1)] {
                all.append(
                    .init(
                        .change,
                        .disk(
                            DiskSpec(
                                file: Spanned(.table(of: version.name.value)), damage: Spanned(damage))),
                        then: relaunch))
            }
        }
        for area in [DiskArea.contents, .tables, .download] {
            all.append(
                .init(
                    .change,
                    .disk(DiskSpec(file: Spanned(.stray(area)), damage: Spanned(.create(bytes: 100)))),
                    then: relaunch))
        }
        return all
    }
}
