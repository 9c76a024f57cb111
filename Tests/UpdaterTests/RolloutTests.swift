import Core
import HTTP1
import Testing

@testable import Updater

@Suite("Rollout by share (U9): which devices are inside")
struct RolloutShareTests {
    /// First eight bytes of the SHA-256 of "v2", a zero byte and "phone-1", as another implementation
    /// computes them.
    private static let position: UInt64 = 1_867_676_778_904_510_704

    @Test("A device is inside exactly from one share on, whatever the share is a part of")
    func borders() {
        for of in [1, 2, 7, 100, 10_000, Int(clamping: (1 as Int64) << 53 - 1)] {
            let position = Int(RolloutShareTests.position % UInt64(of))
            for share in [0, position, position + 1, of] {
                let rollout = Rollout(share: share, of: of, salt: "v2")
                #expect(rollout.includes(device: "phone-1") == (position < share), "\(share) of \(of)")
            }
        }
    }

    @Test("Known positions among ten thousand")
    func known() {
        for (salt, device, position) in [
            ("v2", "phone-1", 704), ("v2", "phone-2", 8318), ("s", "phone-1", 364),
        ] {
            #expect(!Rollout(share: position, of: 10_000, salt: salt).includes(device: device))
            #expect(Rollout(share: position + 1, of: 10_000, salt: salt).includes(device: device))
        }
    }

    @Test("A share holds about that many devices, and a larger one all of them and more")
    func sizes() {
        let devices = (0..<2_000).map { "device-\($0)" }
        var inside = 0
        for share in [1_000, 2_500, 5_000] {
            let smaller = Rollout(share: share, of: 10_000, salt: "s")
            let larger = Rollout(share: share + 1_000, of: 10_000, salt: "s")
            inside = devices.count { smaller.includes(device: $0) }
            #expect(abs(inside * 5 - share) < 600)
            #expect(devices.allSatisfy { !smaller.includes(device: $0) || larger.includes(device: $0) })
        }
    }

    @Test("The salt is the version's id unless the manifest states another; numbers and types are checked")
    func reading() throws {
        func read(_ rollout: String) throws(ManifestRefusal) -> Rollout? {
            var version = Version("v2", serial: 2)
            version.extra = "\"rollout\": \(rollout),"
            return try ManifestReader(dialect: .own).read(version.manifest).metadata.rollout
        }
        #expect(
            try read(#"{ "share": 1, "of": 2 }"#) == Rollout(share: 1, of: 2, salt: "v2", otherwise: nil))
        #expect(
            try read(#"{ "share": 2, "of": 2, "salt": "", "otherwise": "m.json" }"#)
                == Rollout(share: 2, of: 2, salt: "", otherwise: "m.json"))
        #expect(try read("null") == nil)
        func cause(_ rollout: String) -> LogCause? {
            do throws(ManifestRefusal) {
                _ = try read(rollout)
                return nil
            } catch {
                return error.cause
            }
        }
        #expect(cause(#"{ "share": 0, "of": 0 }"#) == .rolloutImpossible)
        #expect(cause(#"{ "share": 2, "of": 1 }"#) == .rolloutImpossible)
        for malformed in [
            #"{ "share": -1, "of": 1 }"#, #"{ "share": 1, "of": 9007199254740992 }"#,
            #"{ "share": "1", "of": 1 }"#, #"{ "share": 1, "of": 1, "salt": 5 }"#,
            #"{ "share": 1, "of": 1, "otherwise": "" }"#, "[]",
        ] {
            #expect(cause(malformed) == .manifestFieldMalformed, "\(malformed)")
        }
        #expect(cause(#"{ "share": 1 }"#) == .manifestFieldMissing)
    }
}

@Suite("Rollout by share (U9): checks of a device that is outside")
struct RolloutCheckTests {
    /// A version for none of the devices.
    private func withheld(_ id: String, _ serial: Int, otherwise: String?, recalled: [String] = []) -> Version
    {
        var version = Version(id, serial: serial)
        let other = otherwise.map { ", \"otherwise\": \"\($0)\"" } ?? ""
        version.extra = "\"rollout\": { \"share\": 0, \"of\": 1\(other) },"
        if !recalled.isEmpty {
            version.extra += "\"recalled\": [\"\(recalled.joined(separator: "\",\""))\"],"
        }
        return version
    }

    /// Manifests by the end of their URL, and the files of all versions.
    private func host(_ manifests: [(name: String, version: Version)]) -> (OriginRequest) -> Reply? {
        { request in
            guard let route = request.route else {
                return manifests.first { request.url.hasSuffix("/" + $0.name) }
                    .map { Reply(200, $0.version.manifest) } ?? Reply(404)
            }
            let version = manifests.first { $0.version.id == request.version?.id }?.version
            return version.map { Reply(200, $0.bytes(route)) }
        }
    }

    private func checked(_ manifests: [(name: String, version: Version)]) throws -> Harness {
        var device = try Harness.started()
        device.script = host(manifests)
        device.requests = []
        device.logged = []
        device.check()
        return device
    }

    private let current = "manifest.json"

    @Test("The manifest for the others is taken; the serial of the first one is not accepted")
    func other() throws {
        var device = try checked([
            (current, withheld("v3", 9, otherwise: "m-5.json")), ("m-5.json", Version("v2", serial: 5)),
        ])
        #expect(device.status.pending?.id == "v2" && device.manifests == 2)
        #expect(device.causes(.rolloutOutside) == 1 && device.updater.durable.newestAccepted == .serial(5))
        device.script = host([(current, Version("v4", serial: 6))])
        device.check()
        #expect(device.status.pending?.id == "v4", "6 is above 5")
    }

    @Test("Without one, nothing is offered")
    func none() throws {
        let device = try checked([(current, withheld("v3", 9, otherwise: nil))])
        #expect(device.manifests == 1 && device.status.pending == nil && device.causes(.rolloutOutside) == 1)
        #expect(device.causes(.checkFailed) == 0)
    }

    @Test("Three others are requested, a fourth is not")
    func hops() throws {
        func chain(_ count: Int) -> [(name: String, version: Version)] {
            var manifests = (0..<count).map { hop in
                (
                    name: hop == 0 ? current : "m\(hop).json",
                    version: withheld("v\(20 - hop)", 20 - hop, otherwise: "m\(hop + 1).json")
                )
            }
            manifests.append((name: "m\(count).json", version: Version("v2", serial: 2)))
            return manifests
        }
        var device = try checked(chain(3))
        #expect(device.status.pending?.id == "v2" && device.manifests == 4)
        device = try checked(chain(4))
        #expect(device.status.pending == nil && device.manifests == 4)
        #expect(device.causes(.rolloutTooManyHops) == 1 && device.causes(.rolloutOutside) == 3)
    }

    @Test("A circle is refused, and another origin; a manifest that is not there fails the check")
    func refused() throws {
        var device = try checked([
            (current, withheld("v3", 9, otherwise: "a.json")),
            ("a.json", withheld("v2", 8, otherwise: "/app/manifest.json")),
        ])
        #expect(device.causes(.rolloutLoop) == 1 && device.manifests == 2)
        device = try checked([
            (current, withheld("v3", 9, otherwise: "a.json")),
            ("a.json", withheld("v2", 8, otherwise: "./a.json")),
        ])
        #expect(device.causes(.rolloutLoop) == 1)
        device = try checked([(current, withheld("v3", 9, otherwise: "https://cdn.example/m.json"))])
        #expect(device.causes(.originChangeNotAllowed) == 1 && device.manifests == 1)
        device = try checked([(current, withheld("v3", 9, otherwise: "gone.json"))])
        #expect(device.causes(.statusRefused) == 1 && device.status.pending == nil)
        device.script = host([
            (current, withheld("v3", 9, otherwise: "gone.json")), ("gone.json", Version("v2", serial: 2)),
        ])
        device.wait(.seconds(10))
        #expect(device.status.pending?.id == "v2", "the check is repeated as a whole")
    }

    @Test("Recalls of manifests that are not offered hold over launches, until a manifest lifts them")
    func recalls() throws {
        var device = try checked([(current, Version("v2", serial: 2))])
        #expect(device.status.pending?.id == "v2")
        device.script = host([
            (current, withheld("v3", 9, otherwise: "a.json", recalled: ["v2"])),
            ("a.json", Version("v2", serial: 2)),
        ])
        device.check()
        #expect(device.status.pending == nil && device.causes(.recalled) == 1)
        #expect(device.causes(.recalledOffer) == 1)
        device.check()
        #expect(device.causes(.recalled) == 1, "once")
        device.kill()
        try device.launch()
        #expect(device.updater.record.withheldRecalls == ["v2"])
        device.script = host([
            (current, withheld("v3", 10, otherwise: "a.json")), ("a.json", Version("v2", serial: 2)),
        ])
        device.check()
        #expect(device.updater.durable.withheldRecalls == [] && device.status.pending?.id == "v2")
    }

    @Test("A manifest below the accepted one is ignored, its recalls and its other manifest too")
    func older() throws {
        var device = try checked([(current, Version("v2", serial: 5))])
        device.script = host([(current, withheld("v1", 4, otherwise: "a.json", recalled: ["v2"]))])
        device.requests = []
        device.check()
        #expect(device.status.pending?.id == "v2" && device.manifests == 1)
        #expect(device.causes(.olderThanAccepted) == 1 && device.causes(.rolloutOutside) == 0)
    }

    @Test("A version that is pending or on its way and not offered here any more is dropped")
    func stopped() throws {
        var device = try checked([(current, Version("v2", serial: 2))])
        device.script = host([(current, withheld("v2", 3, otherwise: nil))])
        device.check()
        #expect(device.status.pending == nil && device.causes(.pendingDropped) == 1)
        device = try Harness.started()
        let files = host([(current, Version("v2", serial: 2))])
        device.script = { $0.route == "/app.js" ? Reply.silence : files($0) }
        device.check()
        #expect(device.status.downloading?.id == "v2")
        device.script = host([(current, withheld("v2", 3, otherwise: nil))])
        device.check()
        #expect(device.status.downloading == nil && device.status.pending == nil)
    }

    @Test("Another app's rollout is another app's: its other manifest is not requested")
    func otherApp() throws {
        var version = withheld("v3", 9, otherwise: "a.json")
        version.files[0].bytes = []
        var text = String(decoding: version.manifest, as: UTF8.self)
        text = text.replacing("com.example.shop", with: "com.example.other")
        let bytes = Array(text.utf8)
        var device = try Harness.started()
        device.script = { _ in Reply(200, bytes) }
        device.requests = []
        device.check()
        #expect(device.manifests == 1 && device.causes(.otherApp) == 1)
    }
}
