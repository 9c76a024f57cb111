/// The results of a function for each item, computed on several threads.
///
/// The results are in the order of the items, whichever thread was first, so that a search does not depend on
/// the number of cores.
/// - Parameter jobs: items that are processed at the same time; at least one is.
/// - Returns: fewer results than items only if the task was cancelled.
package func parallelMap<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, _ body: @escaping @Sendable (Item) async -> Result
) async -> [Result] {
    var done = [Result?](repeating: nil, count: items.count)
    await withTaskGroup(of: (Int, Result).self) { group in
        var next = 0
        func addOne() {
            guard next < items.count, !Task.isCancelled else { return }
            let index = next
            next += 1
            group.addTask { (index, await body(items[index])) }
        }
        for _ in 0..<max(1, jobs) { addOne() }
        for await (index, result) in group {
            done[index] = result
            addOne()
        }
    }
    return done.compactMap { $0 }
}
