import Core

/// The first entry at which the contents of two runs part.
package struct ContentDifference: Hashable, Sendable {
    /// Number of entries before it, which are equal.
    package var equalCount: Int
    /// The entry on each side; nil: that run was over.
    package var one: RecordedEvent?
    package var other: RecordedEvent?
    /// The last entries before it.
    package var before: [RecordedEvent]

    /// Entries before the first difference that are shown.
    private static let context = 4

    /// - Parameter ignoresSecrets: whether what a seed draws is not compared (``RecordedEvent``).
    init?(_ one: [RecordedEvent], _ other: [RecordedEvent], ignoresSecrets: Bool) {
        let common = min(one.count, other.count)
        var index = 0
        while index < common {
            if one[index] != other[index] {
                guard ignoresSecrets, one[index].withoutSecrets == other[index].withoutSecrets else { break }
            }
            index += 1
        }
        if index == one.count, index == other.count { return nil }
        equalCount = index
        self.one = index < one.count ? one[index] : nil
        self.other = index < other.count ? other[index] : nil
        before = Array(one[max(0, index - ContentDifference.context)..<index])
    }

    /// When the earlier of the two entries happened.
    package var at: Instant { [one?.at, other?.at].compactMap(\.self).min() ?? .zero }

    /// Whether both sides have an entry of the same kind, so that its parts can be compared.
    package var isOfOneKind: Bool {
        one != nil && one?.fields.first == other?.fields.first && one?.device == other?.device
    }

    /// Parts of the two entries that differ, with an excerpt of each side; all parts if they are of different
    /// kinds are no answer, so then there are none.
    package var fields: [Pair] {
        guard isOfOneKind, let one, let other else { return [] }
        var pairs: [Pair] = []
        if one.at != other.at { pairs.append(Pair("time", (one.at - .zero).shown, (other.at - .zero).shown)) }
        var rest = other.fields[...]
        for field in one.fields {
            let place = rest.firstIndex { $0.path == field.path }
            let value = place.map { rest.remove(at: $0).value }
            if value == field.value { continue }
            let (left, right) = DeterminismCheck.excerpts(field.value, value ?? ContentDifference.missing)
            pairs.append(Pair(field.path, left, right))
        }
        return pairs + rest.map { Pair($0.path, ContentDifference.missing, $0.value) }
    }

    private static let missing = "not there"

    package struct Pair: Hashable, Sendable {
        package var name: String
        package var one: String
        package var other: String

        package init(_ name: String, _ one: String, _ other: String) {
            self.name = name
            self.one = one
            self.other = other
        }
    }
}

extension RecordedEvent {
    /// What it is, and its parts as far as they fit into a number of characters.
    package func text(_ limit: Int) -> String {
        var text = (device > 0 ? "device \(device + 1): " : "") + (fields.first?.value ?? "")
        var isFirst = true
        for field in fields.dropFirst() {
            let name = field.path.split(separator: ".").last.map(String.init) ?? field.path
            let part = (isFirst ? "  " : ", ") + "\(name) \(field.value)"
            isFirst = false
            if text.count + part.count > limit {
                text += part.prefix(max(0, limit - text.count - 2)) + " …"
                break
            }
            text += part
        }
        return text
    }
}
