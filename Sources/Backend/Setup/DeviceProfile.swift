import Core
import ScenarioLanguage
import Updater

/// A kind of device: what its platform tells, how long it lets an app run, how fast it is.
package struct DeviceProfile: Hashable, Sendable {
    package var name: String
    /// `ios` or `android`.
    package var platform: String
    package var tellsBootID: Bool
    /// What the next process is told of the last one's end; causes that are not listed: nothing.
    package var exits: [ExitRow]
    /// How long a process runs on in background before it is suspended.
    package var backgroundBudget: TimeSpan
    package var link: LinkProfile
    package var diskCost: DiskCost
    package var diskProfile: CrashProfile
    /// A sync is Apple's full one.
    package var syncsReachMedium = true
    package var hasSmallSectors = false
    /// Which names the volumes take for one.
    package var nameRule = NameRule.anyCaseAndForm
    /// Bytes of the data volume.
    package var diskCapacity = 16 << 30
    /// What `location.reload()` revalidates.
    package var reload: ReloadBehaviour
    /// The platform tells its host of a reload before the request goes out.
    package var announcesReload: Bool
    package var socketsSurviveSuspension: Bool
    /// Lines with the evidence for the above.
    package var evidence: [String] = []

    package init(
        name: String, platform: String, tellsBootID: Bool = true, exits: [ExitRow] = [],
        backgroundBudget: TimeSpan = .seconds(30), link: LinkProfile = LinkProfile(),
        diskCost: DiskCost = .phone, diskProfile: CrashProfile = .strict,
        reload: ReloadBehaviour = .documentOnly, announcesReload: Bool = true,
        socketsSurviveSuspension: Bool = false
    ) {
        self.name = name
        self.platform = platform
        self.tellsBootID = tellsBootID
        self.exits = exits
        self.backgroundBudget = backgroundBudget
        self.link = link
        self.diskCost = diskCost
        self.diskProfile = diskProfile
        self.reload = reload
        self.announcesReload = announcesReload
        self.socketsSurviveSuspension = socketsSurviveSuspension
    }

    /// What the process after this death is told.
    package func record(of cause: DeathCause) -> ExitRecord? { exits.first { $0.cause == cause }?.record }

    /// The device of a scenario that names none; all others are files of the laboratory's.
    package static let plain = DeviceProfile(name: "plain", platform: "ios")
}

package struct ExitRow: Hashable, Sendable {
    package var cause: DeathCause
    package var record: ExitRecord

    package init(_ cause: DeathCause, _ record: ExitRecord) {
        self.cause = cause
        self.record = record
    }
}

/// What a web view asks the server about again on `location.reload()`.
package enum ReloadBehaviour: String, Hashable, Sendable, CaseIterable {
    /// The document alone; the rest by the cache's rules (Chromium since 54, WebKit).
    case documentOnly
    /// Everything.
    case everything
}

/// The way from a device to the origin.
package struct LinkProfile: Hashable, Sendable {
    /// One way.
    package var latency: TimeSpan
    /// Bits per second, shared by all transfers that run.
    package var bandwidth: Int
    /// Round trips before a request can leave on a fresh connection: TCP, and TLS 1.3.
    package var roundTripsToConnect = 2

    package init(latency: TimeSpan = .milliseconds(50), bandwidth: Int = 10_000_000) {
        self.latency = latency
        self.bandwidth = bandwidth
    }
}
