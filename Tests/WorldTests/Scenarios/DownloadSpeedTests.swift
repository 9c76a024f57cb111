import Backend
import AppHost
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

/// Sixty files over 100 ms each way and 3 Mbit/s, against a client that asks at once, six at a time, and
/// never does anything else.
@Suite("A download is as fast as the line, and no byte too many comes over it")
struct DownloadSpeedTests {
    struct Sizes: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var sizes: [Int]

        /// Bytes, not round trips, decide.
        var fillsLine: Bool

        init(_ name: String, fillsLine: Bool = false, _ size: (Int) -> Int) {
            testDescription = name
            self.fillsLine = fillsLine
            // The index names the files, so it changes with them.
            sizes = [DownloadSpeedTests.indexSize] + (1..<60).map(size)
        }
    }

    static let indexSize = 2_000

    static let bundles = [
        Sizes("sixty files of 40 KB", fillsLine: true) { _ in 40_000 },
        Sizes("sixty files of 512 B") { _ in 512 },
        Sizes("one large file among many small ones") { $0 == 30 ? 900_000 : 3_000 + $0 * 100 },
        Sizes("all sizes", fillsLine: true) { 200 << ($0 % 12) },
    ]

    static var line: LinkProfile { LinkProfile(latency: .milliseconds(100), bandwidth: 3_000_000) }

    private func world(_ sizes: [Int], _ device: DeviceProfile) throws -> World {
        var setup = Shop.setup(device: device)
        for (number, size) in sizes.enumerated().dropFirst() {
            let route = "/p\(number).png"
            let key = ContentKey(version: "v2", route: route, size: size)
            setup.versions[1].files.append(FileSetup(route: route, content: .made(key)))
        }
        setup.versions[1].files.removeAll { $0.route == "/app.js" }
        setup.versions[1].files.append(setup.versions[0].files[1])
        var world = try World(setup)
        world.start()
        #expect(world.run(.seconds(10)) { $0.isReady("v1") })
        world.settleDown()
        return world
    }

    @Test("U5: at most a tenth over what the line allows", arguments: bundles)
    func time(_ bundle: Sizes) throws {
        var device = DeviceProfile.plain
        device.link = DownloadSpeedTests.line
        var world = try world(bundle.sizes, device)
        world.perform(.deploy(DeploySpec("v2")))
        let begin = world.now
        world.perform(.check)
        #expect(world.run(.minutes(1)) { $0.isPending("v2") }, "\(world.traceText)")
        let taken = world.now - begin
        let manifest = world.bytesByRequest.first { $0.kind == .manifest }?.bytes ?? 0
        var client = IdealClient(DownloadSpeedTests.line)
        let ideal = client.time(manifest: manifest, files: bundle.sizes)
        #expect(
            taken.microseconds * 10 <= ideal.microseconds * 11,
            "\(taken.microseconds / 1_000) ms, the line allows \(ideal.microseconds / 1_000) ms")
        // There and back for the manifest and for the first files, and all bytes one after the other.
        let line = DownloadSpeedTests.line
        let bits = Int64(manifest + bundle.sizes.reduce(0, +)) * 8
        let least = line.latency * 4 + .microseconds(bits * 1_000_000 / Int64(line.bandwidth))
        #expect(taken >= least, "no client is faster than the link")
        // And the round trips of the other five connections, while one alone does not fill the line.
        let filled = least + line.latency * 4
        if bundle.fillsLine { #expect(taken.microseconds * 10 <= filled.microseconds * 11) }
    }

    @Test(
        "U2: what comes over the line is the manifest and the changed files, to the byte", arguments: bundles)
    func bytes(_ bundle: Sizes) throws {
        var device = DeviceProfile.plain
        device.link = DownloadSpeedTests.line
        var world = try world(bundle.sizes, device)
        world.perform(.deploy(DeploySpec("v2")))
        let mark = world.trace.count
        world.perform(.check)
        #expect(world.run(.minutes(1)) { $0.isPending("v2") })
        let offered = world.origin.edges[0].offer(
            answering: OriginRequest(kind: .manifest, url: "https://updates.example.com/ota/manifest.json"))
        let came = world.trace[mark...].reduce(0) { sum, event in
            switch event.kind {
            case .transferEnded(_, let bytes, _), .transferFailed(_, _, let bytes),
                .transferCancelled(_, let bytes):
                sum + bytes
            default: sum
            }
        }
        #expect(came == offered.manifest.count + bundle.sizes.reduce(0, +))
        #expect(world.bytesByRequest.count { $0.kind != .manifest } == 60)
    }
}

extension World {
    /// Every request whose body came to its end, with the bytes of that body.
    fileprivate var bytesByRequest: [(kind: OriginRequest.Kind, bytes: Int)] {
        var requests: [(id: TransferID, kind: OriginRequest.Kind)] = []
        var ended: [(kind: OriginRequest.Kind, bytes: Int)] = []
        for event in trace {
            if case .requestSent(let request) = event.kind {
                requests.append((request.transfer, request.kind))
            }
            if case .transferEnded(let id, let bytes, _) = event.kind,
                let request = requests.last(where: { $0.id == id })
            {
                ended.append((request.kind, bytes))
            }
        }
        return ended
    }
}

/// What a line allows: manifest, then the files in order, six requests at once, the next one in the very
/// moment in which one ends, and no time for anything else.
private struct IdealClient {
    private var link: Link
    private var agenda: [Due] = []
    private var now = TimeSpan.zero
    private var posted = 0
    private var sizes: [Int] = []
    private var next: UInt32 = 1

    private struct Due {
        var at: TimeSpan
        var ordinal: Int
        var id: TransferID
        var stage: Link.Stage

        func isBefore(_ other: Due) -> Bool { (at, ordinal) < (other.at, other.ordinal) }
    }

    /// With the connection of the check at launch.
    init(_ profile: LinkProfile) {
        link = Link(profile)
        let id = TransferID(0)
        _ = link.begin(
            id, OriginRequest(kind: .manifest, url: ""), edge: 0, RequestPlan([]), connectTimeout: .zero,
            isOffline: false)
        link.end(id, keepsConnection: true)
    }

    mutating func time(manifest: Int, files: [Int]) -> TimeSpan {
        sizes = [manifest] + files
        ask()
        var isFirst = true
        while let index = agenda.indices.min(by: { agenda[$0].isBefore(agenda[$1]) }) {
            let due = agenda.remove(at: index)
            now = due.at
            guard happen(due.id, due.stage) else { continue }
            for _ in 0..<(isFirst ? 6 : 1) { ask() }
            isFirst = false
        }
        return now
    }

    private mutating func ask() {
        guard Int(next) <= sizes.count else { return }
        let id = TransferID(next)
        next += 1
        let request = OriginRequest(kind: .file("/"), url: "https://updates.example.com/")
        let begun = link.begin(
            id, request, edge: 0, RequestPlan([]), connectTimeout: .seconds(15), isOffline: false)
        post(id, begun.0, begun.after)
    }

    private mutating func post(_ id: TransferID, _ stage: Link.Stage, _ after: TimeSpan) {
        agenda.append(Due(at: now + after, ordinal: posted, id: id, stage: stage))
        posted += 1
    }

    /// - Returns: true when the transfer has come to its end.
    private mutating func happen(_ id: TransferID, _ stage: Link.Stage) -> Bool {
        switch stage {
        case .atOrigin:
            let body = [UInt8](repeating: 0, count: sizes[Int(id.rawValue) - 1])
            if let head = link.answered(id, OriginAnswer(status: 200, body: AnswerBody(body))) {
                post(id, head.0, head.after)
            }
        case .head:
            _ = link.startBody(id)
            serve()
        case .bytes(let count):
            let end = link.take(id, count).end
            if end != nil { link.end(id, keepsConnection: true) }
            serve()
            return end != nil
        case .fails: Issue.record("the line failed")
        }
        return false
    }

    private mutating func serve() {
        guard let (id, bytes, after) = link.serve() else { return }
        post(id, .bytes(bytes), after)
    }
}
