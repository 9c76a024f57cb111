import AppHost
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("Launch and update of the real app")
struct LaunchAndUpdateTests {
    @Test("A launch shows the embedded version", arguments: [ManifestDialect.own, .frontend, .meteor])
    func launch(dialect: ManifestDialect) throws {
        var world = try self.world(dialect)
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") }, "\(world.traceText)")
    }

    @Test(
        "A deploy is found, becomes pending, and runs after a relaunch",
        arguments: [ManifestDialect.own, .frontend])
    func update(dialect: ManifestDialect) throws {
        var world = try self.world(dialect)
        world.start()
        #expect(world.run(.seconds(5)) { $0.isReady("v1") }, "\(world.traceText)")
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        #expect(world.run(.seconds(30)) { $0.isPending("v2") }, "\(world.traceText)")
        world.relaunch()
        #expect(world.run(.seconds(10)) { $0.isReady("v2") }, "\(world.traceText)")
        #expect(world.storedVersions() == ["v2"])
    }

    private func world(_ dialect: ManifestDialect) throws -> World {
        var setup = Shop.setup(dialect: dialect)
        if dialect == .meteor {
            for index in setup.versions.indices {
                setup.versions[index].files.removeAll { $0.route == "/index.html" }
            }
        }
        return try World(setup)
    }
}
