import Core
import Testing

@testable import Updater

@Suite("The assets of a manifest: their order, their digest, and paths that are equal on some volume")
struct AssetListTests {
    private static let first = AssetHash.sha256(SHA256.hash(of: [1]))
    private static let second = AssetHash.sha256(SHA256.hash(of: [2]))

    private func asset(_ route: String, _ hash: AssetHash = first) -> Asset {
        Asset(route: route, size: 1, hash: hash, url: route)
    }

    private func sorted(_ assets: [Asset], merges: Bool = false) -> [String]? {
        var list = AssetList()
        for asset in assets { list.add(asset) }
        do { return try list.sorted(mergesDuplicates: merges).map(\.route) } catch {
            #expect(error.cause == .manifestRoutesClash)
            return nil
        }
    }

    @Test("Assets are sorted by the bytes of their routes; equal ones count once only in Meteor's dialect")
    func order() {
        #expect(sorted([]) == [] && sorted([asset("/a")]) == ["/a"])
        #expect(sorted([asset("/a"), asset("/b")]) == ["/a", "/b"])
        #expect(sorted([asset("/b"), asset("/B"), asset("/a"), asset("/é")]) == ["/B", "/a", "/b", "/é"])
        for merges in [false, true] {
            let twice = [asset("/b"), asset("/a"), asset("/b")]
            #expect(sorted(twice, merges: merges) == (merges ? ["/a", "/b"] : nil))
            #expect(sorted([asset("/a"), asset("/a")], merges: merges) == (merges ? ["/a"] : nil))
            #expect(sorted([asset("/a"), asset("/a", Self.second)], merges: merges) == nil)
        }
        #expect(AssetList.precedes("/a", "/b") && !AssetList.precedes("/a", "/a"))
    }

    @Test(
        "The content digest is of the id and of each asset's route, size, hash and option, whatever the steps"
    )
    func digest() {
        func bytes(_ asset: Asset) -> [UInt8] {
            let hash: [UInt8] =
                switch asset.hash {
                case .sha256(let digest): digest.bytes
                case .sha1(let digest): digest.bytes
                case .none: []
                }
            return Array("\(asset.route)\0\(asset.size.map { "\($0)" } ?? "-")\0".utf8) + hash
                + [asset.isOptional ? 1 : 0, 0x0a]
        }
        var assets = (0..<200).map { asset("/a-rather-long-route/\($0)") }
        assets.append(Asset(route: "/x", size: nil, hash: .none, url: "", isOptional: true))
        assets.append(Asset(route: "/y", size: 0, hash: .sha1(SHA1.hash(of: [3])), url: ""))
        for count in [0, 1, 202] {
            let part = Array(assets.suffix(count))
            let expected = SHA256.hash(of: Array("id\0".utf8) + part.flatMap { bytes($0) })
            for step in [1, 100, Int.max] {
                var digest = ContentDigest(id: "id")
                var steps = 0
                var used = 0
                while !digest.isComplete(part) {
                    used += digest.add(part, atMost: step)
                    steps += 1
                }
                #expect(digest.digest == expected && used == part.reduce(0) { $0 + bytes($1).count })
                #expect(step > 1 || steps == count)
                #expect(digest.isComplete(part))
            }
        }
    }

    /// Whether two files of these package paths and hashes are refused.
    private func clashes(_ one: (String, AssetHash), _ other: (String, AssetHash)) -> Bool {
        let assets = [one, other].enumerated().map { index, file in
            Asset(route: "/\(index)", size: 1, hash: file.1, url: "", packagePath: file.0)
        }
        let between = (0..<20).map { asset("/between/\($0)") }
        var results: [Bool] = []
        for list in [assets, assets.reversed(), [assets[0]] + between + [assets[1]]] {
            do {
                try PathClash.check(list)
                results.append(false)
            } catch {
                #expect(error.cause == .manifestPathsClash)
                results.append(true)
            }
        }
        #expect(Set(results).count == 1, "the order matters")
        return results[0]
    }

    @Test("Equal paths are one file if at most one hash is stated; other spellings need the same hash")
    func oneFile() {
        let (first, second) = (Self.first, Self.second)
        for path in ["a", "a-path-of-more-than/sixteen-bytes.js", "é"] {
            #expect(!clashes((path, first), (path, first)) && clashes((path, first), (path, second)))
            #expect(!clashes((path, .none), (path, first)) && !clashes((path, .none), (path, .none)))
            let capital = path.uppercased()
            #expect(!clashes((path, first), (capital, first)) && clashes((path, first), (capital, second)))
            #expect(clashes((path, .none), (capital, first)) && clashes((path, .none), (capital, .none)))
        }
    }

    @Test(
        "Spellings that a volume takes for one name clash, and no others do",
        arguments: [
            ("k.js", "\u{212a}.js", true), ("strasse", "straße", true), ("\u{e9}", "e\u{301}", true),
            ("a@b", "a`b", false), ("a[", "a{", false), ("abcdefg@", "abcdefg`", false),
            ("abcdefgh", "abcdefgH", true), ("abcdefghi", "abcdefghI", true), ("ab", "ba", false),
            ("a", "aa", false), ("12345678a", "12345678", false), ("ü1", "ü2", false), ("ü", "u", false),
        ])
    func spellings(one: String, other: String, isOne: Bool) {
        #expect(clashes((one, Self.first), (other, Self.second)) == isOne)
    }

    @Test("Of many files the two that clash are found, wherever they are")
    func many() {
        let names = (0..<300).map { "/file-\($0).js" }
        for index in [0, 150, 299] {
            var assets = names.map { asset($0) }
            assets.append(asset("/FILE-\(index).js", Self.second))
            #expect(throws: ManifestRefusal.self) { try PathClash.check(assets) }
            assets[assets.count - 1] = asset("/FILE-\(index).js")
            #expect(throws: Never.self) { try PathClash.check(assets) }
            assets[assets.count - 1] = asset("/ü.js", Self.second)
            #expect(throws: Never.self) { try PathClash.check(assets) }
        }
    }
}
