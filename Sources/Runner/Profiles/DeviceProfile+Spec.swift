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
            reload: spec.reload,
            announcesReload: spec.announcesReload, socketsSurviveSuspension: spec.socketsSurviveSuspension)
        inactiveBeforeSwipe = spec.inactiveBeforeSwipe
        sendsFetchMetadata = spec.secFetch
        cachedPages = spec.cachedPages
        syncsReachMedium = spec.sync == .medium
        hasSmallSectors = spec.sectors == .small
        nameRule = NameRule(spec.names)
        diskCapacity = spec.storage
        evidence = spec.evidence.map { "\($0.key): \($0.because)" }
    }
}

extension DeviceProfile {
    /// The device of one scenario, which says what differs.
    func changed(by changes: DeviceChanges) -> DeviceProfile {
        var device = self
        if let bootID = changes.bootID { device.providesBootID = bootID == .available }
        device.backgroundBudget = changes.backgroundBudget ?? backgroundBudget
        device.socketsSurviveSuspension = changes.socketsSurviveSuspension ?? socketsSurviveSuspension
        device.reload = changes.reload ?? reload
        device.announcesReload = changes.announcesReload ?? announcesReload
        device.inactiveBeforeSwipe = changes.inactiveBeforeSwipe ?? inactiveBeforeSwipe
        device.sendsFetchMetadata = changes.secFetch ?? sendsFetchMetadata
        device.cachedPages = changes.cachedPages ?? cachedPages
        device.link.latency = changes.latency ?? link.latency
        device.link.bandwidth = changes.bandwidth ?? link.bandwidth
        if let model = changes.crashModel { device.crashProfile = CrashProfile(model) }
        if let sync = changes.sync { device.syncsReachMedium = sync == .medium }
        if let sectors = changes.sectors { device.hasSmallSectors = sectors == .small }
        if let names = changes.names { device.nameRule = NameRule(names) }
        device.diskCapacity = changes.storage ?? diskCapacity
        device.diskCost.perCall = changes.diskCall ?? diskCost.perCall
        device.diskCost.sync = changes.fileSync ?? diskCost.sync
        device.diskCost.syncDirectory = changes.folderSync ?? diskCost.syncDirectory
        device.diskCost.readRate = changes.diskReads ?? diskCost.readRate
        device.diskCost.writeRate = changes.diskWrites ?? diskCost.writeRate
        return device
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
