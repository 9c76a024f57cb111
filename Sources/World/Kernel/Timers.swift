import Core

/// Names of timers that are set, and their tickets: setting one again replaces it.
struct Timers<Name: Comparable & Sendable>: Sendable {
    private struct Row: Sendable {
        let name: Name
        var ticket: Ticket
    }

    private var rows: [Row] = []

    var count: Int { rows.count }
    var names: [Name] { rows.map(\.name) }

    /// The ticket that the name had before.
    mutating func set(_ name: Name, _ ticket: Ticket) -> Ticket? {
        let place = place(of: name)
        if place < rows.count, rows[place].name == name {
            let old = rows[place].ticket
            rows[place].ticket = ticket
            return old
        }
        rows.insert(Row(name: name, ticket: ticket), at: place)
        return nil
    }

    mutating func remove(_ name: Name) -> Ticket? {
        let place = place(of: name)
        guard place < rows.count, rows[place].name == name else { return nil }
        return rows.remove(at: place).ticket
    }

    mutating func removeAll() { rows.removeAll() }

    private func place(of name: Name) -> Int {
        rows.indices.bisected { rows[$0].name < name }
    }
}
