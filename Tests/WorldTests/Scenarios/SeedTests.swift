import Backend
import Core
import ScenarioLanguage
import Testing

@testable import World

@Suite("Worlds of several seeds")
struct SeedTests {
    private static func live(_ world: inout World) {
        world.start()
        world.perform(.deploy(DeploySpec("v2")))
        _ = world.run(until: .zero + .seconds(5))
        world.perform(.check)
        _ = world.run(until: .zero + .seconds(60))
        world.perform(.kill(.crash))
        world.start()
        _ = world.run(until: .zero + .seconds(120))
    }

    @Test("A world made from a fresh one is, event for event, the world of its own seed")
    func likeFresh() throws {
        for devices in [[DeviceProfile.plain], [.plain, .reportingExits]] {
            var setup = Shop.setup()
            setup.devices = devices
            let fresh = try World(setup)
            var digests: [UInt64] = []
            for seed in 0..<4 as Range<UInt64> {
                setup.seed = seed
                var own = try World(setup)
                var made = World(like: fresh, seed: seed)
                #expect(made.setup.seed == seed)
                #expect(own.trace == made.trace)
                #expect(own.state == made.state)
                Self.live(&own)
                Self.live(&made)
                #expect(own.digest == made.digest)
                #expect(own.trace == made.trace)
                #expect(own.state == made.state)
                digests.append(made.digest)
            }
            #expect(digests.indices.allSatisfy { !digests[..<$0].contains(digests[$0]) })
        }
    }
}
