import Core

/// The set timers by name, with their tickets. Setting one again replaces it.
struct Timers<Name: Comparable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let name: Name
        var ticket: QueueTicket
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var names: [Name] { entries.map(\.name) }

    /// Sets a timer; returns its previous ticket.
    mutating func set(_ name: Name, _ ticket: QueueTicket) -> QueueTicket? {
        let index = index(of: name)
        if index < entries.count, entries[index].name == name {
            let old = entries[index].ticket
            entries[index].ticket = ticket
            return old
        }
        entries.insert(Entry(name: name, ticket: ticket), at: index)
        return nil
    }

    mutating func remove(_ name: Name) -> QueueTicket? {
        let index = index(of: name)
        guard index < entries.count, entries[index].name == name else { return nil }
        return entries.remove(at: index).ticket
    }

    mutating func removeAll() { entries.removeAll() }

    private func index(of name: Name) -> Int {
        entries.indices.bisected { entries[$0].name < name }
    }
}
