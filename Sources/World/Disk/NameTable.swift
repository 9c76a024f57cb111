import Backend
import Core

/// The number of a path, or of a file on one disk; meaningless on another disk.
typealias PathNumber = Int32
typealias InodeNumber = Int32

/// The number of a path's last component on one disk. Two are equal when the disk takes them for one name.
struct NameNumber: Equatable, Sendable {
    /// Of the first spelling that this disk met.
    let key: Int32
    /// Of this spelling.
    let spelling: Int32

    static func == (left: NameNumber, right: NameNumber) -> Bool { left.key == right.key }
}

/// Paths and their components as small integers. A disk asks for the text of a path once per call and
/// compares integers from there on. Grows only; shared by all forks; no part of a disk's state.
///
/// Paths are told apart by their UTF-8 bytes, and names too where the ``NameRule`` says so: two spellings of
/// "é" are then two names, though Swift calls the strings equal.
struct NameTable: Sendable {
    let rule: NameRule
    private var names = InternedTexts()
    /// For each spelling the first one of the same name.
    private var keys: [Int32] = []
    /// Folded ASCII names, where the rule folds, and the key of each.
    private var folded = InternedTexts()
    private var foldedKeys: [Int32] = []
    /// Names beyond ASCII that only Swift's `==` can compare.
    private var unusual: [(text: String, key: Int32)] = []
    /// Some name has been spelled in two ways.
    private(set) var hasTwins = false
    private var paths = InternedTexts()
    private var places: [PathPlace] = []

    static let root: PathNumber = 0
    private static let longestName = 255

    init(_ rule: NameRule) {
        self.rule = rule
        _ = paths.number(of: "")
        let name = number(ofName: "")
        places.append(PathPlace(parent: NameTable.root, name: name, flaw: nil))
    }

    func place(_ path: PathNumber) -> PathPlace { places[Int(path)] }

    func path(_ path: PathNumber) -> String { paths.text(path) }

    func name(_ name: NameNumber) -> String { names.text(name.spelling) }

    /// Names have the same numbers in both, for they are the same array.
    func sharesNames(with other: NameTable) -> Bool { names.isShared(with: other.names) }

    func known(path text: String) -> PathNumber? { paths.known(text) }

    /// The name as it is spelled here; nil where nobody has mentioned it in any spelling.
    func known(name text: String) -> NameNumber? {
        if let name = spelled(text) { return name }
        return rule == .exactBytes ? nil : key(of: text).map { NameNumber(key: $0, spelling: $0) }
    }

    /// The name in exactly this spelling.
    func spelled(_ text: String) -> NameNumber? {
        names.known(text).map { NameNumber(key: keys[Int($0)], spelling: $0) }
    }

    private func key(of text: String) -> Int32? {
        if let folded = rule.folded(text) { return self.folded.known(folded).map { foldedKeys[Int($0)] } }
        let text = rule.comparable(text)
        return unusual.first { $0.text == text }?.key
    }

    private mutating func number(ofName text: String) -> NameNumber {
        let spelling = names.number(of: text)
        if Int(spelling) < keys.count { return NameNumber(key: keys[Int(spelling)], spelling: spelling) }
        var key = spelling
        if rule != .exactBytes {
            if let folded = rule.folded(text) {
                let number = Int(self.folded.number(of: folded))
                if number < foldedKeys.count {
                    key = foldedKeys[number]
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
        return NameNumber(key: key, spelling: spelling)
    }

    /// The number of a path in the form that ``DiskPath`` describes, and of every directory above it.
    mutating func number(of text: String) -> PathNumber {
        if let known = paths.known(text) { return known }
        let utf8 = text.utf8
        var parent = NameTable.root
        var component = text
        if let name = TextBytes.afterLast(UInt8(ascii: "/"), in: text) {
            parent = number(of: String(text[..<utf8.index(before: name)]))
            component = String(text[name...])
        }
        let startsWithSlash = utf8.first == UInt8(ascii: "/")
        let path = paths.number(of: text)
        let inherited = places[Int(parent)].flaw
        let own = startsWithSlash ? .invalid : NameTable.flaw(of: component)
        places.append(
            PathPlace(
                parent: parent, name: number(ofName: component),
                flaw: inherited == .invalid ? inherited : own))
        return path
    }

    private static func flaw(of component: String) -> DiskError.Code? {
        if component.isEmpty || component == "." || component == ".." { return .invalid }
        if component.utf8.contains(0) { return .invalid }
        return component.utf8.count > longestName ? .nameTooLong : nil
    }
}

/// Where a path stands: its directory, its last component, and what is wrong with its spelling.
struct PathPlace: Sendable {
    let parent: PathNumber
    let name: NameNumber
    /// `invalid` for a component that no ``DiskPath`` may have, `nameTooLong` for a last one over 255 bytes.
    let flaw: DiskError.Code?
}

/// Texts numbered in the order of their first mention.
struct InternedTexts: Sendable {
    private var texts: [String] = []
    /// An open table of numbers, -1 where none is: a power of two, at most half full, searched from the
    /// place that the text's bytes say.
    private var slots = [Int32](repeating: -1, count: 16)

    var count: Int { texts.count }

    func text(_ number: Int32) -> String { texts[Int(number)] }

    func isShared(with other: InternedTexts) -> Bool {
        texts.withUnsafeBufferPointer { mine in
            other.texts.withUnsafeBufferPointer {
                mine.baseAddress == $0.baseAddress && mine.count == $0.count
            }
        }
    }

    func known(_ text: String) -> Int32? {
        let number = slots[slot(of: text)]
        return number < 0 ? nil : number
    }

    mutating func number(of text: String) -> Int32 {
        let slot = slot(of: text)
        if slots[slot] >= 0 { return slots[slot] }
        let number = Int32(texts.count)
        texts.append(text)
        slots[slot] = number
        if texts.count * 2 > slots.count { grow() }
        return number
    }

    /// Where it stands, or would stand.
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
        for (number, text) in texts.enumerated() { slots[slot(of: text)] = Int32(number) }
    }
}
