import Core
import Testing

@testable import Updater

@Suite("U10: the fields of a manifest, at their limits and in every form")
struct ManifestFieldTests {
    private static let hash = String(repeating: "ab", count: 32)

    private func read(_ text: String, _ dialect: ManifestDialect = .own, _ limits: UpdaterLimits = .init())
        throws(ManifestRefusal) -> VersionTable
    {
        try ManifestReader(dialect: dialect, limits: limits).read(Array(text.utf8))
    }

    /// Cause and detail of the refusal; nil: it is accepted.
    private func refusal(_ text: String, _ dialect: ManifestDialect = .own) -> String? {
        do {
            _ = try read(text, dialect)
            return nil
        } catch {
            return "\(error.cause.rawValue) \(error.detail)"
        }
    }

    /// An own manifest with one file, and these fields in place of the usual ones.
    private func own(_ fields: [String: String?] = [:], file: [String: String?] = [:]) -> String {
        var usual = ["route": "\"/i\"", "size": "3", "sha256": "\"\(Self.hash)\""]
        for (name, value) in file { usual[name] = value }
        let entry = usual.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        var root = [
            "format": "\"otalab-manifest-1\"", "app": "\"a\"", "version": "\"v\"", "index": "\"/i\"",
            "files": "[{ \(entry.joined(separator: ", ")) }]",
        ]
        for (name, value) in fields { root[name] = value }
        let all = root.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        return "{ " + all.joined(separator: ", ") + " }"
    }

    @Test("Each field that is missing, of another type or of another form is named in the refusal")
    func named() {
        #expect(refusal(own()) == nil)
        for (field, value, refused) in [
            ("format", nil, "manifest-field-missing field=format"),
            ("format", "\"x\"", "manifest-unknown-format format=x"),
            ("format", "7", "manifest-field-malformed field=format wanted: a string"),
            ("app", nil, "manifest-field-missing field=app"),
            ("app", "null", "manifest-field-missing field=app"),
            ("channel", "7", "manifest-field-malformed field=channel wanted: a string"),
            ("version", nil, "manifest-without-version field=version"),
            ("version", "\"\"", "manifest-without-version field=version"),
            (
                "version", "\"a b\"",
                "manifest-field-malformed field=version wanted: 1 to 128 visible ASCII characters"
            ),
            ("index", nil, "manifest-field-missing field=index"),
            ("index", "\"/x\"", "manifest-field-malformed field=index: no row has the route /x"),
            ("files", nil, "manifest-field-missing field=files"),
            ("files", "{}", "manifest-field-malformed field=files wanted: a list"),
            ("files", "[7]", "manifest-field-malformed files[0] is not an object"),
            ("serial", "1.5", "manifest-field-malformed field=serial wanted: a whole number ≥ 0"),
            ("serial", "\"1\"", "manifest-field-malformed field=serial wanted: a whole number ≥ 0"),
            (
                "order", "\"x\"",
                "manifest-field-malformed field=order wanted: update, force, rollBack or embedded"
            ),
            ("native", "7", "manifest-field-malformed native is not an object"),
            (
                "native", "{ \"min\": \"x\" }",
                "manifest-field-malformed field=native.min wanted: numbers and dots"
            ),
            ("native", "{ \"below\": 7 }", "manifest-field-malformed field=native.below wanted: a string"),
            ("dataSchema", "-1", "manifest-field-malformed field=dataSchema wanted: a whole number ≥ 0"),
            ("recalled", "7", "manifest-field-malformed field=recalled wanted: a list of strings"),
            ("recalled", "[7]", "manifest-field-malformed field=recalled wanted: a list of strings"),
            (
                "unblock", "[\"\"]",
                "manifest-field-malformed field=unblock wanted: at most 256 ids of versions"
            ),
        ] as [(String, String?, String)] {
            #expect(refusal(own([field: value])) == refused, "\(field) \(value ?? "absent")")
        }
        #expect(refusal("7") == "manifest-field-malformed manifest is not an object")
    }

    @Test("U12: the index is no optional file: without it a version shows nothing")
    func optionalIndex() {
        let refused = "manifest-field-malformed field=index: the row of /i is optional"
        #expect(refusal(own(file: ["optional": "true"])) == refused)
        #expect(refusal(own(file: ["optional": "false"])) == nil)
        let file = "\"size\": 3, \"sha256\": \"\(Self.hash)\""
        let files = "[{ \"route\": \"/i\", \(file) }, { \"route\": \"/o\", \"optional\": true, \(file) }]"
        #expect((try? read(own(["files": files])))?.assets.map(\.isOptional) == [false, true])
    }

    @Test("The same for the fields of a file")
    func files() {
        for (field, value, refused) in [
            ("route", nil, "manifest-field-missing field=files[0].route"),
            ("size", nil, "manifest-field-missing field=files[0].size"),
            ("size", "-1", "manifest-field-malformed field=files[0].size wanted: a whole number ≥ 0"),
            (
                "size", "9007199254740992",
                "file-too-large field=files[0].size bytes=9007199254740992 limit=9007199254740991"
            ),
            ("size", "9007199254740991", "file-too-large route=/i bytes=9007199254740991 limit=536870912"),
            ("sha256", nil, "manifest-field-missing field=files[0].sha256"),
            ("sha256", "7", "manifest-field-malformed field=files[0].sha256 wanted: a string"),
            ("sha256", "\"ab\"", "manifest-field-malformed field=files[0].sha256 wanted: 64 hex digits"),
            ("optional", "7", "manifest-field-malformed field=files[0].optional wanted: true or false"),
            (
                "immutable", "true",
                "manifest-field-malformed field=files[0].immutable wanted: a route that carries the content's hash"
            ),
            ("type", "\"text\"", "manifest-field-malformed field=files[0].type wanted: a media type"),
            ("url", "7", "manifest-field-malformed field=files[0].url wanted: a string"),
            ("sourceMap", "7", "manifest-field-malformed field=files[0].sourceMap wanted: a string"),
        ] as [(String, String?, String)] {
            #expect(refusal(own(file: [field: value])) == refused, "\(field) \(value ?? "absent")")
        }
        #expect(refusal(own(file: ["optional": "null", "immutable": "false", "size": "0"])) == nil)
    }

    @Test("Ids and media types have 1 to 128 printable characters, an id without spaces")
    func lengths() {
        func text(_ count: Int, _ first: String = "!") -> String {
            "\"" + first + String(repeating: "~", count: count - first.utf8.count) + "\""
        }
        for (count, isValid) in [(1, true), (128, true), (129, false)] {
            #expect((refusal(own(["version": text(count)])) == nil) == isValid, "\(count)")
            #expect((refusal(own(["recalled": "[\(text(count))]"])) == nil) == isValid, "\(count)")
        }
        for (count, isValid) in [(3, true), (128, true), (129, false)] {
            #expect((refusal(own(file: ["type": text(count, "a/ ")])) == nil) == isValid, "\(count)")
        }
        for character in [" ", "\\u007f", "ä"] {
            #expect(refusal(own(["version": "\"a\(character)\""])) != nil)
            #expect((refusal(own(file: ["type": "\"a/b\(character)\""])) == nil) == (character == " "))
        }
        #expect(refusal(own(file: ["type": "\"a/b/c\""])) != nil)
    }

    @Test("What an own manifest states is read, all of it")
    func whole() throws {
        let table = try read(
            own(
                [
                    "channel": "\"c\"", "serial": "7", "order": "\"force\"",
                    "native": "{ \"min\": \"1.2\", \"below\": \"3\" }", "dataSchema": "5",
                    "dataSchemaReadableFrom": "4", "recalled": "[\"r\"]", "unblock": "[\"u\"]",
                    "rollout": "{ \"share\": 1, \"of\": 2, \"salt\": \"s\", \"otherwise\": \"o\" }",
                ],
                file: [
                    "route": "\"/ü/\(Self.hash)\"", "type": "\"text/x\"",
                    "immutable": "true", "sourceMap": "\"/m\"",
                ]
            ).replacing("\"index\": \"/i\"", with: "\"index\": \"/ü/\(Self.hash)\""))
        let metadata = table.metadata
        #expect(metadata.app == "a" && metadata.channel == "c" && metadata.order == .serial(7))
        #expect(
            metadata.command == .force && metadata.dataSchema == 5 && metadata.dataSchemaReadableFrom == 4)
        #expect(metadata.native == NativeRange(minimum: NativeBuild("1.2"), below: NativeBuild("3")))
        #expect(metadata.recalled == ["r"] && metadata.unblock == ["u"])
        #expect(metadata.rollout == Rollout(share: 1, of: 2, salt: "s", otherwise: "o"))
        let digest = try #require(Digest256(hex: Self.hash))
        let asset = Asset(
            route: "/ü/\(Self.hash)", size: 3, hash: .sha256(digest), url: "/%C3%BC/\(Self.hash)",
            type: "text/x", isImmutable: true, sourceMap: "/m")
        #expect(table.assets == [asset] && table.index == asset.route && table.dialect == .own)
        let plain = try read(own(file: ["url": "\"x/y\""]))
        #expect(plain.assets == [Asset(route: "/i", size: 3, hash: .sha256(digest), url: "x/y")])
        #expect(plain.metadata.rollout == nil && plain.metadata.command == .update)
    }

    @Test("U8: only the order to go back to the embedded version needs no files")
    func withoutFiles() {
        for order in ["update", "force", "rollBack", "embedded"] {
            let text = own(["files": "[]", "order": "\"\(order)\""])
            #expect((refusal(text) == nil) == (order == "embedded"), "\(order)")
        }
        #expect(refusal(own(["index": "\"/x\"", "order": "\"embedded\""])) != nil)
    }

    @Test("A rollout's URL has 4,096 bytes at most, its numbers are below 2⁵³")
    func rollout() {
        func rollout(_ text: String) -> String? { refusal(own(["rollout": text])) }
        for (count, isValid) in [(4_096, true), (4_097, false)] {
            let url = String(repeating: "u", count: count)
            #expect((rollout("{ \"share\": 0, \"of\": 1, \"otherwise\": \"\(url)\" }") == nil) == isValid)
        }
        #expect(rollout("{ \"share\": 9007199254740991, \"of\": 9007199254740991 }") == nil)
        #expect(rollout("{ \"share\": 0, \"of\": 9007199254740992 }") != nil)
        #expect(rollout("{ \"share\": 0, \"of\": 0 }") == "rollout-impossible share=0 of=0")
        #expect(rollout("{ \"share\": 2, \"of\": 1 }") == "rollout-impossible share=2 of=1")
        #expect(rollout("{ \"share\": 1, \"of\": 1 }") == nil)
        #expect(rollout("{ \"of\": 1 }") == "manifest-field-missing field=rollout.share")
    }

    @Test("U10: each limit that an app sets allows exactly that much")
    func limits() throws {
        let text = own()
        let changes: [(what: String, most: Int, set: (inout UpdaterLimits, Int) -> Void)] = [
            ("manifest", text.utf8.count, { $0.manifestBytes = $1 }), ("assets", 1, { $0.assetCount = $1 }),
            ("file", 3, { $0.fileBytes = $1 }), ("version", 3, { $0.versionBytes = $1 }),
        ]
        for (what, most, set) in changes {
            var limits = UpdaterLimits()
            set(&limits, most)
            _ = try read(text, .own, limits)
            set(&limits, most - 1)
            #expect(throws: ManifestRefusal.self, "\(what)") { try self.read(text, .own, limits) }
        }
        var limits = UpdaterLimits()
        limits.manifestBytes = 5 << 20
        let long = text + String(repeating: " ", count: (4 << 20) + 1)
        #expect(try read(long, .own, limits).key.id == "v", "above the limit that is usual")
    }

    @Test("U10: the sizes of all files together count, and one without a size does not")
    func sum() throws {
        var limits = UpdaterLimits()
        limits.versionBytes = 10
        func frontend(_ sizes: [String]) -> String {
            let files = sizes.enumerated().map { index, size in
                "{ \"path\": \"f\(index)\", \"route\": \"/\(index == 0 ? "" : "f\(index)")\"\(size) }"
            }
            return
                "{ \"commit\": \"c\", \"date\": \"2026-11-20T12:00:00Z\", \"files\": [\(files.joined(separator: ","))] }"
        }
        _ = try read(frontend([", \"size\": 4", "", ", \"size\": 6"]), .frontend, limits)
        #expect(throws: ManifestRefusal.self) {
            try self.read(frontend([", \"size\": 5", "", ", \"size\": 6"]), .frontend, limits)
        }
    }

    @Test(
        "A frontend manifest's file has a hash of 64 or 40 digits or none, and a path with or without slash")
    func frontend() throws {
        func table(_ file: String) throws(ManifestRefusal) -> VersionTable {
            try read(
                "{ \"commit\": \"c\", \"date\": \"2026-11-20T12:00:00Z\", \"files\": [\(file)] }", .frontend)
        }
        let sha1 = String(repeating: "cd", count: 20)
        let digests = try (#require(Digest256(hex: Self.hash)), #require(Digest160(hex: sha1)))
        for (hash, expected) in [
            (Self.hash, AssetHash.sha256(digests.0)), (sha1, .sha1(digests.1)), (nil, .none),
        ] as [(String?, AssetHash)] {
            for (path, index) in [("p ü/i.html", "/"), ("/p ü/i.html", "/index.html")] {
                let stated = hash.map { ", \"hash\": \"\($0)\"" } ?? ""
                let read = try table(
                    "{ \"path\": \"\(path)\", \"route\": \"\(index)\", \"size\": 9\(stated) }")
                #expect(
                    read.assets == [
                        Asset(
                            route: index, size: 9, hash: expected, url: "/p%20%C3%BC/i.html",
                            packagePath: "p ü/i.html")
                    ])
                #expect(read.index == index && read.key.id == "c")
            }
        }
        for (file, cause) in [
            ("{ \"path\": \"p\", \"route\": \"/\", \"hash\": \"ab\" }", LogCause.manifestFieldMalformed),
            ("{ \"path\": \"\", \"route\": \"/\" }", .manifestFieldMalformed),
            ("{ \"path\": \"p\", \"route\": \"/x\" }", .manifestFieldMissing),
            ("{ \"path\": \"../p\", \"route\": \"/\" }", .manifestUnsafeRoute),
        ] {
            #expect(throws: ManifestRefusal.self, "\(file)") { try table(file) }
            do { _ = try table(file) } catch { #expect(error.cause == cause) }
        }
        let undated = "{ \"commit\": \"c\", \"date\": \"x\", \"files\": [] }"
        #expect(
            refusal(undated, .frontend)
                == "manifest-field-malformed field=date wanted: an ISO 8601 date and time")
    }
}
