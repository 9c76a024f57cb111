import Backend
import Core

/// Id of a path on one disk; meaningless on another disk.
typealias PathID = Int32
/// Number of an inode on one volume.
typealias InodeNumber = Int32

/// Id of a path's component on one disk. Two are equal if the disk treats them as the same name.
struct NameID: Equatable, Sendable {
    /// Id of the first spelling that this disk met.
    let key: Int32
    /// Id of this spelling.
    let spelling: Int32

    static func == (left: NameID, right: NameID) -> Bool { left.key == right.key }
}

/// Interned paths and components. A disk looks the text of a path up once per call and compares integers from
/// then on. The table only grows, is shared by all forks, and is not part of a disk's state.
///
/// Paths are distinguished by their UTF-8 bytes, and so are names if the ``NameRule`` says so: two spellings
/// of "é" are then two names, although Swift's strings are equal.
struct NameTable: Sendable {
    let rule: NameRule
    private var names = InternedTexts()
    /// For each spelling the id of the first spelling of the same name.
    private var keys: [Int32] = []
    /// Folded ASCII names, where the rule folds, and the key of each.
    private var folded = InternedTexts()
    private var foldedKeys: [Int32] = []
    /// Names beyond ASCII that only Swift's `==` can compare.
    private var unusual: [(text: String, key: Int32)] = []
    /// Whether some name has two spellings.
    private(set) var hasTwins = false
    private var paths = InternedTexts()
    private var parsedPaths: [ParsedPath] = []

    static let root: PathID = 0
    private static let longestName = 255

    init(_ rule: NameRule) {
        self.rule = rule
        _ = paths.id(of: "")
        let name = id(ofName: "")
        parsedPaths.append(ParsedPath(parent: NameTable.root, name: name, flaw: nil))
    }

    func parsed(_ path: PathID) -> ParsedPath { parsedPaths[Int(path)] }

    func path(_ path: PathID) -> String { paths.text(path) }

    func name(_ name: NameID) -> String { names.text(name.spelling) }

    /// Whether both share one array of names, so that names have equal ids.
    func sharesNames(with other: NameTable) -> Bool { names.isShared(with: other.names) }

    func known(path text: String) -> PathID? { paths.known(text) }

    /// Id of the name in this spelling; nil if no call has used it in any spelling.
    func known(name text: String) -> NameID? {
        if let name = spelled(text) { return name }
        return rule == .exactBytes ? nil : key(of: text).map { NameID(key: $0, spelling: $0) }
    }

    /// Id of the name if exactly this spelling is known.
    func spelled(_ text: String) -> NameID? {
        names.known(text).map { NameID(key: keys[Int($0)], spelling: $0) }
    }

    private func key(of text: String) -> Int32? {
        if let folded = rule.folded(text) { return self.folded.known(folded).map { foldedKeys[Int($0)] } }
        let text = rule.comparable(text)
        return unusual.first { $0.text == text }?.key
    }

    private mutating func id(ofName text: String) -> NameID {
        let spelling = names.id(of: text)
        if Int(spelling) < keys.count { return NameID(key: keys[Int(spelling)], spelling: spelling) }
        var key = spelling
        if rule != .exactBytes {
            if let folded = rule.folded(text) {
                let id = Int(self.folded.id(of: folded))
                if id < foldedKeys.count {
                    key = foldedKeys[id]
                    hasTwins = true
                } else {
                    foldedKeys.append(key)
                }
            } else if let known = self.key(of: text) {
                key = known
                hasTwins = true
            } else {
                unusual.append((rule.comparable(text), key))
            }
        }
        keys.append(key)
        return NameID(key: key, spelling: spelling)
    }

    /// Id of a path in the form that ``DiskPath`` describes; adds it and every directory above it if needed.
    mutating func id(of text: String) -> PathID {
        if let known = paths.known(text) { return known }
        let utf8 = text.utf8
        var parent = NameTable.root
        var component = text
        if let name = TextBytes.afterLast(UInt8(ascii: "/"), in: text) {
            parent = id(of: String(text[..<utf8.index(before: name)]))
            component = String(text[name...])
        }
        let startsWithSlash = utf8.first == UInt8(ascii: "/")
        let path = paths.id(of: text)
        let inherited = parsedPaths[Int(parent)].flaw
        let own = startsWithSlash ? .invalid : NameTable.flaw(of: component)
        parsedPaths.append(
            ParsedPath(
                parent: parent, name: id(ofName: component),
                flaw: inherited == .invalid ? inherited : own))
        return path
    }

    private static func flaw(of component: String) -> DiskError.Code? {
        if component.isEmpty || component == "." || component == ".." { return .invalid }
        if component.utf8.contains(0) { return .invalid }
        return component.utf8.count > longestName ? .nameTooLong : nil
    }
}

/// The parts of a path: its directory, its last component, and what is wrong with its spelling.
struct ParsedPath: Sendable {
    let parent: PathID
    let name: NameID
    /// `invalid` if a ``DiskPath`` must not have one of the components, `nameTooLong` if the last one has
    /// more than 255 bytes.
    let flaw: DiskError.Code?
}

/// Texts with ids in the order of their first use.
struct InternedTexts: Sendable {
    private var texts: [String] = []
    /// A hash table of ids with linear probing; -1 marks an empty slot. Its size is a power of two, at most
    /// half of it is used.
    private var slots = [Int32](repeating: -1, count: 16)

    var count: Int { texts.count }

    func text(_ id: Int32) -> String { texts[Int(id)] }

    func isShared(with other: InternedTexts) -> Bool {
        texts.withUnsafeBufferPointer { mine in
            other.texts.withUnsafeBufferPointer {
                mine.baseAddress == $0.baseAddress && mine.count == $0.count
            }
        }
    }

    func known(_ text: String) -> Int32? {
        let id = slots[slot(of: text)]
        return id < 0 ? nil : id
    }

    mutating func id(of text: String) -> Int32 {
        let slot = slot(of: text)
        if slots[slot] >= 0 { return slots[slot] }
        let id = Int32(texts.count)
        texts.append(text)
        slots[slot] = id
        if texts.count * 2 > slots.count { grow() }
        return id
    }

    /// The slot that holds the text, or that would.
    private func slot(of text: String) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: TextBytes.hash(text)) & mask
        while slots[slot] >= 0, !TextBytes.areEqual(texts[Int(slots[slot])], text) {
            slot = (slot + 1) & mask
        }
        return slot
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for (id, text) in texts.enumerated() { slots[slot(of: text)] = Int32(id) }
    }
}
