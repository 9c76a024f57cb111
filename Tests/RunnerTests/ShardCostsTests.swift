import Testing

@testable import Runner

@Suite("Shards that are balanced by what an earlier call took")
struct ShardCostsTests {
    private func shares(_ costs: ShardCosts, _ names: [String], of count: Int) -> [Set<String>] {
        (1...count).map { costs.names(of: Shard(ordinal: $0, of: count), among: names) }
    }

    @Test("The dearest come first, each to the shard that has cost least")
    func longestFirst() {
        let costs = ShardCosts([.init("a", 7), .init("b", 5), .init("c", 4), .init("d", 3), .init("e", 3)])
        #expect(shares(costs, ["a", "b", "c", "d", "e"], of: 2) == [["a", "d"], ["b", "c", "e"]])
        #expect(shares(costs, ["e", "d", "c", "b", "a"], of: 2) == [["a", "d"], ["b", "c", "e"]])
    }

    @Test("Each name is in one shard, those of no known cost too", arguments: [1, 2, 3, 20])
    func whole(count: Int) {
        let names = (1...17).map { "s\($0)" }
        let costs = ShardCosts(names.prefix(9).enumerated().map { .init($1, Int64($0 * $0 * 10)) })
        let shares = shares(costs, names, of: count)
        #expect(shares.reduce(0) { $0 + $1.count } == names.count)
        #expect(shares.reduce(Set()) { $0.union($1) } == Set(names))
    }

    @Test("What is not known costs as much as the average")
    func average() {
        let costs = ShardCosts([.init("dear", 30), .init("cheap", 10)])
        #expect(shares(costs, ["dear", "cheap", "new"], of: 2) == [["dear"], ["cheap", "new"]])
    }

    @Test("Entries of one name are summed; equal costs have equal digests, others have others")
    func digest() {
        let one = ShardCosts([.init("a", 1), .init("b", 2), .init("a", 3)])
        let same = ShardCosts([.init("b", 2), .init("a", 4)])
        #expect(one == same && one.digest == same.digest)
        #expect(one.digest != ShardCosts([.init("b", 2), .init("a", 5)]).digest)
        #expect(!one.isEmpty && ShardCosts([]).isEmpty && ShardCosts([.init("a", 0)]).isEmpty)
    }
}
