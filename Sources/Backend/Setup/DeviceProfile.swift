import Core
import ScenarioLanguage
import Updater

/// A kind of device: what its platform reports to an app, how long it lets one run in background, how fast it
/// is.
package struct DeviceProfile: Hashable, Sendable {
    package var name: String
    /// `ios` or `android`.
    package var platform: String
    /// Whether the platform has an id of the current boot.
    package var providesBootID: Bool
    /// What the platform reports to the next process about the end of the last one; nothing for causes that
    /// are not listed.
    package var exits: [ExitReport]
    /// Time for which a process runs in background before it is suspended.
    package var backgroundBudget: TimeSpan
    package var link: LinkProfile
    package var diskCost: DiskCost
    package var crashProfile: CrashProfile
    /// Whether a sync is Apple's full one (`F_FULLFSYNC`), which empties the device's cache too.
    package var syncsReachMedium = true
    /// Whether a power cut keeps or loses 512 bytes at a time instead of 4 KiB.
    package var hasSmallSectors = false
    /// Which spellings of a name the volumes treat as equal.
    package var nameRule = NameRule.anyCaseAndForm
    /// Size of the data volume in bytes.
    package var diskCapacity = 16 << 30
    /// What `location.reload()` revalidates.
    package var reload: ReloadSpec
    /// Whether the web view announces a reload to the app before it sends the request.
    package var announcesReload: Bool
    /// Whether the app's shell reports each document of the main frame before its request (`Platforms.md`,
    /// "Frames"): where the platform reports a reload, it reports all of them; and a shell in front of a web
    /// view without `Sec-Fetch-Dest` has to, on Android in `shouldInterceptRequest`.
    package var announcesDocuments: Bool { announcesReload || !sendsFetchMetadata }
    /// Whether an app in front is notified that it is no longer active before its user's swipe ends it.
    package var inactiveBeforeSwipe = true
    /// Whether the web view sends `Sec-Fetch-Dest`, `-Mode` and `-Site` (W3C, Fetch Metadata).
    package var sendsFetchMetadata = true
    /// Number of pages that the web view keeps alive behind the one in front and shows again without a
    /// request (HTML §7.4.6, back/forward cache).
    package var cachedPages = 0
    /// Whether sockets stay open while the app is suspended.
    package var socketsSurviveSuspension: Bool
    /// Sources for the values above, one a line.
    package var evidence: [String] = []

    package init(
        name: String, platform: String, providesBootID: Bool = true, exits: [ExitReport] = [],
        backgroundBudget: TimeSpan = .seconds(30), link: LinkProfile = LinkProfile(),
        diskCost: DiskCost = .phone, crashProfile: CrashProfile = .strict,
        reload: ReloadSpec = .documentOnly, announcesReload: Bool = true,
        socketsSurviveSuspension: Bool = false
    ) {
        self.name = name
        self.platform = platform
        self.providesBootID = providesBootID
        self.exits = exits
        self.backgroundBudget = backgroundBudget
        self.link = link
        self.diskCost = diskCost
        self.crashProfile = crashProfile
        self.reload = reload
        self.announcesReload = announcesReload
        self.socketsSurviveSuspension = socketsSurviveSuspension
    }

    /// What the platform reports to the next process after this end of a process.
    package func exitRecord(after cause: DeathCause) -> ExitRecord? {
        exits.first { $0.cause == cause }?.record
    }

    /// The device of a scenario that names none. All other profiles are read from files.
    package static let plain = DeviceProfile(name: "plain", platform: "ios")
}

/// What a platform reports about one cause of a process's end.
package struct ExitReport: Hashable, Sendable {
    package var cause: DeathCause
    package var record: ExitRecord

    package init(_ cause: DeathCause, _ record: ExitRecord) {
        self.cause = cause
        self.record = record
    }
}

/// The network between a device and the origin.
package struct LinkProfile: Hashable, Sendable {
    /// Latency in one direction.
    package var latency: TimeSpan
    /// Bits per second, shared by all running transfers.
    package var bandwidth: Int
    /// Round trips before the first request on a new connection: one for TCP, one for TLS 1.3.
    package var roundTripsToConnect = 2
    /// Bytes of an answer that arrive together, at most.
    package var largestPiece = 64 << 10

    package init(latency: TimeSpan = .milliseconds(50), bandwidth: Int = 10_000_000) {
        self.latency = latency
        self.bandwidth = bandwidth
    }

    /// The least time in which this number of bytes arrives.
    package func time(forBytes count: Int) -> TimeSpan {
        TimeSpan(microseconds: Int64(count) * 8_000_000 / Int64(max(1, bandwidth)))
    }
}
