/// The one map of the pure modules above `Core`: entries sorted by key in an array.
///
/// Guarantees: equal content is an equal value, whatever the order in which it came, and a walk is
/// always in the order of the keys; a dictionary promises neither. Looking up takes log n comparisons; an
/// insert behind the last key is cheap, anywhere else it moves what follows. Deliberately not here: hashing.
package struct LookupTable<Key: Comparable, Value> {
    package struct Entry {
        package let key: Key
        package var value: Value

        @inlinable
        package init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// In ascending order of the keys; no two are equal.
    @inlinable package var entries: [Entry] { rows }

    @usableFromInline var rows: [Entry] = []

    @inlinable package init() {}

    /// In any order; of equal keys the last one stays.
    @inlinable package init(_ pairs: some Sequence<(Key, Value)>) {
        // Sorting is stable only by the added place: of equal keys the later one has to be known.
        let sorted = pairs.enumerated().sorted { left, right in
            left.element.0 == right.element.0
                ? left.offset < right.offset : left.element.0 < right.element.0
        }
        rows.reserveCapacity(sorted.count)
        for (_, pair) in sorted {
            if let last = rows.last, last.key == pair.0 { rows.removeLast() }
            rows.append(Entry(key: pair.0, value: pair.1))
        }
    }

    @inlinable package var count: Int { rows.count }
    @inlinable package var isEmpty: Bool { rows.isEmpty }
    @inlinable package var keys: [Key] { rows.map(\.key) }
    @inlinable package var values: [Value] { rows.map(\.value) }

    /// Reads, replaces, inserts, or with nil removes.
    @inlinable package subscript(key: Key) -> Value? {
        get {
            let place = place(of: key)
            return isAt(place, key) ? rows[place].value : nil
        }
        set {
            let place = place(of: key)
            switch (isAt(place, key), newValue) {
            case (true, .some(let value)): rows[place].value = value
            case (true, .none): rows.remove(at: place)
            case (false, .some(let value)): rows.insert(Entry(key: key, value: value), at: place)
            case (false, .none): break
            }
        }
    }

    @inlinable package func contains(_ key: Key) -> Bool { isAt(place(of: key), key) }

    /// Changes a value in place, `initial` where there is none yet, and says what `body` said.
    @inlinable package mutating func update<Result>(
        _ key: Key, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        let place = place(of: key)
        if !isAt(place, key) { rows.insert(Entry(key: key, value: initial()), at: place) }
        return body(&rows[place].value)
    }

    /// Changes a value in place; nil when there is none.
    @inlinable package mutating func update<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        let place = place(of: key)
        return isAt(place, key) ? body(&rows[place].value) : nil
    }

    /// Takes the entry out and gives its value.
    @inlinable @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        let place = place(of: key)
        return isAt(place, key) ? rows.remove(at: place).value : nil
    }

    @inlinable package mutating func removeAll() { rows.removeAll() }

    @inlinable package mutating func removeAll(where leaves: (Key, Value) -> Bool) {
        rows.removeAll { leaves($0.key, $0.value) }
    }

    /// The entry with the lowest key that is not below `key`.
    @inlinable package func first(from key: Key) -> Entry? {
        let place = place(of: key)
        return place < rows.count ? rows[place] : nil
    }

    /// The number of keys below `key`: where it stands, or would stand.
    @inlinable func place(of key: Key) -> Int {
        // Tables are mostly filled in the order of their keys.
        if let last = rows.last, last.key < key { return rows.count }
        return rows.indices.bisected { rows[$0].key < key }
    }

    @inlinable func isAt(_ place: Int, _ key: Key) -> Bool {
        place < rows.count && rows[place].key == key
    }
}

extension LookupTable: Sequence {
    /// In the order of the keys.
    @inlinable package func makeIterator() -> IndexingIterator<[Entry]> { rows.makeIterator() }
}

extension LookupTable.Entry: Equatable where Value: Equatable {}
extension LookupTable.Entry: Hashable where Key: Hashable, Value: Hashable {}
extension LookupTable.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension LookupTable: Equatable where Value: Equatable {}
extension LookupTable: Hashable where Key: Hashable, Value: Hashable {}
extension LookupTable: Sendable where Key: Sendable, Value: Sendable {}
