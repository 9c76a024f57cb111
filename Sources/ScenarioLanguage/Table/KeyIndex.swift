import Core

/// Positions by key, for keys that are known when the program starts: fields of a schema, codecs of an
/// object.
///
/// The validator and the codecs look up every key of every object, so a lookup copies nothing.
struct KeyIndex: Sendable {
    /// First bytes of the keys, ascending; the keys and their positions in the same order.
    private let prefixes: [UInt64]
    private let keys: [String]
    private let positions: [Int]

    /// - Parameter pairs: of equal keys, the first one is found.
    init(_ pairs: [(key: String, position: Int)]) {
        let sorted = pairs.enumerated().sorted { left, right in
            if TextBytes.areEqual(left.element.key, right.element.key) { return left.offset < right.offset }
            return TextBytes.precedes(left.element.key, right.element.key)
        }
        prefixes = sorted.map { TextBytes.sortPrefix($0.element.key) }
        keys = sorted.map(\.element.key)
        positions = sorted.map(\.element.position)
    }

    /// - Returns: nil for an unknown key.
    func position(of key: String) -> Int? {
        let prefix = TextBytes.sortPrefix(key)
        var index = prefixes.indices.bisected { prefixes[$0] < prefix }
        while index < prefixes.count, prefixes[index] == prefix {
            if TextBytes.areEqual(keys[index], key) { return positions[index] }
            index += 1
        }
        return nil
    }
}
