import Core
import ScenarioLanguage
import Updater

// Conversions from the language's settings to the updater's, which knows nothing of scenarios.

extension ManifestDialect {
    package init(_ format: ManifestFormat) {
        self =
            switch format {
            case .own: .own
            case .meteor: .meteor
            case .frontend, .frontendWithHashes: .frontend
            }
    }
}

extension SettingsSpec {
    /// Changes the settings that the scenario states; nil leaves one unchanged.
    package func apply(to settings: inout UpdaterSettings) {
        if let startupTimeout { settings.startupTimeout = startupTimeout.value }
        if let unclearEnds { settings.unclearEndsUntilRescue = unclearEnds.value }
        if let confirm { settings.confirmation = confirm.value == .called ? .called : .loaded }
        if let policy = updatePolicy { settings.updates = policy }
        if let parallel { settings.parallelTransfers = parallel.value }
        if let switchOnReload { settings.switchesOnReload = switchOnReload.value }
        if let switchOnReturn { settings.switchesOnReturn = switchOnReturn.value }
        if let channel { settings.channel = channel.value }
        if let cohort { settings.cohort = cohort.value }
        if let user { settings.user = user.value }
        if let metered { settings.usesMeteredNetwork = metered.value }
        if let meteredUpTo { settings.meteredBytes = meteredUpTo.value }
        if let outcomes { settings.reportsOutcomes = outcomes.value }
    }

    /// `checks` and `updates` set one policy; what `updates` forbids stays forbidden.
    private var updatePolicy: UpdatePolicy? {
        switch updates?.value {
        case .page: return .page
        case .never: return .never
        case .automatic, nil: break
        }
        if let checks { return checks.value == .manual ? .manual : .automatic }
        return updates == nil ? nil : .automatic
    }
}
