import Backend
import Core
import ScenarioLanguage
import Testing

@testable import World

@Suite("Names that a volume takes for one")
struct DiskNameTests {
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"

    private func disk(_ rule: NameRule, _ profile: CrashProfile = .strict) -> SimulatedDisk {
        SimulatedDisk(profile: profile, names: rule)
    }

    private func code(_ call: () throws(DiskError) -> Void) -> DiskError.Code? {
        do throws(DiskError) {
            try call()
        } catch {
            return error.code
        }
        return nil
    }

    private func path(_ text: String) -> DiskPath { DiskPath(.data, text) }

    private func make(_ text: String, _ byte: UInt8, on disk: inout SimulatedDisk) throws {
        let file = try disk.open(path(text), .create)
        _ = try disk.write(file, [byte], at: 0)
        try disk.sync(file)
        try disk.close(file)
    }

    @Test(
        "Each rule says which spellings are one name",
        arguments: [
            (NameRule.exactBytes, "a", "A", false), (.anyForm, "a", "A", false),
            (.anyCaseAndForm, "a", "A", true), (.exactBytes, composed, decomposed, false),
            (.anyForm, composed, decomposed, true), (.anyCaseAndForm, composed, "CAFE\u{301}", true),
            (.anyForm, composed, "CAFE\u{301}", false), (.anyCaseAndForm, "stra\u{df}e", "STRASSE", true),
            (.anyCaseAndForm, "k", "\u{212a}", true), (.anyCaseAndForm, "a", "b", false),
        ])
    func rules(rule: NameRule, made: String, asked: String, isOne: Bool) throws {
        var disk = disk(rule)
        try disk.makeDirectory(path("d"))
        try make("d/" + made, 7, on: &disk)
        #expect(
            code { () throws(DiskError) in _ = try disk.status(path("d/" + asked)) }
                == (isOne ? nil : .notFound))
        #expect(
            code { () throws(DiskError) in _ = try disk.open(path("d/" + asked), .create) }
                == (isOne ? .exists : nil))
        let listed = try disk.list(path("d"))
        #expect(listed.contains { $0.utf8.elementsEqual(made.utf8) }, "as it was spelled when it was made")
        #expect(listed.count == (isOne ? 1 : 2))
    }

    @Test("Directories on the way are found in any spelling too, and content is one file's")
    func way() throws {
        var disk = disk(.anyCaseAndForm)
        try disk.makeDirectory(path("Blobs"))
        try make("blobs/AB", 1, on: &disk)
        let file = try disk.open(path("BLOBS/ab"), .update)
        _ = try disk.write(file, [2], at: 0)
        try disk.close(file)
        #expect(disk.content(of: path("Blobs/AB"))?.bytes == [2])
        #expect(disk.content(of: path("never/Asked")) == nil)
        #expect(disk.content(of: path("bLOBS/aB"))?.bytes == [2], "also by a path that no call has named")
    }

    @Test("A rename to another spelling of the same name changes the spelling, durable after a sync alone")
    func respell() throws {
        for profile in CrashProfile.allCases {
            var disk = disk(.anyCaseAndForm, profile)
            try make("readme", 1, on: &disk)
            try disk.syncDirectory(path(""))
            try disk.rename(path("readme"), to: path("README"))
            #expect(try disk.list(path("")) == ["README"])
            #expect(disk.content(of: path("readme"))?.bytes == [1])
            var cut = disk
            cut.powerCut(keeping: .nothing)
            #expect(try cut.list(path("")) == ["readme"], "\(profile)")
            try disk.syncDirectory(path(""))
            disk.powerCut(keeping: .nothing)
            #expect(try disk.list(path("")) == ["README"], "\(profile)")
        }
    }

    @Test("A rename over another spelling replaces that file; the old or the new one is there after a cut")
    func replace() throws {
        for profile in CrashProfile.allCases where profile != .alice {
            var disk = disk(.anyCaseAndForm, profile)
            try make("record", 1, on: &disk)
            try make("next", 2, on: &disk)
            try disk.syncDirectory(path(""))
            try disk.rename(path("next"), to: path("Record"))
            #expect(disk.content(of: path("record"))?.bytes == [2])
            for outcome in disk.powerCutPlan().outcomes {
                var cut = disk
                cut.powerCut(keeping: outcome)
                let bytes = cut.content(of: path("record"))?.bytes
                #expect(bytes == [1] || bytes == [2], "\(profile) \(outcome)")
            }
        }
    }

    @Test("An app package with two spellings of one name holds the later file only")
    func package() throws {
        for (rule, first) in [(NameRule.exactBytes, [UInt8(1)]), (.anyCaseAndForm, [2])] {
            var disk = disk(rule)
            try disk.mountPackage(files: [("www/Logo.png", [1]), ("www/logo.png", [2])])
            #expect(disk.content(of: DiskPath(.package, "www/Logo.png"))?.bytes == first)
            #expect(disk.files(under: DiskPath(.package, "www")).count == (rule == .exactBytes ? 2 : 1))
        }
    }

    @Test("Disks are equal when they hold the same spellings, and differ by them")
    func equality() throws {
        var one = disk(.anyCaseAndForm)
        var other = disk(.anyCaseAndForm)
        for text in ["X", "a"] { try make(text, 1, on: &one) }
        for text in ["a", "x"] { try make(text, 1, on: &other) }
        one.flush()
        other.flush()
        #expect(one != other)
        try other.rename(path("x"), to: path("X"))
        other.flush()
        #expect(one == other)
        #expect(one != disk(.anyForm))
    }

    @Test("Whoever watches the disk is not led astray by a second spelling")
    func watched() throws {
        var disk = disk(.anyCaseAndForm)
        try make("a", 1, on: &disk)
        let mark = disk.revision
        let file = try disk.open(path("A"), .update)
        _ = try disk.write(file, [2], at: 0)
        #expect(disk.changes(since: mark).changes == nil, "everything may have changed")
        try disk.close(file)
    }
}
