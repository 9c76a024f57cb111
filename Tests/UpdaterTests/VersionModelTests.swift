import Core
import Testing

@testable import Updater

@Suite("Versions as manifests state them: builds, assets, hashes, and what can be verified of them")
struct VersionModelTests {
    private static let digest = SHA256.hash(of: [1])

    private func build(_ text: String) throws -> NativeBuild { try #require(NativeBuild(text)) }

    @Test("N1: a build number has one to eight components of one to nine digits, compared one by one")
    func builds() throws {
        for text in ["1", "123456789", "1.2.3.4.5.6.7.8", "0", "0.0", "01.02"] {
            #expect(NativeBuild(text)?.text == text)
        }
        for text in ["1234567890", "1.2.3.4.5.6.7.8.9", "1..2", ".", "1.x", "-1", "/", ":"] {
            #expect(NativeBuild(text) == nil, "\(text)")
        }
        let ascending = ["0", "0.0.1", "1", "1.0.1", "1.2", "1.10", "2", "9.9.9", "123456789"]
        for (index, text) in ascending.enumerated() {
            for (other, otherText) in ascending.enumerated() {
                let (left, right) = (try build(text), try build(otherText))
                #expect((left < right) == (index < other), "\(text) \(otherText)")
                #expect((left == right) == (index == other), "\(text) \(otherText)")
            }
        }
        let equal = [("0", "0.0.0"), ("1.0", "01"), ("1.20.0", "1.20")]
        for (text, other) in equal { #expect(NativeBuild(text) == NativeBuild(other), "\(text)") }
        #expect(NativeBuild("1") != NativeBuild("0.1"))
    }

    @Test("U10: a range of builds contains its minimum, and not the build below which it ends")
    func ranges() throws {
        let (one, two, three) = (try build("1"), try build("2"), try build("3"))
        let between = NativeRange(minimum: one, below: three)
        let builds = [try build("0.9"), one, two, try build("2.9"), three]
        #expect(builds.map { between.contains($0) } == [false, true, true, true, false])
        #expect([one, two].map { NativeRange(minimum: two).contains($0) } == [false, true])
        #expect([one, two].map { NativeRange(below: two).contains($0) } == [true, false])
        #expect([one, two].map { NativeRange().contains($0) } == [true, true])
    }

    @Test("An asset is found by its route; its path in the package is the stated one, or its route")
    func assets() {
        var assets = ["/a", "/b", "/c", "/é"].map { Asset(route: $0, size: 1, hash: .none, url: "u") }
        assets[1] = Asset(route: "/b", size: 1, hash: .none, url: "u", packagePath: "app/b.js")
        let table = VersionTable(
            key: VersionKey(id: "v", digest: Self.digest), dialect: .own, assets: assets, index: "/a",
            metadata: ManifestMetadata())
        #expect(
            ["/a", "/b", "/c", "/é", "/", "/d"].map { table.index(ofRoute: $0) } == [0, 1, 2, 3, nil, nil])
        let paths = ["a", "app/b.js", "c", "é"]
        #expect(assets.map(\.packagePath) == paths)
        #expect(
            assets.indices.map { assets.withPackagePath(at: $0) { Array($0) } }
                == paths.map { Array($0.utf8) })
        let asset = assets[0]
        #expect(asset.sizeHint == nil && asset.type == nil && asset.sourceMap == nil)
        #expect(!asset.isOptional && !asset.isImmutable && asset.needsFinishedList)
        #expect(!Asset(route: "/a", size: 1, hash: .sha256(Self.digest), url: "u").needsFinishedList)
        #expect(Asset(route: "/a", size: 1, hash: .sha1(SHA1.hash(of: [1])), url: "u").needsFinishedList)
    }

    @Test("Bytes match the hash that is stated; without one nothing is known")
    func hashes() {
        var (sha256, sha1) = (SHA256(), SHA1())
        sha256.update([1])
        sha1.update([1])
        #expect(AssetHash.sha256(Self.digest).matches(sha256, nil) == true)
        #expect(AssetHash.sha256(SHA256.hash(of: [2])).matches(sha256, sha1) == false)
        #expect(AssetHash.sha1(SHA1.hash(of: [1])).matches(sha256, sha1) == true)
        #expect(AssetHash.sha1(SHA1.hash(of: [2])).matches(sha256, sha1) == false)
        #expect(AssetHash.sha1(SHA1.hash(of: [1])).matches(sha256, nil) == false)
        #expect(AssetHash.none.matches(sha256, sha1) == nil)
    }

    @Test("U1: what can be verified of a version follows from the hashes of its required assets")
    func summary() {
        func summary(
            _ hashes: [(hash: AssetHash, isOptional: Bool)], _ dialect: ManifestDialect = .own,
            _ order: PublicationOrder = .none
        ) -> VerificationSummary {
            var metadata = ManifestMetadata()
            metadata.order = order
            let assets = hashes.enumerated().map { index, asset in
                Asset(
                    route: "/\(index)", size: 1, hash: asset.hash, url: "u", isOptional: asset.isOptional)
            }
            return VerificationSummary(
                VersionTable(
                    key: VersionKey(id: "v", digest: Self.digest), dialect: dialect, assets: assets,
                    index: "/0", metadata: metadata))
        }
        let (hashed, none) = (AssetHash.sha256(Self.digest), AssetHash.none)
        let all = summary([(hashed, false), (none, true)])
        #expect(all.verified == .everyByte && all.unchanged == .byHash)
        let some = summary([(hashed, false), (none, false)])
        #expect(some.verified == .hashedRows && some.unchanged == .byHashOrTag)
        let no = summary([(none, false), (hashed, true)])
        #expect(no.verified == .atAcceptance && no.unchanged == .byTag)
        let serial = summary([(hashed, false)], .own, .serial(1))
        #expect(serial.order == .serial && serial.hasOrders && serial.fitness == .range)
        let date = summary([(hashed, false)], .frontend, .date(OriginTime(seconds: 1)))
        #expect(date.order == .date && !date.hasOrders && date.fitness == .none)
        let meteor = summary([(hashed, false)], .meteor)
        #expect(meteor.order == .twoChecks && !meteor.hasOrders && meteor.fitness == .equalString)
    }

    @Test("What no manifest states is the default: an update for everybody, without an order")
    func metadata() {
        let metadata = ManifestMetadata()
        #expect(metadata.order == .none && metadata.command == .update && metadata.native == NativeRange())
        #expect(metadata.app == nil && metadata.channel == nil && metadata.rollout == nil)
        #expect(metadata.compatibility.isEmpty && metadata.recalled.isEmpty && metadata.unblock.isEmpty)
        #expect(metadata.dataSchema == nil && metadata.dataSchemaReadableFrom == nil)
        let platform = PlatformCompatibility(platform: "ios", text: "A")
        #expect(platform.platform == "ios" && platform.text == "A")
    }

    @Test("Versions are sorted by their id, and of one id by their digest")
    func keys() {
        let (low, high) = (Digest256(1, 0, 0, 0), Digest256(2, 0, 0, 0))
        let sorted = [
            VersionKey(id: "a", digest: low), VersionKey(id: "a", digest: high),
            VersionKey(id: "b", digest: low), VersionKey(id: "b", digest: high),
        ]
        #expect(sorted.reversed().sorted() == sorted && sorted.shuffled().sorted() == sorted)
    }

    // MARK: Meteor's index

    private func page(_ text: String) -> [UInt8] {
        Array("<p>\"%</p>__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"\(text)\"))".utf8)
    }

    @Test("A page's configuration is read wherever it begins, with its escapes; any other text is none")
    func index() {
        let escaped = page("%7B%22appId%22%3a%22a%C3%A9%22,%22ROOT_URL%22:%22https://b%22%7D")
        let index = MeteorIndex(escaped)
        #expect(index?.appID == "aé" && index?.rootURL == "https://b" && index?.version == nil)
        for text in ["%7B%7D", "{}"] { #expect(MeteorIndex(page(text)) != nil, "\(text)") }
        for text in ["%7B%7", "%7B%7D%", "%7B%7D%4", "%7g%7D", "%g7%7D", "[]", "7", "{", ""] {
            #expect(MeteorIndex(page(text)) == nil, "\(text)")
        }
        #expect(MeteorIndex(Array(escaped.dropLast(3))) == nil, "the text has no end")
        let beginning = Array("__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"".utf8)
        for count in 0...beginning.count { #expect(MeteorIndex(Array(beginning.prefix(count))) == nil) }
        #expect(MeteorIndex(beginning + Array("{}\"".utf8)) != nil)
        #expect(MeteorIndex.maxBytes == 1_048_576)
        let both =
            #"{"autoupdateVersionCordova":"a","autoupdate":{"versions":{"web.cordova":{"version":"b"}}}}"#
        func config(_ json: String) -> MeteorIndex? {
            MeteorIndex(page(json.utf8.map { "%" + Hex.text([$0]) }.joined()))
        }
        #expect(config(both)?.version == "a")
        #expect(config(#"{"autoupdate":{"versions":{"web.cordova":{"version":"b"}}}}"#)?.version == "b")
        #expect(config(#"{"autoupdateVersionCordova":1,"appId":2,"ROOT_URL":3}"#)?.appID == nil)
    }

    @Test("A root URL leads to the device itself if its host is a name or an address of the device")
    func localRoots() {
        for url in [
            "http://localhost", "https://LocalHost:3000/a", "http://a.localhost/", "http://127.0.0.1:80/",
            "http://user:word@127.9.9.9/", "http://[::1]/", "http://a@b@localhost/",
        ] {
            #expect(MeteorIndex.isLocal(url), "\(url)")
        }
        for url in [
            "http://localhost.example/", "http://notlocalhost/", "http://10.0.0.1/", "http://[::2]/",
            "http://localhost@shop.example/", "http://128.0.0.1/", "/localhost", "", "http://:80/",
        ] {
            #expect(!MeteorIndex.isLocal(url), "\(url)")
        }
        var index = MeteorIndex(page("{}"))
        #expect(index?.isLocal == false)
        index?.rootURL = "http://localhost"
        #expect(index?.isLocal == true)
    }

    @Test("An index is refused with what was wanted and what it states")
    func refusals() throws {
        func refusal(_ config: String, allowsLocal: Bool = false) -> ManifestRefusal? {
            let required = MeteorIndex.Requirements(
                version: "v2", apps: ["a", "b"], allowsLocalRoot: allowsLocal)
            do throws(ManifestRefusal) {
                try MeteorIndex.check(page(config.replacing("\"", with: "%22")), required)
                return nil
            } catch {
                return error
            }
        }
        let good = #"{"appId":"b","ROOT_URL":"http://localhost","autoupdateVersionCordova":"v2"}"#
        #expect(refusal(good, allowsLocal: true) == nil)
        #expect(refusal(good) == ManifestRefusal(.indexRootURLLocal, "ROOT_URL=http://localhost"))
        let root = #""ROOT_URL":"https://b""#
        #expect(
            refusal(#"{"autoupdateVersionCordova":"v1","appId":"c"}"#)
                == ManifestRefusal(.indexOfOtherVersion, "wanted=v2 index=v1"), "the version is checked first"
        )
        #expect(refusal(#"{"appId":"c"}"#) == ManifestRefusal(.indexWithoutRootURL, "ROOT_URL=none"))
        #expect(
            refusal(#"{"ROOT_URL":"ftp:b"}"#) == ManifestRefusal(.indexWithoutRootURL, "ROOT_URL=ftp:b"))
        #expect(
            refusal("{\"appId\":\"c\",\(root)}") == ManifestRefusal(.indexOfOtherApp, "wanted=a,b index=c"))
        #expect(refusal("{\(root)}") == ManifestRefusal(.indexOfOtherApp, "wanted=a,b index=none"))
        let long = String(repeating: "x", count: 200)
        let cut = [
            refusal("{\"autoupdateVersionCordova\":\"\(long)\"}")?.detail,
            refusal("{\"ROOT_URL\":\"\(long)\"}")?.detail,
            refusal("{\"ROOT_URL\":\"http://localhost/\(long)\"}")?.detail,
            refusal("{\"appId\":\"\(long)\",\(root)}")?.detail,
        ]
        let texts = [long, long, "http://localhost/" + long, long].map { String($0.prefix(100)) }
        #expect(
            cut == [
                "wanted=v2 index=\(texts[0])", "ROOT_URL=\(texts[1])", "ROOT_URL=\(texts[2])",
                "wanted=a,b index=\(texts[3])",
            ])
        let none = refusal("[]")
        #expect(none?.cause == .indexWithoutConfiguration && none?.detail == "bytes=\(page("[]").count)")
    }
}
