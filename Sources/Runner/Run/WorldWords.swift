import Updater
import World

// The world's words under names of their own: a file that reads scenarios too knows two `Action`s, and
// the module's name is hidden by its main type.
package typealias WorldAction = Action
package typealias WorldAmount = Amount
typealias WorldCondition = Condition
package typealias WorldDamage = Damage
package typealias WorldDeathCause = DeathCause
typealias WorldDyingPart = DyingPart
typealias WorldFirstStarts = FirstStarts
typealias WorldNativeStartup = NativeStartup
typealias WorldPageAction = PageAction
package typealias WorldRacingEvent = RacingEvent
typealias WorldStartupBehaviour = StartupBehaviour
package typealias WorldStoredThing = StoredThing
package typealias WorldTrigger = Trigger
typealias WorldUserAction = UserAction
typealias WorldNetworkState = NetworkState
package typealias UpdaterDialect = ManifestDialect
