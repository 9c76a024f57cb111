import Core

/// A kind of device as its file says it: what its platform tells, how long it lets an app run, how fast
/// it is. Every line has its evidence, for a made-up device proves nothing.
package struct ProfileSpec: Hashable, Sendable {
    package var source: SourceFile
    /// The file's name without extension; `device` of a scenario names it.
    package var name: String
    package var title: Spanned<String>
    package var platform: DevicePlatform
    package var bootID: BootIDAvailability
    /// What the next process is told of the last one's end; ends that are not listed: nothing.
    package var exits: [ExitSpec]
    package var backgroundBudget: TimeSpan
    package var socketsSurviveSuspension: Bool
    package var reload: ReloadSpec
    /// The platform tells its host of a reload before the request goes out.
    package var announcesReload: Bool
    /// One way.
    package var latency: TimeSpan
    /// Bits a second.
    package var bandwidth: Int
    package var crashModel: CrashModel
    package var sync: SyncGuarantee
    package var sectors: SectorSize
    package var names: FileNameMatching
    /// Bytes of the data volume.
    package var storage: Int
    package var diskCall: TimeSpan
    package var fileSync: TimeSpan
    package var folderSync: TimeSpan
    /// Bytes a second.
    package var diskReads: Int
    package var diskWrites: Int
    /// In the order of the file.
    package var evidence: [Evidence]

    /// What a line rests on.
    package struct Evidence: Hashable, Sendable {
        package var key: String
        package var because: String
    }
}

package enum DevicePlatform: String, CaseIterable, Hashable, Sendable {
    case ios, android
}

/// Whether an app can tell one boot of the device from another (rule R10).
package enum BootIDAvailability: String, CaseIterable, Hashable, Sendable {
    case told
    case notTold = "not told"
}

package struct ExitSpec: Hashable, Sendable {
    package var end: DeathCause
    package var record: ExitReason
}

/// What the platform says of the last process (rule R3, exit records).
package enum ExitReason: String, CaseIterable, Hashable, Sendable {
    case crash
    case notResponding = "not responding"
    case userRequested = "user requested"
    case lowMemory = "low memory"
    case other
}

/// What `location.reload()` asks the server about again.
package enum ReloadSpec: String, CaseIterable, Hashable, Sendable {
    case documentOnly = "document only"
    case everything
}

/// The order in which a power cut may take back what was written.
package enum CrashModel: String, CaseIterable, Hashable, Sendable {
    case strict, journal, writeback, apple, prefix, alice
}

package enum SyncGuarantee: String, CaseIterable, Hashable, Sendable {
    case medium = "reaches the medium"
    case driveCache = "reaches the drive's cache"
}

/// Which spellings of a name a volume takes for one.
package enum FileNameMatching: String, CaseIterable, Hashable, Sendable {
    case exact = "exact bytes"
    case form = "any Unicode form"
    case caseAndForm = "any case and Unicode form"
}

/// What a power cut can tear.
package enum SectorSize: String, CaseIterable, Hashable, Sendable {
    case large = "4 KiB"
    case small = "512 B"
}
