import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("An edge that keeps answers")
struct EdgeCacheTests {
    private func offer(_ layer: Int) -> Origin.Offer { Origin.Offer(layers: [layer]) }

    @Test("Each URL of each edge is kept for its age, from when it was first asked for")
    func ages() {
        var cache = EdgeCache()
        func layer(
            _ url: String, edge: Int = 0, at seconds: Int64, fresh: Int, isPastCaches: Bool = false
        ) -> [Int] {
            var request = OriginRequest(kind: .file(url), url: url)
            if isPastCaches { request.fields.append("Cache-Control", "no-cache") }
            return cache.content(
                of: request, edge: edge, age: .seconds(10), at: .zero + .seconds(seconds), fresh: offer(fresh)
            ).offer.layers
        }
        #expect(layer("/a", at: 0, fresh: 1) == [1])
        #expect(layer("/a", at: 9, fresh: 2) == [1])
        #expect(layer("/b", at: 9, fresh: 2) == [2])
        #expect(layer("/a", edge: 1, at: 9, fresh: 2) == [2])
        #expect(layer("/a", at: 10, fresh: 3) == [3])
        #expect(layer("/b", at: 18, fresh: 4) == [2])
        // What a request past the cache brings is kept from then on.
        #expect(layer("/b", at: 18, fresh: 5, isPastCaches: true) == [5])
        #expect(layer("/b", at: 27, fresh: 6) == [5])
    }

    @Test("A check within the age is answered with the previous manifest")
    func manifest() throws {
        var setup = Shop.setup()
        setup.origin.ages = [.minutes(10)]
        var world = try World(setup)
        world.isRecording = true
        world.perform(.launch(.foreground))
        _ = world.run(until: .zero + .seconds(20))
        world.perform(.deploy(DeploySpec("v2")))
        world.perform(.check)
        _ = world.run(until: .zero + .seconds(60))
        let offered = world.trace.compactMap { event -> String? in
            if case .answerHead(_, status: _, offered: let id?, _) = event.kind { id } else { nil }
        }
        #expect(!offered.isEmpty && offered.allSatisfy { $0 == "v1" })
    }
}
