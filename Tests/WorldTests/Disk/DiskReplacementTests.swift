import Backend
import Core
import ScenarioLanguage
import Testing
import World

/// The way every store writes a file anew, with each of its steps taken away in turn: the crash model must
/// clear the whole and find every gap.
@Suite("Planted bugs: replacing a file durably")
struct DiskReplacementTests {
    enum Step: CaseIterable { case syncFile, syncDirectory, temporaryName }

    /// Writes `b` anew; after the last step it counts as durable.
    private func replace(_ disk: inout SimulatedDisk, without dropped: Step?) throws {
        let text = String(repeating: "n", count: 600)
        if dropped == .temporaryName {
            let file = try disk.open(data("b"), .update)
            try disk.truncate(file, to: 0)
            try disk.append(file, text)
            try disk.sync(file)
            try disk.close(file)
        } else {
            try disk.make("a", text, isSynced: dropped != .syncFile)
            try disk.rename(data("a"), to: data("b"))
        }
        if dropped != .syncDirectory { try disk.syncDirectory(data("")) }
    }

    /// What goes wrong in any outcome of a power cut at any call, and after the last.
    private func findings(_ profile: CrashProfile, without dropped: Step?) throws -> Set<String> {
        var findings: Set<String> = []
        let start = try SimulatedDisk.holding([("b", String(repeating: "o", count: 600))], profile: profile)
        var call = 0
        while true {
            call += 1
            var disk = start
            disk.stop(atCall: call)
            var isDone = false
            do {
                try replace(&disk, without: dropped)
                isDone = true
            } catch { #expect((error as? DiskError)?.code == .inputOutput) }
            for outcome in disk.powerCutPlan().outcomes {
                var fork = disk
                fork.powerCut(keeping: outcome)
                let picture = fork.picture
                let isNew = picture.contains("b=n*600")
                if !isNew && !picture.contains("b=o*600") { findings.insert("mixed") }
                if isDone && !isNew { findings.insert("not durable") }
            }
            if isDone { return findings }
        }
    }

    @Test(
        "The whole replacement holds in every profile that promises renames",
        arguments: CrashProfile.allCases.filter { $0 != .alice })
    func whole(profile: CrashProfile) throws {
        #expect(try findings(profile, without: nil) == [])
    }

    @Test("Without the sync of the content the file can be short")
    func withoutSync() throws {
        #expect(try findings(.strict, without: .syncFile) == ["mixed", "not durable"])
        // The data that the replacing rename waits for (`auto_da_alloc`) hides the bug.
        #expect(try findings(.journal, without: .syncFile) == [])
    }

    @Test("Without the sync of the directory the replacement is whole, but can be taken back")
    func withoutDirectorySync() throws {
        for profile in [CrashProfile.strict, .journal, .writeback, .apple] {
            #expect(try findings(profile, without: .syncDirectory) == ["not durable"], "\(profile)")
        }
    }

    @Test("Written in place the file is mixed in every profile")
    func inPlace() throws {
        for profile in CrashProfile.allCases {
            #expect(try findings(profile, without: .temporaryName).contains("mixed"), "\(profile)")
        }
    }

    @Test("A device whose syncs do nothing is found out")
    func lyingDevice() throws {
        var disk = try SimulatedDisk.holding([("b", "old")])
        disk.ignoreSyncs(true)
        try replace(&disk, without: nil)
        #expect(disk.pictures.contains("b=old"))
    }
}
