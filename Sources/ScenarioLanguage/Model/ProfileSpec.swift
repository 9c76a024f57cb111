import Core

/// A device profile: what the platform reports, how long an app may run, how fast the device is. Every value
/// has its evidence, because a test on an invented device proves nothing.
package struct ProfileSpec: Hashable, Sendable {
    package var source: SourceFile
    /// The file's name without its extension; `device` of a scenario refers to it.
    package var name: String
    package var title: Spanned<String>
    package var platform: DevicePlatform
    package var bootID: BootIDAvailability
    /// What the platform reports to the next process about the end of the last one; nothing for ends that are
    /// not listed.
    package var exits: [ExitSpec]
    /// How long a process may run in the background.
    package var backgroundBudget: TimeSpan
    package var socketsSurviveSuspension: Bool
    package var reload: ReloadSpec
    /// Whether the platform notifies the app of a reload before the request is sent.
    package var announcesReload: Bool
    /// Whether an app in front is notified that it is no longer active before its user's swipe ends it.
    package var inactiveBeforeSwipe = true
    /// Whether its web view sends `Sec-Fetch-Dest`, `-Mode` and `-Site`.
    package var secFetch = true
    /// Number of pages that its web view keeps alive behind the one in front, for back and forward.
    package var cachedPages = 0
    /// One-way latency to the origin.
    package var latency: TimeSpan
    /// Bandwidth from the origin in bits per second.
    package var bandwidth: Int
    package var crashModel: CrashModel
    package var sync: SyncGuarantee
    package var sectors: SectorSize
    package var names: FileNameMatching
    /// Size of the data volume in bytes.
    package var storage: Int
    /// Time of any disk call.
    package var diskCall: TimeSpan
    /// Additional time of a sync of a file.
    package var fileSync: TimeSpan
    /// Additional time of a sync of a folder.
    package var folderSync: TimeSpan
    /// Read speed of the disk in bytes per second.
    package var diskReads: Int
    /// Write speed of the disk in bytes per second.
    package var diskWrites: Int
    /// Evidence for each value, in the order of the file.
    package var evidence: [Evidence]

    /// The evidence for a value: a document, a measurement, or that it is an assumption.
    package struct Evidence: Hashable, Sendable {
        package var key: String
        package var because: String
    }
}

/// What differs on the devices of one scenario from their profiles; nil: nothing does. Without evidence,
/// because a scenario may ask what would be.
package struct DeviceChanges: Hashable, Sendable {
    package var bootID: BootIDAvailability?
    package var backgroundBudget: TimeSpan?
    package var socketsSurviveSuspension: Bool?
    package var reload: ReloadSpec?
    package var announcesReload: Bool?
    package var inactiveBeforeSwipe: Bool?
    package var secFetch: Bool?
    package var cachedPages: Int?
    package var latency: TimeSpan?
    package var bandwidth: Int?
    package var crashModel: CrashModel?
    package var sync: SyncGuarantee?
    package var sectors: SectorSize?
    package var names: FileNameMatching?
    package var storage: Int?
    package var diskCall: TimeSpan?
    package var fileSync: TimeSpan?
    package var folderSync: TimeSpan?
    package var diskReads: Int?
    package var diskWrites: Int?

    package init() {}
}

package enum DevicePlatform: String, CaseIterable, Hashable, Sendable {
    case ios, android
}

/// Whether an app can distinguish boots of the device (rule R10).
package enum BootIDAvailability: String, CaseIterable, Hashable, Sendable {
    case available = "told"
    case unavailable = "not told"
}

/// What the platform reports about one kind of end.
package struct ExitSpec: Hashable, Sendable {
    package var end: DeathCause
    package var record: ExitReason
}

/// Exit reason that the platform reports for the last process (rule R3, exit records).
package enum ExitReason: String, CaseIterable, Hashable, Sendable {
    case crash
    case notResponding = "not responding"
    case userRequested = "user requested"
    case lowMemory = "low memory"
    case other
}

/// What `location.reload()` revalidates with the server.
package enum ReloadSpec: String, CaseIterable, Hashable, Sendable {
    /// The document alone; its resources follow the cache's rules (Chromium since 54, WebKit).
    case documentOnly = "document only"
    /// The document and all its resources.
    case everything
}

/// In which order a power cut may undo writes.
package enum CrashModel: String, CaseIterable, Hashable, Sendable {
    case strict, journal, writeback, apple, prefix, alice
}

/// How far a sync of a file makes it durable.
package enum SyncGuarantee: String, CaseIterable, Hashable, Sendable {
    case medium = "reaches the medium"
    case driveCache = "reaches the drive's cache"
}

/// Which spellings of a file name a volume treats as the same name.
package enum FileNameMatching: String, CaseIterable, Hashable, Sendable {
    case exact = "exact bytes"
    case form = "any Unicode form"
    case caseAndForm = "any case and Unicode form"
}

/// Size of a sector, which a power cut can tear.
package enum SectorSize: String, CaseIterable, Hashable, Sendable {
    case large = "4 KiB"
    case small = "512 B"
}
