import AppHost
import Backend
import Core
import ScenarioLanguage
import Updater

extension Stage {
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
