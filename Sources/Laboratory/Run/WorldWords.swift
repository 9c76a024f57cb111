import Updater
import World

// The world's words under names of their own: a file that reads scenarios too knows two `Action`s, and
// the module's name is hidden by its main type.
package typealias WorldAction = Action
typealias WorldAmount = Amount
typealias WorldCondition = Condition
typealias WorldDamage = Damage
typealias WorldDeathCause = DeathCause
typealias WorldDyingPart = DyingPart
typealias WorldFirstStarts = FirstStarts
typealias WorldNativeStartup = NativeStartup
typealias WorldPageAction = PageAction
typealias WorldRacingEvent = RacingEvent
typealias WorldStartupBehaviour = StartupBehaviour
typealias WorldStoredThing = StoredThing
typealias WorldTrigger = Trigger
typealias WorldUserAction = UserAction
typealias WorldNetworkState = NetworkState
typealias UpdaterDialect = ManifestDialect
