import Core
import HTTP1
import Testing
import World

@testable import Updater

/// An update in each dialect, with what takes its own way through the disk: large and small files, files
/// without a hash or with a SHA-1, unchanged ones, and one that is missing.
enum UpdateStory: String, CaseIterable {
    case own, frontend, meteor

    /// A device that runs the first version, just before the check that finds the second.
    func device() throws -> Harness {
        switch self {
        case .own:
            var device = try Harness.started()
            device.offered = Version("v2", serial: 2, size: 2_000)
            device.offered?.files += (0..<5).map { ("/part\($0).js", Array("part \($0)".utf8)) }
            device.offered?.files.append(("/app.js.map", [1, 2, 3]))
            device.offered?.optional = ["/app.js.map"]
            device.script = { $0.route == "/app.js.map" ? Reply(404) : nil }
            return device
        case .frontend, .meteor:
            var device = try Harness(embedded: nil, dialect: self == .frontend ? .frontend : .meteor)
            if self == .meteor { device.settings.origin = "https://origin.example/" }
            device.script = { self.reply(to: $0, "v1") }
            try device.launch()
            device.check()
            device.send(.page(device.load(.processStart), .confirmed))
            #expect(device.status.current?.id == "v1")
            device.wait(.minutes(2))
            device.script = { self.reply(to: $0, "v2") }
            return device
        }
    }

    private func body(_ route: String, _ id: String) -> [UInt8] {
        switch route {
        case "/", "/index.html": self == .meteor ? UpdateStory.index(id) : Array("<h1>shop</h1>".utf8)
        case "/app.js": Version.content(id, 2_000)
        case "/film.mp4": Version.content("film", 1_500)
        default: Array("\(route) of \(id)".utf8)
        }
    }

    static let routes = ["/app.js", "/film.mp4", "/a.js", "/b.js", "/c.js", "/d.js"]

    private static func index(_ id: String) -> [UInt8] {
        let config =
            #"{"appId":"com.example.shop","ROOT_URL":"https://b.c","autoupdateVersionCordova":"\#(id)"}"#
        let text = config.utf8.map { "%" + Hex.text([$0]) }.joined()
        return Array("__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"\(text)\"))".utf8)
    }

    private func manifest(_ id: String) -> [UInt8] {
        if self == .frontend {
            let rows = (["/"] + UpdateStory.routes).map { route in
                #"{"path":"\#(route == "/" ? "index.html" : String(route.dropFirst()))","route":"\#(route)"}"#
            }
            return Array(
                #"{"commit":"\#(id)","date":"2026-11-1\#(id.dropFirst())T12:00:00Z","files":[\#(rows.joined(separator: ","))]}"#
                    .utf8)
        }
        let rows = UpdateStory.routes.map { route in
            #"{"path":"\#(route.dropFirst())","where":"client","type":"js","cacheable":true,"url":"\#(route)","#
                + #""hash":"\#(SHA1.hash(of: body(route, id)).hex)"}"#
        }
        return Array(
            #"{"version":"\#(id)","cordovaCompatibilityVersions":{"ios":"A"},"manifest":[\#(rows.joined(separator: ","))]}"#
                .utf8)
    }

    private func reply(to request: OriginRequest, _ id: String) -> Reply {
        let date = ("Date", "Mon, 30 Nov 2026 12:00:00 GMT")
        guard let route = request.route else { return Reply(200, manifest(id), [date]) }
        let body = body(route, id)
        let tag = "\"\(FNV1a32.hash(of: body.map(String.init).joined()))\""
        if request.field("If-None-Match") == tag { return Reply(304, [], [("ETag", tag), date]) }
        if let start = request.from, start < body.count {
            return Reply.part(body, from: start, tag: tag)
        }
        return Reply(200, body, [("ETag", tag), date])
    }

    /// Checks until the second version is pending.
    static func update(_ device: inout Harness) {
        device.check()
        for _ in 0..<6 where device.status.pending?.id != "v2" {
            device.wait(.minutes(16))
            device.check()
        }
    }
}
