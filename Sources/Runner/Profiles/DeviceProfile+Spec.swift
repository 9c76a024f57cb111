import Backend
import Core
import ScenarioLanguage
import Updater

/// Converts the spec of a profile file into the world's profile.
extension DeviceProfile {
    init(_ spec: ProfileSpec) {
        self.init(
            name: spec.name, platform: spec.platform.rawValue, providesBootID: spec.bootID == .available,
            exits: spec.exits.map { ExitReport($0.end, ExitRecord($0.record)) },
            backgroundBudget: spec.backgroundBudget,
            link: LinkProfile(latency: spec.latency, bandwidth: spec.bandwidth),
            diskCost: DiskCost(
                perCall: spec.diskCall, sync: spec.fileSync, syncDirectory: spec.folderSync,
                readRate: spec.diskReads, writeRate: spec.diskWrites),
            crashProfile: CrashProfile(spec.crashModel),
            reload: spec.reload == .documentOnly ? .documentOnly : .everything,
            announcesReload: spec.announcesReload, socketsSurviveSuspension: spec.socketsSurviveSuspension)
        inactiveBeforeSwipe = spec.inactiveBeforeSwipe
        sendsFetchMetadata = spec.secFetch
        syncsReachMedium = spec.sync == .medium
        hasSmallSectors = spec.sectors == .small
        nameRule = NameRule(spec.names)
        diskCapacity = spec.storage
        evidence = spec.evidence.map { "\($0.key): \($0.because)" }
    }
}

extension ExitRecord {
    fileprivate init(_ reason: ExitReason) {
        self =
            switch reason {
            case .crash: .crash
            case .notResponding: .notResponding
            case .userRequested: .userRequested
            case .lowMemory: .lowMemory
            case .other: .other
            }
    }
}

extension NameRule {
    fileprivate init(_ spec: FileNameMatching) {
        self =
            switch spec {
            case .exact: .exactBytes
            case .form: .anyForm
            case .caseAndForm: .anyCaseAndForm
            }
    }
}

extension CrashProfile {
    fileprivate init(_ model: CrashModel) {
        self =
            switch model {
            case .strict: .strict
            case .journal: .journal
            case .writeback: .writeback
            case .apple: .apple
            case .prefix: .prefix
            case .alice: .alice
            }
    }
}
