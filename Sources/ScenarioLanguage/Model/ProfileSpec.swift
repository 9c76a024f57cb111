import Core

/// A kind of device as its file says it: what its platform tells, how long it lets an app run, how fast
/// it is. Every line has its evidence, for a made-up device proves nothing.
public struct ProfileSpec: Hashable, Sendable {
    public var source: SourceFile
    /// The file's name without extension; `device` of a scenario names it.
    public var name: String
    public var title: Spanned<String>
    public var platform: DevicePlatform
    public var bootID: BootIDTold
    /// What the next process is told of the last one's end; ends that are not listed: nothing.
    public var exits: [ExitSpec]
    public var backgroundBudget: TimeSpan
    public var socketsSurviveSuspension: Bool
    public var reload: ReloadSpec
    /// The platform tells its host of a reload before the request goes out.
    public var tellsReload: Bool
    /// One way.
    public var latency: TimeSpan
    /// Bits a second.
    public var bandwidth: Int64
    public var crashModel: CrashModel
    public var sync: SyncMeaning
    public var sectors: SectorSize
    public var names: NamesSpec
    /// Bytes of the data volume.
    public var storage: Int64
    public var diskCall: TimeSpan
    public var fileSync: TimeSpan
    public var folderSync: TimeSpan
    /// Bytes a second.
    public var diskReads: Int64
    public var diskWrites: Int64
    /// In the order of the file.
    public var evidence: [Evidence]

    /// What a line rests on.
    public struct Evidence: Hashable, Sendable {
        public var key: String
        public var because: String
    }
}

public enum DevicePlatform: String, CaseIterable, Hashable, Sendable {
    case ios, android
}

/// Whether an app can tell one boot of the device from another (rule R10).
public enum BootIDTold: String, CaseIterable, Hashable, Sendable {
    case told
    case notTold = "not told"
}

public struct ExitSpec: Hashable, Sendable {
    public var end: ToldEnd
    public var record: ExitWord
}

/// How a process can end so that somebody is left to tell of it.
public enum ToldEnd: String, CaseIterable, Hashable, Sendable {
    case crash
    case notResponding = "not responding"
    case user
    case lowMemory = "low memory"
    case system
    case storeUpdate = "store update"
}

/// What the platform says of the last process (rule R3, exit records).
public enum ExitWord: String, CaseIterable, Hashable, Sendable {
    case crash
    case notResponding = "not responding"
    case userRequested = "user requested"
    case lowMemory = "low memory"
    case other
}

/// What `location.reload()` asks the server about again.
public enum ReloadSpec: String, CaseIterable, Hashable, Sendable {
    case documentOnly = "document only"
    case everything
}

/// The order in which a power cut may take back what was written.
public enum CrashModel: String, CaseIterable, Hashable, Sendable {
    case strict, journal, writeback, apple, prefix, alice
}

public enum SyncMeaning: String, CaseIterable, Hashable, Sendable {
    case medium = "reaches the medium"
    case driveCache = "reaches the drive's cache"
}

/// Which spellings of a name a volume takes for one.
public enum NamesSpec: String, CaseIterable, Hashable, Sendable {
    case exact = "exact bytes"
    case form = "any Unicode form"
    case caseAndForm = "any case and Unicode form"
}

/// What a power cut can tear.
public enum SectorSize: String, CaseIterable, Hashable, Sendable {
    case large = "4 KiB"
    case small = "512 B"
}
