import AppHost
import Core
import ScenarioLanguage
import Updater

// Conversions from types of the scenario language to those of the product, which knows nothing of scenarios.

extension NetworkState {
    init(_ network: NetworkKind) {
        self =
            switch network {
            case .online: .online
            case .metered: .metered
            case .offline: .offline
            }
    }
}

extension ManifestCommand {
    init(_ order: DeployOrder) {
        self =
            switch order {
            case .update: .update
            case .force: .force
            case .rollBack: .rollBack
            case .embedded: .embedded
            }
    }
}

extension AppHost.UserIntent {
    init(_ button: ScreenButton) {
        self =
            switch button {
            case .retry: .retry
            case .tryAgain: .tryAgain
            case .lookForUpdate: .lookForUpdate
            case .sendReport: .sendReport
            }
    }
}
