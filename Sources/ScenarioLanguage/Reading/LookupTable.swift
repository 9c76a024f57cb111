import Core

/// The only map type of the pure modules above `Core`: entries sorted by key in an array.
///
/// Guarantees: equal content is an equal value, whatever the order of insertion, and iteration is always in
/// the order of the keys; a dictionary guarantees neither. A lookup takes log n comparisons; an insertion
/// after the last key takes constant time, any other moves the following entries. Deliberately not here:
/// hashing.
///
/// Usable from inline, because the optimizer specializes a package type in another module only then.
@usableFromInline package struct LookupTable<Key: Comparable, Value> {
    @usableFromInline package struct Entry {
        @usableFromInline package let key: Key
        @usableFromInline package var value: Value

        @inlinable
        package init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// Entries in ascending order of the keys; no two keys are equal.
    @inlinable package var entries: [Entry] { storage }

    @usableFromInline var storage: [Entry] = []

    @inlinable package init() {}

    /// The pairs may be in any order; of equal keys, the last one is kept.
    @inlinable package init(_ pairs: some Sequence<(Key, Value)>) {
        // The offset makes the sort stable: of equal keys, the later one is kept.
        let sorted = pairs.enumerated().sorted { left, right in
            left.element.0 == right.element.0
                ? left.offset < right.offset : left.element.0 < right.element.0
        }
        storage.reserveCapacity(sorted.count)
        for (_, pair) in sorted {
            if let last = storage.last, last.key == pair.0 { storage.removeLast() }
            storage.append(Entry(key: pair.0, value: pair.1))
        }
    }

    @inlinable package var count: Int { storage.count }
    @inlinable package var isEmpty: Bool { storage.isEmpty }
    @inlinable package var keys: [Key] { storage.map(\.key) }
    @inlinable package var values: [Value] { storage.map(\.value) }

    /// Reads, replaces or inserts a value; nil removes the entry.
    @inlinable package subscript(key: Key) -> Value? {
        get {
            let index = index(of: key)
            return isKey(key, at: index) ? storage[index].value : nil
        }
        set {
            let index = index(of: key)
            switch (isKey(key, at: index), newValue) {
            case (true, .some(let value)): storage[index].value = value
            case (true, .none): storage.remove(at: index)
            case (false, .some(let value)): storage.insert(Entry(key: key, value: value), at: index)
            case (false, .none): break
            }
        }
    }

    @inlinable package func contains(_ key: Key) -> Bool { isKey(key, at: index(of: key)) }

    /// Changes a value in place; inserts `initial` before that when there is none.
    /// - Returns: the result of `body`.
    @inlinable package mutating func update<Result>(
        _ key: Key, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        let index = index(of: key)
        if !isKey(key, at: index) { storage.insert(Entry(key: key, value: initial()), at: index) }
        return body(&storage[index].value)
    }

    /// Changes a value in place.
    /// - Returns: the result of `body`; nil when there is no value.
    @inlinable package mutating func update<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        let index = index(of: key)
        return isKey(key, at: index) ? body(&storage[index].value) : nil
    }

    /// Removes the entry.
    /// - Returns: its value; nil when there was none.
    @inlinable @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        let index = index(of: key)
        return isKey(key, at: index) ? storage.remove(at: index).value : nil
    }

    @inlinable package mutating func removeAll() { storage.removeAll() }

    @inlinable package mutating func removeAll(where leaves: (Key, Value) -> Bool) {
        storage.removeAll { leaves($0.key, $0.value) }
    }

    /// The entry with the lowest key that is not below `key`.
    @inlinable package func first(from key: Key) -> Entry? {
        let index = index(of: key)
        return index < storage.count ? storage[index] : nil
    }

    /// Index of the key, or the index at which it would be inserted.
    @inlinable func index(of key: Key) -> Int {
        // Tables are mostly filled in the order of their keys.
        if let last = storage.last, last.key < key { return storage.count }
        return storage.indices.bisected { storage[$0].key < key }
    }

    @inlinable func isKey(_ key: Key, at index: Int) -> Bool {
        index < storage.count && storage[index].key == key
    }
}

extension LookupTable: Sequence {
    /// Iterates in the order of the keys.
    @inlinable package func makeIterator() -> IndexingIterator<[Entry]> { storage.makeIterator() }
}

extension LookupTable.Entry: Equatable where Value: Equatable {}
extension LookupTable.Entry: Hashable where Key: Hashable, Value: Hashable {}
extension LookupTable.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension LookupTable: Equatable where Value: Equatable {}
extension LookupTable: Hashable where Key: Hashable, Value: Hashable {}
extension LookupTable: Sendable where Key: Sendable, Value: Sendable {}
