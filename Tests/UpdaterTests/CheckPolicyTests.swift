import Core
import HTTP1
import Testing

@testable import Updater

@Suite("What checks, settings and screens leave for later")
struct CheckPolicyTests {
    @Test("U10: a manifest of exactly the limit is read, one byte more is refused, announced or not")
    func longestManifest() throws {
        let version = Version("v2", serial: 2)
        let most = version.manifest.count
        for (limit, isTaken) in [(most, true), (most - 1, false)] {
            for length in [[], [("Content-Length", "x")]] {
                var device = try Harness.started()
                device.settings.limits.manifestBytes = limit
                device.send(.settings(device.settings))
                device.offered = version
                device.script = { $0.kind == .manifest ? Reply(200, version.manifest, length) : nil }
                device.check()
                #expect((device.status.pending?.id == "v2") == isTaken, "\(limit) \(length)")
                #expect(device.causes(.manifestTooLarge) == (isTaken ? 0 : 1))
            }
        }
    }

    @Test("U7: once the first version was shown, a lost network shows no screen any more")
    func screenAfterTheFirst() throws {
        var device = try Harness(embedded: nil)
        try device.launch()
        device.offered = Version("v1", serial: 1)
        device.check()
        device.send(.page(device.load(.processStart), .confirmed))
        device.effects = []
        device.send(.network(.offline))
        device.send(.network(.online))
        device.script = { _ in Reply(503) }
        device.check()
        #expect(device.screens.isEmpty && device.updater.hasNothingToShow == false)
    }

    @Test("U15: settings about metered networks count at once, for what is on its way")
    func meteredSettings() throws {
        var device = try Harness.started()
        device.send(.network(.metered))
        device.offered = Version("v2", serial: 2)
        device.delayed = ["/app.js"]
        device.check()
        #expect(device.waiting.count == 1)
        let changes: [(allowed: Bool, change: (inout UpdaterSettings) -> Void)] = [
            (false, { $0.usesMeteredNetwork = false }), (true, { $0.usesMeteredNetwork = true }),
            (false, { $0.meteredBytes = 10 }), (true, { $0.meteredBytes = 10_000 }),
            (false, { $0.meteredBytes = 10 }), (true, { $0.meteredBytes = nil }),
        ]
        for (isAllowed, change) in changes {
            device.effects = []
            change(&device.settings)
            device.send(.settings(device.settings))
            let fetches = device.effects.count { if case .fetch = $0 { true } else { false } }
            let cancels = device.effects.count { if case .cancelFetch = $0 { true } else { false } }
            #expect(fetches == (isAllowed ? 1 : 0) && cancels == (isAllowed ? 0 : 1))
        }
    }

    @Test("U14: updates that are turned off end the check, the download and the report of outcomes")
    func turnedOff() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.reportsOutcomes = true
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        device.script = { $0.kind == .outcomes || $0.route != nil ? .silence : nil }
        device.offered = Version("v3", serial: 3)
        device.check()
        #expect(device.updater.outcomeUpload != nil && device.updater.download != nil)
        device.isSilent = true
        device.script = nil
        device.check()
        device.effects = []
        device.settings.updates = .never
        device.send(.settings(device.settings))
        let cancels = device.effects.count { if case .cancelFetch = $0 { true } else { false } }
        #expect(cancels == 3)
        #expect(device.updater.checks.run == nil && device.updater.download == nil)
        #expect(device.updater.outcomeUpload == nil)
        let requests = device.requests.count
        device.wait(.hours(1))
        device.send(.background)
        device.send(.foreground)
        for reason in Updater.CheckReason.allCases { device.send(.check(reason)) }
        #expect(device.requests.count == requests)
        device.isSilent = false
        device.settings.updates = .manual
        device.send(.settings(device.settings))
        device.check()
        #expect(device.status.pending?.id == "v3")
    }

    @Test("U14: which reasons count under each policy")
    func reasons() throws {
        for policy in UpdatePolicy.allCases {
            for reason in Updater.CheckReason.allCases {
                var device = try Harness.started()
                device.settings.updates = policy
                device.send(.settings(device.settings))
                device.requests = []
                device.logged = []
                device.send(.check(reason))
                let isAllowed =
                    switch policy {
                    case .automatic, .manual: true
                    case .page: reason == .page || reason == .recovery
                    case .never: false
                    }
                #expect(device.manifests == (isAllowed ? 1 : 0), "\(policy) \(reason)")
                #expect(device.causes(.updatesOff) == (isAllowed ? 0 : 1))
            }
        }
    }

    @Test("U5: which reasons end the pause after eight failures, and which allow one attempt")
    func wakes() throws {
        for reason in Updater.CheckReason.allCases {
            var device = try Harness.started()
            device.script = { _ in Reply(503) }
            device.check()
            device.wait(.minutes(4))
            device.requests = []
            device.send(.check(reason))
            device.wait(.minutes(4))
            let isReset = [.launch, .foreground, .push].contains(reason)
            #expect(device.manifests == (isReset ? 8 : 1), "\(reason)")
        }
    }

    @Test("U5: a return checks after 15 minutes since the last request, and switches after 30 in background")
    func returns() throws {
        for (minutes, checks, switches) in [(14, 0, 0), (15, 1, 0), (29, 1, 0), (30, 1, 1)] {
            var device = try Harness.started()
            device.settings.updates = .automatic
            device.settings.switchesOnReturn = true
            device.send(.settings(device.settings))
            device.offered = Version("v2", serial: 2)
            device.check()
            device.send(.background)
            device.requests = []
            device.effects = []
            device.wait(.minutes(Int64(minutes)) - .milliseconds(minutes % 15 == 14 ? 1 : 0))
            device.send(.foreground)
            #expect(device.manifests == checks, "\(minutes)")
            #expect(device.reloads == Array(repeating: .longAbsence, count: switches), "\(minutes)")
        }
    }

    @Test(
        "S2: a file of the package whose size no manifest states is served with its size, a missing one not")
    func embeddedSizes() throws {
        var files = [(path: "web/index.html", bytes: Array("<p>".utf8))]
        var entries = ["{ \"path\": \"index.html\", \"route\": \"/\" }"]
        for number in 0..<40 {
            if number != 33 {
                files.append((path: "web/f\(number)", bytes: [UInt8](repeating: 7, count: number)))
            }
            entries.append("{ \"path\": \"f\(number)\", \"route\": \"/f\(number)\" }")
        }
        let manifest =
            "{ \"commit\": \"c1\", \"date\": \"2026-11-20T12:00:00Z\", \"files\": [\(entries.joined(separator: ","))] }"
        files.append((path: "web/manifest.json", bytes: Array(manifest.utf8)))
        var device = try Harness(embedded: nil, dialect: .frontend)
        try device.disk.mountPackage(files: files)
        device.hasEmbedded = true
        device.embeddedDialect = .frontend
        try device.launch()
        let served = try #require(device.served[device.load(.processStart)])
        #expect(served.files.count == 40)
        for file in served.files where file.route != "/" {
            #expect("/f\(file.size)" == file.route)
        }
        #expect(!served.files.contains { $0.route == "/f33" })
    }
}
