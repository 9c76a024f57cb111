import Core
import ScenarioLanguage
import Testing

@Suite("The lookup table is a map with one order")
struct LookupTableTests {
    @Test("Random inserts, removals and replacements agree with a dictionary")
    func agreesWithADictionary() {
        var table = LookupTable<UInt64, Int>()
        var model: [UInt64: Int] = [:]
        var word = KeyedHash(key: KeyedHash.Key(low: 7, high: 9))
        for step in 0..<3_000 {
            word.update(UInt64(step))
            let choice = word.finish()
            let key = choice % 97
            if choice >> 32 & 3 == 0 {
                #expect(table.remove(key) == model.removeValue(forKey: key))
            } else {
                table[key] = step
                model[key] = step
            }
            #expect(table.count == model.count)
        }
        #expect(table.keys == model.keys.sorted())
        for (key, value) in model { #expect(table[key] == value) }
    }

    @Test(
        "Equal content is an equal value whatever the order of insertion; of equal keys the last one is kept")
    func orderOfArrival() {
        let first = LookupTable([("b", 1), ("a", 2), ("c", 3)])
        var second = LookupTable<String, Int>()
        for (key, value) in [("c", 9), ("a", 2), ("c", 3), ("b", 1)] { second[key] = value }
        #expect(first == second)
        #expect(LookupTable([("a", 1), ("a", 2)]).values == [2])
    }

    @Test("A value changes in place, and what is missing is missing")
    func inPlace() {
        var table = LookupTable<Int, [Int]>()
        table.update(4, default: []) { $0.append(1) }
        table.update(4, default: []) { $0.append(2) }
        #expect(table[4] == [1, 2])
        #expect(table.update(5) { $0.append(3) } == nil)
        table[4] = nil
        #expect(table.isEmpty)
        table[1] = []
        table[9] = []
        #expect(table.first(from: 2)?.key == 9)
        #expect(table.first(from: 10) == nil)
        #expect(table.contains(9) && !table.contains(2))
        table.removeAll { key, _ in key == 1 }
        #expect(table.map(\.key) == [9])
    }
}
