import AppHost
import Backend
import Core
import ScenarioLanguage
import Updater

@testable import Oracle

extension Stage {
    /// The reference model alone: v1 embedded, current and confirmed; v2 complete and pending.
    static func deciding(
        profile: DeviceProfile = .plain, _ change: (inout AppSetup) -> Void = { _ in }
    ) -> Stage {
        var app = Stage.app
        change(&app)
        var stage = Stage([Decisions()], app: app, profile: profile)
        stage.boot()
        stage.status {
            $0.current = Stage.v1
            $0.lastKnownGood = Stage.v1
        }
        stage.open(Stage.v1, Stage.token(1))
        stage.confirm(Stage.v1, Stage.token(1))
        stage.check("v2")
        stage.becomePending(Stage.v2)
        return stage
    }

    /// A process begins in front, in this boot, and checks.
    mutating func boot(_ id: Int = 1) {
        emit(.launched(foreground: true, bootID: id))
        emit(Stage.sent(UInt32(process), .manifest))
    }

    mutating func end(_ cause: DeathCause) { emit(.deactivated, .processEnded(cause)) }

    /// The index of a page load is served, and the app reports the version as current.
    mutating func begin(_ version: VersionKey, _ number: UInt64) {
        open(version, Stage.token(number))
        status {
            $0.current = version
            $0.pending = nil
            $0.pendingWaits = false
        }
    }

    /// The app's own code asks for a check, whose answer offers a version.
    mutating func check(_ id: String) {
        emit(.checkRequested)
        answer(id)
    }

    mutating func confirm(_ version: VersionKey, _ token: PageLoadToken) {
        emit(.called(.first, .startupDidComplete, load: token))
        log(.startConfirmed, version)
    }

    mutating func fail(_ version: VersionKey, _ token: PageLoadToken) {
        emit(.called(.first, .startupDidFail, load: token))
        log(.startFailedByPage, version)
    }

    /// The user swipes the app away and opens it again.
    mutating func relaunch(_ change: (inout UpdaterStatus) -> Void) {
        let last = observed.status ?? UpdaterStatus()
        emit(.deactivated)
        wait(.seconds(1))
        emit(.processEnded(.user))
        boot()
        status {
            $0 = last
            change(&$0)
        }
    }
}
