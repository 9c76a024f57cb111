import Core
import Foundation
import Testing
import Updater

@testable import DeviceShell
@testable import OTAHost

@Suite("otalab publish, as a process: what it writes is taken by the real app", .serialized)
struct PublishTests {
    private static let app = "com.example.real"

    private struct Call {
        var code: Int32
        var output: String
        var errors: String
    }

    private static func publish(_ arguments: String..., in folder: URL) throws -> Call {
        try call(arguments, in: folder)
    }

    private static func call(_ arguments: [String], in folder: URL, verb: String = "publish") throws -> Call {
        let process = Process()
        process.executableURL = try ServedProcess.program()
        process.arguments = [verb] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OTALAB_") }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Call(code: process.terminationStatus, output: text, errors: error)
    }

    /// What any static host does.
    private static func host(_ folder: URL) throws -> ScriptedOrigin {
        try ScriptedOrigin { target in
            let path = folder.appendingPathComponent(String(target.dropFirst())).path
            guard let data = FileManager.default.contents(atPath: path) else { return .notFound }
            return .ok(Array(data))
        }
    }

    private static func isThere(_ name: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
    }

    @Test("Build, publish, download, page; then the next release, a rollout to nobody, and the check")
    func roundTrip() throws {
        let phone = try ServedProcess(package: [("index.html", "<!doctype html><p>zero</p>")])
        let site = phone.folder.appendingPathComponent("site")
        let origin = try Self.host(site)
        let page = try PageClient(
            try phone.start("--app", Self.app, "--port", "0", "--origin", origin.url("/")))
        #expect(page.document.contains("zero"))
        // As a page does; before its first request, its document may not be in front yet.
        #expect(try page.get("/otalab.js").status == 200)
        try phone.write("dist/index.html", "<!doctype html><p>one</p><script src=/app.js></script>")
        try phone.write("dist/app.js", "console.log(1)")
        let first = try Self.publish("dist", "--to", "site", "--app", Self.app, in: phone.folder)
        #expect(first.code == 0 && first.output.contains("as serial 1: 2 files, 2 of them new"))
        phone.say("check")
        try phone.line("became-pending", "build-")
        #expect(try page.reloaded().contains("one"))

        try phone.write("dist/index.html", "<!doctype html><p>two</p><script src=/app.js></script>")
        let second = try Self.publish("dist", "--to", "site", "--id", "2.0", in: phone.folder)
        #expect(second.output.contains("published 2.0 as serial 2: 2 files, 1 of them new"))
        phone.say("check")
        try phone.line("became-pending", "2.0")
        #expect(phone.stop(.said) == 0)
        let next = try PageClient(
            try phone.start("--app", Self.app, "--port", "0", "--origin", origin.url("/")))
        #expect(next.document.contains("two"))

        try phone.write("dist/index.html", "<!doctype html><p>three</p>")
        let third = try Self.publish(
            "dist", "--to", "site", "--id", "3.0", "--share", "0 %", in: phone.folder)
        #expect(third.code == 0)
        phone.say("check")
        try phone.line("rollout-outside")
        try phone.line("up-to-date", "2.0")
        let check = try Self.publish("--check", "--to", "site", in: phone.folder)
        #expect(check.code == 0 && check.output.contains("serial 3, 3.0: 2 manifests, 3 files"))
        #expect(phone.stop(.said) == 0)
    }

    @Test("What is published is embedded as a package that an app opens; a folder of anything else stays")
    func embedded() throws {
        let phone = try ServedProcess(package: [])
        let folder = phone.folder
        try phone.write("dist/index.html", "<p>one</p>")
        let none = try Self.publish("--to", "site", "--embed", "app", in: folder)
        #expect(none.code == 1 && none.errors.contains("nothing is published in this folder yet"))
        #expect(!Self.isThere("app", in: folder) && !Self.isThere("site", in: folder))
        let call = try Self.publish(
            "dist", "--to", "site", "--app", "a", "--id", "1.0", "--embed", "app", in: folder)
        #expect(call.code == 0 && call.output.contains("embedded 1.0, serial 1, in 'app': 1 file"))
        for name in ["app/manifest.json", "app/web/index.html", "app/www/otalab.js", "app/www/cordova.js"] {
            #expect(Self.isThere(name, in: folder), "\(name)")
        }
        try phone.write("dist/index.html", "<p>two</p>")
        #expect(try Self.publish("dist", "--to", "site", "--id", "2.0", in: folder).code == 0)
        let alone = try Self.publish("--to", "site", "--embed", "app", "--browser", in: folder)
        #expect(alone.code == 0 && alone.output == "embedded 2.0, serial 2, in 'app': 1 file\n")
        let script = try String(
            contentsOf: folder.appendingPathComponent("app/www/otalab.js"), encoding: .utf8)
        #expect(script.contains("otalab.browser"))

        let state = try StateFolder(folder.appendingPathComponent("state").path)
        var settings = UpdaterSettings(app: "a", origin: "http://127.0.0.1:9/manifest.json")
        settings.updates = .never
        let shell = HybridAppTests.Shell()
        let app = try HybridApp(
            settings, build: "1", package: AppPackage(folder.appendingPathComponent("app").path),
            state: state, delegate: shell)
        try app.start()
        #expect(try shell.line("status") == "status 2.0")
        app.stop()

        for (name, help) in [("dist", "one inside the other"), ("other", "is no app package: it has 'x'")] {
            try phone.write("other/x", "somebody's")
            let refused = try Self.publish("dist", "--to", "site", "--embed", name, in: folder)
            #expect(refused.code == 2 && refused.errors.contains(help), "\(refused.errors)")
        }
        #expect(try Self.publish("dist", "--to", "site", "--browser", in: folder).code == 2)
        #expect(Self.isThere("other/x", in: folder) && !Self.isThere("app.new", in: folder))
    }

    @Test(
        "A release that is signed is one that openssl and the app's verifier take",
        .enabled(if: SystemSigner() != nil), arguments: SignatureAlgorithm.allCases)
    func signed(_ algorithm: SignatureAlgorithm) throws {
        let phone = try ServedProcess(package: [])
        try phone.write("dist/index.html", "<p>one</p>")
        let made = try Self.call(
            ["new", "2026", "key.pem", "--algorithm", algorithm.rawValue], in: phone.folder, verb: "keys")
        let code = "PublicKey(id: \"2026\", algorithm: .\(algorithm.rawValue), bytes: ["
        #expect(made.code == 0 && made.output.contains(code))
        let again = try Self.call(["new", "2027", "key.pem"], in: phone.folder, verb: "keys")
        #expect(again.code == 2 && again.errors.contains("is there already"))
        let shown = try Self.call(["show", "key.pem"], in: phone.folder, verb: "keys")
        #expect(shown.output == made.output)
        let words = made.output.split(whereSeparator: \.isWhitespace).map(String.init)
        let bytes = try #require(words.firstIndex(of: "hex").flatMap { Hex.bytes(words[$0 + 1]) })

        let call = try Self.publish(
            "dist", "--to", "site", "--app", "a", "--sign", "key.pem", "--expires", "90", in: phone.folder)
        #expect(call.code == 0, "\(call.errors)")
        let path = phone.folder.appendingPathComponent("site/manifest.json").path
        let file = try SignedManifest(Array(try #require(FileManager.default.contents(atPath: path))))
        let key = PublicKey(id: "2026", algorithm: algorithm, bytes: bytes)
        let verifier = try #require(SystemSignatures())
        #expect(file.signatures.map(\.key) == ["2026"])
        #expect(verifier.isValid(file.signatures[0].bytes, of: file.manifest, by: key))
        #expect(!verifier.isValid(file.signatures[0].bytes, of: file.manifest + [10], by: key))
        #expect(String(decoding: file.manifest, as: UTF8.self).contains("\"expires\": \""))
        let signature = try signatureByOpenSSL(phone.folder, file, algorithm)
        // Those of P-256 differ each time (FIPS 186-5).
        if algorithm == .ed25519 { #expect(signature == file.signatures[0].bytes) }
        #expect(verifier.isValid(signature, of: file.manifest, by: key))

        #expect(try Self.publish("--to", "site", "--recall", "x", in: phone.folder).code == 1)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: phone.folder.appendingPathComponent("key.pem").path)
        let open = try Self.publish("dist", "--to", "site", "--sign", "key.pem", in: phone.folder)
        #expect(open.code == 2 && open.errors.contains("chmod 600 key.pem"))
    }

    @Test(
        "Keys are replaced: a release announces the new one, and who has confirmed it takes no other",
        .enabled(if: SystemSigner() != nil))
    func replacedKeys() throws {
        let phone = try ServedProcess(package: [("index.html", "<p>zero</p>")])
        let folder = phone.folder
        for (id, algorithm) in [("old", "ed25519"), ("new", "p256")] {
            let call = ["new", id, "\(id).pem", "--algorithm", algorithm]
            #expect(try Self.call(call, in: folder, verb: "keys").code == 0)
            let text = try Self.call(["public", "\(id).pem"], in: folder, verb: "keys").output
            #expect(text.hasPrefix("otalab signing key \(id)\n\(algorithm) ") && !text.contains("PRIVATE"))
            try phone.write("\(id).pub", text)
        }
        let origin = try Self.host(folder.appendingPathComponent("site"))
        func open() throws -> PageClient {
            let key = folder.appendingPathComponent("old.pub").path
            return try PageClient(
                try phone.start(
                    "--app", Self.app, "--port", "0", "--origin", origin.url("/"), "--key", key))
        }
        _ = try open()

        func publish(_ id: String, _ arguments: String...) throws -> Call {
            try phone.write("dist/index.html", "<p>\(id)</p>")
            return try Self.call(
                ["dist", "--to", "site", "--app", Self.app, "--id", id] + arguments, in: folder)
        }
        func check(_ key: String) throws -> Call {
            try Self.publish("--check", "--to", "site", "--key", key, in: folder)
        }
        #expect(try publish("1", "--sign", "new.pem").code == 0)
        phone.say("check")
        try phone.line("signature-by-unknown-key")
        let wrong = try check("old.pub")
        #expect(wrong.code == 1 && wrong.output.contains("FAIL manifest.json: signature-by-unknown-key"))

        let announced = try publish("2", "--sign", "old.pem", "--replace-keys", "new.pub")
        #expect(announced.code == 0 && announced.errors.contains("signed with new"), "\(announced.errors)")
        #expect(try check("old.pub").output.contains("complete and right"))
        phone.say("check")
        try phone.line("became-pending", "2")
        #expect(phone.stop(.said) == 0)
        let page = try open()
        #expect(page.document.contains("2"))
        #expect(try page.call(#"{"method":"startupDidComplete","id":7}"#).contains(#""result":true"#))
        try phone.line("keys-replaced", "keys=new")

        #expect(try publish("3", "--sign", "old.pem").code == 0)
        phone.forgetLines()
        phone.say("check")
        try phone.line("signature-by-unknown-key", "key=old")
        #expect(try publish("4", "--sign", "new.pem").code == 0)
        phone.say("check")
        try phone.line("became-pending", "4")
        #expect(phone.stop(.said) == 0)
    }

    /// The key file is one that openssl reads, and its signature is the same one (RFC 8032 has no randomness).
    /// The signature by the private key in the file; where there is no `openssl` program, the published one.
    private func signatureByOpenSSL(
        _ folder: URL, _ file: SignedManifest, _ algorithm: SignatureAlgorithm
    ) throws -> [UInt8] {
        let program = "/usr/bin/openssl"
        guard FileManager.default.isExecutableFile(atPath: program) else { return file.signatures[0].bytes }
        try Data(file.manifest).write(to: folder.appendingPathComponent("message"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments =
            switch algorithm {
            case .ed25519:
                ["pkeyutl", "-sign", "-rawin", "-inkey", "key.pem", "-in", "message", "-out", "signature"]
            case .p256: ["dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "message"]
            }
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Array(try Data(contentsOf: folder.appendingPathComponent("signature")))
    }

    @Test("A build is compared with the release before: other content under a hashed name is not published")
    func compared() throws {
        let phone = try ServedProcess(package: [])
        for (name, text) in [("index.html", "<p>one</p>"), ("app.3f2a9b1c.js", "one"), ("style.css", "p{}")] {
            try phone.write("dist/" + name, text)
        }
        func publish() throws -> Call {
            try Self.publish("dist", "--to", "site", "--app", "a", in: phone.folder)
        }
        #expect(try publish().code == 0)
        // Content has a name of its own, so that this is no finding here.
        try phone.write("dist/style.css", "p{color:red}")
        let allowed = try publish()
        #expect(allowed.code == 0 && allowed.errors.isEmpty, "\(allowed.errors)")
        try phone.write("dist/app.3f2a9b1c.js", "two")
        let refused = try publish()
        #expect(refused.code == 1 && refused.errors.contains("P0413"), "\(refused.errors)")
        #expect(refused.errors.contains("site/files/") && refused.errors.contains("nothing was published"))
    }

    @Test("Manifests of the frontend dialect, for a folder below the root of its host; an app takes them")
    func frontend() throws {
        let phone = try ServedProcess(package: [("index.html", "<p>zero</p>")])
        let origin = try Self.host(phone.folder.appendingPathComponent("host"))
        _ = try PageClient(
            try phone.start(
                "--app", Self.app, "--port", "0", "--origin", origin.url("/shop/manifest.json"),
                "--dialect", "frontend"))
        func publish(_ arguments: String..., dialect: String = "frontend") throws -> Call {
            let call = ["dist", "--to", "host/shop", "--dialect", dialect] + arguments
            return try Self.call(call, in: phone.folder)
        }
        try phone.write("dist/index.html", "<p>one</p>")
        let call = try publish("--place", "/shop", "--id", "c0ffee1")
        #expect(call.code == 0 && call.output.hasPrefix("published c0ffee1 as serial 1"), "\(call.errors)")
        phone.say("check")
        try phone.line("became-pending", "c0ffee1")
        #expect(try Self.publish("--check", "--to", "host/shop", in: phone.folder).code == 0)

        let shared = try publish("--share", "5%")
        #expect(shared.code == 1 && shared.errors.contains("can't state a share of the devices"))
        for wrong in ["shop", "/a b", "/../x", "/a?b"] {
            let refused = try publish("--place", wrong)
            #expect(refused.code == 2 && refused.errors.contains("--place can't be"), "\(wrong)")
        }
        let other = try publish("--app", "a", dialect: "own")
        #expect(other.code == 1 && other.errors.contains("of the dialect 'frontend', not 'own'"))
        #expect(phone.stop(.said) == 0)
    }

    @Test("What the web server reads may be read by everyone")
    func access() throws {
        let phone = try ServedProcess(package: [])
        try phone.write("dist/index.html", "<p>one</p>")
        let call = try Self.publish("dist", "--to", "a/site", "--app", "a", in: phone.folder)
        #expect(call.code == 0)
        let site = phone.folder.appendingPathComponent("a/site")
        for (name, mode) in [("manifest.json", 0o644), ("files", 0o755)] {
            let path = site.appendingPathComponent(name).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        }
    }

    @Test("A dry run and a release that is refused make no folder")
    func nothingMade() throws {
        let phone = try ServedProcess(package: [])
        try phone.write("dist/index.html", "<p>one</p>")
        let refused = try Self.publish("dist", "--to", "site", in: phone.folder)
        #expect(refused.code == 1 && refused.errors.contains("--app"))
        let dry = try Self.publish("dist", "--to", "site", "--app", "a", "--dry-run", in: phone.folder)
        #expect(dry.code == 0 && dry.output.hasPrefix("would publish build-"))
        #expect(!Self.isThere("site", in: phone.folder))
        let share = try Self.publish(
            "dist", "--to", "site", "--app", "a", "--share", "5%", in: phone.folder)
        #expect(share.code == 1 && share.errors.contains("first release of a folder can't be for a share"))
        #expect(!Self.isThere("site", in: phone.folder))
        try phone.write("empty/readme.txt", "")
        let empty = try Self.publish("empty", "--to", "site", "--app", "a", in: phone.folder)
        #expect(empty.code == 1 && empty.errors.contains("there is no index.html"))
        #expect(!Self.isThere("site", in: phone.folder))
    }

    @Test(
        "A mistake in the call is a usage error with a way out",
        arguments: [
            ([], "--to"), (["dist", "dist", "--to", "site"], "one after the other"),
            (["dist", "--to", "dist/site"], "beside the build"), (["dist", "--to", "."], "beside the build"),
            (["none", "--to", "site"], "there is no folder 'none'"),
            (["dist", "--to", "site", "--share", "5"], "1/1000"),
            (["dist", "--to", "site", "--share", "7/5"], "1/1000"),
            (["dist", "--to", "site", "--share", "101%"], "1/1000"),
            (["dist", "--to", "site", "--order", "later"], "rollBack"),
            (["dist", "--to", "site", "--order", "embedded"], "leave the build out"),
            (["dist", "--to", "site", "--native-min", "five"], "numbers and dots"),
            (["dist", "--to", "site", "--keep", "0"], "whole number"),
            (["dist", "--to", "site", "--check"], "exclude each other"),
            (["dist", "--to", "site", "--expires", "9"], "--sign KEY"),
            (["dist", "--to", "site", "--replace-keys", "none"], "--sign KEY"),
            (["--check", "--to", "site", "--key", "dist/index.html"], "with the public key in hex"),
            (["dist", "--to", "site", "--sign", "none.pem"], "otalab keys new"),
            (["dist", "--to", "site", "--sign", "dist/index.html"], "chmod 600"),
        ])
    func usage(arguments: [String], text: String) throws {
        let phone = try ServedProcess(package: [])
        try phone.write("dist/index.html", "<p>one</p>")
        let call = try Self.call(arguments, in: phone.folder)
        #expect(call.code == 2 && call.errors.contains(text), "\(call.errors)")
        #expect(!Self.isThere("site", in: phone.folder))
    }
}
