import Core
import Foundation
import Testing
import Updater

@testable import Publishing

@Suite("The page on the manifest says what is so")
struct ManifestPageTests {
    @Test("Its example is a manifest that the updater reads, with every field")
    func isRead() throws {
        let table = try ManifestReader(dialect: .own).read(Array(ManifestPage.example.utf8))
        let metadata = table.metadata
        #expect(table.key.id == "2.4.0+9f3a61c" && table.index == "/index.html" && table.assets.count == 2)
        #expect(metadata.app == "com.example.shop" && metadata.channel == "stable")
        #expect(metadata.order == .serial(1042) && metadata.command == .update)
        #expect(metadata.native.minimum?.text == "5.2" && metadata.native.below?.text == "6")
        #expect(metadata.dataSchema == 7 && metadata.dataSchemaReadableFrom == 6)
        #expect(metadata.recalled == ["2.3.9"] && metadata.unblock == ["2.3.7"])
        #expect(metadata.rollout?.share == 50 && metadata.rollout?.otherwise == "manifest-1041.json")
    }

    @Test(
        "What the page calls refused is refused, under the cause that it names",
        arguments: [
            ("\"otalab-manifest-1\"", "\"otalab-manifest-2\"", LogCause.manifestUnknownFormat),
            ("2.4.0+9f3a61c", "2.4.0 b", .manifestFieldMalformed),
            ("\"index\": \"/index.html\"", "\"index\": \"/other.html\"", .manifestFieldMalformed),
            ("/videos/tour.mp4", "/videos/../tour.mp4", .manifestUnsafeRoute),
            ("/videos/tour.mp4", "/index.html", .manifestRoutesClash),
            ("/videos/tour.mp4", "/INDEX.html", .manifestPathsClash),
            ("4096000", "536870913", .fileTooLarge),
            ("8e9f3b2a", "8e9f", .manifestFieldMalformed),
            ("\"optional\": true", "\"immutable\": true", .manifestFieldMalformed),
            ("\"app\"", "\"application\"", .manifestFieldMissing),
            ("\"share\": 50,", "\"share\": 1001,", .rolloutImpossible),
        ])
    func refused(text: String, replacement: String, cause: LogCause) throws {
        let example = ManifestPage.example
        let changed = example.replacingOccurrences(of: text, with: replacement)
        try #require(changed != example)
        #expect {
            try ManifestReader(dialect: .own).read(Array(changed.utf8))
        } throws: { error in
            (error as? ManifestRefusal)?.cause == cause
        }
        #expect(ManifestPage.text.contains("`\(cause.rawValue)`"))
    }

    @Test("Its limits are the updater's")
    func limits() throws {
        let limits = UpdaterLimits()
        let page = ManifestPage.text
        #expect(page.contains("at most \(limits.manifestBytes >> 20) MiB"))
        #expect(page.contains("at most \(limits.assetCount / 1_000),000 rows"))
        #expect(
            page.contains("at most \(limits.fileBytes >> 20) MiB, all files \(limits.versionBytes >> 30) GiB")
        )
        #expect(page.contains("at most three one after the other") && Rollout.maxHops == 3)
    }
}
